"""The trial plan: which trials a run makes, and in which order each one asks.

Trials are sweeps: one sweep asks every question once, in an order of its own. The repeats of one question are never
back to back, so a cache, an adaptive store or a stateful planner shows.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.errors import InputError
from witnessmark.models import MIN_TRIALS, Axis, TrialGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TrialPlan", "make_plan", "sweep_order"]


class TrialPlan(NamedTuple):
    """The trials of a run, numbered from 0."""

    groups: tuple[TrialGroup, ...]
    seed: int

    @property
    def trials(self) -> int:
        """Return the number of trials."""
        return sum(group.count for group in self.groups)


def make_plan(trials: int = MIN_TRIALS, seed: int = 0) -> TrialPlan:
    """Return a plan of ``trials`` sweeps in this process.

    Raises:
        InputError: ``too_few_trials``, ``invalid_seed``.
    """
    if type(trials) is not int or trials < MIN_TRIALS:
        raise InputError("too few trials", code="too_few_trials", got=repr(trials), wanted=f"{MIN_TRIALS} or more")
    if type(seed) is not int or not -(2**53) < seed < 2**53:
        raise InputError("unusable seed", code="invalid_seed", got=repr(seed), wanted="an integer within ±(2^53−1)")
    return TrialPlan((TrialGroup(axis=Axis.sweep, first=0, count=trials),), seed)


def sweep_order(seed: int, trial: int, size: int) -> Sequence[int]:
    """Return the order in which trial ``trial`` asks ``size`` questions: a permutation of ``range(size)``.

    Only ``Random.random`` is used, whose stream Python guarantees across versions.
    """
    generator = random.Random((seed << 32) ^ trial)
    keys = [generator.random() for _ in range(size)]
    return sorted(range(size), key=keys.__getitem__)
