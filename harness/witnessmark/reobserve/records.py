"""Memory records as evidence: where each says it came from, and the environment that it binds.

- ``source`` is a `StoredSource` where it is a map that says whether it is ``refetchable``; a text is a label, which is
  no locator. Any other map is somebody else's and says nothing.
- ``environment`` is an `EnvironmentBinding`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.errors import InputError, Problem
from witnessmark.models import EnvironmentBinding, EvidenceDocument, StoredSource
from witnessmark.reobserve.documents import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pydantic import JsonValue

    from witnessmark.models import MemoryRecord

__all__ = ["record_evidence"]


def record_evidence(records: Iterable[MemoryRecord], folder: Path) -> tuple[Evidence, ...]:
    """Return one piece of evidence a record, in their order.

    Args:
        records: with unique keys.
        folder: what relative locators are relative to.

    Raises:
        InputError: what reading the records raises, or every ``source`` and ``environment`` that is malformed.
    """
    found: list[Evidence] = []
    problems: list[Problem] = []
    for record in records:
        extra = record.model_extra or {}
        try:
            document = EvidenceDocument(
                evidence_id=record.key,
                source=_source(extra.get("source"), record.key),
                environment=_environment(extra.get("environment"), record.key),
            )
        except InputError as error:
            problems.extend(error.problems)
        else:
            found.append(Evidence(document, folder))
    if problems:
        raise InputError.from_problems(tuple(problems))
    return tuple(found)


def _source(value: JsonValue, key: str) -> StoredSource:
    if isinstance(value, dict) and "refetchable" in value:
        return StoredSource.from_json(value, where=f"record {key!r} /source")
    label = value if isinstance(value, str) and value.strip() else None
    return StoredSource(refetchable=False, source_label=label)


def _environment(value: JsonValue, key: str) -> EnvironmentBinding:
    if value is None:
        return EnvironmentBinding()
    return EnvironmentBinding.from_json(value, where=f"record {key!r} /environment")
