"""Vectors for whole assessments: tables that answer, a suite, and the result that has to come out."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.canonical import canonical_digest
from witnessmark.errors import WitnessmarkError
from witnessmark.models import (
    MIN_TRIALS,
    BehavioralResult,
    Coverage,
    IndeterminateReason,
    MemoryCheckpointAssessment,
    ObservedStatus,
    ProbeSuite,
    RetrievalRequest,
    RetrieverProfile,
    SecurityFlags,
    SeverityClass,
)
from witnessmark.models.base import Count, Many, Positive, Record, Text, TextMap
from witnessmark.runner import assess
from witnessmark.vectors.outcome import VectorOutcome, agree
from witnessmark.vectors.table import TableAdapter, TableState

__all__ = ["AssessmentVector", "ExpectedInvocation", "ExpectedProbe", "ExpectedRun", "run_assessment"]


class ExpectedProbe(Record):
    """The result of one probe. Violations come with every fail and only there; their wording is free."""

    probe_id: Text
    result: BehavioralResult
    severity: SeverityClass
    reasons: Many[IndeterminateReason] = ()


class ExpectedInvocation(Record):
    """What the trials of one request on one state showed."""

    state_name: Text
    query: Text
    context: TextMap = Field(default_factory=dict)
    trials: Count
    distinct_orderings_observed: Count
    observed_status: ObservedStatus


class ExpectedRun(Record):
    """What an assessment has to say."""

    result: BehavioralResult
    probes: Many[ExpectedProbe]
    coverage: Coverage
    security_flags: SecurityFlags
    invocations: Many[ExpectedInvocation]
    """In any order."""


class AssessmentVector(Record):
    """One assessment over tables: what it says, or the code of the error that leaves no artifact."""

    format: Literal["witnessmark.vectors.assessment/0.1"]
    why: Text
    profile: RetrieverProfile
    suite: ProbeSuite
    baseline: TableState
    candidate: TableState
    trials: Positive = MIN_TRIALS
    expected: ExpectedRun | None = None
    error: Text | None = None

    @model_validator(mode="after")
    def _is_one_case(self) -> AssessmentVector:
        if (self.expected is None) == (self.error is None):
            raise PydanticCustomError("contradicts_itself", "a vector expects a run or an error")
        return self


def run_assessment(name: str, vector: AssessmentVector) -> VectorOutcome:
    """Run one vector."""
    adapter = TableAdapter(vector.profile, {"baseline": vector.baseline, "candidate": vector.candidate})
    expected: dict[str, object] = {"error": vector.error}
    got: dict[str, object]
    try:
        assessment = assess(adapter, vector.suite, trials=vector.trials).assessment
    except WitnessmarkError as error:
        got = {"error": error.code}
    else:
        got = {"error": None, **_observed(assessment)}
    if vector.expected is not None:
        expected |= _wanted(vector.expected)
    return agree(name, "assessment", vector.why, expected, got)


def _wanted(run: ExpectedRun) -> dict[str, object]:
    probes = {
        f"probe {item.probe_id}": (
            item.result.value,
            item.severity.value,
            tuple(reason.value for reason in item.reasons),
            item.result is BehavioralResult.fail,
        )
        for item in run.probes
    }
    invocations = sorted(
        (
            item.state_name,
            canonical_digest(RetrievalRequest(query=item.query, context=item.context)),
            item.trials,
            item.distinct_orderings_observed,
            item.observed_status.value,
        )
        for item in run.invocations
    )
    return {
        "result": run.result.value,
        **probes,
        "coverage": run.coverage.model_dump(),
        "security_flags": run.security_flags.model_dump(),
        "invocations": invocations,
    }


def _observed(assessment: MemoryCheckpointAssessment) -> dict[str, object]:
    probes = {
        f"probe {item.probe_id}": (
            item.result.value,
            item.severity.value,
            tuple(reason.value for reason in item.reasons),
            bool(item.violations),
        )
        for item in assessment.probe_results
    }
    invocations = sorted(
        (
            item.state_name,
            item.request_digest,
            item.repeatability.trials,
            item.repeatability.distinct_orderings_observed,
            item.repeatability.observed_status.value,
        )
        for item in assessment.invocation_evidence
    )
    return {
        "result": assessment.result.value,
        **probes,
        "coverage": assessment.coverage.model_dump(),
        "security_flags": assessment.security_flags.model_dump(),
        "invocations": invocations,
    }
