"""Assessments asked again: is what one binds still there, unchanged, and in service?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.applicability import assessment_evidence
from witnessmark.models import EnvironmentBinding, EvidenceDocument, StoredSource
from witnessmark.models.applicability import state_digest
from witnessmark.reobserve.documents import Evidence
from witnessmark.reobserve.look import check

if TYPE_CHECKING:
    from datetime import datetime

    from witnessmark.models import ApplicabilityCheck, MemoryCheckpointAssessment, Purpose, StateReference
    from witnessmark.reobserve.surroundings import Surroundings

__all__ = ["Today", "check_assessment", "check_unseen"]


class Today(NamedTuple):
    """What stored assessments are held against."""

    purpose: Purpose
    surroundings: Surroundings
    now: datetime


def check_assessment(assessment: MemoryCheckpointAssessment, artifact: Path, today: Today) -> ApplicabilityCheck:
    """Ask an assessment again: the artifact has to be there, and its candidate has to be what serves.

    Args:
        assessment: as it was read.
        artifact: where its bytes are kept.
        today: what it is held against; without a target that shows the state, nothing is applicable.

    Raises:
        InputError: a target is malformed or cannot be read.
        AdapterError: an observer broke its contract.
    """
    document = assessment_evidence(assessment, locator=f"file:{artifact.resolve()}")
    return check(Evidence(document, Path()), today.purpose, today.surroundings, today.now)


def check_unseen(digest: str, candidate: StateReference | None, today: Today) -> ApplicabilityCheck:
    """Ask an assessment again of which nobody presents the bytes.

    Args:
        digest: of its bytes.
        candidate: the state that it is about, where a log says so.
        today: what it is held against.
    """
    bound = None if candidate is None else state_digest(candidate)
    document = EvidenceDocument(
        evidence_id=digest,
        source=StoredSource(refetchable=False),
        environment=EnvironmentBinding(target_state_digest=bound),
    )
    return check(Evidence(document, Path()), today.purpose, today.surroundings, today.now)
