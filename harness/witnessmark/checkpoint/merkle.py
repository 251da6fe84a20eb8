"""Merkle trees of RFC 9162 (§2.1) over SHA-256: roots, inclusion proofs, consistency proofs.

- Every function takes leaf *hashes*; `leaf_hash` makes one. Leaves have the prefix 0x00, inner nodes 0x01.
- The root of no leaves is SHA-256 of nothing, and every tree extends the empty tree with an empty proof.
- Verification never raises for bad evidence: a proof, size or index that does not fit is ``False``.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "EMPTY_ROOT",
    "MAX_SIZE",
    "RootBuilder",
    "Tree",
    "consistency_proof",
    "inclusion_proof",
    "leaf_hash",
    "root",
    "verify_consistency",
    "verify_inclusion",
]

EMPTY_ROOT = hashlib.sha256(b"").digest()
"""Root of a tree without leaves."""
MAX_SIZE = 2**63 - 1
"""Largest tree size that verification accepts, in leaves."""

_HASH_BYTES = 32


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf, 32 bytes (RFC 9162 §2.1.1)."""
    return hashlib.sha256(b"\x00" + data).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """Return the root over leaf hashes, 32 bytes (RFC 9162 §2.1.1)."""
    builder = RootBuilder()
    for leaf in leaves:
        builder.append(leaf)
    return builder.root()


