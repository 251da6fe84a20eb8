"""MemoryCheckpointAssessment/0.1 and what it is made of (wire contract §1).

Loading re-checks every derived field; an artifact that contradicts itself is refused.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.base import Count, Flag, HashValue, Many, Record, Text, Timestamp, unique
from witnessmark.models.probes import SeverityClass
from witnessmark.models.state import RuntimeObservation, StateReference

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "MIN_TRIALS",
    "BehavioralResult",
    "Coverage",
    "IndeterminateReason",
    "InvocationEvidence",
    "MaterialAccess",
    "MemoryCheckpointAssessment",
    "ObservedStatus",
    "ProbeResult",
    "RepeatabilityEvidence",
    "SecurityFlags",
    "aggregate_result",
    "confidentiality_failed",
    "cover",
]

MIN_TRIALS = 20
"""The floor of 0.1: fewer trials are no repeatability evidence."""


class MaterialAccess(StrEnum):
    """What of the assessed material somebody else can get at."""

    public = "public"
    restricted = "restricted"
    unavailable_to_verifier = "unavailable_to_verifier"


class ObservedStatus(StrEnum):
    """What the trials of one request showed."""

    stable = "stable"
    unstable = "unstable"
    not_run = "not_run"


class BehavioralResult(StrEnum):
    """The outcome of a probe, and of an assessment."""

    pass_ = "pass"
    fail = "fail"
    indeterminate = "indeterminate"


class IndeterminateReason(StrEnum):
    """Why a probe could not be decided. A closed list in 0.1."""

    adapter_unsupported = "adapter_unsupported"
    repeatability_unstable = "repeatability_unstable"
    repeatability_not_run = "repeatability_not_run"
    baseline_precondition_unmet = "baseline_precondition_unmet"
    id_churn = "id_churn"


class RepeatabilityEvidence(Record):
    """How often one request was asked of one state, and how many orderings came back."""

    trials: Count
    distinct_orderings_observed: Count
    observed_status: ObservedStatus
    tie_events_observed: Count | None = None
    """Adjacent equal scores seen, or absent where the adapter gives no scores."""

    @model_validator(mode="after")
    def _status_fits_counts(self) -> RepeatabilityEvidence:
        trials, distinct, status = self.trials, self.distinct_orderings_observed, self.observed_status
        if status is ObservedStatus.not_run:
            if trials or distinct:
                raise PydanticCustomError("contradicts_itself", "not_run should have 0 trials and 0 orderings")
            return self
        if trials < MIN_TRIALS:
            raise PydanticCustomError("contradicts_itself", "repeatability evidence needs 20 trials or more")
        if distinct == 0 or (distinct == 1) != (status is ObservedStatus.stable):
            raise PydanticCustomError("contradicts_itself", "stable means exactly 1 ordering and unstable 2 or more")
        return self


class InvocationEvidence(Record):
    """The repeatability evidence of one request on one state."""

    state_name: Text
    request_digest: HashValue
    repeatability: RepeatabilityEvidence


class ProbeResult(Record):
    """The outcome of one probe. Reasons come with indeterminate, only and always."""

    probe_id: Text
    required: Flag
    result: BehavioralResult
    severity: SeverityClass
    reasons: Many[IndeterminateReason] = ()
    violations: Many[Text] = ()

    @model_validator(mode="after")
    def _reasons_fit_result(self) -> ProbeResult:
        if bool(self.reasons) != (self.result is BehavioralResult.indeterminate):
            raise PydanticCustomError("reasons_mismatch", "reasons should come with indeterminate, only and always")
        return self


class Coverage(Record):
    """Counts over the required probes."""

    required_probe_count: Count
    passed: Count
    failed: Count
    indeterminate: Count
    indeterminate_rate: Annotated[float, Strict(), Field(ge=0.0, le=1.0)]


class SecurityFlags(Record):
    """What a security reviewer looks for first."""

    contains_confidentiality_failure: Flag = False
    """True iff any probe, required or not, failed with severity confidentiality."""


def cover(results: Sequence[ProbeResult]) -> Coverage:
    """Return the coverage of the required probes among ``results``."""
    required = [item.result for item in results if item.required]
    undecided = required.count(BehavioralResult.indeterminate)
    return Coverage(
        required_probe_count=len(required),
        passed=required.count(BehavioralResult.pass_),
        failed=required.count(BehavioralResult.fail),
        indeterminate=undecided,
        indeterminate_rate=undecided / len(required) if required else 0.0,
    )


def aggregate_result(coverage: Coverage) -> BehavioralResult:
    """Return fail if a required probe failed, else indeterminate if one is undecided, else pass (§3)."""
    if coverage.failed:
        return BehavioralResult.fail
    return BehavioralResult.indeterminate if coverage.indeterminate else BehavioralResult.pass_


def confidentiality_failed(results: Sequence[ProbeResult]) -> bool:
    """Return whether any probe, required or not, failed with severity confidentiality."""
    return any(
        item.result is BehavioralResult.fail and item.severity is SeverityClass.confidentiality for item in results
    )


class MemoryCheckpointAssessment(Record):
    """The artifact of one run. It states what was observed and approves nothing."""

    type: Literal["MemoryCheckpointAssessment"] = "MemoryCheckpointAssessment"
    version: Literal["0.1"] = "0.1"
    baseline_state: StateReference
    candidate_state: StateReference
    probe_suite_digest: HashValue
    retriever_profile_digest: HashValue
    assessed_at: Timestamp
    material_access: MaterialAccess
    runtime_observation: RuntimeObservation | None = None
    invocation_evidence: Many[InvocationEvidence]
    probe_results: Many[ProbeResult]
    coverage: Coverage
    security_flags: SecurityFlags
    result: BehavioralResult

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> MemoryCheckpointAssessment:
        unique([item.probe_id for item in self.probe_results], "probe_id")
        unique([f"{item.request_digest} on {item.state_name}" for item in self.invocation_evidence], "request")
        expected = cover(self.probe_results)
        if not expected.required_probe_count:
            raise PydanticCustomError("nothing_required", "an assessment should have at least one required probe")
        counts = ("required_probe_count", "passed", "failed", "indeterminate")
        for name in counts:
            if getattr(self.coverage, name) != getattr(expected, name):
                raise PydanticCustomError(
                    "contradicts_itself",
                    "coverage.{name} is {got}, the probe results give {wanted}",
                    {"name": name, "got": getattr(self.coverage, name), "wanted": getattr(expected, name)},
                )
        if abs(self.coverage.indeterminate_rate - expected.indeterminate_rate) > 1e-12:
            raise PydanticCustomError("contradicts_itself", "coverage.indeterminate_rate is not what the counts give")
        if self.result is not aggregate_result(expected):
            raise PydanticCustomError(
                "contradicts_itself",
                "result is {got}, the probe results give {wanted}",
                {"got": self.result.value, "wanted": aggregate_result(expected).value},
            )
        if self.security_flags.contains_confidentiality_failure != confidentiality_failed(self.probe_results):
            raise PydanticCustomError(
                "contradicts_itself", "contains_confidentiality_failure is not what the probe results give"
            )
        return self
