"""Evaluate an approval policy over facts that the caller established. Nothing here approves anything.

- Starts refused: a control holds only where facts show it; an absent fact is a reason, never a pass.
- Each control is evaluated on its own, over every applicable assessment, whatever gate and other controls say.
- Taking facts away never satisfies a control. Leaving out a whole assessment can only be noticed by
  ``all_logged_runs_presented``: without that control, presented evidence need not be all evidence.
- No I/O, no clock: ``now`` is an argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.gate import applicability_mismatches, evaluate_gate, input_mismatches
from witnessmark.models.applicability import ApplicabilityStatus
from witnessmark.models.approval import (
    AllLoggedRunsPresented,
    ApprovalEvaluation,
    CheckpointAdvance,
    ControlFinding,
    ControlReason,
    ControlResult,
    CurrentState,
    EvidenceFacts,
    LogInclusion,
    MaximumAge,
    MinimumTrials,
    Recomputable,
    Recomputation,
    RequiredMaterialAccess,
    RunOutcome,
    TrustedSignatures,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from witnessmark.models.approval import ApprovalFacts, ApprovalPolicy, Control

__all__ = ["evaluate_approval"]


class _Case(NamedTuple):
    policy: ApprovalPolicy
    facts: ApprovalFacts
    applicable: tuple[EvidenceFacts, ...]
    now: datetime


def evaluate_approval(policy: ApprovalPolicy, facts: ApprovalFacts, *, now: datetime) -> ApprovalEvaluation:
    """Say whether ``facts`` satisfy ``policy``: the embedded gate policy and every control.

    Args:
        policy: gate policy and controls.
        facts: what the caller established; what it could not establish is absent.
        now: the time of the evaluation, with its zone.

    Raises:
        ValueError: ``now`` names no zone.
    """
    if now.utcoffset() is None:
        raise ValueError("now names no time zone")
    gate_policy = policy.assessment_policy
    applicable = tuple(item for item in facts.evidence if not applicability_mismatches(gate_policy, item.assessment))
    case = _Case(policy, facts, applicable, now)
    gate = evaluate_gate(gate_policy, [item.assessment for item in facts.evidence])
    controls = tuple(_evaluate(control, case) for control in policy.controls)
    return ApprovalEvaluation(
        satisfied=gate.satisfied and all(item.satisfied for item in controls), gate=gate, controls=controls
    )


def _evaluate(control: Control, case: _Case) -> ControlResult:
    findings = tuple(ControlFinding(reason=reason, subject=subject) for reason, subject in _findings(control, case))
    return ControlResult(control=control.control, satisfied=not findings, findings=findings)


def _findings(control: Control, case: _Case) -> Iterator[tuple[ControlReason, str]]:
    if isinstance(control, CheckpointAdvance):
        yield from _advance(control, case)
        return
    if isinstance(control, LogInclusion):
        yield from _log(control, case)
    if isinstance(control, AllLoggedRunsPresented):
        yield from _disclosure(control, case)
        return
    if not case.applicable:
        yield ControlReason.no_applicable_assessment, control.control
    if isinstance(control, CurrentState):
        yield from _current_state(control, case)
        return
    for evidence in case.applicable:
        for reason in _assessment_reasons(control, evidence, case.now):
            yield reason, evidence.assessment_digest


def _assessment_reasons(control: Control, evidence: EvidenceFacts, now: datetime) -> Iterator[ControlReason]:
    if isinstance(control, TrustedSignatures):
        if len(set(control.key_ids).intersection(evidence.signed_by)) < control.threshold:
            yield ControlReason.too_few_signatures
    elif isinstance(control, MinimumTrials):
        yield from _trials(control, evidence)
    elif isinstance(control, MaximumAge):
        age = (now - evidence.assessment.assessed_at).total_seconds()
        if age < 0:
            yield ControlReason.evidence_from_the_future
        elif age > control.seconds:
            yield ControlReason.evidence_too_old
    elif isinstance(control, RequiredMaterialAccess):
        if evidence.assessment.material_access not in control.accepted:
            yield ControlReason.material_access_too_narrow
    elif isinstance(control, Recomputable):
        if evidence.recomputation is Recomputation.contradicted:
            yield ControlReason.contradicted
        elif evidence.recomputation is not Recomputation.recomputed:
            yield ControlReason.not_recomputed
    elif isinstance(control, LogInclusion):
        if evidence.log_entry is None:
            yield ControlReason.not_in_log
    else:
        raise TypeError(f"no evaluation for control {control.control}")


def _current_state(control: CurrentState, case: _Case) -> Iterator[tuple[ControlReason, str]]:
    for evidence in case.facts.evidence:
        found = evidence.current_state
        if found is None or found.purpose != control.purpose:
            yield ControlReason.current_state_unknown, evidence.assessment_digest
        elif found.status is not ApplicabilityStatus.MATCH:
            why = ", ".join((found.status.value, *found.reasons))
            yield ControlReason.not_current, f"{evidence.assessment_digest}: {why}"


def _trials(control: MinimumTrials, evidence: EvidenceFacts) -> Iterator[ControlReason]:
    counts = [item.repeatability.trials for item in evidence.assessment.invocation_evidence]
    if not counts or min(counts) < control.trials:
        yield ControlReason.too_few_trials
    if control.axes and evidence.trials is None:
        yield ControlReason.transcript_unknown
        return
    for wanted in control.axes:
        made = sum(group.count for group in evidence.trials or () if group.axis is wanted.axis)
        if made < wanted.trials:
            yield ControlReason.too_few_trials_on_axis
            return


def _log(control: LogInclusion, case: _Case) -> Iterator[tuple[ControlReason, str]]:
    log = case.facts.log
    if log is None:
        yield ControlReason.log_unknown, control.origin
        return
    if log.origin != control.origin:
        yield ControlReason.other_log, log.origin
    if control.known_head is not None and control.known_head not in log.extends:
        yield ControlReason.head_not_extended, f"{control.known_head.size} entries, root {control.known_head.root}"


def _disclosure(control: AllLoggedRunsPresented, case: _Case) -> Iterator[tuple[ControlReason, str]]:
    log = case.facts.log
    if log is None:
        yield ControlReason.log_unknown, control.control
        return
    presented = {item.assessment_digest for item in case.facts.evidence}
    logged = {run.assessment_digest for run in log.runs if run.outcome is RunOutcome.assessed}
    for evidence in case.applicable:
        if evidence.assessment_digest not in logged:
            yield ControlReason.not_in_log, evidence.assessment_digest
    if not case.applicable:
        yield ControlReason.no_applicable_assessment, control.control
    for run in log.runs:
        if input_mismatches(case.policy.assessment_policy, run):
            continue
        subject = f"log entry {run.start}"
        if run.outcome is RunOutcome.open:
            yield ControlReason.open_run, subject
        elif run.outcome is RunOutcome.abandoned and not control.accept_abandoned:
            yield ControlReason.abandoned_run, subject
        elif run.outcome is RunOutcome.assessed and run.assessment_digest not in presented:
            yield ControlReason.withheld_run, subject


def _advance(control: CheckpointAdvance, case: _Case) -> Iterator[tuple[ControlReason, str]]:
    facts, policy = case.facts.advance, case.policy.assessment_policy
    if facts is None:
        yield ControlReason.advance_unknown, control.control
        return
    subject = facts.candidate_checkpoint_digest
    bound = (policy.baseline_checkpoint_digest, policy.candidate_checkpoint_digest)
    if (facts.baseline_checkpoint_digest, subject) != bound:
        yield ControlReason.other_checkpoints, subject
    added = facts.candidate_operations - facts.baseline_operations
    if not facts.append_only or added < 0 or not facts.baseline_operations:
        # An empty baseline has no prefix that a proof could be about: that is a new baseline, not an advance.
        yield ControlReason.not_append_only, subject
    if facts.candidate_sequence <= facts.baseline_sequence:
        yield ControlReason.sequence_not_increasing, subject
    age = (case.now - facts.issued_at).total_seconds()
    if age < 0:
        yield ControlReason.issued_in_the_future, subject
    elif age > control.ttl_seconds:
        yield ControlReason.expired, subject
    if added * 1000 > control.max_delta_permille * facts.baseline_operations:
        yield ControlReason.delta_over_budget, subject
