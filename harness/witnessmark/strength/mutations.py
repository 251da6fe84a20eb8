"""What is done to one answer; each function returns the items as they are where there is nothing to do.

Ranks are places of the answer, not of the item: who moves up takes the rank of who was there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from witnessmark.run.observed import SeenItem

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Items", "append", "demote", "drop", "keep", "swap"]

Items: TypeAlias = tuple[SeenItem, ...]


def drop(items: Items, key: str) -> Items:
    """Return the answer without an item."""
    return _ranked(items, [item for item in items if item.key != key])


def swap(items: Items, correction: str, superseded: SeenItem) -> Items:
    """Return the answer with the superseded item in the place of the correction.

    Where the superseded item is further down, the two change places; where it is not there, it comes right above the
    correction, and the last item makes room. Nothing is done where the correction is missing or not above it.
    """
    keys = [item.key for item in items]
    if correction not in keys or correction == superseded.key:
        return items
    place = keys.index(correction)
    if superseded.key not in keys:
        return _ranked(items, [*items[:place], superseded, *items[place:]][: len(items)])
    other = keys.index(superseded.key)
    if other < place:
        return items
    changed = list(items)
    changed[place], changed[other] = changed[other], changed[place]
    return _ranked(items, changed)


def demote(items: Items, key: str, top_k: int) -> Items:
    """Return the answer with an item one rank down; the last of ``top_k`` items falls out of the answer."""
    keys = [item.key for item in items]
    if key not in keys:
        return items
    place = keys.index(key)
    if place + 1 == len(items):
        return items[:-1] if len(items) >= top_k else items
    changed = list(items)
    changed[place], changed[place + 1] = changed[place + 1], changed[place]
    return _ranked(items, changed)


def append(items: Items, item: SeenItem, top_k: int) -> Items:
    """Return the answer with an item in its last place; the last of ``top_k`` items makes room."""
    if any(other.key == item.key for other in items):
        return items
    kept = items[: top_k - 1]
    rank = items[len(kept)].rank if len(kept) < len(items) else (kept[-1].rank + 1 if kept else 1)
    return (*kept, item._replace(rank=rank))


def keep(items: Items, count: int) -> Items:
    """Return the first ``count`` items of the answer."""
    return items[:count]


def _ranked(before: Items, after: Sequence[SeenItem]) -> Items:
    return tuple(item._replace(rank=place.rank) for place, item in zip(before, after, strict=False))
