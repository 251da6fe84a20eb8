"""AssessmentGatePolicy/0.1 and its evaluation (wire contract §4)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.assessment import BehavioralResult
from witnessmark.models.base import Count, Flag, HashValue, Many, Record, Timestamp

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ApplicabilityMismatch",
    "AssessmentGateEvaluation",
    "AssessmentGatePolicy",
    "GateFailureReason",
    "gate_reasons",
]


class ApplicabilityMismatch(StrEnum):
    """Why an assessment is about something else than the policy asks."""

    baseline_checkpoint = "baseline_checkpoint"
    candidate_checkpoint = "candidate_checkpoint"
    baseline_retrieval_state = "baseline_retrieval_state"
    candidate_retrieval_state = "candidate_retrieval_state"
    probe_suite = "probe_suite"
    retriever_profile = "retriever_profile"
    before_evidence_window = "before_evidence_window"
    after_evidence_window = "after_evidence_window"


class GateFailureReason(StrEnum):
    """Why a gate is not satisfied."""

    no_applicable_assessment = "no_applicable_assessment"
    applicable_assessment_failed = "applicable_assessment_failed"
    applicable_assessment_indeterminate = "applicable_assessment_indeterminate"


class AssessmentGatePolicy(Record):
    """What an assessment has to be about, and between which times (bounds included)."""

    baseline_checkpoint_digest: HashValue
    candidate_checkpoint_digest: HashValue
    probe_suite_digest: HashValue
    retriever_profile_digest: HashValue
    baseline_retrieval_state_digest: HashValue | None = None
    candidate_retrieval_state_digest: HashValue | None = None
    assessed_not_before: Timestamp | None = None
    assessed_not_after: Timestamp | None = None

    @model_validator(mode="after")
    def _window_is_in_order(self) -> AssessmentGatePolicy:
        start, end = self.assessed_not_before, self.assessed_not_after
        if start is not None and end is not None and start > end:
            raise PydanticCustomError(
                "contradicts_itself", "assessed_not_before should not be after assessed_not_after"
            )
        return self


def gate_reasons(applicable_results: Sequence[BehavioralResult]) -> tuple[GateFailureReason, ...]:
    """Return why these applicable results do not satisfy a gate; empty means satisfied."""
    if not applicable_results:
        return (GateFailureReason.no_applicable_assessment,)
    reasons = []
    if BehavioralResult.fail in applicable_results:
        reasons.append(GateFailureReason.applicable_assessment_failed)
    if BehavioralResult.indeterminate in applicable_results:
        reasons.append(GateFailureReason.applicable_assessment_indeterminate)
    return tuple(reasons)


class AssessmentGateEvaluation(Record):
    """What presented evidence says about a policy. It approves nothing."""

    satisfied: Flag
    presented_assessment_count: Count
    applicable_assessment_count: Count
    applicable_results: Many[BehavioralResult] = ()
    non_applicable_mismatches: Many[ApplicabilityMismatch] = ()
    reasons: Many[GateFailureReason] = ()

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> AssessmentGateEvaluation:
        presented, applicable = self.presented_assessment_count, self.applicable_assessment_count
        names = [item.value for item in self.non_applicable_mismatches]
        consistent = (
            applicable == len(self.applicable_results)
            and applicable <= presented
            and bool(names) == (applicable < presented)
            and names == sorted(set(names))
            and self.reasons == gate_reasons(self.applicable_results)
            and self.satisfied == (not self.reasons)
        )
        if not consistent:
            raise PydanticCustomError("contradicts_itself", "the gate evaluation contradicts its own counts")
        return self
