"""Sweeps in this process: ask questions one by one, or all in one call, and check what comes back."""

from __future__ import annotations

from operator import is_
from time import sleep
from typing import TYPE_CHECKING, TypeVar

from witnessmark.errors import AdapterError, TransientError
from witnessmark.models import RetrievalRequest, RetrievedItem
from witnessmark.ports import BatchRetriever, Call, ScoredRetriever
from witnessmark.run.contract import check_answer, item_fields
from witnessmark.run.guard import reading_places
from witnessmark.run.patience import CallClock, CallTimeout, Patience
from witnessmark.run.tally import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from witnessmark.models import RetrieverProfile
    from witnessmark.ports import RetrieverAdapter
    from witnessmark.run.contract import RawItem
    from witnessmark.run.guard import StateGuard
    from witnessmark.run.observed import SeenItem
    from witnessmark.run.questions import Question

__all__ = ["Sweeper", "gives_batches", "gives_scores"]

T = TypeVar("T")


def gives_scores(adapter: RetrieverAdapter) -> bool:
    """Return whether an adapter gives scores; without them ties are unobservable."""
    return isinstance(adapter, ScoredRetriever | BatchRetriever)


def gives_batches(adapter: RetrieverAdapter) -> bool:
    """Return whether an adapter answers a whole sweep in one call."""
    return isinstance(adapter, BatchRetriever)


class _Slot:
    """One question: what is handed to the adapter, and the answer that came last, to recognize it at once."""

    __slots__ = ("answer", "handed", "objects", "pristine", "raw", "scores", "state")

    def __init__(self, question: Question) -> None:
        self.state = question.asked.state_name
        self.pristine = question.request.__dict__
        self.handed = _fresh(question.request)
        self.objects: Sequence[RetrievedItem] | None = None
        self.raw: tuple[RawItem, ...] | None = None
        self.scores: tuple[object, float | None] | None = None
        self.answer: Answer | None = None


