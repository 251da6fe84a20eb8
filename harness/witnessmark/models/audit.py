"""What an audit of a log reports."""

from __future__ import annotations

from enum import StrEnum

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.applicability import ApplicabilityStatus
from witnessmark.models.base import Count, Flag, HashValue, Many, Record, Text
from witnessmark.models.log import TreeHead

__all__ = ["AuditReport", "NotApplicableToday", "Violation", "ViolationKind"]


class ViolationKind(StrEnum):
    """How an approval went against the evidence."""

    abandoned_run = "abandoned_run"
    """A run of the same inputs had been abandoned, and its outcome is not known."""
    applicable_fail = "applicable_fail"
    """An assessment of the same inputs had failed."""
    applicable_indeterminate = "applicable_indeterminate"
    """An assessment of the same inputs had decided nothing."""
    approved_other_state = "approved_other_state"
    """The approved state is not the one that the policy names."""
    contradicted_log = "contradicted_log"
    """An assessment says something else than its log entry."""
    evidence_after_approval = "evidence_after_approval"
    """The approval rests on a run that ended only later."""
    evidence_invalid = "evidence_invalid"
    """The approval rests on evidence that is malformed."""
    evidence_of_other_state = "evidence_of_other_state"
    """The approval rests on evidence about other checkpoints or retrieval states."""
    evidence_outside_window = "evidence_outside_window"
    """The approval rests on evidence from outside its policy's window."""
    evidence_unknown = "evidence_unknown"
    """The approval rests on an assessment that is neither logged nor presented."""
    gate_not_satisfied = "gate_not_satisfied"
    """The last evaluation of the policy's gate before the approval was a refusal."""
    no_applicable_evidence = "no_applicable_evidence"
    """The approval rests on nothing that is about what it approves."""
    open_run = "open_run"
    """A run of the same inputs had started and had not ended."""
    policy_substituted = "policy_substituted"
    """The approval's policy is not the governing one."""
    profile_substituted = "profile_substituted"
    """The approval rests on evidence under another retriever profile."""
    state_changed = "state_changed"
    """The approved state is not the one that was assessed, or not the one that is there today."""
    suite_substituted = "suite_substituted"
    """The approval rests on evidence under another probe suite."""
    withheld_run = "withheld_run"
    """The approval does not mention a logged run of the same inputs."""


class Violation(Record):
    """One way in which one approval went against the evidence. Both stay as they are."""

    kind: ViolationKind
    approval: Count
    """Index of the approval's entry."""
    subject: Text
    """An assessment's digest, a log entry or a state."""


class NotApplicableToday(Record):
    """Evidence that an approval rests on and that no longer applies. The approval was what it was: no violation."""

    approval: Count
    """Index of the approval's entry."""
    assessment_digest: HashValue
    status: ApplicabilityStatus
    """Never MATCH."""
    reasons: Many[Text]

    @model_validator(mode="after")
    def _is_none(self) -> NotApplicableToday:
        if self.status is ApplicabilityStatus.MATCH:
            raise PydanticCustomError("contradicts_itself", "evidence that is MATCH should not be listed")
        return self


class AuditReport(Record):
    """What a log and presented artifacts show about the approvals in it."""

    head: TreeHead
    approvals: Count
    clean: Flag
    violations: Many[Violation] = ()
    not_applicable_today: Many[NotApplicableToday] = ()
    """Empty too where nobody asked about today."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> AuditReport:
        if self.clean == bool(self.violations):
            raise PydanticCustomError("contradicts_itself", "clean should mean: no violations")
        return self
