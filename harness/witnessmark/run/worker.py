"""A worker: answers a shard of a trial in another process, with a retriever that it opens itself.

- Works in any ``concurrent.futures.Executor``: a job holds everything it needs and a result names no place to write,
  so a job that is run twice, after its worker was lost, counts once.
- A worker keeps the retriever of one run open, one a thread: adapters need not be thread-safe.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.models import RetrieverProfile
from witnessmark.pin import require_profile
from witnessmark.run.contract import as_record
from witnessmark.run.guard import StateGuard
from witnessmark.run.sweep import Sweeper

if TYPE_CHECKING:
    from witnessmark.models import StateReference
    from witnessmark.ports import RetrieverAdapter
    from witnessmark.run.patience import Patience
    from witnessmark.run.questions import Question
    from witnessmark.run.source import Source
    from witnessmark.run.tally import Answer

__all__ = ["Job", "answer_job"]


class Job(NamedTuple):
    """A shard of one trial."""

    session: str
    """Unique to the run: workers open its states once."""
    source: Source
    profile: RetrieverProfile
    references: dict[str, StateReference]
    questions: tuple[Question, ...]
    """The shard, in the order in which it is asked."""
    trial: int
    seed: int
    batch: bool
    patience: Patience


class _Open(NamedTuple):
    session: str
    stack: ExitStack
    adapter: RetrieverAdapter


class _Worker(threading.local):
    """What this thread of the worker has open."""

    open: _Open | None = None


_WORKER = _Worker()


def answer_job(job: Job) -> tuple[Answer, ...]:
    """Answer the questions of a job, in its order.

    Raises:
        InputError: the states cannot be opened.
        ProfileMismatch: what was opened here is not what the run pins.
        AdapterError: the adapter failed or broke its contract.
        StateChanged: a state is not the one that the run began with.
    """
    adapter = _opened(job)
    guard = StateGuard(adapter, job.references, job.references)
    sweeper = Sweeper(adapter, job.profile, job.questions, guard, seed=job.seed, patience=job.patience)
    order = range(len(job.questions))
    with sweeper.watched():
        for _ in sweeper.batch(job.trial, order) if job.batch else sweeper.sweep(job.trial, order):
            pass
    guard.check(f"after trial {job.trial}")
    return tuple(sweeper.last(index) for index in order)


def _opened(job: Job) -> RetrieverAdapter:
    current = _WORKER.open
    if current is None or current.session != job.session:
        if current is not None:
            _WORKER.open = None
            current.stack.close()
        with ExitStack() as opening:
            adapter = opening.enter_context(job.source())
            require_profile(job.profile, as_record(RetrieverProfile, adapter.profile, "profile"))
            current = _WORKER.open = _Open(job.session, opening.pop_all(), adapter)
    return current.adapter
