"""What was observed: distinct orderings of each question, and the trials in which each one came.

These are plain, compact values: a run of 10,000 questions holds them in memory, whatever the number of trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from witnessmark.models import TrialGroup
    from witnessmark.ports import ItemLocation
    from witnessmark.run.questions import Asked
    from witnessmark.run.truncations import Truncations

__all__ = ["Observed", "SeenItem", "SeenOrdering", "expand", "tie_events"]


class SeenItem(NamedTuple):
    """One item of an answer; labels are sorted."""

    rank: int
    key: str
    version: str
    labels: tuple[str, ...]


@dataclass(slots=True)
class SeenOrdering:
    """One distinct answer, by rank, and the trials in which it came."""

    items: tuple[SeenItem, ...]
    scores: tuple[float, ...] | None
    """Scores of its first trial, larger is better, or None where the adapter gives none."""
    cut_score: float | None
    """Score of the best item that the cut to top_k left out in that trial, where it is known."""
    runs: list[tuple[int, int]]
    """Runs of trial numbers ``(first, last)``, ascending, both included."""

    @property
    def count(self) -> int:
        """Return in how many trials the ordering came."""
        return sum(last - first + 1 for first, last in self.runs)

    def count_within(self, first: int, count: int) -> int:
        """Return in how many of ``count`` trials, from trial ``first`` on, the ordering came."""
        end = first + count - 1
        return sum(max(0, min(last, end) - max(start, first) + 1) for start, last in self.runs)

    @property
    def identity(self) -> tuple[tuple[object, ...], ...]:
        """Return what makes it this ordering: keys, versions and labels in their order."""
        return tuple(item[1:] for item in self.items)

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the item keys by rank."""
        return tuple(item.key for item in self.items)

    def rank_of(self, key: str) -> int | None:
        """Return the rank of an item, or None where it was not retrieved."""
        return next((item.rank for item in self.items if item.key == key), None)


class Observed(NamedTuple):
    """Everything that a run observed: what probes are evaluated on."""

    answers: Mapping[Asked, list[SeenOrdering]]
    """Distinct orderings by their first trial; an empty list where the adapter was not called."""
    presence: Mapping[tuple[str, str], bool]
    """Whether a state holds an item: (state name, item key) → present."""
    groups: Sequence[TrialGroup]
    """The trials of every question; none where the adapter was not called."""
    rebuilt: Mapping[Asked, list[SeenOrdering]]
    """What rebuilt indexes answered; empty where the axis was not run."""
    locations: Mapping[tuple[Asked, str], ItemLocation]
    """Where decisive items are that an answer lacks: (question, item key) → place."""
    truncations: Truncations
    """Decisive items and queries that the embedder does not read to the end."""

    @property
    def trials(self) -> int:
        """Return the number of trials that decide."""
        return sum(group.count for group in self.groups)


def expand(runs: Iterable[tuple[int, int]]) -> list[int]:
    """Return the trial numbers that runs stand for."""
    return [trial for first, last in runs for trial in range(first, last + 1)]


def tie_events(orderings: Iterable[SeenOrdering]) -> int | None:
    """Count adjacent equal scores over the distinct orderings, the pair across the cut included.

    Returns:
        None where an ordering has no scores: ties are unobservable then, which is not zero.
    """
    events = 0
    for ordering in orderings:
        if ordering.scores is None:
            return None
        scores = ordering.scores
        events += sum(a == b for a, b in pairwise(scores))
        events += bool(scores) and ordering.cut_score == scores[-1]
    return events
