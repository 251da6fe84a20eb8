"""Reciprocal-rank fusion: an item scores the sum of weight / (k + rank) over the rankings that hold it.

- Scores are worked out over whole numbers and rounded once, so equal sums are equal scores on every machine.
- Within the bounds of the settings two sums that differ are at least 6e-14 apart, more than rounding can hide.
- Best first; equal scores by key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Fused", "fuse"]


class Fused(NamedTuple):
    """One item of a fused ranking."""

    key: str
    score: float


def fuse(rankings: Sequence[Sequence[str]], weights: Sequence[int], k: int) -> list[Fused]:
    """Return every item of some rankings, best first.

    Args:
        rankings: keys, best first, each at most once in a ranking.
        weights: one a ranking, 1 or more.
        k: what is added to a rank, 1 or more; the larger, the less the first ranks stand out.
    """
    sums: dict[str, tuple[int, int]] = {}
    for keys, weight in zip(rankings, weights, strict=True):
        for place, key in enumerate(keys, k + 1):
            numerator, denominator = sums.get(key, (0, 1))
            sums[key] = (numerator * place + weight * denominator, denominator * place)
    fused = [Fused(key, numerator / denominator) for key, (numerator, denominator) in sums.items()]
    return sorted(fused, key=lambda item: (-item.score, item.key))
