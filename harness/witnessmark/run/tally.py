"""Tallies: the distinct orderings of each question, and the trials in which each one came.

- Trials are tallied one after the other; each one has exactly one answer to every question.
- Memory grows with distinct answers, not with trials.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.errors import AdapterError
from witnessmark.run.observed import SeenOrdering

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.run.observed import SeenItem
    from witnessmark.run.questions import Question

__all__ = ["Answer", "Tallies", "TrialChanges"]


class Answer(NamedTuple):
    """One checked answer, by rank."""

    items: tuple[SeenItem, ...]
    scores: tuple[float, ...] | None
    cut_score: float | None


class TrialChanges(NamedTuple):
    """What a trial adds to the tallies before it: enough to tally it again."""

    added: tuple[tuple[int, Answer], ...]
    """Orderings that were not seen before: (question, answer), in order of the questions."""
    switched: tuple[tuple[int, int], ...]
    """Questions whose ordering is another one than in the trial before: (question, number of the ordering)."""


class _Tally:
    """One question."""

    __slots__ = ("answer", "current", "orderings", "since")

    def __init__(self) -> None:
        self.orderings: list[SeenOrdering] = []
        self.current = -1
        self.since = 0
        self.answer: Answer | None = None


class Tallies:
    """The tallies of all questions of a run."""

    def __init__(self, questions: Sequence[Question], noun: str = "trial") -> None:
        self._questions, self._noun = questions, noun
        self._tallies = [_Tally() for _ in questions]
        self._added: list[tuple[int, Answer]] = []
        self._switched: list[tuple[int, int]] = []
        self.trials = 0
        """Trials that are finished."""

    def add(self, index: int, answer: Answer) -> None:
        """Tally one answer of the current trial, where it may be another one than in the trial before.

        Raises:
            AdapterError: ``ranks_differ``: the same ordering had other ranks before.
        """
        tally = self._tallies[index]
        if answer == tally.answer:
            return
        number = _find(tally.orderings, answer)
        if number is None:
            number = len(tally.orderings)
            tally.orderings.append(SeenOrdering(answer.items, answer.scores, answer.cut_score, []))
            self._added.append((index, answer))
        elif tally.orderings[number].items != answer.items:
            raise AdapterError(
                "the same ordering came with other ranks in another trial",
                code="ranks_differ",
                got=str([item.rank for item in answer.items]),
                wanted=str([item.rank for item in tally.orderings[number].items]),
                where=self._questions[index].place(f"{self._noun} {self.trials}"),
            )
        tally.answer = answer
        if number != tally.current:
            self._switch(index, number)

    def finish_trial(self) -> TrialChanges:
        """End the current trial and return what it changed."""
        changes = TrialChanges(tuple(sorted(self._added)), tuple(sorted(self._switched)))
        self._added, self._switched = [], []
        self.trials += 1
        return changes

    def replay(self, changes: TrialChanges) -> None:
        """Tally a trial again from what it changed.

        Raises:
            ValueError: the changes do not fit these tallies.
        """
        for index, answer in changes.added:
            if not 0 <= index < len(self._tallies):
                raise ValueError(f"question: got {index}, wanted 0 to {len(self._tallies) - 1}")
            tally = self._tallies[index]
            if _find(tally.orderings, answer) is not None:
                raise ValueError(f"ordering of question {index} stands twice")
            tally.orderings.append(SeenOrdering(answer.items, answer.scores, answer.cut_score, []))
        for index, number in changes.switched:
            if not 0 <= index < len(self._tallies) or not 0 <= number < len(self._tallies[index].orderings):
                raise ValueError(f"ordering {number} of question {index} does not exist")
            self._switch(index, number)
        if any(tally.current < 0 for tally in self._tallies):
            raise ValueError("a question has no answer")
        self.finish_trial()

    def orderings(self) -> list[list[SeenOrdering]]:
        """Return the distinct orderings of each question, by their first trial, and end the tallying."""
        for tally in self._tallies:
            if tally.current >= 0:
                tally.orderings[tally.current].runs.append((tally.since, self.trials - 1))
                tally.current = -1
        return [tally.orderings for tally in self._tallies]

    def _switch(self, index: int, number: int) -> None:
        tally = self._tallies[index]
        if tally.current >= 0:
            tally.orderings[tally.current].runs.append((tally.since, self.trials - 1))
        tally.current, tally.since = number, self.trials
        self._switched.append((index, number))


def _find(orderings: Sequence[SeenOrdering], answer: Answer) -> int | None:
    """Return the number of the ordering that ``answer`` is: keys, versions and labels by rank (wire contract §2).

    Ranks may have gaps and do not count.
    """
    for number, ordering in enumerate(orderings):
        if ordering.items == answer.items or (
            len(ordering.items) == len(answer.items)
            and all(seen[1:] == item[1:] for seen, item in zip(ordering.items, answer.items, strict=True))
        ):
            return number
    return None
