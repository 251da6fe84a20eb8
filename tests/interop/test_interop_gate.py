"""Both gates evaluate the same policy and the same evidence alike."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from interop.wire_strategies import CLOSE_TIMES, FEW_HASHES, Document, assessments, policies
from witnessmark import evaluate_gate
from witnessmark.canonical import model_bytes
from witnessmark.errors import InputError
from witnessmark.models import AssessmentGateEvaluation, AssessmentGatePolicy, MemoryCheckpointAssessment

reference = pytest.importorskip("agent_manifest._memory_assessment")
reference_gate = pytest.importorskip("agent_manifest._memory_assessment_gate")

pytestmark = pytest.mark.interop


@st.composite
def _presented(draw: st.DrawFn) -> tuple[Document, list[Document]]:
    policy = draw(policies(FEW_HASHES, CLOSE_TIMES))
    # A window that is out of order is no policy; the models' tests cover it.
    policy.pop("assessed_not_after" if draw(st.booleans()) else "assessed_not_before", None)
    presented = draw(st.lists(assessments(FEW_HASHES, CLOSE_TIMES), max_size=4))
    for assessment in presented:
        if draw(st.integers(0, 3)):
            _aim(assessment, policy)
    return policy, presented


def _aim(assessment: Document, policy: Document) -> None:
    """Make an assessment be about what the policy asks, but for its time."""
    for name in ("baseline", "candidate"):
        assessment[f"{name}_state"] = {
            "checkpoint_digest": policy[f"{name}_checkpoint_digest"],
            "retrieval_state_digest": policy.get(f"{name}_retrieval_state_digest"),
        }
    for name in ("probe_suite_digest", "retriever_profile_digest"):
        assessment[name] = policy[name]


@settings(max_examples=300, deadline=None)
@given(_presented())
def test_evaluations_are_equal(presented: tuple[Document, list[Document]]) -> None:
    policy, evidence = presented
    their = reference_gate.evaluate_assessment_gate(
        reference_gate.AssessmentGatePolicy.model_validate(policy),
        [reference.MemoryCheckpointAssessment.model_validate(item) for item in evidence],
    )
    ours = evaluate_gate(
        AssessmentGatePolicy.from_json(policy), [MemoryCheckpointAssessment.from_json(item) for item in evidence]
    )

    assert ours.model_dump(mode="json") == their.model_dump(mode="json")
    event(f"satisfied {ours.satisfied}, applicable {ours.applicable_assessment_count}")
    assert reference_gate.AssessmentGateEvaluation.model_validate_json(model_bytes(ours)) == their
    assert AssessmentGateEvaluation.from_bytes(their.model_dump_json()) == ours


_COUNTS = {"satisfied": True, "presented_assessment_count": 2, "applicable_assessment_count": 1}
_PASSED = {**_COUNTS, "applicable_results": ["pass"]}
_FAILED = {
    "satisfied": False,
    "presented_assessment_count": 1,
    "applicable_assessment_count": 1,
    "applicable_results": ["fail"],
}


@pytest.mark.parametrize(
    "evaluation",
    [
        _PASSED,
        {**_PASSED, "presented_assessment_count": 1, "non_applicable_mismatches": ["probe_suite"]},
        {**_PASSED, "non_applicable_mismatches": ["retriever_profile", "probe_suite"]},
        {**_PASSED, "non_applicable_mismatches": ["probe_suite", "probe_suite"]},
        {**_FAILED, "reasons": ["applicable_assessment_failed", "applicable_assessment_indeterminate"]},
        {**_FAILED, "reasons": ["applicable_assessment_failed", "applicable_assessment_failed"]},
    ],
)
def test_difference_an_evaluation_that_no_gate_gives_is_refused_here_and_loaded_there(evaluation: Document) -> None:
    reference_gate.AssessmentGateEvaluation.model_validate(evaluation)

    with pytest.raises(InputError) as caught:
        AssessmentGateEvaluation.from_json(evaluation)
    assert caught.value.code == "contradicts_itself"
