"""Hold the approvals in a log against the evidence. Nothing is rewritten: outcome and approval both stand.

- Evidence counts for an approval as it was at the approval's place in the log; what came later is no excuse.
- What an assessment says is taken from the assessment itself where it is presented, else from the log.
- No I/O, no clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_digest
from witnessmark.gate import applicability_mismatches, input_mismatches
from witnessmark.log.runs import logged_runs
from witnessmark.models.applicability import ApplicabilityStatus
from witnessmark.models.approval import RunOutcome
from witnessmark.models.assessment import BehavioralResult
from witnessmark.models.audit import AuditReport, NotApplicableToday, Violation, ViolationKind
from witnessmark.models.gate import ApplicabilityMismatch
from witnessmark.models.log import Approval, GateEvaluated

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from witnessmark.models import ApplicabilityCheck
    from witnessmark.models.approval import LoggedRun
    from witnessmark.models.assessment import MemoryCheckpointAssessment
    from witnessmark.models.gate import AssessmentGatePolicy
    from witnessmark.models.log import LogEntry, TreeHead
    from witnessmark.models.state import StateReference

__all__ = ["audit"]

_Found = tuple[ViolationKind, str]

_KINDS = {
    ApplicabilityMismatch.baseline_checkpoint: ViolationKind.evidence_of_other_state,
    ApplicabilityMismatch.candidate_checkpoint: ViolationKind.evidence_of_other_state,
    ApplicabilityMismatch.baseline_retrieval_state: ViolationKind.evidence_of_other_state,
    ApplicabilityMismatch.candidate_retrieval_state: ViolationKind.evidence_of_other_state,
    ApplicabilityMismatch.probe_suite: ViolationKind.suite_substituted,
    ApplicabilityMismatch.retriever_profile: ViolationKind.profile_substituted,
    ApplicabilityMismatch.before_evidence_window: ViolationKind.evidence_outside_window,
    ApplicabilityMismatch.after_evidence_window: ViolationKind.evidence_outside_window,
}


class _Evidence(NamedTuple):
    """One assessment, from wherever it is known."""

    baseline_state: StateReference
    candidate_state: StateReference
    probe_suite_digest: str
    retriever_profile_digest: str
    assessed_at: datetime
    result: BehavioralResult


class _Known(NamedTuple):
    """What is known at one approval."""

    runs: tuple[LoggedRun, ...]
    """Runs that had started by then, with the ends that they have by now."""
    artifacts: Mapping[str, MemoryCheckpointAssessment | None]
    place: int


def audit(
    entries: Sequence[LogEntry],
    *,
    head: TreeHead,
    artifacts: Mapping[str, MemoryCheckpointAssessment | None] | None = None,
    current_state: StateReference | None = None,
    policy: AssessmentGatePolicy | None = None,
    today: Mapping[str, ApplicabilityCheck] | None = None,
) -> AuditReport:
    """List every way in which an approval in the log went against the evidence.

    Args:
        entries: all entries of a verified log.
        head: its tree head.
        artifacts: presented assessments by the digest of their bytes; ``None`` for bytes that are no valid assessment.
        current_state: the state that serves today; the last approval of its checkpoint's policy is held against it.
        policy: the governing policy, where one was agreed on beforehand.
        today: what asking again gave, by the digest of each assessment. It makes no violation: what no longer applies
            today may well have applied when it was approved.
    """
    runs = logged_runs(enumerate(entries))
    approvals = [(index, entry) for index, entry in enumerate(entries) if isinstance(entry, Approval)]
    violations: list[Violation] = []
    for index, approval in approvals:
        known = _Known(tuple(run for run in runs if run.start < index), artifacts or {}, index)
        found = [
            *_policy(approval, policy),
            *_cited(approval, known, runs),
            *_undisclosed(approval, known),
            *_gate(approval, entries[:index]),
        ]
        if current_state is not None and index == approvals[-1][0]:
            found.extend(_state_today(approval, current_state))
        violations.extend(Violation(kind=kind, approval=index, subject=subject) for kind, subject in _distinct(found))
    return AuditReport(
        head=head,
        approvals=len(approvals),
        clean=not violations,
        violations=tuple(violations),
        not_applicable_today=tuple(
            NotApplicableToday(
                approval=index, assessment_digest=digest, status=today[digest].status, reasons=today[digest].reasons
            )
            for index, approval in approvals
            for digest in approval.assessments
            if today is not None and digest in today and today[digest].status is not ApplicabilityStatus.MATCH
        ),
    )


def _distinct(found: Sequence[_Found]) -> list[_Found]:
    return sorted(set(found))


def _policy(approval: Approval, governing: AssessmentGatePolicy | None) -> Iterator[_Found]:
    if governing is not None and approval.policy != governing:
        yield ViolationKind.policy_substituted, canonical_digest(approval.policy)
    wanted = (approval.policy.candidate_checkpoint_digest, approval.policy.candidate_retrieval_state_digest)
    state = approval.candidate_state
    if state.checkpoint_digest != wanted[0] or (wanted[1] is not None and state.retrieval_state_digest != wanted[1]):
        yield ViolationKind.approved_other_state, _shown(state)


def _cited(approval: Approval, known: _Known, runs: Sequence[LoggedRun]) -> Iterator[_Found]:
    applicable = 0
    for digest in approval.assessments:
        run = next((item for item in runs if item.assessment_digest == digest), None)
        if run is not None and run.end is not None and run.end > known.place:
            yield ViolationKind.evidence_after_approval, digest
            continue
        if digest in known.artifacts and known.artifacts[digest] is None:
            yield ViolationKind.evidence_invalid, digest
            continue
        evidence = _evidence(digest, run, known.artifacts)
        if evidence is None:
            yield ViolationKind.evidence_unknown, digest
            continue
        if run is not None and evidence != _from_log(run):
            yield ViolationKind.contradicted_log, digest
        kinds = [_KINDS[mismatch] for mismatch in applicability_mismatches(approval.policy, evidence)]
        for kind in kinds:
            yield kind, digest
        if kinds:
            continue
        applicable += 1
        yield from _outcome(evidence.result, digest)
        if _differs(evidence.candidate_state, approval.candidate_state):
            yield ViolationKind.state_changed, _shown(approval.candidate_state)
    if not applicable:
        yield ViolationKind.no_applicable_evidence, f"log entry {known.place}"


def _undisclosed(approval: Approval, known: _Known) -> Iterator[_Found]:
    for run in known.runs:
        if input_mismatches(approval.policy, run) or run.assessment_digest in approval.assessments:
            continue
        subject = f"log entry {run.start}"
        if run.end is None or run.end > known.place:
            yield ViolationKind.open_run, subject
        elif run.outcome is RunOutcome.abandoned:
            yield ViolationKind.abandoned_run, subject
        else:
            yield ViolationKind.withheld_run, subject
            evidence = _from_log(run)
            if not applicability_mismatches(approval.policy, evidence):
                yield from _outcome(evidence.result, str(run.assessment_digest))


def _gate(approval: Approval, before: Sequence[LogEntry]) -> Iterator[_Found]:
    digest = canonical_digest(approval.policy)
    for index in range(len(before) - 1, -1, -1):
        entry = before[index]
        if isinstance(entry, GateEvaluated) and entry.policy_digest == digest:
            if not entry.satisfied:
                yield ViolationKind.gate_not_satisfied, f"log entry {index}"
            return


def _state_today(approval: Approval, current: StateReference) -> Iterator[_Found]:
    if _differs(approval.candidate_state, current):
        yield ViolationKind.state_changed, _shown(current)


def _outcome(result: BehavioralResult, subject: str) -> Iterator[_Found]:
    if result is BehavioralResult.fail:
        yield ViolationKind.applicable_fail, subject
    elif result is BehavioralResult.indeterminate:
        yield ViolationKind.applicable_indeterminate, subject


def _evidence(
    digest: str, run: LoggedRun | None, artifacts: Mapping[str, MemoryCheckpointAssessment | None]
) -> _Evidence | None:
    artifact = artifacts.get(digest)
    if artifact is not None:
        return _Evidence(
            artifact.baseline_state,
            artifact.candidate_state,
            artifact.probe_suite_digest,
            artifact.retriever_profile_digest,
            artifact.assessed_at,
            artifact.result,
        )
    return None if run is None else _from_log(run)


def _from_log(run: LoggedRun) -> _Evidence:
    if run.assessed_at is None or run.result is None:
        raise ValueError("the run left no assessment")
    return _Evidence(
        run.baseline_state,
        run.candidate_state,
        run.probe_suite_digest,
        run.retriever_profile_digest,
        run.assessed_at,
        run.result,
    )


def _differs(first: StateReference, second: StateReference) -> bool:
    """Compare what both name: a retrieval state that one of them does not name is no difference."""
    if first.checkpoint_digest != second.checkpoint_digest:
        return True
    retrieval = (first.retrieval_state_digest, second.retrieval_state_digest)
    return None not in retrieval and retrieval[0] != retrieval[1]


def _shown(state: StateReference) -> str:
    text = f"checkpoint {state.checkpoint_digest}"
    return text if state.retrieval_state_digest is None else f"{text}, retrieval {state.retrieval_state_digest}"
