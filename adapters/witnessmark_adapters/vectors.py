"""Row vectors: length one, and scores that do not depend on how they were computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["inner_products", "negative_squared_distances", "unit_rows"]


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows divided by their length, shape kept; a zero row stays zero."""
    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    lengths[lengths == 0.0] = 1.0
    unit: NDArray[np.float32] = (wide / lengths).astype(np.float32)
    return unit


def inner_products(queries: NDArray[np.float32], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the inner products of each query with its vectors, rounded once from double precision.

    Args:
        queries: shape ``(n, d)``.
        vectors: shape ``(n, k, d)``.

    Returns:
        Shape ``(n, k)``. Equal vectors get equal scores, whatever the batch, the CPU or the BLAS kernel.
    """
    products = vectors.astype(np.float64)
    products *= queries[:, None, :]
    return _single(products.sum(axis=2))


def negative_squared_distances(queries: NDArray[np.float32], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return minus the squared Euclidean distances; shapes and promise as `inner_products`."""
    differences = vectors.astype(np.float64)
    differences -= queries[:, None, :]
    differences *= differences
    return _single(-differences.sum(axis=2))


def _single(scores: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # an infinite score is refused where it is used
        return scores.astype(np.float32)
