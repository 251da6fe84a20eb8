"""The reference harness and ours on the same adapter, written with the reference's classes, give the same assessment.

Deliberate differences: a forbidden key or label seen in any trial fails, also when the orderings differ; more than
top_k items, a rank above top_k, and ranks that move under an unchanged order are adapter errors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from interop.wire_strategies import HASHES, KEYS, LABELS, SUITES, Document
from witnessmark import assess
from witnessmark.canonical import model_bytes
from witnessmark.errors import AdapterError
from witnessmark.models import MemoryCheckpointAssessment, ProbeSuite

reference = pytest.importorskip("agent_manifest._memory_assessment")

pytestmark = pytest.mark.interop

TOP_K = 5
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
Ordering = tuple[Any, ...]
Table = dict[tuple[str, str, str], list[Ordering]]
"""(state, query, mood) → the answer of each trial, in turn."""

PROFILE: Document = {
    "implementation_id": "table",
    "implementation_version": "1",
    "adapter_version": "1",
    "adapter_capability": "deterministic",
    "distance_metric": "fixture",
    "index_implementation": "table",
    "top_k": TOP_K,
    "truncation_rule": "top-k",
    "tie_policy": "rank",
}


class ReferenceAdapter:
    """A stateful table, in the reference's own classes; it damages every request that it is handed."""

    def __init__(self, capability: str, table: Table, keys: dict[str, set[str]], runtime: Any = None) -> None:
        self.profile = reference.RetrieverProfile(**{**PROFILE, "adapter_capability": capability})
        self._table = table
        self._keys = keys
        self._runtime = runtime
        self.asked: Counter[tuple[str, str, str]] = Counter()

    def state_reference(self, state_name: str) -> Any:
        return reference.StateReference(checkpoint_digest=f"sha256:{'ab'[state_name == 'candidate'] * 64}")

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        return item_key in self._keys[state_name]

    def retrieve(self, state_name: str, request: Any) -> Sequence[Any]:
        key = (state_name, request.query, request.context.get("mood", ""))
        answers = self._table.get(key, [()])
        trial = self.asked[key]
        self.asked[key] += 1
        request.context["mood"] = "damaged"
        return list(answers[trial % len(answers)])

    def runtime_observation(self) -> Any:
        return self._runtime


@st.composite
def _orderings(draw: st.DrawFn) -> list[Ordering]:
    """One to three distinct orderings, spread over the trials; mostly one."""
    distinct: dict[Any, Ordering] = {}
    for _ in range(draw(st.sampled_from([1, 1, 1, 1, 2, 3]))):
        keys = draw(st.lists(KEYS, max_size=TOP_K, unique=True))
        ranks = sorted(draw(st.sets(st.integers(1, TOP_K), min_size=len(keys), max_size=len(keys))))
        items = [
            reference.RetrievedItem(
                item_key=key,
                item_version_digest=f"sha256:{draw(st.sampled_from('12')) * 64}",
                rank=rank,
                scope_labels=draw(st.lists(LABELS, max_size=2)),
            )
            for key, rank in zip(keys, ranks, strict=True)
        ]
        identity = tuple((i.item_key, i.item_version_digest, tuple(sorted(i.scope_labels))) for i in items)
        # The same ordering never comes at other ranks: that breaks our contract and is invisible in the reference.
        distinct.setdefault(identity, tuple(draw(st.permutations(items))))
    seen = list(distinct.values())
    if len(seen) == 1:
        return seen
    return [draw(st.sampled_from(seen)) for _ in range(20)]


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Document, str, Table, dict[str, set[str]]]:
    table = {
        (state, query, mood): draw(_orderings())
        for state in ("baseline", "candidate")
        for query in ("q", "r")
        for mood in ("", "calm", "alert")
    }
    everything = {"old", "new", "rule", "other", "third", "\xe9", "e\u0301"}
    keys = {state: everything - draw(st.sets(KEYS, max_size=1)) for state in ("baseline", "candidate")}
    capability = draw(st.sampled_from(["deterministic"] * 9 + ["unsupported_or_unknown"]))
    return draw(SUITES), capability, table, keys


