"""What has to hold of every evaluation."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from witnessmark.applicability import evaluate, evaluate_for, fingerprint
from witnessmark.models import ApplicabilityStatus, Dimension, EnvironmentBinding, Purpose
from witnessmark.models.applicability import CURRENT_STATE

ORDER = list(ApplicabilityStatus)
"""Worst first."""
DIGESTS = st.sampled_from(["a" * 64, "b" * 64])
VALUES = {
    Dimension.commit_sha: ["1" * 40, "2" * 40],
    Dimension.policy_digest: ["c" * 64, "d" * 64],
    Dimension.target_state_digest: ["e" * 64, "f" * 64],
}
INSTANTS = st.sampled_from(["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.001Z", "2027-01-01T00:00:00Z"])


def dimension_values(name: Dimension) -> list[str]:
    return VALUES.get(name, ["x", "y"])


environments = st.fixed_dictionaries(
    {}, optional={name.value: st.sampled_from(dimension_values(name)) for name in Dimension} | {"valid_until": INSTANTS}
)
sources = st.fixed_dictionaries(
    {"refetchable": st.booleans(), "exists": st.sampled_from([True, True, False, None])},
    optional={"locator": st.just("x:y"), "expected_digest": DIGESTS, "observed_digest": DIGESTS},
)
dependencies = st.lists(
    st.fixed_dictionaries(
        {
            "dependency_id": st.sampled_from(["p", "q", "r"]),
            "state": st.sampled_from(["active", "active", "superseded", "retired", "erased"]),
        },
        optional={"expected_digest": DIGESTS, "observed_digest": DIGESTS},
    ),
    max_size=4,
)
metadata = st.dictionaries(st.sampled_from(["note", "warrant", "_cml_x", "Warrant"]), st.booleans(), max_size=2)
cases = st.fixed_dictionaries(
    {
        "source": sources,
        "stored": environments,
        "current": environments,
        "lineage": dependencies,
        "caller_metadata": metadata,
        "now": INSTANTS,
    }
)
SOUND = {
    "locator": "x:y",
    "refetchable": True,
    "exists": True,
    "expected_digest": "a" * 64,
    "observed_digest": "a" * 64,
}
# Sound sources in half of the cases: otherwise almost nothing gets as far as the environment.
cases = st.one_of(cases, cases.map(lambda case: {**case, "source": SOUND, "caller_metadata": {}}))
purposes = st.lists(st.sampled_from(list(Dimension)), unique=True, min_size=1).flatmap(
    lambda chosen: st.lists(st.sampled_from(chosen), unique=True).map(
        lambda strict: Purpose(name="p", version="1", dimensions=tuple(chosen), strict=tuple(strict))
    )
)


def rank(case: dict[str, Any], purpose: Purpose | None = None) -> int:
    verdict = evaluate(**case) if purpose is None else evaluate_for(purpose, **case)
    return ORDER.index(verdict.status)


@given(cases)
def test_only_match_may_influence_and_nothing_authorizes(case: dict[str, Any]) -> None:
    verdict = evaluate(**case)
    assert verdict.may_influence_action is (verdict.status is ApplicabilityStatus.MATCH)
    assert verdict.authorizes_action is False
    assert bool(verdict.reasons) is not verdict.may_influence_action
    assert list(verdict.reasons) == sorted(verdict.reasons)


@given(cases, st.sampled_from(list(Dimension)), st.none() | purposes)
def test_a_difference_in_the_environment_never_moves_towards_match(
    case: dict[str, Any], name: Dimension, purpose: Purpose | None
) -> None:
    stored = case["stored"].get(name.value)
    assume(stored is not None)
    same = {**case, "current": {**case["current"], name.value: stored}}
    different = next(value for value in dimension_values(name) if value != stored)
    for changed in (
        {**case["current"], name.value: different},
        {key: value for key, value in case["current"].items() if key != name},
    ):
        assert rank({**case, "current": changed}, purpose) <= rank(same, purpose)


@given(cases, st.sampled_from([("observed_digest", "c" * 64), ("observed_digest", None), ("exists", None)]))
def test_a_difference_in_the_source_never_moves_towards_match(
    case: dict[str, Any], change: tuple[str, str | None]
) -> None:
    equal = {**case, "source": {**case["source"], "observed_digest": case["source"].get("expected_digest")}}
    changed = {**equal, "source": {**equal["source"], change[0]: change[1]}}
    assert rank(changed) <= rank(equal)


@given(cases)
def test_a_source_that_goes_never_moves_towards_match(case: dict[str, Any]) -> None:
    there = {**case, "source": {**case["source"], "exists": True, "expected_digest": "a" * 64}}
    for observed in ("a" * 64, "b" * 64):
        seen = {**there, "source": {**there["source"], "observed_digest": observed}}
        assert rank({**seen, "source": {**seen["source"], "exists": False}}) <= rank(seen)


@given(cases, dependencies)
def test_more_lineage_never_moves_towards_match(case: dict[str, Any], more: list[dict[str, Any]]) -> None:
    assert rank({**case, "lineage": [*case["lineage"], *more]}) <= rank(case)


@given(cases, metadata)
def test_more_metadata_never_moves_towards_match(case: dict[str, Any], more: dict[str, bool]) -> None:
    assert rank({**case, "caller_metadata": {**case["caller_metadata"], **more}}) <= rank(case)


@given(cases, INSTANTS)
def test_an_expiry_never_moves_towards_match(case: dict[str, Any], instant: str) -> None:
    endless = {key: value for key, value in case["stored"].items() if key != "valid_until"}
    assert rank({**case, "stored": {**endless, "valid_until": instant}}) <= rank({**case, "stored": endless})


@given(cases, st.none() | purposes)
def test_removing_a_strict_binding_never_moves_towards_match(case: dict[str, Any], purpose: Purpose | None) -> None:
    for name in CURRENT_STATE.strict if purpose is None else purpose.strict:
        today = case["current"].get(name.value)
        if today is None:
            continue
        stored = {key: value for key, value in case["stored"].items() if key != name}
        for bound in dimension_values(name):
            before = {**case, "stored": {**stored, name.value: bound}}
            assert rank({**case, "stored": stored}, purpose) <= rank(before, purpose)


@given(cases, st.integers(min_value=0))
def test_order_never_matters(case: dict[str, Any], seed: int) -> None:
    shuffle = random.Random(seed).shuffle
    mixed = dict(case)
    for name in ("source", "stored", "current", "caller_metadata"):
        items = list(case[name].items())
        shuffle(items)
        mixed[name] = dict(items)
    mixed["lineage"] = list(case["lineage"])
    shuffle(mixed["lineage"])
    assert evaluate(**mixed) == evaluate(**case)


@given(cases, purposes, st.integers(min_value=0))
def test_the_order_of_a_purpose_never_matters(case: dict[str, Any], purpose: Purpose, seed: int) -> None:
    shuffle = random.Random(seed).shuffle
    dimensions, strict = list(purpose.dimensions), list(purpose.strict)
    shuffle(dimensions)
    shuffle(strict)
    turned = Purpose(name="p", version="1", dimensions=tuple(dimensions), strict=tuple(strict))
    assert evaluate_for(turned, **case) == evaluate_for(purpose, **case)
    binding = EnvironmentBinding.from_json(case["stored"])
    assert fingerprint(turned, binding) == fingerprint(purpose, binding)


@given(cases, purposes)
def test_a_larger_purpose_never_moves_towards_match(case: dict[str, Any], purpose: Purpose) -> None:
    everything = Purpose(name="p", version="1", dimensions=tuple(Dimension), strict=tuple(Dimension))
    assert rank(case, everything) <= rank(case, purpose)


@given(environments, environments, purposes)
def test_fingerprints_agree_exactly_where_the_selected_dimensions_do(
    one: dict[str, str], other: dict[str, str], purpose: Purpose
) -> None:
    same = all(one.get(name.value) == other.get(name.value) for name in purpose.dimensions)
    first, second = EnvironmentBinding.from_json(one), EnvironmentBinding.from_json(other)
    assert (fingerprint(purpose, first) == fingerprint(purpose, second)) is same
