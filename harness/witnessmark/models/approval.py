"""The approval policy: an AssessmentGatePolicy/0.1 unchanged, plus controls; and what evaluating it gives."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.applicability import CURRENT_STATE, ApplicabilityStatus, Purpose
from witnessmark.models.assessment import BehavioralResult, MaterialAccess, MemoryCheckpointAssessment
from witnessmark.models.base import Count, Flag, HashValue, Many, Positive, Record, Text, Timestamp, unique
from witnessmark.models.gate import AssessmentGateEvaluation, AssessmentGatePolicy
from witnessmark.models.state import StateReference
from witnessmark.models.transcript import Axis, TrialGroup

__all__ = [
    "AdvanceClaim",
    "AdvanceFacts",
    "AllLoggedRunsPresented",
    "ApprovalEvaluation",
    "ApprovalFacts",
    "ApprovalPolicy",
    "AxisMinimum",
    "CheckpointAdvance",
    "Control",
    "ControlFinding",
    "ControlReason",
    "ControlResult",
    "CurrentState",
    "CurrentStateFacts",
    "EvidenceFacts",
    "KnownHead",
    "LogFacts",
    "LogInclusion",
    "LoggedRun",
    "MaximumAge",
    "MinimumTrials",
    "Recomputable",
    "Recomputation",
    "RequiredMaterialAccess",
    "RunOutcome",
    "TrustedSignatures",
]


class AxisMinimum(Record):
    """The least number of trials along one axis."""

    axis: Axis
    trials: Positive


class KnownHead(Record):
    """A tree head that somebody kept."""

    size: Positive
    """Entries."""
    root: HashValue


class TrustedSignatures(Record):
    """Enough of the trusted keys signed assessment and transcript."""

    control: Literal["trusted_signatures"] = "trusted_signatures"
    key_ids: Annotated[Many[Text], Field(min_length=1)]
    """Key ids as ``witnessmark sign`` prints them."""
    threshold: Positive

    @model_validator(mode="after")
    def _can_be_met(self) -> TrustedSignatures:
        unique(list(self.key_ids), "key id")
        if self.threshold > len(self.key_ids):
            raise PydanticCustomError("contradicts_itself", "threshold should not exceed the number of key_ids")
        return self


class MinimumTrials(Record):
    """Every request was asked often enough, and along the axes that matter."""

    control: Literal["minimum_trials"] = "minimum_trials"
    trials: Positive
    """Trials of every (state, request)."""
    axes: Many[AxisMinimum] = ()

    @model_validator(mode="after")
    def _axes_are_unique(self) -> MinimumTrials:
        unique([item.axis.value for item in self.axes], "axis")
        return self


class MaximumAge(Record):
    """The evidence is not older than this, bound included."""

    control: Literal["maximum_age"] = "maximum_age"
    seconds: Positive


class RequiredMaterialAccess(Record):
    """The assessed material is as accessible as the policy asks."""

    control: Literal["material_access"] = "material_access"
    accepted: Annotated[Many[MaterialAccess], Field(min_length=1)]


class Recomputable(Record):
    """The verdict was recomputed from the transcript, and is the same."""

    control: Literal["recomputable"] = "recomputable"


class LogInclusion(Record):
    """The run is entered in a verified log, which still extends a head that was kept."""

    control: Literal["log_inclusion"] = "log_inclusion"
    origin: Text
    """Name of the log."""
    known_head: KnownHead | None = None
    """A head that the log has to extend; without one a log cut short looks like a shorter log."""


class AllLoggedRunsPresented(Record):
    """Every run of these inputs that the log knows of is presented."""

    control: Literal["all_logged_runs_presented"] = "all_logged_runs_presented"
    accept_abandoned: Flag = False
    """Whether runs that ended without an assessment are tolerated; a run without any end never is."""


class CheckpointAdvance(Record):
    """The candidate's checkpoint is a governed advance of the baseline's."""

    control: Literal["checkpoint_advance"] = "checkpoint_advance"
    ttl_seconds: Count
    """How long after it was issued a checkpoint may be approved, bound included."""
    max_delta_permille: Count
    """Most operations that may be added, per thousand of the baseline's."""


class CurrentState(Record):
    """Every presented assessment, applicable or not, is MATCH today (docs/applicability.md)."""

    control: Literal["current_state"] = "current_state"
    purpose: Purpose = CURRENT_STATE
    """Which dimensions count; the specification's ten where it is left out."""


Control = Annotated[
    TrustedSignatures
    | MinimumTrials
    | MaximumAge
    | RequiredMaterialAccess
    | Recomputable
    | LogInclusion
    | AllLoggedRunsPresented
    | CheckpointAdvance
    | CurrentState,
    Field(discriminator="control"),
]


class ApprovalPolicy(Record):
    """A gate policy and the controls that have to hold beside it; an unknown control is refused."""

    format: Literal["witnessmark.approval-policy/0.1"] = "witnessmark.approval-policy/0.1"
    assessment_policy: AssessmentGatePolicy
    controls: Annotated[Many[Control], Field(min_length=1)]

    @model_validator(mode="after")
    def _controls_are_unique(self) -> ApprovalPolicy:
        unique([item.control for item in self.controls], "control")
        return self


class Recomputation(StrEnum):
    """What recomputing an assessment from its transcript gave."""

    recomputed = "recomputed"
    not_recomputable = "not_recomputable"
    contradicted = "contradicted"


class CurrentStateFacts(Record):
    """What asking again of an assessment gave."""

    purpose: Purpose
    """What it was decided for."""
    status: ApplicabilityStatus
    reasons: Many[Text] = ()


