"""Interrupts around the start of a process: held back here, silent there.

- A process that is being started reads what it shall do from this one; an interrupt in between would cost it a
  traceback. So none is raised here before all of it is written.
- The mask of this thread is what the new process inherits; it is lifted there when an interrupt can end it silently.
- The mask alone is not enough here: any other thread may take the signal, and Python then raises in this one.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["end_when_interrupted", "interrupts_later"]

_MASKS = hasattr(signal, "pthread_sigmask")
"""Not on Windows; there an interrupt during the start of a worker may print where it was."""


def end_when_interrupted() -> None:
    """In a process that was started meanwhile: end at once and without a word when interrupted, from now on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if _MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def interrupts_later() -> Iterator[None]:
    """Hold interrupts back here and in the processes that are started meanwhile; one that came is raised at the end."""
    with _masked(), _noted():
        yield


@contextmanager
def _masked() -> Iterator[None]:
    if not _MASKS:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _noted() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
