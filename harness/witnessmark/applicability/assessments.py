"""Assessments as stored evidence: what one is bound to, so that it can be asked again before it is used."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from witnessmark.canonical import canonical_digest
from witnessmark.models import EnvironmentBinding, EvidenceDocument, StoredSource
from witnessmark.models.applicability import state_digest

if TYPE_CHECKING:
    from witnessmark.models import MemoryCheckpointAssessment

__all__ = ["assessment_evidence"]


def assessment_evidence(
    assessment: MemoryCheckpointAssessment, *, locator: str, valid_until: str | None = None
) -> EvidenceDocument:
    """Return what a later use of an assessment has to find unchanged: the artifact and the candidate state.

    Args:
        assessment: the artifact.
        locator: where it is kept, as in ``assessment:RUN``.
        valid_until: the first instant at which it no longer holds, or None where it does not expire.

    Raises:
        InputError: ``valid_until`` is malformed or not after the assessment.
    """
    digest = canonical_digest(assessment)
    observed = assessment.assessed_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    environment = {
        "target_state_digest": state_digest(assessment.candidate_state),
        "observed_at": observed,
        "valid_until": valid_until,
    }
    return EvidenceDocument(
        evidence_id=digest,
        source=StoredSource(locator=locator, refetchable=True, expected_digest=digest.removeprefix("sha256:")),
        environment=EnvironmentBinding.from_json(environment, where="environment"),
    )
