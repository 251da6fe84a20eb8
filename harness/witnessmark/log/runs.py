"""The runs in a log: what started, and what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.models.approval import LoggedRun, RunOutcome
from witnessmark.models.log import RunAbandoned, RunEnded, RunStarted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from witnessmark.models.log import LogEntry

__all__ = ["logged_runs"]


def logged_runs(entries: Iterable[tuple[int, LogEntry]]) -> tuple[LoggedRun, ...]:
    """Return every run of a log, by its start.

    Args:
        entries: index and entry, in order, from the log's beginning.
    """
    starts: dict[int, RunStarted] = {}
    ends: dict[int, tuple[int, RunEnded | RunAbandoned]] = {}
    for index, entry in entries:
        if isinstance(entry, RunStarted):
            starts[index] = entry
        elif isinstance(entry, RunEnded | RunAbandoned):
            ends[entry.start] = (index, entry)
    return tuple(_run(index, start, ends.get(index)) for index, start in starts.items())


def _run(index: int, start: RunStarted, end: tuple[int, RunEnded | RunAbandoned] | None) -> LoggedRun:
    place, entry = end if end is not None else (None, None)
    ended = entry if isinstance(entry, RunEnded) else None
    unassessed = RunOutcome.open if entry is None else RunOutcome.abandoned
    return LoggedRun(
        start=index,
        end=place,
        baseline_state=start.baseline_state,
        candidate_state=start.candidate_state,
        probe_suite_digest=start.probe_suite_digest,
        retriever_profile_digest=start.retriever_profile_digest,
        outcome=unassessed if ended is None else RunOutcome.assessed,
        assessment_digest=None if ended is None else ended.assessment_digest,
        transcript_digest=None if ended is None else ended.transcript_digest,
        assessed_at=None if ended is None else ended.assessed_at,
        result=None if ended is None else ended.result,
    )