class EvidenceFacts(Record):
    """What the caller established about one presented assessment. Absent means: not established."""

    assessment: MemoryCheckpointAssessment
    assessment_digest: HashValue
    """SHA-256 over the bytes of ``assessment.json``."""
    signed_by: Many[Text] = ()
    """Key ids whose signatures over this assessment and its transcript were verified."""
    trials: Many[TrialGroup] | None = None
    """The trial groups of its transcript."""
    recomputation: Recomputation | None = None
    log_entry: Count | None = None
    """Index of the run's end in the log of `LogFacts`, inclusion proven."""
    current_state: CurrentStateFacts | None = None


class RunOutcome(StrEnum):
    """What became of a logged run."""

    assessed = "assessed"
    abandoned = "abandoned"
    open = "open"


class LoggedRun(Record):
    """A run as the log tells it."""

    start: Count
    """Index of its start entry."""
    end: Count | None = None
    """Index of the entry that ends it."""
    baseline_state: StateReference
    candidate_state: StateReference
    probe_suite_digest: HashValue
    retriever_profile_digest: HashValue
    outcome: RunOutcome
    assessment_digest: HashValue | None = None
    transcript_digest: HashValue | None = None
    assessed_at: Timestamp | None = None
    result: BehavioralResult | None = None

    @model_validator(mode="after")
    def _fits_outcome(self) -> LoggedRun:
        if (self.end is None) != (self.outcome is RunOutcome.open):
            raise PydanticCustomError("contradicts_itself", "only an open run should have no end")
        facts = (self.assessment_digest, self.transcript_digest, self.assessed_at, self.result)
        if {item is not None for item in facts} != {self.outcome is RunOutcome.assessed}:
            raise PydanticCustomError("contradicts_itself", "an assessed run, and no other, should name its assessment")
        return self


class LogFacts(Record):
    """What the caller established about a log that it verified."""

    origin: Text
    size: Positive
    """Entries."""
    root: HashValue
    extends: Many[KnownHead] = ()
    """Kept heads that a consistency proof shows this log to extend."""
    runs: Many[LoggedRun] = ()
    """Every run in the log."""


class AdvanceClaim(Record):
    """What who issues checkpoints says of an advance; the proof between them is verified, this is taken as said."""

    format: Literal["witnessmark.advance/0.1"] = "witnessmark.advance/0.1"
    baseline_sequence: Count
    """Number of the baseline in the chain of governed checkpoints."""
    candidate_sequence: Count
    issued_at: Timestamp
    """When the candidate was issued."""


class AdvanceFacts(Record):
    """What the caller established about the way from the baseline's to the candidate's checkpoint."""

    baseline_checkpoint_digest: HashValue
    candidate_checkpoint_digest: HashValue
    append_only: Flag
    """Whether a consistency proof between the two roots was verified."""
    baseline_operations: Count
    candidate_operations: Count
    baseline_sequence: Count
    """Number of the baseline in the chain of governed checkpoints."""
    candidate_sequence: Count
    issued_at: Timestamp
    """When the candidate was issued."""


class ApprovalFacts(Record):
    """Everything that an approval policy is evaluated over."""

    evidence: Many[EvidenceFacts] = ()
    log: LogFacts | None = None
    advance: AdvanceFacts | None = None


class ControlReason(StrEnum):
    """Why a control is not satisfied."""

    abandoned_run = "abandoned_run"
    advance_unknown = "advance_unknown"
    contradicted = "contradicted"
    current_state_unknown = "current_state_unknown"
    delta_over_budget = "delta_over_budget"
    evidence_from_the_future = "evidence_from_the_future"
    evidence_too_old = "evidence_too_old"
    expired = "expired"
    head_not_extended = "head_not_extended"
    issued_in_the_future = "issued_in_the_future"
    log_unknown = "log_unknown"
    material_access_too_narrow = "material_access_too_narrow"
    no_applicable_assessment = "no_applicable_assessment"
    not_append_only = "not_append_only"
    not_current = "not_current"
    not_in_log = "not_in_log"
    not_recomputed = "not_recomputed"
    open_run = "open_run"
    other_checkpoints = "other_checkpoints"
    other_log = "other_log"
    sequence_not_increasing = "sequence_not_increasing"
    too_few_signatures = "too_few_signatures"
    too_few_trials = "too_few_trials"
    too_few_trials_on_axis = "too_few_trials_on_axis"
    transcript_unknown = "transcript_unknown"
    withheld_run = "withheld_run"


class ControlFinding(Record):
    """One reason, and what it is about."""

    reason: ControlReason
    subject: Text
    """An assessment's digest, a log entry, a checkpoint or the control itself."""


class ControlResult(Record):
    """One control, evaluated on its own."""

    control: Text
    satisfied: Flag
    findings: Many[ControlFinding] = ()

    @model_validator(mode="after")
    def _findings_fit(self) -> ControlResult:
        if self.satisfied == bool(self.findings):
            raise PydanticCustomError("contradicts_itself", "findings should come with a control that is not satisfied")
        return self


class ApprovalEvaluation(Record):
    """What the evidence says about an approval policy. It approves nothing."""

    format: Literal["witnessmark.approval-evaluation/0.1"] = "witnessmark.approval-evaluation/0.1"
    satisfied: Flag
    gate: AssessmentGateEvaluation
    controls: Annotated[Many[ControlResult], Field(min_length=1)]

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> ApprovalEvaluation:
        unique([item.control for item in self.controls], "control")
        if self.satisfied != (self.gate.satisfied and all(item.satisfied for item in self.controls)):
            raise PydanticCustomError("contradicts_itself", "satisfied is not what gate and controls give")
        return self
