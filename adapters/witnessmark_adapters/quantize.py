"""Quantized vectors, given back as float32: what was lost is what a search over such vectors can lose.

``int8`` rounds each vector to 127 steps of its own largest component; ``binary`` keeps the signs, zero as negative. A
zero vector stays zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["QUANTIZATIONS", "Quantization", "quantize"]

Quantization = Literal["float32", "int8", "binary"]
QUANTIZATIONS: tuple[Quantization, ...] = ("float32", "int8", "binary")
"""The first changes nothing."""


def quantize(vectors: NDArray[np.float32], quantization: Quantization) -> NDArray[np.float32]:
    """Return the rows after quantization, shape kept."""
    if quantization == "int8":
        return _int8(vectors)
    return _signs(vectors) if quantization == "binary" else vectors


def _int8(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scale = np.where(largest == 0.0, np.float32(1.0), largest / np.float32(127.0))
    quantized: NDArray[np.float32] = np.rint(vectors / scale) * scale
    return quantized


def _signs(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    signs = np.where(vectors > 0.0, np.float32(1.0), np.float32(-1.0))
    signs[~vectors.any(axis=1)] = 0.0
    return signs
