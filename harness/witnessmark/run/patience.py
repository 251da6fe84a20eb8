"""Patience with an adapter: how long a call may take, and how often a passing error is tried again."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["CallClock", "CallTimeout", "Patience"]

_RINGS = 4
"""Rings of the timer without a new call that make a call too long."""


class Patience(NamedTuple):
    """Bounds on the calls of an adapter."""

    timeout: float = 300.0
    """Seconds that one call may take, give or take a quarter; 0 is without a bound."""
    retries: int = 2
    """How often a call is made again after a `TransientError`."""
    pause: float = 0.05
    """Seconds before the first of them; each next one waits twice as long."""


class CallTimeout(Exception):
    """A call took longer than it may."""


class CallClock:
    """Interrupts a call that takes too long.

    - In the main thread of a process a timer interrupts the call itself, also while it waits.
    - Elsewhere, and where the platform has no such timer, a batch of calls that took too long is refused when the
      block of `armed` ends.
    """

    def __init__(self, timeout: float) -> None:
        self.calls = 0
        """Calls begun so far; whoever calls counts it up."""
        self._timeout = timeout
        self._heard = -1
        self._rings = 0

    @contextmanager
    def armed(self) -> Iterator[None]:
        """Watch the calls of the block; without a bound it watches nothing.

        Raises:
            CallTimeout: where the call cannot be interrupted, afterwards.
        """
        if not self._timeout:
            yield
            return
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            before, started = self.calls, monotonic()
            yield
            if monotonic() - started > self._timeout * max(1, self.calls - before):
                raise CallTimeout
            return
        handler = signal.signal(signal.SIGALRM, self._ring)
        self._heard, self._rings = -1, 0
        signal.setitimer(signal.ITIMER_REAL, self._timeout / _RINGS, self._timeout / _RINGS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        self._rings = self._rings + 1 if self.calls == self._heard else 0
        self._heard = self.calls
        if self._rings >= _RINGS:
            self._rings = 0
            raise CallTimeout
