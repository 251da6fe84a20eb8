"""The pass-only gate: does presented evidence satisfy a policy? (wire contract §4)

- It starts refused: no evidence, or none that is applicable, satisfies nothing.
- Applicability first, outcome second. What does not apply stays valid evidence of something else.
- There is no approve function, here or anywhere: a satisfied gate approves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.models import ApplicabilityMismatch, AssessmentGateEvaluation
from witnessmark.models.gate import gate_reasons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import AssessmentGatePolicy, MemoryCheckpointAssessment

__all__ = ["applicability_mismatches", "evaluate_gate"]


def applicability_mismatches(
    policy: AssessmentGatePolicy, assessment: MemoryCheckpointAssessment
) -> tuple[ApplicabilityMismatch, ...]:
    """Return why ``assessment`` is about something else than ``policy`` asks, in the order of the enumeration."""
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
    found = [mismatch for mismatch, wanted, got in compared if wanted is not None and wanted != got]
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
