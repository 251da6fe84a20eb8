"""One sweep: ask every question once and tally what came back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.errors import AdapterError
from witnessmark.models import RetrievalRequest
from witnessmark.ports import ScoredRetriever
from witnessmark.run.contract import check_answer, item_fields
from witnessmark.run.observed import SeenOrdering

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from witnessmark.models import RetrieverProfile
    from witnessmark.ports import RetrieverAdapter
    from witnessmark.run.questions import Question

__all__ = ["Sweeper"]

_Raw = list[tuple[object, object, object, object]]


class _Tally:
    """The distinct orderings of one question, and the answer that came last, to recognize it at once."""

    __slots__ = ("by_identity", "current", "orderings", "raw", "scores")

    def __init__(self) -> None:
        self.orderings: list[SeenOrdering] = []
        self.by_identity: dict[object, SeenOrdering] = {}
        self.current: SeenOrdering | None = None
        self.raw: _Raw | None = None
        self.scores: object = None


class Sweeper:
    """Asks a retriever in this process. Memory grows with distinct answers, not with trials.

    - The adapter gets a request of its own; what it does to it never reaches a later trial or a digest.
    - An answer that equals the last one to the same question is only counted; every other one is checked first.
    """

    def __init__(self, adapter: RetrieverAdapter, profile: RetrieverProfile, questions: Sequence[Question]) -> None:
        self._adapter = adapter
        self._profile = profile
        self._questions = questions
        self._scored = adapter if isinstance(adapter, ScoredRetriever) else None
        self._tallies = [_Tally() for _ in questions]
        self._handed = [_fresh(question.request) for question in questions]

    @property
    def gives_scores(self) -> bool:
        """Whether the adapter gives scores."""
        return self._scored is not None

    @property
    def orderings(self) -> list[list[SeenOrdering]]:
        """Return the distinct orderings of each question, by their first trial."""
        return [tally.orderings for tally in self._tallies]

    def run(self, trial: int, order: Iterable[int]) -> None:
        """Ask the questions in ``order`` and tally the answers as trial ``trial``.

        Raises:
            AdapterError: the adapter failed or broke its contract; names probe, state and request.
        """
        questions, tallies, retrieve, scored = self._questions, self._tallies, self._adapter.retrieve, self._scored
        for index in order:
            asked = questions[index].asked
            scores: Sequence[float] | None = None
            cut: float | None = None
            try:
                if scored is None:
                    raw = list(map(item_fields, retrieve(asked.state_name, self._request(index))))
                else:
                    items, scores, cut = scored.retrieve_scored(asked.state_name, self._request(index))
                    raw = list(map(item_fields, items))
            except AdapterError as error:
                raise error.at(self._where(index, trial)) from error
            except Exception as error:
                raise AdapterError(
                    f"the adapter failed: {type(error).__name__}: {error}",
                    code="adapter_failed",
                    where=self._where(index, trial),
                ) from error
            tally = tallies[index]
            current = tally.current
            if current is not None and raw == tally.raw and (scores is None or (scores, cut) == tally.scores):
                first, last = current.runs[-1]
                if last == trial - 1:
                    current.runs[-1] = (first, trial)
                else:
                    current.seen_in(trial)
            else:
                self._add(index, trial, raw, scores, cut)

    def _add(self, index: int, trial: int, raw: _Raw, scores: Sequence[float] | None, cut: float | None) -> None:
        tally = self._tallies[index]
        items, by_rank, cut_score = check_answer(raw, scores, cut, self._profile, self._where(index, trial))
        # The ordering is what the wire contract says: keys, versions and labels by rank (§2); ranks may have gaps.
        identity = tuple(item[1:] for item in items)
        ordering = tally.by_identity.get(identity)
        if ordering is None:
            ordering = SeenOrdering(items, by_rank, cut_score, [(trial, trial)])
            tally.by_identity[identity] = ordering
            tally.orderings.append(ordering)
        elif ordering.items != items:
            raise AdapterError(
                "the same ordering came with other ranks in another trial",
                code="ranks_differ",
                got=str([item.rank for item in items]),
                wanted=str([item.rank for item in ordering.items]),
                where=self._where(index, trial),
            )
        else:
            ordering.seen_in(trial)
        tally.current, tally.raw = ordering, [(*fields[:3], _frozen(fields[3])) for fields in raw]
        tally.scores = None if scores is None else (scores, cut)

    def _request(self, index: int) -> RetrievalRequest:
        handed = self._handed[index]
        pristine = self._questions[index].request
        if handed.__dict__ != pristine.__dict__:
            handed = self._handed[index] = _fresh(pristine)
        return handed

    def _where(self, index: int, trial: int) -> str:
        question = self._questions[index]
        query = question.request.query if len(question.request.query) <= 60 else f"{question.request.query[:57]}..."
        return (
            f"probe {question.probe_id!r}, state {question.asked.state_name!r}, trial {trial}, "
            f"query {query!r}, context {question.request.context!r}:"
        )


def _fresh(request: RetrievalRequest) -> RetrievalRequest:
    return RetrievalRequest(query=request.query, context=dict(request.context))


def _frozen(labels: object) -> object:
    return tuple(labels) if isinstance(labels, list) else labels