def _leaks(probe: Document, table: Table) -> bool:
    """Say, from the table alone, whether a forbidden key or label is in any trial of the probe's requests."""
    if probe["kind"] == "scope_isolation":
        places = [(probe.get("context", {}), probe.get("forbidden_item_keys", ()))]
    elif probe["kind"] == "state_conditioned_differentiation":
        places = [(probe[f"context_{name}"], probe.get(f"{name}_forbidden_keys", ())) for name in "ab"]
    else:
        return False
    labels = set(probe.get("forbidden_scope_labels", ()))
    return any(
        item.item_key in keys or labels & set(item.scope_labels)
        for context, keys in places
        for answer in table["candidate", probe["query"], context.get("mood", "")]
        for item in answer
    )


def _expected(their: Any, suite: Document, table: Table) -> list[tuple[str, bool, str, str, tuple[str, ...]]]:
    rows = []
    for probe, item in zip(suite["probes"], their.probe_results, strict=True):
        result, reasons = item.result.value, tuple(reason.value for reason in item.reasons)
        if reasons == ("repeatability_unstable",) and _leaks(probe, table):
            result, reasons = "fail", ()
            event("a leak in an unstable answer")
        event(f"{item.result.value} {reasons}")
        rows.append((item.probe_id, item.required, result, item.severity.value, reasons))
    return rows


def _rows(ours: MemoryCheckpointAssessment) -> list[tuple[str, bool, str, str, tuple[str, ...]]]:
    return [
        (item.probe_id, item.required, item.result.value, item.severity.value, tuple(r.value for r in item.reasons))
        for item in ours.probe_results
    ]


@settings(max_examples=300, deadline=None)
@given(scene=scenes(), seed=st.integers(0, 9))
def test_the_same_adapter_gets_the_same_assessment(
    scene: tuple[Document, str, Table, dict[str, set[str]]], seed: int
) -> None:
    suite, capability, table, keys = scene
    their_adapter, our_adapter = (ReferenceAdapter(capability, table, keys) for _ in range(2))
    their = reference.AssessmentHarness().run(
        their_adapter, reference.ProbeSuite.model_validate(suite), assessed_at=NOW
    )
    run = assess(our_adapter, ProbeSuite.from_json(suite), seed=seed, assessed_at=NOW)
    ours = run.assessment

    assert our_adapter.asked == their_adapter.asked
    wanted = _expected(their, suite, table)
    assert _rows(ours) == wanted
    assert all(bool(item.violations) == (item.result.value == "fail") for item in ours.probe_results)
    their_dump, our_dump = (item.model_dump(mode="json", exclude_none=True) for item in (their, ours))
    for name in ("invocation_evidence", "baseline_state", "candidate_state", "assessed_at", "material_access", "type"):
        assert our_dump[name] == their_dump[name]
    for name in ("probe_suite_digest", "retriever_profile_digest", "version"):
        assert our_dump[name] == their_dump[name]
    if wanted == _expected_without_difference(their):
        for name in ("coverage", "security_flags", "result"):
            assert our_dump[name] == their_dump[name]
    required = [row[2] for row in wanted if row[1]]
    assert ours.coverage.failed == required.count("fail")
    assert ours.coverage.indeterminate == required.count("indeterminate")
    assert ours.security_flags.contains_confidentiality_failure == any(
        row[2] == "fail" and row[3] == "confidentiality" for row in wanted
    )

    loaded = reference.MemoryCheckpointAssessment.model_validate_json(model_bytes(ours))
    assert reference.canonical_model_hash(loaded) == reference.canonical_model_hash(ours)
    assert MemoryCheckpointAssessment.from_bytes(their.model_dump_json()).result.value == their.result.value


def _expected_without_difference(their: Any) -> list[tuple[str, bool, str, str, tuple[str, ...]]]:
    return [
        (item.probe_id, item.required, item.result.value, item.severity.value, tuple(r.value for r in item.reasons))
        for item in their.probe_results
    ]


