"""The pass-only gate: does presented evidence satisfy a policy? (wire contract §4)

- It starts refused: no evidence, or none that is applicable, satisfies nothing.
- Applicability first, outcome second. What does not apply stays valid evidence of something else.
- There is no approve function, here or anywhere: a satisfied gate approves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from witnessmark.models import ApplicabilityMismatch, AssessmentGateEvaluation
from witnessmark.models.gate import gate_reasons

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from witnessmark.models import AssessmentGatePolicy, MemoryCheckpointAssessment, StateReference

__all__ = ["Bound", "Dated", "applicability_mismatches", "evaluate_gate", "input_mismatches"]


class Bound(Protocol):
    """What names the inputs of a run by digest: an assessment, or the start of a run in a log."""

    @property
    def baseline_state(self) -> StateReference:
        """The baseline."""
        ...

    @property
    def candidate_state(self) -> StateReference:
        """The candidate."""
        ...

    @property
    def probe_suite_digest(self) -> str:
        """The suite."""
        ...

    @property
    def retriever_profile_digest(self) -> str:
        """The profile."""
        ...


class Dated(Bound, Protocol):
    """Inputs, and when the assessment of them was made."""

    @property
    def assessed_at(self) -> datetime:
        """The time of the assessment."""
        ...


def input_mismatches(policy: AssessmentGatePolicy, assessment: Bound) -> tuple[ApplicabilityMismatch, ...]:
    """Return which inputs are not the ones that ``policy`` asks about, in the order of the enumeration."""
    baseline, candidate = assessment.baseline_state, assessment.candidate_state
    compared = (
        (ApplicabilityMismatch.baseline_checkpoint, policy.baseline_checkpoint_digest, baseline.checkpoint_digest),
        (ApplicabilityMismatch.candidate_checkpoint, policy.candidate_checkpoint_digest, candidate.checkpoint_digest),
        (
            ApplicabilityMismatch.baseline_retrieval_state,
            policy.baseline_retrieval_state_digest,
            baseline.retrieval_state_digest,
        ),
        (
            ApplicabilityMismatch.candidate_retrieval_state,
            policy.candidate_retrieval_state_digest,
            candidate.retrieval_state_digest,
        ),
        (ApplicabilityMismatch.probe_suite, policy.probe_suite_digest, assessment.probe_suite_digest),
        (
            ApplicabilityMismatch.retriever_profile,
            policy.retriever_profile_digest,
            assessment.retriever_profile_digest,
        ),
    )
    return tuple(mismatch for mismatch, wanted, got in compared if wanted is not None and wanted != got)


def applicability_mismatches(policy: AssessmentGatePolicy, assessment: Dated) -> tuple[ApplicabilityMismatch, ...]:
    """Return why ``assessment`` is about something else than ``policy`` asks, in the order of the enumeration."""
    found = list(input_mismatches(policy, assessment))
    start, end = policy.assessed_not_before, policy.assessed_not_after
    if start is not None and assessment.assessed_at < start:
        found.append(ApplicabilityMismatch.before_evidence_window)
    if end is not None and assessment.assessed_at > end:
        found.append(ApplicabilityMismatch.after_evidence_window)
    return tuple(found)


def evaluate_gate(
    policy: AssessmentGatePolicy, assessments: Sequence[MemoryCheckpointAssessment]
) -> AssessmentGateEvaluation:
    """Say whether ``assessments`` satisfy ``policy``: at least one applies, and every one that applies is ``pass``."""
    mismatches: set[ApplicabilityMismatch] = set()
    results = []
    for assessment in assessments:
        found = applicability_mismatches(policy, assessment)
        mismatches.update(found)
        if not found:
            results.append(assessment.result)
    reasons = gate_reasons(results)
    return AssessmentGateEvaluation(
        satisfied=not reasons,
        presented_assessment_count=len(assessments),
        applicable_assessment_count=len(results),
        applicable_results=tuple(results),
        non_applicable_mismatches=tuple(sorted(mismatches)),
        reasons=reasons,
    )