class Sweeper:
    """Asks a retriever in this process.

    - The adapter gets a request of its own; what it does to it never reaches a later trial or a digest.
    - An answer that equals the last one to the same question costs a comparison; every other one is checked first.
    """

    def __init__(
        self,
        adapter: RetrieverAdapter,
        profile: RetrieverProfile,
        questions: Sequence[Question],
        guard: StateGuard,
        *,
        seed: int,
        patience: Patience,
    ) -> None:
        self._adapter = adapter
        self._profile = profile
        self._questions = questions
        self._guard = guard
        self._seed = seed
        self._patience = patience
        self._clock = CallClock(patience.timeout)
        self._scored = adapter if isinstance(adapter, ScoredRetriever) else None
        self._slots = [_Slot(question) for question in questions]
        self._known: dict[RawItem, SeenItem] = {}

    def watched(self) -> AbstractContextManager[None]:
        """Bound the time of the calls made in the block (see `CallClock`)."""
        return self._clock.armed()

    def sweep(self, trial: int, order: Sequence[int]) -> Iterator[tuple[int, Answer]]:
        """Ask the questions in ``order``, one by one; yield those whose answer differs from their last one.

        Raises:
            AdapterError: the adapter failed or broke its contract; names probe, state and request.
            StateChanged: a state reference changed meanwhile.
        """
        slots, scored, retrieve, clock = self._slots, self._scored, self._adapter.retrieve, self._clock
        places = reading_places(self._seed, trial, len(order))
        scores: Sequence[float] | None = None
        cut: float | None = None
        for position, index in enumerate(order, start=1):
            slot = slots[index]
            handed = slot.handed
            if handed.__dict__ != slot.pristine:
                handed = slot.handed = _fresh(self._questions[index].request)
            try:
                clock.calls += 1
                if scored is None:
                    items = retrieve(slot.state, handed)
                else:
                    items, scores, cut = scored.retrieve_scored(slot.state, handed)
                if not (same := _same_objects(items, slot.objects)):
                    items = tuple(items)
                    same = slot.raw is not None and tuple(map(item_fields, items)) == slot.raw
            except Exception as error:
                items, scores, cut = self._again(error, index, trial)
                same = False
            if not same or (scores is not None and (tuple(scores), cut) != slot.scores):
                yield index, self._checked(index, trial, items, scores, cut)
            if position in places:
                self._guard.check(f"after {self._where(index, trial)}")

    def batch(self, trial: int, order: Sequence[int]) -> Iterator[tuple[int, Answer]]:
        """Ask the questions in ``order`` in one call; yield those whose answer differs from their last one.

        Raises:
            AdapterError: as `sweep`; also where the adapter has no ``retrieve_batch``.
        """
        if not order:
            return
        adapter = self._adapter
        if not isinstance(adapter, BatchRetriever):
            raise AdapterError("the adapter has no retrieve_batch", code="axis_unsupported", where="axis batch")
        calls = []
        for index in order:
            slot = self._slots[index]
            if slot.handed.__dict__ != slot.pristine:
                slot.handed = _fresh(self._questions[index].request)
            calls.append(Call(slot.state, slot.handed))
        where = f"batch of {len(calls)} questions, trial {trial}"
        answers = self._patiently(lambda: adapter.retrieve_batch(calls), where)
        if len(answers) != len(calls):
            raise AdapterError(
                "the batch has another number of answers than questions",
                code="batch_size",
                got=str(len(answers)),
                wanted=str(len(calls)),
                where=where,
            )
        for index, (items, scores, cut) in zip(order, answers, strict=True):
            slot = self._slots[index]
            if not _same_objects(items, slot.objects) or (tuple(scores), cut) != slot.scores:
                yield index, self._checked(index, trial, items, scores, cut)

    def last(self, index: int) -> Answer:
        """Return the answer that a question got last.

        Raises:
            ValueError: it was not asked yet.
        """
        answer = self._slots[index].answer
        if answer is None:
            raise ValueError(f"question {index} was not asked yet")
        return answer

    def _again(
        self, error: Exception, index: int, trial: int
    ) -> tuple[Sequence[RetrievedItem], Sequence[float] | None, float | None]:
        """Ask again after a declared-transient error; turn every other one into an adapter error."""
        slot, scored = self._slots[index], self._scored
        where = self._where(index, trial)

        def call() -> tuple[Sequence[RetrievedItem], Sequence[float] | None, float | None]:
            if scored is None:
                return tuple(self._adapter.retrieve(slot.state, slot.handed)), None, None
            return scored.retrieve_scored(slot.state, slot.handed)

        return self._patiently(call, where, first=error)

    def _patiently(self, call: Callable[[], T], where: str, first: Exception | None = None) -> T:
        error, pause, tried = first, self._patience.pause, 0
        while True:
            if error is None:
                try:
                    self._clock.calls += 1
                    return call()
                except Exception as raised:
                    error = raised
            if not isinstance(error, TransientError) or tried == self._patience.retries:
                raise self._explained(error, where) from error
            sleep(pause)
            error, pause, tried = None, pause * 2, tried + 1

    def _explained(self, error: Exception, where: str) -> AdapterError:
        if isinstance(error, CallTimeout):
            return AdapterError(
                "the adapter did not answer in time",
                code="adapter_timeout",
                wanted=f"an answer within {self._patience.timeout:g} s",
                where=where,
            )
        if isinstance(error, AdapterError):
            located = error.at(where)
            return located if isinstance(located, AdapterError) else error
        return AdapterError(f"the adapter failed: {type(error).__name__}: {error}", code="adapter_failed", where=where)

    def _checked(
        self,
        index: int,
        trial: int,
        objects: Sequence[RetrievedItem],
        scores: Sequence[float] | None,
        cut: float | None,
    ) -> Answer:
        slot = self._slots[index]
        ours = all(type(item) is RetrievedItem for item in objects)
        raw: tuple[RawItem, ...] = tuple(map(item_fields, objects))
        if not ours:
            raw = tuple((*fields[:3], _frozen(fields[3])) for fields in raw)
        try:
            answer = Answer(*check_answer(raw, scores, cut, self._profile, "", self._known))
        except AdapterError as error:
            raise error.at(self._where(index, trial)) from error
        slot.scores, slot.answer = None if scores is None else (tuple(scores), cut), answer
        # Checked items compare equal to what they were read from, unless their ranks or labels had to be sorted.
        slot.raw = answer.items if raw == answer.items else raw
        # Frozen items that come again are the same answer; another class's items may have changed meanwhile.
        slot.objects = tuple(objects) if ours else None
        return answer

    def _where(self, index: int, trial: int) -> str:
        return self._questions[index].place(f"trial {trial}")


def _same_objects(items: Sequence[RetrievedItem], before: Sequence[RetrievedItem] | None) -> bool:
    return before is not None and len(items) == len(before) and all(map(is_, items, before))


def _fresh(request: RetrievalRequest) -> RetrievalRequest:
    return RetrievalRequest(query=request.query, context=dict(request.context))


def _frozen(labels: object) -> object:
    return tuple(labels) if isinstance(labels, list) else labels
