"""One sweep: ask every question once and tally what came back."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING

from witnessmark.errors import AdapterError
from witnessmark.models import RetrievalRequest, RetrievedItem
from witnessmark.ports import ScoredRetriever
from witnessmark.run.contract import check_answer, item_fields
from witnessmark.run.observed import SeenOrdering

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from witnessmark.models import RetrieverProfile
    from witnessmark.ports import RetrieverAdapter
    from witnessmark.run.contract import RawItem
    from witnessmark.run.observed import SeenItem
    from witnessmark.run.questions import Question

__all__ = ["Sweeper"]


class _Tally:
    """One question: what is handed to the adapter, the answer that came last, the distinct orderings so far."""

    __slots__ = (
        "by_identity",
        "current",
        "handed",
        "objects",
        "orderings",
        "pristine",
        "raw",
        "scores",
        "since",
        "state",
    )

    def __init__(self, question: Question) -> None:
        self.state = question.asked.state_name
        self.pristine = question.request.__dict__
        self.handed = _fresh(question.request)
        self.orderings: list[SeenOrdering] = []
        self.by_identity: dict[object, SeenOrdering] = {}
        self.current: SeenOrdering | None = None
        self.since = 0
        self.objects: list[RetrievedItem] | None = None
        self.raw: list[RawItem] | None = None
        self.scores: object = None

    def close(self, trial: int) -> None:
        """Write down the run of trials that gave the current ordering and ended before ``trial``."""
        if self.current is not None:
            self.current.runs.append((self.since, trial - 1))


class Sweeper:
    """Asks a retriever in this process. Memory grows with distinct answers, not with trials.

    - The adapter gets a request of its own; what it does to it never reaches a later trial or a digest.
    - An answer that equals the last one to the same question costs a comparison; every other one is checked first.
    """

    def __init__(self, adapter: RetrieverAdapter, profile: RetrieverProfile, questions: Sequence[Question]) -> None:
        self._adapter = adapter
        self._profile = profile
        self._questions = questions
        self._scored = adapter if isinstance(adapter, ScoredRetriever) else None
        self._tallies = [_Tally(question) for question in questions]
        self._known: dict[RawItem, SeenItem] = {}
        self._trials = 0

    @property
    def gives_scores(self) -> bool:
        """Whether the adapter gives scores."""
        return self._scored is not None

    def orderings(self) -> list[list[SeenOrdering]]:
        """Return the distinct orderings of each question, by their first trial, and end the sweeping."""
        for tally in self._tallies:
            tally.close(self._trials)
            tally.current = None
        return [tally.orderings for tally in self._tallies]

    def sweep(self, order: Iterable[int]) -> None:
        """Ask every question once, in ``order``, as the next trial.

        Raises:
            AdapterError: the adapter failed or broke its contract; names probe, state and request.
        """
        tallies, retrieve, scored = self._tallies, self._adapter.retrieve, self._scored
        scores: Sequence[float] | None = None
        cut: float | None = None
        for index in order:
            tally = tallies[index]
            handed = tally.handed
            if handed.__dict__ != tally.pristine:
                handed = tally.handed = _fresh(self._questions[index].request)
            try:
                if scored is None:
                    items = retrieve(tally.state, handed)
                else:
                    items, scores, cut = scored.retrieve_scored(tally.state, handed)
                before = tally.objects
                if before is not None and len(items) == len(before) and all(map(is_, items, before)):
                    same = True
                else:
                    items = list(items)
                    same = tally.raw is not None and list(map(item_fields, items)) == tally.raw
            except AdapterError as error:
                raise error.at(self._where(index)) from error
            except Exception as error:
                raise AdapterError(
                    f"the adapter failed: {type(error).__name__}: {error}",
                    code="adapter_failed",
                    where=self._where(index),
                ) from error
            if not same or (scores is not None and (tuple(scores), cut) != tally.scores):
                self._add(index, items, scores, cut)
        self._trials += 1

    def _add(
        self, index: int, objects: Sequence[RetrievedItem], scores: Sequence[float] | None, cut: float | None
    ) -> None:
        tally, trial, where = self._tallies[index], self._trials, self._where(index)
        raw = [(*fields[:3], _frozen(fields[3])) for fields in map(item_fields, objects)]
        items, by_rank, cut_score = check_answer(raw, scores, cut, self._profile, where, self._known)
        # The ordering is what the wire contract says: keys, versions and labels by rank (§2); ranks may have gaps.
        identity = tuple(item[1:] for item in items)
        ordering = tally.by_identity.get(identity)
        if ordering is None:
            ordering = tally.by_identity[identity] = SeenOrdering(items, by_rank, cut_score, [])
            tally.orderings.append(ordering)
        elif ordering.items != items:
            raise AdapterError(
                "the same ordering came with other ranks in another trial",
                code="ranks_differ",
                got=str([item.rank for item in items]),
                wanted=str([item.rank for item in ordering.items]),
                where=where,
            )
        if ordering is not tally.current:
            tally.close(trial)
            tally.current, tally.since = ordering, trial
        tally.raw, tally.scores = raw, None if scores is None else (tuple(scores), cut)
        # Frozen items that come again are the same answer; another class's items may have changed meanwhile.
        tally.objects = list(objects) if all(type(item) is RetrievedItem for item in objects) else None

    def _where(self, index: int) -> str:
        question = self._questions[index]
        query = question.request.query if len(question.request.query) <= 60 else f"{question.request.query[:57]}..."
        return (
            f"probe {question.probe_id!r}, state {question.asked.state_name!r}, trial {self._trials}, "
            f"query {query!r}, context {question.request.context!r}:"
        )


def _fresh(request: RetrievalRequest) -> RetrievalRequest:
    return RetrievalRequest(query=request.query, context=dict(request.context))


def _frozen(labels: object) -> object:
    return tuple(labels) if isinstance(labels, list) else labels
