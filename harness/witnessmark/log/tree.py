"""A Merkle tree of RFC 9162 whose nodes are stored in the order in which appending completes them.

A leaf is followed by every inner node that it completes, so nodes are only ever added at the end, and each one's place
follows from its level and index. Roots and proofs read O(log n) nodes.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from witnessmark.checkpoint.merkle import EMPTY_ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["StoredTree", "completed_nodes", "node_count", "position"]


def node_count(size: int) -> int:
    """Return how many nodes are stored for ``size`` leaves."""
    return 2 * size - size.bit_count()


def position(level: int, index: int) -> int:
    """Return the place of node ``index`` of ``level``; level 0 are the leaves."""
    last = ((index + 1) << level) - 1
    return node_count(last) + level


def completed_nodes(size: int, leaf: bytes, lookup: Callable[[int], bytes]) -> list[bytes]:
    """Return the nodes that leaf hash ``leaf`` adds to a tree of ``size`` leaves, in stored order."""
    nodes, level = [leaf], 0
    while (size >> level) & 1:
        nodes.append(_parent(lookup(position(level, (size >> level) - 1)), nodes[-1]))
        level += 1
    return nodes


class StoredTree:
    """Roots and proofs from stored nodes."""

    def __init__(self, lookup: Callable[[int], bytes]) -> None:
        self._lookup = lookup
        self._known: dict[tuple[int, int], bytes] = {}

    def root(self, size: int) -> bytes:
        """Return the root of the first ``size`` leaves, 32 bytes."""
        return self._subtree(0, size) if size else EMPTY_ROOT

    def inclusion_proof(self, index: int, size: int) -> tuple[bytes, ...]:
        """Return the proof that leaf ``index`` is among the first ``size``, lowest node first (RFC 9162 §2.1.3.1).

        Raises:
            IndexError: there is no such leaf.
        """
        if not 0 <= index < size:
            raise IndexError(index)
        path, start, end = [], 0, size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                path.append(self._subtree(middle, end))
                end = middle
            else:
                path.append(self._subtree(start, middle))
                start = middle
        return tuple(reversed(path))

    def consistency_proof(self, first: int, second: int) -> tuple[bytes, ...]:
        """Return the proof that ``second`` leaves extend the first ``first`` of them (RFC 9162 §2.1.4.1).

        Raises:
            IndexError: ``first`` is negative or more than ``second``.
        """
        if not 0 <= first <= second:
            raise IndexError(first)
        if first in (0, second):
            return ()
        path, start, end, whole = [], 0, second, True
        while first != end:
            middle = start + _split(end - start)
            if first <= middle:
                path.append(self._subtree(middle, end))
                end = middle
            else:
                path.append(self._subtree(start, middle))
                start, whole = middle, False
        if not whole:
            path.append(self._subtree(start, end))
        return tuple(reversed(path))

    def _subtree(self, start: int, end: int) -> bytes:
        size = end - start
        if size & (size - 1) == 0:
            level = size.bit_length() - 1
            return self._lookup(position(level, start >> level))
        known = self._known.get((start, end))
        if known is None:
            middle = start + _split(size)
            known = self._known[start, end] = _parent(self._subtree(start, middle), self._subtree(middle, end))
        return known


def _split(size: int) -> int:
    return 1 << ((size - 1).bit_length() - 1)


def _parent(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()
