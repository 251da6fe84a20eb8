"""The tie policy ``score_desc_item_key_asc``, applied: best scores first, equal scores by ascending key, then the cut.

An index may keep any subset of equal scores at its cut, so more is fetched than asked for, twice as much each time,
until nothing outside the fetched set can reach the first score below the cut. An answer is never shorter than its scope
allows: where a graph or the probed lists run dry before that, the scope is scanned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from witnessmark_adapters.faiss_index import Candidates, VectorIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["Ranking", "rank"]

_SPARE = 6
"""Fetched beyond top_k at first: the best item below the cut, and some that show that it is not tied. A second search
of a few queries costs more than all spare items, because it is too small for BLAS."""
_CELLS = 1 << 22
"""Candidates held at once, over all queries of a step."""


class Ranking(NamedTuple):
    """The answers to some queries."""

    ordinals: NDArray[np.int64]
    """Shape ``(queries, top_k)``, best first; -1 behind the last item of a shorter answer."""
    scores: NDArray[np.float32]
    """Same shape; -inf where there is no item."""
    cut_scores: NDArray[np.float32]
    """Shape ``(queries,)``: score of the best item that the cut left out, -inf where it left out none."""


def rank(
    index: VectorIndex, queries: NDArray[np.float32], top_k: int, mask: NDArray[np.bool_] | None = None
) -> Ranking:
    """Return the ``top_k`` best items of every query among those that ``mask`` allows.

    Exact for flat and scalar-quantized indexes; for graphs and inverted lists, exact over what the index finds.

    Args:
        index: what is searched.
        queries: shape ``(n, d)``, float32, contiguous.
        top_k: length of an answer, 1 or more.
        mask: ordinals that may be returned, shape ``(items,)``; None allows all.
    """
    total = len(queries)
    result = Ranking(
        np.full((total, top_k), -1, dtype=np.int64),
        np.full((total, top_k), -np.inf, dtype=np.float32),
        np.full(total, -np.inf, dtype=np.float32),
    )
    allowed = index.description.total if mask is None else int(mask.sum())
    if not allowed:
        return result
    if allowed == index.description.total:
        mask = None  # a selection keeps FAISS from using BLAS, even if it excludes nothing
    limit = allowed if index.selects_exactly else index.description.total
    rows = np.arange(total)
    fetch = min(top_k + _SPARE, limit)
    while len(rows):
        step = max(1, _CELLS // fetch)
        pending = [
            _settle(index, queries, rows[first : first + step], fetch, limit, mask, result)
            for first in range(0, len(rows), step)
        ]
        rows = np.concatenate(pending)
        fetch = min(2 * fetch, limit)
    for row in np.flatnonzero(result.ordinals[:, min(top_k, allowed) - 1] < 0).tolist():
        _write(result, np.array([row]), index.scan(queries[row : row + 1], mask))
    return result


def _settle(
    index: VectorIndex,
    queries: NDArray[np.float32],
    rows: NDArray[np.int64],
    fetch: int,
    limit: int,
    mask: NDArray[np.bool_] | None,
    result: Ranking,
) -> NDArray[np.int64]:
    """Write the answers that ``fetch`` candidates decide and return the rows that need more."""
    exact, top_k = index.selects_exactly, result.ordinals.shape[1]
    asked = queries if len(rows) == len(queries) else queries[rows]
    found = index.candidates(asked, fetch, mask if exact else None)
    scores = found.scores
    if mask is not None and not exact:
        scores = np.where((found.ordinals >= 0) & mask[found.ordinals], scores, -np.inf)
    done = np.full(len(rows), fetch >= limit) | np.isneginf(found.ceiling)
    if fetch > top_k:
        below = -np.partition(-scores, top_k, axis=1)[:, top_k]
        done |= below > found.ceiling
    _write(result, rows[done], Candidates(found.ordinals[done], scores[done], found.ceiling[done]))
    return rows[~done]


def _write(result: Ranking, rows: NDArray[np.int64], found: Candidates) -> None:
    """Write the best candidates of some rows, in order; -inf scores are no candidates."""
    top_k = result.ordinals.shape[1]
    order = np.lexsort((found.ordinals, -found.scores), axis=1)[:, : top_k + 1]
    scores = np.take_along_axis(found.scores, order, axis=1)
    ordinals = np.where(np.isneginf(scores), -1, np.take_along_axis(found.ordinals, order, axis=1))
    kept = min(top_k, ordinals.shape[1])
    result.ordinals[rows, :kept] = ordinals[:, :kept]
    result.scores[rows, :kept] = scores[:, :kept]
    if ordinals.shape[1] > top_k:
        result.cut_scores[rows] = scores[:, top_k]
