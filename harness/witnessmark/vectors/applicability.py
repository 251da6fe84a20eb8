"""Vectors for applicability: what was stored and seen, and the verdict or the error."""

from __future__ import annotations

from functools import partial
from typing import Literal

from pydantic import Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.applicability import evaluate, evaluate_for, fingerprint
from witnessmark.errors import InputError
from witnessmark.models import ApplicabilityStatus, EnvironmentBinding, Purpose
from witnessmark.models.base import HashValue, Many, Record, Text
from witnessmark.vectors.outcome import VectorOutcome, agree

__all__ = ["ApplicabilityVector", "ExpectedVerdict", "run_applicability"]


class ExpectedVerdict(Record):
    """The outcome; which of the six may influence an action follows from it."""

    status: ApplicabilityStatus
    reasons: Many[Text]


class ApplicabilityVector(Record):
    """One evaluation. Malformed inputs are part of the point, so they are checked by the evaluation alone."""

    format: Literal["witnessmark.vectors.applicability/0.1"]
    why: Text
    source: JsonValue
    stored: JsonValue = Field(default_factory=dict)
    current: JsonValue = Field(default_factory=dict)
    lineage: Many[JsonValue] = ()
    caller_metadata: JsonValue = None
    now: Text
    purpose: Purpose | None = None
    """Without one, everything is compared as the specification says."""
    expected: ExpectedVerdict | None = None
    error: Text | None = None
    """Code of the error; there is no verdict then."""
    stored_fingerprint: HashValue | None = None
    """Purpose-bound fingerprint of ``stored``."""

    @model_validator(mode="after")
    def _is_one_case(self) -> ApplicabilityVector:
        if (self.expected is None) == (self.error is None) or (self.stored_fingerprint and not self.purpose):
            raise PydanticCustomError(
                "contradicts_itself", "a vector expects a verdict or an error, and a fingerprint with a purpose only"
            )
        return self


def run_applicability(name: str, vector: ApplicabilityVector) -> VectorOutcome:
    """Run one vector."""
    status = None if vector.expected is None else vector.expected.status
    expected: dict[str, object] = {
        "error": vector.error,
        "status": status,
        "reasons": None if vector.expected is None else vector.expected.reasons,
        "may_influence_action": None if status is None else status is ApplicabilityStatus.MATCH,
        "authorizes_action": None if status is None else False,
    }
    if vector.stored_fingerprint is not None:
        expected["stored_fingerprint"] = vector.stored_fingerprint
    return agree(name, "applicability", vector.why, expected, _run(vector))


def _run(vector: ApplicabilityVector) -> dict[str, object]:
    inputs = {
        "source": vector.source,
        "stored": vector.stored,
        "current": vector.current,
        "lineage": vector.lineage,
        "caller_metadata": vector.caller_metadata,
        "now": vector.now,
    }
    try:
        decide = evaluate if vector.purpose is None else partial(evaluate_for, vector.purpose)
        verdict = decide(**inputs)  # type: ignore[arg-type]
    except InputError as error:
        nothing = dict.fromkeys(("status", "reasons", "may_influence_action", "authorizes_action"))
        return {"error": error.code, **nothing}
    got: dict[str, object] = {"error": None, **verdict.__dict__}
    if vector.stored_fingerprint is not None and vector.purpose is not None:
        got["stored_fingerprint"] = fingerprint(vector.purpose, EnvironmentBinding.from_json(vector.stored))
    return got