EVERYTHING = {"baseline": {"rule", "other"}, "candidate": {"rule", "other"}}
ISOLATION: Document = {
    "probes": [{"kind": "scope_isolation", "probe_id": "p", "query": "q", "forbidden_item_keys": ["other"]}]
}


def _item(key: str, rank: int) -> Any:
    return reference.RetrievedItem(item_key=key, item_version_digest=f"sha256:{'1' * 64}", rank=rank)


def _both(table: Table, **rest: Any) -> tuple[Any, Any]:
    their = reference.AssessmentHarness().run(
        ReferenceAdapter("deterministic", table, EVERYTHING, **rest),
        reference.ProbeSuite.model_validate(ISOLATION),
        assessed_at=NOW,
    )
    return (
        their,
        lambda: (
            assess(
                ReferenceAdapter("deterministic", table, EVERYTHING, **rest),
                ProbeSuite.from_json(ISOLATION),
                assessed_at=NOW,
            ).assessment
        ),
    )


def test_difference_a_leak_in_one_trial_fails_here_and_is_undecided_there() -> None:
    clean, leak = (_item("rule", 1),), (_item("rule", 1), _item("other", 2))
    their, ours = _both({("candidate", "q", ""): [*[clean] * 19, leak]})

    assert their.result.value == "indeterminate"
    assert ours().result.value == "fail"
    assert ours().security_flags.contains_confidentiality_failure
    assert not their.security_flags.contains_confidentiality_failure


@pytest.mark.parametrize(
    ("ranks", "code"), [((1, 2, 3, 4, 5, 6), "too_many_items"), ((TOP_K + 1,), "rank_above_top_k")]
)
def test_difference_what_contradicts_top_k_is_an_error_here_and_accepted_there(
    ranks: tuple[int, ...], code: str
) -> None:
    their, ours = _both({("candidate", "q", ""): [tuple(_item(f"k{rank}", rank) for rank in ranks)]})

    assert their.result.value == "pass"
    with pytest.raises(AdapterError) as caught:
        ours()
    assert caught.value.code == code


def test_difference_ranks_that_move_under_the_same_order_are_an_error_here_and_stable_there() -> None:
    their, ours = _both({("candidate", "q", ""): [(_item("rule", 1),), (_item("rule", 2),)]})

    assert their.result.value == "pass"
    with pytest.raises(AdapterError) as caught:
        ours()
    assert caught.value.code == "ranks_differ"


@pytest.mark.parametrize(
    ("items", "code"),
    [((("rule", 1), ("other", 1)), "duplicate_rank"), ((("rule", 1), ("rule", 2)), "duplicate_item_key")],
)
def test_duplicates_are_errors_on_both_sides(items: tuple[tuple[str, int], ...], code: str) -> None:
    table: Table = {("candidate", "q", ""): [tuple(_item(*item) for item in items)]}

    with pytest.raises(ValueError, match="duplicate"):
        _both(table)
    with pytest.raises(AdapterError) as caught:
        assess(ReferenceAdapter("deterministic", table, EVERYTHING), ProbeSuite.from_json(ISOLATION))
    assert caught.value.code == code


@given(runtime=st.none() | st.builds(dict, runtime_id=st.text(max_size=3), fingerprint_probe_digest=HASHES))
@settings(max_examples=20, deadline=None)
def test_a_complete_runtime_observation_is_kept(runtime: Document | None) -> None:
    their, ours = _both({}, runtime=None if runtime is None else reference.RuntimeObservation.model_validate(runtime))

    if runtime is None:
        # The harness's commitment to the transcript stands where the reference leaves nothing.
        assert their.runtime_observation is None
        assert ours().runtime_observation.fingerprint_probe_digest.startswith("sha256:")
    else:
        assert ours().runtime_observation.model_dump() == their.runtime_observation.model_dump()


def test_a_suite_of_the_reference_classes_runs_unchanged() -> None:
    suite = reference.ProbeSuite.model_validate(ISOLATION)

    run = assess(ReferenceAdapter("deterministic", {}, EVERYTHING), suite, assessed_at=NOW)

    assert run.assessment.probe_suite_digest == reference.canonical_model_hash(suite)
