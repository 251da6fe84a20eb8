"""Which of our records a JSON document is, by its shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.canonical import canonical_digest
from witnessmark.errors import InputError
from witnessmark.models import (
    AssessmentGateEvaluation,
    AssessmentGatePolicy,
    CheckpointManifest,
    MemoryCheckpointAssessment,
    ProbeSuite,
    RetrieverPin,
    RetrieverProfile,
)

if TYPE_CHECKING:
    from witnessmark.canonical import JsonValue

__all__ = ["recognize"]

_KINDS = (
    MemoryCheckpointAssessment,
    ProbeSuite,
    RetrieverProfile,
    AssessmentGatePolicy,
    AssessmentGateEvaluation,
    CheckpointManifest,
    RetrieverPin,
)


def recognize(value: JsonValue) -> tuple[str | None, str | None]:
    """Return the name of the record that ``value`` is and its canonical digest, or two Nones."""
    for kind in _KINDS:
        try:
            return kind.__name__, canonical_digest(kind.from_json(value))
        except InputError:
            continue
    return None, None
