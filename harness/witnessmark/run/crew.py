"""The crew: spreads the trials of a run over this process, worker processes, and fresh interpreters.

- Whoever asks, a trial has one answer to every question, and the tallies get them in the order of the questions: the
  bytes of a run do not depend on the number of workers.
- A trial of the process axis runs in a fresh interpreter with another hash seed, number of threads and time zone.
- A trial of the batch axis is one job: the size of a batch may decide its answers.
- A lost worker's job is handed out again, a few times; its result is taken once.
- An interrupt ends worker processes at once and without a word: what they were doing is not in the journal.
"""

from __future__ import annotations

import os
import pickle
import uuid
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING

from witnessmark.errors import AdapterError, InputError, WitnessmarkError
from witnessmark.models import Axis
from witnessmark.run.interrupts import end_when_interrupted, interrupts_later
from witnessmark.run.plan import sweep_order
from witnessmark.run.sweep import Sweeper
from witnessmark.run.worker import Job, answer_job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from witnessmark.models import RetrieverProfile
    from witnessmark.ports import RetrieverAdapter
    from witnessmark.run.guard import StateGuard
    from witnessmark.run.patience import Patience
    from witnessmark.run.plan import Trial
    from witnessmark.run.questions import Question
    from witnessmark.run.source import Source
    from witnessmark.run.tally import Answer, Tallies

__all__ = ["Crew"]

_LOST = 2
"""How often the jobs of a lost worker are handed out again."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_ZONES = ("Etc/GMT-14", "Etc/GMT+12")
"""The time zones of the first and the last place where a day begins."""


class Crew:
    """Runs single trials of a run and tallies them."""

    def __init__(
        self,
        adapter: RetrieverAdapter,
        profile: RetrieverProfile,
        questions: Sequence[Question],
        guard: StateGuard,
        *,
        seed: int,
        patience: Patience,
        source: Source | None = None,
        workers: int = 1,
        executor: Executor | None = None,
    ) -> None:
        """Prepare; no worker is started before it is needed.

        Args:
            adapter: the retriever that is open in this process.
            profile: what it pins.
            questions: all questions of the run.
            guard: of the open retriever's states.
            seed: of the order of questions.
            patience: with the adapter's calls.
            source: opens the same states elsewhere; needed for workers and the process axis.
            workers: processes that share each trial; 1 is this process alone.
            executor: used instead of own worker processes; it then gets ``workers`` jobs a trial.

        Raises:
            InputError: ``cannot_reopen``: there are workers, but nothing that they could open.
        """
        if source is None and (workers > 1 or executor is not None):
            raise InputError(
                "workers have nothing to open",
                code="cannot_reopen",
                wanted="targets, or a source that opens the states",
            )
        self._profile, self._questions, self._guard = profile, tuple(questions), guard
        self._seed, self._patience, self._source = seed, patience, source
        self._sweeper = Sweeper(adapter, profile, questions, guard, seed=seed, patience=patience)
        self._workers, self._given = workers, executor
        self._pool: ProcessPoolExecutor | None = None
        self._portable = False
        self._session = uuid.uuid4().hex

    def run(self, trial: Trial, tallies: Tallies) -> None:
        """Ask every question once, as ``trial`` says, and tally the answers.

        Raises:
            AdapterError: the adapter failed or broke its contract.
            StateChanged: a state reference changed meanwhile.
        """
        order = sweep_order(self._seed, trial.number, len(self._questions))
        batch = trial.axis is Axis.batch
        if trial.axis is Axis.process:
            _tally(self._in_fresh_process(trial, order), order, tallies)
        elif self._workers > 1 or self._given is not None:
            _tally(self._on_workers(trial, order, batch), order, tallies)
        else:
            asked = self._sweeper.batch if batch else self._sweeper.sweep
            with self._sweeper.watched():
                for index, answer in asked(trial.number, order):
                    tallies.add(index, answer)

    def close(self) -> None:
        """Stop the worker processes of this crew."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _job(self, trial: Trial, shard: Sequence[int], batch: bool) -> Job:
        if self._source is None:
            raise InputError(
                "another process has nothing to open", code="cannot_reopen", where=f"axis {trial.axis.value}"
            )
        self._require_portable(self._source)
        return Job(
            session=self._session,
            source=self._source,
            profile=self._profile,
            references=dict(self._guard.references),
            questions=tuple(self._questions[index] for index in shard),
            trial=trial.number,
            seed=self._seed,
            batch=batch,
            patience=self._patience,
        )

    def _require_portable(self, source: Source) -> None:
        """Refuse a source that cannot be sent, before a process pool gets it: closing one that did may never end."""
        if self._portable:
            return
        try:
            pickle.dumps(source)
        except Exception as error:
            raise InputError(
                f"the source cannot be sent to another process: {error}",
                code="cannot_reopen",
                wanted="a module-level class or function, and plain data",
            ) from error
        self._portable = True

    def _on_workers(self, trial: Trial, order: Sequence[int], batch: bool) -> list[Answer]:
        size = len(order) if batch else -(-len(order) // self._workers)
        jobs = [self._job(trial, order[start : start + size], batch) for start in range(0, len(order), size or 1)]

        def attempt() -> list[Answer]:
            executor = self._given if self._given is not None else self._own_pool()
            try:
                with interrupts_later():
                    futures = [executor.submit(answer_job, job) for job in jobs]
                return [answer for future in futures for answer in future.result()]
            except BrokenProcessPool:
                self._pool = None
                raise

        return self._persistently(attempt, trial)

    def _own_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = _processes(self._workers)
        return self._pool

    def _in_fresh_process(self, trial: Trial, order: Sequence[int]) -> list[Answer]:
        job = self._job(trial, order, batch=False)

        def attempt() -> list[Answer]:
            with _environment(trial.number), _processes(1) as fresh:
                with interrupts_later():
                    future = fresh.submit(answer_job, job)
                return list(future.result())

        return self._persistently(attempt, trial)

    def _persistently(self, attempt: Callable[[], list[Answer]], trial: Trial) -> list[Answer]:
        """Attempt again while processes of our own are lost; what a given executor loses is its own affair."""
        number = 0
        while True:
            number += 1
            try:
                return attempt()
            except WitnessmarkError:
                raise
            except Exception as error:
                ours = isinstance(error, BrokenProcessPool) and (self._given is None or trial.axis is Axis.process)
                if not ours or number > _LOST:
                    raise AdapterError(
                        f"a worker did not answer: {type(error).__name__}: {error}",
                        code="worker_lost",
                        got=f"{number} attempts",
                        where=f"trial {trial.number}, axis {trial.axis.value}",
                    ) from error


def _tally(answers: Sequence[Answer], order: Sequence[int], tallies: Tallies) -> None:
    for index, answer in sorted(zip(order, answers, strict=True), key=lambda pair: pair[0]):
        tallies.add(index, answer)


def _processes(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, get_context("spawn"), initializer=end_when_interrupted)


@contextmanager
def _environment(trial: int) -> Iterator[None]:
    """Set what a fresh process differs in: hash seed, and in turn one or two threads and the zone of the clock."""
    wanted = {
        "PYTHONHASHSEED": str(1 + trial),
        "TZ": _ZONES[trial % 2],
        **dict.fromkeys(_THREADS, str(1 + trial % 2)),
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
