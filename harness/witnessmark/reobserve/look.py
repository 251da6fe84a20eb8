"""Look at everything that stored evidence is bound to, then evaluate it, or measure how much can be verified.

- Evidence whose metadata holds a reserved key is not looked at: it would be asking on a forger's behalf.
- No clock: ``now`` is an argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.applicability import evaluate_for, fingerprint, reserved_keys, unbound_everywhere
from witnessmark.applicability.coverage import cover_evidence
from witnessmark.models import (
    ApplicabilityCheck,
    EvidenceState,
    LineageDependency,
    LineageRecord,
    LineageSighting,
    LineageState,
    SourceObservation,
    SourceRecord,
)
from witnessmark.ports import Sighting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from witnessmark.models import CoverageReport, EvidenceDocument, Purpose, StoredDependency
    from witnessmark.reobserve.documents import Evidence
    from witnessmark.reobserve.surroundings import Surroundings

__all__ = ["check", "cover"]


def check(evidence: Evidence, purpose: Purpose, surroundings: Surroundings, now: datetime | str) -> ApplicabilityCheck:
    """Look at everything that a piece of evidence is bound to, and decide whether it is applicable for ``purpose``.

    Raises:
        InputError: a locator, a target or ``now`` is malformed, or a target cannot be read.
        AdapterError: an observer broke its contract.
    """
    document = evidence.document
    source, lineage = _sight(evidence, surroundings)
    current, notes = surroundings.environment(document.environment)
    verdict = evaluate_for(
        purpose,
        source=_observation(document, source),
        stored=document.environment,
        current=current,
        lineage=tuple(map(_dependency, document.lineage, lineage)),
        caller_metadata=document.caller_metadata,
        now=now,
    )
    unbound = unbound_everywhere(purpose, document.environment, current)
    return ApplicabilityCheck(
        evidence_id=document.evidence_id,
        purpose=purpose.name,
        purpose_version=purpose.version,
        status=verdict.status,
        reasons=verdict.reasons,
        may_influence_action=verdict.may_influence_action,
        stored_fingerprint=fingerprint(purpose, document.environment),
        current_fingerprint=fingerprint(purpose, current),
        notes=(
            *(item.note for item in (source, *lineage) if item.note),
            *notes,
            *(f"{item} is strict, but bound neither then nor now: nothing was compared" for item in unbound),
        ),
    )


def cover(
    evidence: Sequence[Evidence], purpose: Purpose, surroundings: Surroundings, inventories: Sequence[str] = ()
) -> CoverageReport:
    """Look at everything that a set of evidence is bound to, and report how much of it can be verified.

    Raises:
        InputError: as `check`; also ``duplicate_id`` and what `Surroundings.inventory` raises.
        AdapterError: an observer broke its contract.
    """
    return cover_evidence(
        [_state(item, surroundings) for item in evidence],
        [surroundings.inventory(argument) for argument in inventories],
        purpose,
    )


def _sight(evidence: Evidence, surroundings: Surroundings) -> tuple[Sighting, tuple[Sighting, ...]]:
    """Return what is seen of the source, and of each dependency."""
    document = evidence.document
    if reserved_keys(document.caller_metadata):
        return Sighting(None), (Sighting(None),) * len(document.lineage)
    source = Sighting(None)
    if document.source.locator is not None and document.source.refetchable:
        source = surroundings.sight(
            document.source.locator,
            folder=evidence.folder,
            expected_digest=document.source.expected_digest,
            etag=document.source.etag,
            last_modified=document.source.last_modified,
        )
    return source, tuple(_sight_dependency(item, evidence, surroundings) for item in document.lineage)


def _sight_dependency(dependency: StoredDependency, evidence: Evidence, surroundings: Surroundings) -> Sighting:
    if dependency.locator is None:
        return Sighting(None, note=f"dependency {dependency.dependency_id} has no locator")
    return surroundings.sight(dependency.locator, folder=evidence.folder, expected_digest=dependency.expected_digest)


def _observation(document: EvidenceDocument, sighting: Sighting) -> SourceObservation:
    source = document.source
    return SourceObservation.from_json(
        {
            "locator": source.locator,
            "refetchable": source.refetchable,
            "exists": sighting.exists,
            "expected_digest": source.expected_digest,
            "observed_digest": sighting.digest,
        },
        where=f"sighting of {source.locator}",
    )


def _seen_state(sighting: Sighting) -> LineageState | None:
    """Return what became of a record: as the observer says, else erased where it is gone."""
    if sighting.state is not None:
        return sighting.state
    if sighting.exists is None:
        return None
    return LineageState.active if sighting.exists else LineageState.erased


def _dependency(stored: StoredDependency, sighting: Sighting) -> LineageDependency:
    # An unknown state has no digest either: as an active dependency it is unverifiable, which is what it is.
    state = _seen_state(sighting)
    return LineageDependency.from_json(
        {
            "dependency_id": stored.dependency_id,
            "state": state or LineageState.active,
            "expected_digest": stored.expected_digest,
            "observed_digest": None if state is None else sighting.digest,
        },
        where=f"sighting of {stored.locator}",
    )


def _state(evidence: Evidence, surroundings: Surroundings) -> EvidenceState:
    document = evidence.document
    source, lineage = _sight(evidence, surroundings)
    return EvidenceState(
        source=SourceRecord(
            memory_id=document.evidence_id,
            source_label=document.source.source_label,
            source_namespace=document.source.source_namespace,
            source_id=document.source.source_id,
            locator=document.source.locator,
            refetchable=document.source.refetchable,
            exists=source.exists,
            expected_digest=document.source.expected_digest,
            observed_digest=source.digest,
        ),
        environment=document.environment,
        lineage=LineageRecord(
            record_id=document.evidence_id,
            is_derived=document.derived,
            dependencies=tuple(
                LineageSighting(
                    dependency_id=stored.dependency_id,
                    state=_seen_state(sighting),
                    expected_digest=stored.expected_digest,
                    observed_digest=sighting.digest,
                )
                for stored, sighting in zip(document.lineage, lineage, strict=True)
            ),
        ),
    )