def inclusion_proof(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """Return the proof that leaf ``index`` (from 0) is in the tree, lowest node first (RFC 9162 §2.1.3.1).

    Raises:
        IndexError: there is no such leaf.
    """
    return Tree(leaves).inclusion_proof(index)


def consistency_proof(leaves: Sequence[bytes], first: int) -> tuple[bytes, ...]:
    """Return the proof that the tree extends its own first ``first`` leaves (RFC 9162 §2.1.4.1).

    Raises:
        IndexError: ``first`` is negative or more than there are leaves.
    """
    return Tree(leaves).consistency_proof(first)


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Return whether ``proof`` shows leaf hash ``leaf`` at ``index`` of the tree with that size and root."""
    if not 0 <= index < size <= MAX_SIZE or not _are_hashes(leaf, root, *proof):
        return False
    turns: list[bool] = []
    while size > 1:
        left = _split(size)
        turns.append(index >= left)
        index, size = (index - left, size - left) if index >= left else (index, left)
    if len(proof) != len(turns):
        return False
    node = leaf
    for went_right, sibling in zip(reversed(turns), proof, strict=True):
        node = _parent(sibling, node) if went_right else _parent(node, sibling)
    return hmac.compare_digest(node, root)


def verify_consistency(first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]) -> bool:
    """Return whether ``proof`` shows that the tree of ``second`` leaves begins with the tree of ``first`` leaves.

    An empty first tree must have the empty root; nothing is then said about ``second_root``.
    """
    if not 0 <= first <= second <= MAX_SIZE or not _are_hashes(first_root, second_root, *proof):
        return False
    if first == 0:
        return first_root == EMPTY_ROOT and not proof and (second > 0 or second_root == EMPTY_ROOT)
    turns: list[bool] = []
    while first != second:
        left = _split(second)
        turns.append(first > left)
        first, second = (first - left, second - left) if first > left else (first, left)
    # Where every turn was to the left, the first tree itself is the node that both roots are built on.
    nodes = list(proof) if any(turns) else [first_root, *proof]
    if len(nodes) != len(turns) + 1:
        return False
    old = new = nodes[0]
    for went_right, sibling in zip(reversed(turns), nodes[1:], strict=True):
        if went_right:
            old, new = _parent(sibling, old), _parent(sibling, new)
        else:
            new = _parent(new, sibling)
    return hmac.compare_digest(old, first_root) and hmac.compare_digest(new, second_root)


class RootBuilder:
    """The root of a growing tree, in memory that grows with the logarithm of its size."""

    def __init__(self) -> None:
        self._peaks: list[bytes] = []
        self._size = 0

    @property
    def size(self) -> int:
        """Return the number of leaves so far."""
        return self._size

    def append(self, leaf: bytes) -> None:
        """Add a leaf hash on the right."""
        node, size = leaf, self._size
        while size & 1:
            node = _parent(self._peaks.pop(), node)
            size >>= 1
        self._peaks.append(node)
        self._size += 1

    def root(self) -> bytes:
        """Return the root over the leaves so far, 32 bytes."""
        return _fold(self._peaks)


class Tree:
    """A growing tree that keeps its inner nodes: two hashes a leaf, and a proof costs O(log² n) hashes at most."""

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [[]]
        for leaf in leaves:
            self.append(leaf)

    @property
    def size(self) -> int:
        """Return the number of leaves."""
        return len(self._levels[0])

    def append(self, leaf: bytes) -> None:
        """Add a leaf hash on the right."""
        node, height = leaf, 0
        self._levels[0].append(node)
        while len(self._levels[height]) % 2 == 0:
            node = _parent(self._levels[height][-2], node)
            height += 1
            if height == len(self._levels):
                self._levels.append([])
            self._levels[height].append(node)

    def root(self, size: int | None = None) -> bytes:
        """Return the root over the first ``size`` leaves, or over all.

        Raises:
            IndexError: ``size`` is negative or more than there are leaves.
        """
        end = self.size if size is None else self._within(size)
        return self._range(0, end) if end else EMPTY_ROOT

    def inclusion_proof(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """Return the proof that leaf ``index`` is in the tree of the first ``size`` leaves, or of all.

        Raises:
            IndexError: there is no such leaf, or ``size`` is more than there are leaves.
        """
        start, end = 0, self.size if size is None else self._within(size)
        if not 0 <= index < end:
            raise IndexError(f"leaf {index} of a tree of {end}")
        siblings: list[bytes] = []
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                siblings.append(self._range(middle, end))
                end = middle
            else:
                siblings.append(self._range(start, middle))
                start = middle
        return tuple(reversed(siblings))

    def consistency_proof(self, first: int, size: int | None = None) -> tuple[bytes, ...]:
        """Return the proof that the tree of the first ``size`` leaves, or of all, extends that of ``first``.

        Raises:
            IndexError: ``first`` is negative or more than ``size``, or ``size`` is more than there are leaves.
        """
        start, end = 0, self.size if size is None else self._within(size)
        if not 0 <= first <= end:
            raise IndexError(f"first {first} leaves of a tree of {end}")
        if first == 0:
            return ()
        siblings: list[bytes] = []
        while first != end:
            middle = start + _split(end - start)
            if first <= middle:
                siblings.append(self._range(middle, end))
                end = middle
            else:
                siblings.append(self._range(start, middle))
                start = middle
        known = () if start == 0 else (self._range(start, end),)
        return (*known, *reversed(siblings))

    def _within(self, size: int) -> int:
        if not 0 <= size <= self.size:
            raise IndexError(f"first {size} leaves of a tree of {self.size}")
        return size

    def _range(self, start: int, end: int) -> bytes:
        """Return the root over leaves ``start`` to ``end``; ``start`` is where a subtree of that size begins."""
        peaks: list[bytes] = []
        while start < end:
            height = (end - start).bit_length() - 1
            peaks.append(self._levels[height][start >> height])
            start += 1 << height
        return _fold(peaks)


def _parent(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _fold(peaks: Sequence[bytes]) -> bytes:
    """Return the root over complete subtrees of falling size."""
    if not peaks:
        return EMPTY_ROOT
    node = peaks[-1]
    for peak in reversed(peaks[:-1]):
        node = _parent(peak, node)
    return node


def _split(size: int) -> int:
    """Return the largest power of two below ``size``, which is 2 or more."""
    return 1 << ((size - 1).bit_length() - 1)


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == _HASH_BYTES for value in values)
