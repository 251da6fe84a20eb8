"""Relations between records: which one says that it supersedes or contradicts which other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from witnessmark.models import MemoryRecord

__all__ = ["Edge", "edges_of", "is_anchor"]


class Edge(NamedTuple):
    """One relation, as the record ``item_key`` states it."""

    item_key: str
    relation: Literal["contradicts", "supersedes"]
    target_key: str


def edges_of(record: MemoryRecord) -> Iterator[Edge]:
    """Yield what a record supersedes and contradicts: a key or a list of keys; anything else is no relation."""
    extra = record.model_extra or {}
    stated = (("supersedes", extra.get("supersedes")), ("contradicts", extra.get("contradicts")))
    for relation, value in stated:
        targets = [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
        for target in targets:
            if isinstance(target, str):
                yield Edge(record.key, "supersedes" if relation == "supersedes" else "contradicts", target)


def is_anchor(record: MemoryRecord) -> bool:
    """Return whether a record is marked as an anchor: its field ``anchor`` is there, and neither empty nor false."""
    return bool((record.model_extra or {}).get("anchor"))
