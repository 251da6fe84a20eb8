"""Progress of a run on stderr: a bar on a terminal, plain lines elsewhere, never more than one in two seconds."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TYPE_CHECKING, Self

from witnessmark.cli.output import say

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from witnessmark.run.trials import Progress

__all__ = ["TrialProgress"]

_PAUSE = 2.0
"""Seconds between two plain lines, at least."""


class TrialProgress:
    """Shows trials, questions a second and the time that is left."""

    def __init__(self) -> None:
        self._started = self._said = monotonic()
        self._first: int | None = None
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Show that a trial is finished."""
        if self._first is None:
            self._first = progress.done - 1
        seconds = max(monotonic() - self._started, 1e-9)
        here = progress.done - self._first
        rate = here * progress.questions / seconds
        asked, asking = progress.done * progress.questions, progress.trials * progress.questions
        text = (
            f"trial {progress.done}/{progress.trials} ({progress.axis.value}), "
            f"{asked:,} of {asking:,} questions, {rate:,.0f}/s"
        )
        if self._bar is None:
            if progress.done == progress.trials or monotonic() - self._said >= _PAUSE:
                self._said = monotonic()
                left = (progress.trials - progress.done) * seconds / here
                say(f"{text}, {left:.0f} s left")
            return
        if self._task is None:
            self._task = self._bar.add_task(text, total=progress.trials)
        self._bar.update(self._task, completed=progress.done, description=text)
