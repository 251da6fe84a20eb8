"""Vectors for the audit: a log's entries, presented artifacts, and the violations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from witnessmark.audit import audit
from witnessmark.canonical import model_bytes, sha256_digest
from witnessmark.checkpoint.merkle import leaf_hash, root
from witnessmark.errors import InputError
from witnessmark.models import AssessmentGatePolicy, MemoryCheckpointAssessment, StateReference
from witnessmark.models.audit import Violation
from witnessmark.models.base import Many, Record, Text
from witnessmark.models.log import LogEntry, TreeHead
from witnessmark.vectors.outcome import VectorOutcome, agree

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AuditVector", "run_audit"]


class AuditVector(Record):
    """Which approvals in a log went against the evidence."""

    format: Literal["witnessmark.vectors.audit/0.1"]
    why: Text
    entries: Annotated[Many[Annotated[LogEntry, Field(discriminator="entry")]], Field(min_length=1)]
    artifacts: Many[Text] = ()
    """Texts of the presented assessments; their digests are over the UTF-8 bytes."""
    current_state: StateReference | None = None
    policy: AssessmentGatePolicy | None = None
    expected: Many[Violation]
    """By kind, then subject."""


def run_audit(name: str, vector: AuditVector) -> VectorOutcome:
    """Run one vector."""
    leaves = [leaf_hash(model_bytes(entry)) for entry in vector.entries]
    report = audit(
        vector.entries,
        head=TreeHead(origin="vector", size=len(leaves), root=f"sha256:{root(leaves).hex()}"),
        artifacts={sha256_digest(text.encode()): _read(text) for text in vector.artifacts},
        current_state=vector.current_state,
        policy=vector.policy,
    )
    wanted = sorted(vector.expected, key=lambda item: (item.approval, item.kind, item.subject))
    return agree(name, "audit", vector.why, _shown(wanted), _shown(report.violations))


def _shown(violations: Sequence[Violation]) -> dict[str, object]:
    return {"violations": [item.model_dump(mode="json") for item in violations]}


def _read(text: str) -> MemoryCheckpointAssessment | None:
    try:
        return MemoryCheckpointAssessment.from_bytes(text)
    except InputError:
        return None
