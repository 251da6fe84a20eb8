"""On suites written by hand it is known exactly what each kind of regression does to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers import (
    NOW,
    Call,
    Retriever,
    anchor,
    correction,
    differentiation,
    isolation,
    item,
    items,
    profile,
    reference,
    suite,
)
from witnessmark import assess
from witnessmark.checkpoint.edges import edges_of
from witnessmark.models import MemoryRecord, Probe, ProbeSuite, RetrievedItem
from witnessmark.models.strength import PlantedRegression, SuiteStrengthReport
from witnessmark.run.questions import read_questions
from witnessmark.run.transcript import to_observed
from witnessmark.runner import Run
from witnessmark.strength import Catalogue, cover_of, suite_strength

TOP_K = 4


def answers(call: Call, number: int) -> Sequence[RetrievedItem]:
    """Answer so that every probe below passes; foreign items show up in a question that asks for them."""
    if call.query == "what is right?":
        return items("old", "p", "q") if call.state == "baseline" else items("new", "old", "p")
    if call.query == "what is the rule?":
        return items("rule", "p", "q", "r")
    if call.query == "how do I answer?":
        return items("calm", "p") if call.context["mood"] == "a" else items("alarm", "p")
    if call.query == "everything of b":
        return (item("secret", 1, "tenant:b"), item("other", 2, "tenant:b"))
    return (item("mine", 1, "tenant:a"), item("p", 2))


SEEN = anchor("seen", query="everything of b", context={"tenant": "b"}, anchor=reference("secret"), required=False)
"""Not required: it only makes the items of tenant b known."""


def run_of(*probes: Probe) -> Run:
    return assess(Retriever(answers, own_profile=profile(top_k=TOP_K)), suite(*probes), assessed_at=NOW)


def strength_of(run: Run, whole: ProbeSuite | None = None, records: Sequence[MemoryRecord] = ()) -> SuiteStrengthReport:
    header, observed = run.transcript.header, to_observed(run.transcript)
    return suite_strength(
        run.assessment,
        whole or run.suite,
        read_questions(whole or run.suite, header.baseline_name, header.candidate_name),
        run.profile,
        observed,
        catalogue=Catalogue(observed, records),
        edges=[edge for record in records for edge in edges_of(record)],
    )


def report_of(*probes: Probe, records: Sequence[MemoryRecord] = ()) -> SuiteStrengthReport:
    return strength_of(run_of(*probes), records=records)


def counts(report: SuiteStrengthReport, kind: str) -> tuple[int, int, int]:
    (found,) = (each for each in report.kinds if each.kind == kind)
    assert found.kill_ratio == (found.caught / found.planted if found.planted else None)
    return found.caught, found.planted, found.unchanged


def planted(report: SuiteStrengthReport, kind: str) -> list[PlantedRegression]:
    return [each for each in report.regressions if each.kind == kind]


# Corrections


def test_a_correction_probe_catches_a_dropped_and_a_swapped_correction() -> None:
    report = report_of(correction())
    assert counts(report, "drop_correction") == counts(report, "swap_correction") == (1, 1, 0)
    (dropped,), (swapped,) = planted(report, "drop_correction"), planted(report, "swap_correction")
    assert (dropped.planted, dropped.caught_by) == ("correction 'new' is gone", ("correction",))
    assert swapped.planted == "superseded 'old' in the place of correction 'new'"


def test_an_anchor_on_the_superseded_item_notices_neither_of_them() -> None:
    lax = anchor(query="what is right?", anchor=reference("old"), max_rank=3)
    records = (MemoryRecord.model_validate({"key": "new", "text": "t", "supersedes": ["old"]}),)
    report = report_of(lax, records=records)
    assert counts(report, "drop_correction") == counts(report, "swap_correction") == (0, 1, 0)
    assert planted(report, "drop_correction")[0].survived == "not_noticed"
    assert counts(report_of(lax), "drop_correction") == (0, 0, 0), "the edge is known from the records only"


def test_a_probe_that_is_not_required_catches_nothing_and_is_named() -> None:
    report = report_of(anchor(), correction(required=False))
    (dropped,) = planted(report, "drop_correction")
    assert (dropped.caught_by, dropped.survived) == ((), "no_required_probe")
    assert (dropped.asked_by, dropped.optional_noticed) == (("correction",), ("correction",))


def test_a_correction_that_ranks_just_above_is_caught_when_it_sinks() -> None:
    assert counts(report_of(correction()), "demote_by_one") == (1, 1, 0)


# Anchors


@pytest.mark.parametrize(("max_rank", "caught"), [(1, 1), (2, 0)])
def test_an_anchor_with_a_lax_max_rank_misses_a_demotion(max_rank: int, caught: int) -> None:
    report = report_of(anchor(max_rank=max_rank))
    assert counts(report, "demote_by_one") == (caught, 1, 0)
    assert counts(report, "empty") == (1, 1, 0)


def test_an_anchor_in_the_last_place_catches_what_the_first_one_misses() -> None:
    first, last = anchor(max_rank=4), anchor("last", anchor=reference("r"), max_rank=4)
    assert counts(report_of(first), "truncate_by_one") == counts(report_of(first), "truncate_to_one") == (0, 1, 0)
    assert counts(report_of(last), "truncate_by_one") == counts(report_of(last), "truncate_to_one") == (1, 1, 0)


def test_an_answer_shorter_than_top_k_cannot_lose_its_place_k() -> None:
    assert counts(report_of(correction()), "truncate_by_one") == (0, 0, 1)


# Scopes

LABELS = isolation(forbidden_item_keys=[], forbidden_scope_labels=["tenant:b"])
KEYS = isolation(forbidden_item_keys=["secret", "other"], forbidden_scope_labels=[])
ONE_KEY = isolation(forbidden_item_keys=["secret"], forbidden_scope_labels=[])


@pytest.mark.parametrize(
    ("probe", "labelled", "unlabelled"),
    [(LABELS, 1, 0), (KEYS, 1, 1), (ONE_KEY, 0, 0), (isolation(), 1, 0)],
    ids=["labels", "keys", "one of two keys", "label and one of two keys"],
)
def test_labels_catch_labelled_leaks_and_keys_catch_the_items_they_name(
    probe: Probe, labelled: int, unlabelled: int
) -> None:
    report = report_of(probe, SEEN)
    assert counts(report, "leak_scope") == (labelled, 1, 0)
    assert counts(report, "leak_unlabelled") == (unlabelled, 1, 0)


def test_a_survivor_says_which_item_gets_through() -> None:
    (survivor,) = planted(report_of(isolation(), SEEN), "leak_unlabelled")
    assert survivor.planted == "item 'other' of 'tenant:b' in the last place, without its labels"
    assert (survivor.survived, survivor.asked_by) == ("not_noticed", ("isolation",))
    assert survivor.request.context == {"tenant": "a"}


def test_the_scope_of_the_context_itself_is_no_leak() -> None:
    own = isolation(context={"tenant": "b"})
    assert counts(report_of(own, SEEN), "leak_scope") == (0, 0, 1), "only tenant:a is foreign, and it is there already"


def test_scopes_that_only_the_records_hold_can_leak() -> None:
    records = (MemoryRecord.model_validate({"key": "far", "text": "t", "scope_labels": ["tenant:c"]}),)
    assert counts(report_of(isolation()), "leak_scope") == (0, 0, 0)
    assert counts(report_of(isolation(), records=records), "leak_scope") == (0, 1, 0)


def test_without_a_liveness_anchor_an_empty_answer_is_isolated() -> None:
    probe = isolation()
    alive = anchor("alive", query=probe.query, context={"tenant": "a"}, anchor=reference("mine"))
    assert counts(report_of(probe), "empty") == (0, 1, 0)
    assert counts(report_of(probe, alive), "empty") == (1, 1, 0)


# Contexts


@pytest.mark.parametrize(
    ("changes", "caught"),
    [
        ({}, 2),
        ({"a_required_keys": [], "b_required_keys": [], "a_forbidden_keys": [], "b_forbidden_keys": []}, 2),
        ({"require_distinct_ordering": False}, 2),
        ({"require_distinct_ordering": False, "a_required_keys": [], "b_required_keys": [], "b_forbidden_keys": []}, 1),
        (
            {
                "require_distinct_ordering": False,
                "a_required_keys": ["p"],
                "b_required_keys": ["p"],
                "a_forbidden_keys": [],
                "b_forbidden_keys": [],
            },
            0,
        ),
    ],
    ids=["all", "distinct only", "keys only", "one forbidden key", "a shared key"],
)
def test_contexts_that_collapse_either_way(changes: Mapping[str, object], caught: int) -> None:
    assert counts(report_of(differentiation(**changes)), "collapse_contexts") == (caught, 2, 0)


# Runs that did not pass


def test_a_probe_that_fails_already_masks_what_it_would_have_caught() -> None:
    report = report_of(anchor(), anchor("hides", query="what is right?", anchor=reference("missing")), correction())
    survivors = [each for each in planted(report, "truncate_to_one") if each.survived]
    assert {each.survived for each in survivors} == {"not_noticed", "masked"}
    assert report.result == "indeterminate"


def test_nothing_is_planted_where_nothing_was_asked() -> None:
    unsupported = profile(adapter_capability="unsupported_or_unknown", tie_policy=None)
    run = assess(Retriever(answers, own_profile=unsupported), suite(anchor()), assessed_at=NOW)
    total = strength_of(run).total
    assert (total.caught, total.planted, total.unchanged, total.kill_ratio) == (0, 0, 0, None)


# What has to hold of every suite

POOL: tuple[Probe, ...] = (
    correction(),
    correction("optional", required=False),
    anchor(),
    anchor("lax", max_rank=4),
    anchor("last", anchor=reference("r"), max_rank=4),
    anchor("alive", query="what is the secret?", context={"tenant": "a"}, anchor=reference("mine")),
    LABELS,
    isolation("keys", forbidden_item_keys=["secret", "other"], forbidden_scope_labels=[]),
    isolation("one-key", forbidden_item_keys=["secret"], forbidden_scope_labels=[]),
    differentiation(),
    differentiation("distinct", a_required_keys=[], b_required_keys=[], a_forbidden_keys=[], b_forbidden_keys=[]),
    anchor("seen", query="everything of b", context={"tenant": "b"}, anchor=reference("secret")),
)


@pytest.fixture(scope="module")
def records() -> tuple[MemoryRecord, ...]:
    """Return what makes every scope known to every suite, so that more probes add no new items to old regressions."""
    return tuple(
        MemoryRecord.model_validate({"key": key, "text": key, "scope_labels": labels})
        for key, labels in (("secret", ["tenant:b"]), ("other", ["tenant:b"]), ("mine", ["tenant:a"]))
    )


@given(chosen=st.lists(st.sampled_from(range(len(POOL))), unique=True, min_size=2))
def test_one_probe_more_never_catches_less(records: tuple[MemoryRecord, ...], chosen: list[int]) -> None:
    fewer = [POOL[index] for index in sorted(chosen[1:])]
    more = [POOL[index] for index in sorted(chosen)]
    if not any(probe.required for probe in fewer):
        return
    caught = [
        {
            (each.kind, each.request_digest, each.planted if "leak" not in each.kind else _label(each))
            for each in report_of(*probes, records=records).regressions
            if each.caught_by
        }
        for probes in (fewer, more)
    ]
    assert caught[0] <= caught[1]


def _label(regression: PlantedRegression) -> str:
    """Return the scope that leaks: which of its items is told is up to the probes."""
    return regression.planted.split(" of ")[1]


def test_the_run_stays_as_it_is_and_two_reports_are_equal() -> None:
    run = run_of(*POOL)
    before = run.transcript.model_dump_json(), run.assessment.model_dump_json()
    first, second = strength_of(run), strength_of(run)
    assert first == second
    assert (run.transcript.model_dump_json(), run.assessment.model_dump_json()) == before


def test_the_total_is_the_sum_of_the_kinds() -> None:
    report = report_of(*POOL)
    for name in ("caught", "planted", "unchanged"):
        assert getattr(report.total, name) == sum(getattr(kind, name) for kind in report.kinds)
    assert report.total.planted == len(report.regressions) > report.total.caught > 0


# What no probe covers

RECORDS = tuple(
    MemoryRecord.model_validate({"text": "t", **fields})
    for fields in (
        {"key": "new", "supersedes": ["old", "older"]},
        {"key": "old"},
        {"key": "doubt", "contradicts": "fact"},
        {"key": "fact"},
        {"key": "rule", "anchor": "safety"},
        {"key": "name", "anchor": True},
        {"key": "plain", "anchor": ""},
        {"key": "secret", "scope_labels": ["tenant:b", "project:x"]},
        {"key": "mine", "scope_labels": ["tenant:a"]},
        {"key": "odd", "supersedes": 7, "contradicts": [None, "fact"]},
    )
)


def test_what_of_the_records_the_required_probes_are_about() -> None:
    cover = cover_of(suite(correction(), anchor(), isolation(), differentiation(required=False)), RECORDS)
    assert (cover.edges, cover.edges_covered) == (4, 1)
    assert [(edge.item_key, edge.relation, edge.target_key, edge.target_live) for edge in cover.uncovered_edges] == [
        ("new", "supersedes", "older", False),
        ("doubt", "contradicts", "fact", True),
        ("odd", "contradicts", "fact", True),
    ]
    assert (cover.anchors, cover.anchors_covered, cover.uncovered_anchors) == (2, 1, ("name",))
    assert (cover.scopes, cover.scopes_covered, cover.uncovered_scopes) == (3, 2, ("tenant:a",))


def test_a_contradiction_is_covered_in_either_order_and_an_optional_probe_covers_nothing() -> None:
    either = correction(superseded=reference("doubt"), correction=reference("fact"))
    assert cover_of(suite(either), RECORDS).edges_covered == 1
    optional = correction(superseded=reference("doubt"), correction=reference("fact"), required=False)
    assert cover_of(suite(anchor(), optional), RECORDS).edges_covered == 0
