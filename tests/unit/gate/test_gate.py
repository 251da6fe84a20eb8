"""The gate: what applies, in which order mismatches stand, and what satisfies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from itertools import combinations

import pytest
from pydantic import ValidationError

from retrievers import digest
from witnessmark import evaluate_gate
from witnessmark.gate import applicability_mismatches
from witnessmark.models import (
    ApplicabilityMismatch,
    AssessmentGateEvaluation,
    AssessmentGatePolicy,
    BehavioralResult,
    MemoryCheckpointAssessment,
)

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
RESULTS = ("pass", "fail", "indeterminate")


def assessment(result: str = "pass", at: datetime = AT, **changes: object) -> MemoryCheckpointAssessment:
    counts = {"passed": int(result == "pass"), "failed": int(result == "fail"), "indeterminate": 0}
    counts["indeterminate"] = 1 - sum(counts.values())
    reasons = ["id_churn"] if result == "indeterminate" else []
    return MemoryCheckpointAssessment.model_validate(
        {
            "baseline_state": {"checkpoint_digest": digest("base"), "retrieval_state_digest": digest("base index")},
            "candidate_state": {"checkpoint_digest": digest("cand"), "retrieval_state_digest": digest("cand index")},
            "probe_suite_digest": digest("suite"),
            "retriever_profile_digest": digest("profile"),
            "assessed_at": at,
            "material_access": "public",
            "invocation_evidence": [],
            "probe_results": [
                {"probe_id": "p", "required": True, "result": result, "severity": "behavioral", "reasons": reasons}
            ],
            "coverage": {"required_probe_count": 1, **counts, "indeterminate_rate": float(counts["indeterminate"])},
            "security_flags": {},
            "result": result,
            **changes,
        }
    )


def policy(**changes: object) -> AssessmentGatePolicy:
    return AssessmentGatePolicy.model_validate(
        {
            "baseline_checkpoint_digest": digest("base"),
            "candidate_checkpoint_digest": digest("cand"),
            "probe_suite_digest": digest("suite"),
            "retriever_profile_digest": digest("profile"),
            **changes,
        }
    )


STRICT = policy(
    baseline_retrieval_state_digest=digest("base index"), candidate_retrieval_state_digest=digest("cand index")
)


def said(found: AssessmentGateEvaluation) -> tuple[bool, int, int, list[str], list[str], list[str]]:
    return (
        found.satisfied,
        found.presented_assessment_count,
        found.applicable_assessment_count,
        [item.value for item in found.applicable_results],
        [item.value for item in found.non_applicable_mismatches],
        [item.value for item in found.reasons],
    )


def test_one_applicable_pass_satisfies() -> None:
    assert said(evaluate_gate(STRICT, [assessment()])) == (True, 1, 1, ["pass"], [], [])


def test_nothing_presented_is_refused() -> None:
    assert said(evaluate_gate(STRICT, [])) == (False, 0, 0, [], [], ["no_applicable_assessment"])


@pytest.mark.parametrize(
    ("result", "reason"),
    [("fail", "applicable_assessment_failed"), ("indeterminate", "applicable_assessment_indeterminate")],
)
def test_applicable_assessment_that_is_no_pass_refuses(result: str, reason: str) -> None:
    assert said(evaluate_gate(policy(), [assessment(result)])) == (False, 1, 1, [result], [], [reason])
    both = evaluate_gate(policy(), [assessment(), assessment(result)])
    assert said(both) == (False, 2, 2, ["pass", result], [], [reason])


def test_fail_and_indeterminate_are_both_said() -> None:
    found = evaluate_gate(policy(), [assessment("indeterminate"), assessment("pass"), assessment("fail")])
    assert said(found) == (
        False,
        3,
        3,
        ["indeterminate", "pass", "fail"],
        [],
        ["applicable_assessment_failed", "applicable_assessment_indeterminate"],
    )


STATE = {"checkpoint_digest": digest("other"), "retrieval_state_digest": digest("other index")}
MISMATCHES = [
    ("baseline_checkpoint", {"baseline_checkpoint_digest": digest("other")}),
    ("candidate_checkpoint", {"candidate_checkpoint_digest": digest("other")}),
    ("baseline_retrieval_state", {"baseline_retrieval_state_digest": digest("other")}),
    ("candidate_retrieval_state", {"candidate_retrieval_state_digest": digest("other")}),
    ("probe_suite", {"probe_suite_digest": digest("other")}),
    ("retriever_profile", {"retriever_profile_digest": digest("other")}),
    ("before_evidence_window", {"assessed_not_before": AT + timedelta(seconds=1)}),
    ("after_evidence_window", {"assessed_not_after": AT - timedelta(seconds=1)}),
]


@pytest.mark.parametrize(("name", "changes"), MISMATCHES, ids=[name for name, _ in MISMATCHES])
@pytest.mark.parametrize("result", RESULTS)
def test_each_mismatch_is_reported_and_the_outcome_is_not_looked_at(
    name: str, changes: dict[str, object], result: str
) -> None:
    found = evaluate_gate(policy(**changes), [assessment(result)])
    assert said(found) == (False, 1, 0, [], [name], ["no_applicable_assessment"])


def test_mismatches_of_one_assessment_stand_in_the_order_of_the_enumeration() -> None:
    changes = {key: value for _, change in MISMATCHES[:7] for key, value in change.items()}
    found = applicability_mismatches(policy(**changes), assessment())
    assert [item.value for item in found] == [name for name, _ in MISMATCHES[:7]]
    assert list(ApplicabilityMismatch) == [ApplicabilityMismatch(name) for name, _ in MISMATCHES]


def test_mismatches_of_all_presented_are_a_sorted_set() -> None:
    presented = [
        assessment(candidate_state=STATE),
        assessment(retriever_profile_digest=digest("other")),
        assessment(baseline_state=STATE, candidate_state=STATE),
        assessment(),
    ]
    assert said(evaluate_gate(STRICT, presented)) == (
        True,
        4,
        1,
        ["pass"],
        [
            "baseline_checkpoint",
            "baseline_retrieval_state",
            "candidate_checkpoint",
            "candidate_retrieval_state",
            "retriever_profile",
        ],
        [],
    )


def test_retrieval_state_that_is_absent_from_the_evidence_is_a_mismatch_where_the_policy_names_one() -> None:
    bare = assessment(candidate_state={"checkpoint_digest": digest("cand")})
    assert [item.value for item in applicability_mismatches(STRICT, bare)] == ["candidate_retrieval_state"]
    assert applicability_mismatches(policy(), bare) == ()


@pytest.mark.parametrize(
    ("offset", "expected"),
    [(-1, ["before_evidence_window"]), (0, []), (30, []), (60, []), (61, ["after_evidence_window"])],
)
def test_window_bounds_are_inclusive(offset: int, expected: list[str]) -> None:
    window = policy(assessed_not_before=AT, assessed_not_after=AT + timedelta(seconds=60))
    found = applicability_mismatches(window, assessment(at=AT + timedelta(seconds=offset)))
    assert [item.value for item in found] == expected


def test_window_is_compared_as_instants_whatever_the_zone() -> None:
    window = policy(
        assessed_not_before=AT.astimezone(timezone(timedelta(hours=9))),
        assessed_not_after=AT.astimezone(timezone(-timedelta(hours=7))),
    )
    assert applicability_mismatches(window, assessment(at=AT.astimezone(timezone(timedelta(hours=1))))) == ()


@pytest.mark.parametrize("field", ["assessed_not_before", "assessed_not_after"])
def test_window_without_a_zone_is_refused(field: str) -> None:
    with pytest.raises(ValidationError, match="time zone"):
        policy(**{field: datetime(2026, 3, 1)})


def test_window_out_of_order_is_refused_and_one_instant_is_a_window() -> None:
    with pytest.raises(ValidationError, match="assessed_not_before should not be after assessed_not_after"):
        policy(assessed_not_before=AT, assessed_not_after=AT - timedelta(microseconds=1))
    assert evaluate_gate(policy(assessed_not_before=AT, assessed_not_after=AT), [assessment()]).satisfied


def test_satisfied_means_one_applies_and_all_that_apply_pass() -> None:
    presented = [
        assessment(result, **({} if here else {"candidate_state": STATE})) for result in RESULTS for here in (0, 1)
    ]
    for size in range(len(presented) + 1):
        for chosen in combinations(presented, size):
            found = evaluate_gate(STRICT, chosen)
            applicable = [one.result for one in chosen if one.candidate_state.checkpoint_digest == digest("cand")]
            wanted = bool(applicable) and all(result is BehavioralResult.pass_ for result in applicable)
            assert found.satisfied == wanted
            assert AssessmentGateEvaluation.model_validate(found.model_dump()) == found


@pytest.mark.parametrize(
    "changes",
    [
        {"satisfied": False},
        {"presented_assessment_count": 0},
        {"presented_assessment_count": 2},
        {"applicable_assessment_count": 0},
        {"applicable_results": ["fail"]},
        {"applicable_results": []},
        {"non_applicable_mismatches": ["probe_suite"]},
        {"reasons": ["no_applicable_assessment"]},
    ],
)
def test_evaluation_that_contradicts_itself_is_refused(changes: dict[str, object]) -> None:
    whole = evaluate_gate(STRICT, [assessment()]).model_dump(mode="json")
    with pytest.raises(ValidationError, match="contradicts its own counts"):
        AssessmentGateEvaluation.model_validate({**whole, **changes})
