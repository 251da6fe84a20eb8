"""Spare Python's cycle collector work while we build many records that form no cycles."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["paused_collection", "relaxed_collection"]

_OBJECTS = 50_000
"""New objects between two collections of the youngest generation, while adapters are called."""


@contextmanager
def relaxed_collection() -> Iterator[None]:
    """Let the cycle collector run less often in the block; an adapter's cycles are still found."""
    before = gc.get_threshold()
    if before[0] and before[0] < _OBJECTS:
        gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def paused_collection() -> Iterator[None]:
    """Pause the cycle collector in the block; reference counting goes on.

    A run of 10,000 probes builds a million small objects. The collector would walk all of them again and again, a
    quarter of the harness's own time, and find nothing. Never used around a call of an adapter.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
