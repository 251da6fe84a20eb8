"""The items behind an index: keys, version digests and scope labels, compact in memory, one canonical line each.

- Ordinals are places in ascending key order, so that sorting by ordinal is sorting by key.
- A version digest is kept as 32 bytes, a combination of scope labels once.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

from witnessmark.canonical import canonical_bytes
from witnessmark.errors import InputError
from witnessmark.models.base import HashValue, Many, Record, Text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import BinaryIO

    from numpy.typing import NDArray

    from witnessmark.ports import IndexItem

__all__ = ["ITEMS_FILE", "ItemLine", "ItemTable", "write_item"]

ITEMS_FILE = "items.jsonl"
_SHA256 = "sha256:"


class ItemLine(Record):
    """One line of ``items.jsonl``."""

    key: Text
    scope_labels: Many[Text]
    version: HashValue


def write_item(stream: BinaryIO, item: IndexItem, previous: str | None) -> str:
    """Append one line and return the item's key.

    Raises:
        InputError: ``items_out_of_order``: keys have to ascend.
    """
    record = item.record
    _ascending(previous, record.key, "items")
    line = {"key": record.key, "scope_labels": list(record.scope_labels), "version": item.version_digest}
    stream.write(canonical_bytes(line) + b"\n")
    return record.key


class ItemTable:
    """Items by ordinal."""

    def __init__(self, items: Iterable[ItemLine], *, where: str = "items") -> None:
        """Take the items in ascending key order.

        Raises:
            InputError: ``items_out_of_order`` or ``unsupported_digest``.
        """
        self.keys: list[str] = []
        self.label_sets: list[tuple[str, ...]] = []
        """Distinct combinations of scope labels."""
        digests = bytearray()
        sets: dict[tuple[str, ...], int] = {}
        numbers: list[int] = []
        previous: str | None = None
        for item in items:
            _ascending(previous, item.key, where)
            if not item.version.startswith(_SHA256):
                raise InputError(
                    "item version is no SHA-256 digest", code="unsupported_digest", got=item.version, where=where
                )
            previous = item.key
            self.keys.append(item.key)
            digests += bytes.fromhex(item.version[len(_SHA256) :])
            number = sets.setdefault(item.scope_labels, len(sets))
            if number == len(self.label_sets):
                self.label_sets.append(item.scope_labels)
            numbers.append(number)
        self._digests = bytes(digests)
        self.label_set_of: NDArray[np.int32] = np.array(numbers, dtype=np.int32)
        """Place in ``label_sets`` of every ordinal, shape ``(len(keys),)``."""

    @classmethod
    def load(cls, path: Path) -> ItemTable:
        """Read ``items.jsonl``.

        Raises:
            InputError: the file is not readable or a line is not an item.
        """

        def lines() -> Iterable[ItemLine]:
            with path.open("rb") as stream:
                for number, line in enumerate(stream, 1):
                    yield ItemLine.from_bytes(line, where=f"{path}:{number}")

        try:
            return cls(lines(), where=str(path))
        except OSError as error:
            raise InputError(f"cannot read items: {error.strerror}", code="unreadable_file", where=str(path)) from error

    def __len__(self) -> int:
        return len(self.keys)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.ordinal(key) is not None

    def ordinal(self, key: str) -> int | None:
        """Return the ordinal of an item, or None where there is none of that key."""
        place = bisect_left(self.keys, key)
        return place if place < len(self.keys) and self.keys[place] == key else None

    def version(self, ordinal: int) -> str:
        """Return the version digest of an item."""
        return f"{_SHA256}{self._digests[32 * ordinal : 32 * ordinal + 32].hex()}"

    def scope_labels(self, ordinal: int) -> tuple[str, ...]:
        """Return the scope labels of an item, as its record has them."""
        return self.label_sets[int(self.label_set_of[ordinal])]


def _ascending(previous: str | None, key: str, where: str) -> None:
    if previous is not None and key <= previous:
        raise InputError(
            "items are not in ascending key order",
            code="items_out_of_order",
            got=f"{key!r} after {previous!r}",
            wanted="every key once, ascending",
            where=where,
        )
