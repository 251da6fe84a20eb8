"""Pause Python's cycle collector while we build many records that form no cycles."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["paused_collection"]


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
