"""One loaded FAISS index, searched by ordinal.

- What FAISS returns is a set of candidates; scores are computed again from the stored vectors, in double precision,
  because FAISS gives equal vectors unequal scores under some BLAS kernels and batch sizes.
- FAISS ids are insertion numbers; everything that leaves this module speaks of ordinals (places in key order).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import faiss as faiss_package
import numpy as np

from witnessmark.errors import AdapterError, InputError
from witnessmark_adapters.faiss_kinds import INVERTED, describe, searched_part
from witnessmark_adapters.faiss_settings import REFINED
from witnessmark_adapters.vectors import inner_products, negative_squared_distances

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Candidates", "VectorIndex"]

faiss: Any = faiss_package  # its own type stubs leave out most of what is called here
_UNIT_TOLERANCE = {"8bit": 0.05, "4bit": 0.5, "fp16": 0.005, "IndexIVFPQ": 0.9}
"""How far quantization may take the length of a unit vector from 1; unquantized: 0.0001. A product quantizer keeps
centroids, which are shorter than what they stand for."""
_SCAN = 1 << 22
"""Vector components looked at together when an index is checked."""
_BLOCK = 1 << 18
"""Vector components scored together, so that a block stays in the cache."""


class Candidates(NamedTuple):
    """Candidates of some queries, each row in no particular order."""

    ordinals: NDArray[np.int64]
    """Shape ``(queries, k)``; -1 where the index found fewer."""
    scores: NDArray[np.float32]
    """Scores of the candidates, -inf where there is none; larger is better."""
    ceiling: NDArray[np.float64]
    """Shape ``(queries,)``: no item outside the row scores higher; -inf where the index has no more to offer."""


class VectorIndex:
    """A loaded index, ready to be searched."""

    def __init__(self, index: Any, *, order: NDArray[np.int64] | None = None, where: str = "index") -> None:
        """Take a FAISS index and the ordinals of its vectors in insertion order (None: they are in key order).

        Raises:
            InputError: ``unknown_index_implementation`` or ``non_finite_vector``.
        """
        self._index = index
        self._order = order
        self._where = where
        self.description = describe(index, where)
        self._searched = searched_part(index)
        self._vectors = index if self._searched is index else faiss.downcast_index(index.refine_index)
        if index is self._searched and self._inverted:
            index.make_direct_map()
        self._norms = self._read_norms()
        self._largest_norm = float(self._norms.max(initial=0.0))

    @property
    def _inverted(self) -> bool:
        return type(self._searched).__name__ in INVERTED

    @property
    def selects_exactly(self) -> bool:
        """Whether a selection inside the search loses nothing; a graph walked through gaps does lose items."""
        return type(self._searched).__name__ != "IndexHNSWFlat"

    def set_search_parameter(self, name: str, value: int) -> None:
        """Set ``ef_search``, ``k_factor`` or ``nprobe``."""
        if name == "ef_search":
            self._searched.hnsw.efSearch = value
        elif name == "k_factor":
            self._index.k_factor = value
        else:
            self._searched.nprobe = value
        self.description = describe(self._index, self._where)

    def check_unit_length(self) -> None:
        """Check that every vector has length one or zero, as the cosine metric needs.

        Raises:
            InputError: ``not_normalized``.
        """
        kind = self.description
        quantizer = str(kind.parameters.get("quantizer", kind.implementation))
        if kind.implementation == REFINED:
            quantizer = REFINED  # whose vectors are whole, whatever its base keeps
        off = np.minimum(np.abs(self._norms - 1.0), self._norms)
        bad = np.flatnonzero(off > _UNIT_TOLERANCE.get(quantizer, 1e-4))
        if len(bad):
            raise InputError(
                "vectors are not normalized, as the cosine metric needs",
                code="not_normalized",
                got=f"length {self._norms[bad[0]]:.6g} of vector {bad[0]}",
                wanted="length 1",
                where=self._where,
            )

    def candidates(self, queries: NDArray[np.float32], count: int, mask: NDArray[np.bool_] | None = None) -> Candidates:
        """Return up to ``count`` candidates a query.

        Args:
            queries: shape ``(n, d)``, float32, contiguous.
            count: candidates a query, at most the number of items.
            mask: ordinals that may be returned; only where `selects_exactly`.

        Raises:
            AdapterError: ``non_finite_score``.
        """
        distances, ids = self._search(queries, count, mask)
        found = ids >= 0
        raw = distances if self.description.inner_product else -distances
        norms = np.sqrt((queries.astype(np.float64) ** 2).sum(axis=1))
        # FAISS accumulates d products in single precision: |error| <= d * 2^-24 * (sum of their sizes), twice for good.
        slack = 2.0 * (self.description.dimension + 8) * 2.0**-24
        size = norms * self._largest_norm if self.description.inner_product else (norms + self._largest_norm) ** 2
        ceiling = np.where(found[:, -1], raw.min(axis=1, where=found, initial=np.inf) + slack * size, -np.inf)
        scores = self._scores(queries, np.where(found, ids, 0))
        self._require_finite(scores[found])
        scores[~found] = -np.inf
        ordinals = ids if self._order is None else np.where(found, self._order[ids], -1)
        return Candidates(ordinals, scores, ceiling)

    def scan(self, query: NDArray[np.float32], mask: NDArray[np.bool_] | None) -> Candidates:
        """Return every allowed item as a candidate of one query, shape ``(1, d)``, without using the index.

        Raises:
            AdapterError: ``non_finite_score``.
        """
        allowed = np.ones(self.description.total, dtype=np.bool_) if mask is None else mask
        ids = np.flatnonzero(allowed if self._order is None else allowed[self._order])
        rows = max(1, _BLOCK // self.description.dimension)
        parts = [self._scores(query, ids[None, first : first + rows]) for first in range(0, len(ids), rows)]
        scores = np.concatenate(parts, axis=1)
        self._require_finite(scores)
        ordinals = ids if self._order is None else self._order[ids]
        return Candidates(ordinals[None, :], scores, np.array([-np.inf]))

    def _require_finite(self, scores: NDArray[np.float32]) -> None:
        if not np.isfinite(scores).all():
            raise AdapterError("a score is not finite", code="non_finite_score", where=self._where)

    def _search(
        self, queries: NDArray[np.float32], count: int, mask: NDArray[np.bool_] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        parameters: Any = None
        if mask is not None:
            wanted = mask if self._order is None else mask[self._order]
            selector = faiss.IDSelectorBitmap(np.packbits(wanted, bitorder="little"))
            if self._inverted:
                parameters = faiss.SearchParametersIVF(sel=selector, nprobe=self._searched.nprobe)
            else:
                parameters = faiss.SearchParameters(sel=selector)
            if self._searched is not self._index:
                parameters = faiss.IndexRefineSearchParameters(
                    k_factor=self._index.k_factor, base_index_params=parameters
                )
        if not self._inverted:
            distances, ids = self._index.search(queries, count, params=parameters)
            return distances, ids
        # Below this size the coarse quantizer never switches to BLAS, so a batch probes the lists a single query does.
        rows = max(1, (faiss.cvar.distance_compute_blas_threshold - 1) // self.description.dimension)
        parts = [
            self._index.search(queries[first : first + rows], count, params=parameters)
            for first in range(0, len(queries), rows)
        ]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def _scores(self, queries: NDArray[np.float32], ids: NDArray[np.int64]) -> NDArray[np.float32]:
        score: Callable[[NDArray[np.float32], NDArray[np.float32]], NDArray[np.float32]] = (
            inner_products if self.description.inner_product else negative_squared_distances
        )
        count = ids.shape[1]
        scores = np.empty(ids.shape, dtype=np.float32)
        rows = max(1, _BLOCK // (count * self.description.dimension))
        for first in range(0, len(ids), rows):
            block = ids[first : first + rows]
            vectors = self._vectors.reconstruct_batch(block.ravel()).reshape(*block.shape, -1)
            scores[first : first + rows] = score(queries[first : first + rows], vectors)
        return scores

    def _read_norms(self) -> NDArray[np.float64]:
        total = self.description.total
        norms = np.empty(total, dtype=np.float64)
        rows = max(1, _SCAN // self.description.dimension)
        for first in range(0, total, rows):
            ids = np.arange(first, min(first + rows, total), dtype=np.int64)
            vectors = self._vectors.reconstruct_batch(ids).astype(np.float64)
            norms[ids] = np.sqrt((vectors * vectors).sum(axis=1))
        bad = np.flatnonzero(~np.isfinite(norms))
        if len(bad):
            raise InputError(
                "stored vector is not finite", code="non_finite_vector", got=f"vector {bad[0]}", where=self._where
            )
        return norms
