"""Purposes: which dimensions count for a use of evidence, and a fingerprint over those alone.

An extension of ours (docs/applicability.md): the specification compares all ten dimensions for every use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.applicability.evaluator import as_lineage, as_record, decide
from witnessmark.canonical import canonical_digest
from witnessmark.models import Dimension, EnvironmentBinding, SourceObservation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from witnessmark.models import ApplicabilityVerdict, LineageDependency, Purpose

__all__ = ["evaluate_for", "fingerprint", "unbound_everywhere"]


def evaluate_for(
    purpose: Purpose,
    *,
    source: SourceObservation | Mapping[str, object],
    stored: EnvironmentBinding | Mapping[str, object],
    current: EnvironmentBinding | Mapping[str, object],
    lineage: Sequence[LineageDependency | Mapping[str, object]] = (),
    caller_metadata: Mapping[object, object] | Mapping[str, object] | None = None,
    now: datetime | str,
) -> ApplicabilityVerdict:
    """Decide as `evaluate` does, but compare only the dimensions of ``purpose``, strict about those it names.

    Source, lineage, expiry and metadata count for every purpose.

    Raises:
        InputError: an argument is malformed.
    """
    return decide(
        as_record(SourceObservation, source, "source"),
        as_record(EnvironmentBinding, stored, "stored"),
        as_record(EnvironmentBinding, current, "current"),
        as_lineage(lineage),
        caller_metadata,
        now,
        purpose.dimensions,
        purpose.strict,
    )


def fingerprint(purpose: Purpose, binding: EnvironmentBinding) -> str:
    """Return the purpose-bound fingerprint of an environment, ``sha256:`` and 64 digits.

    It is the digest of the RFC 8785 bytes of ``{"dimensions": {...}, "purpose": NAME, "version": VERSION}``, where
    ``dimensions`` has exactly the members that the purpose selects, null where they are not bound. Nothing else of the
    environment, and no order, is part of it.
    """
    return canonical_digest(
        {
            "dimensions": {item.value: getattr(binding, item.value) for item in purpose.dimensions},
            "purpose": purpose.name,
            "version": purpose.version,
        }
    )


def unbound_everywhere(
    purpose: Purpose, stored: EnvironmentBinding, current: EnvironmentBinding
) -> tuple[Dimension, ...]:
    """Return the strict dimensions that neither side has, in the specification's order: nothing was compared there."""
    return tuple(
        item
        for item in Dimension
        if item in purpose.strict and getattr(stored, item) is None and getattr(current, item) is None
    )
