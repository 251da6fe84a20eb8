"""Records of found items: the same objects for the same items in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.models import RetrievedItem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from witnessmark_adapters.items import ItemTable

__all__ = ["AnswerRecords"]

_MOST = 1 << 16
"""Answers whose records are kept."""


class AnswerRecords:
    """The records of freshly found ordinals, by state. What was found is never kept, only how it is written."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bytes], tuple[RetrievedItem, ...]] = {}

    def of(self, state_name: str, items: ItemTable, ordinals: NDArray[np.int64]) -> tuple[RetrievedItem, ...]:
        """Return the records of some ordinals, ranked in their order."""
        found = (state_name, ordinals.tobytes())
        records = self._kept.get(found)
        if records is None:
            records = tuple(
                RetrievedItem(
                    item_key=items.keys[ordinal],
                    item_version_digest=items.version(ordinal),
                    rank=place,
                    scope_labels=items.scope_labels(ordinal),
                )
                for place, ordinal in enumerate(ordinals.tolist(), 1)
            )
            if len(self._kept) >= _MOST:
                self._kept.clear()
            self._kept[found] = records
        return records
