"""The trial plan: which trials a run makes, and in which order each one asks.

Trials are sweeps: one sweep asks every question once, in an order of its own. The repeats of one question are never
back to back, so a cache, an adaptive store or a stateful planner shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from witnessmark.errors import InputError
from witnessmark.models import MIN_TRIALS, Axis, TrialGroup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["REBUILDS", "Trial", "TrialPlan", "make_plan", "parse_axes", "sweep_order"]

PROCESSES = 2
"""Trials of the process axis in a plan that does not say how many."""
REBUILDS = 2
"""Trials of the rebuild axis in a plan that does not say how many."""


class Trial(NamedTuple):
    """One trial of a plan."""

    number: int
    axis: Axis


class TrialPlan(NamedTuple):
    """The trials of a run, numbered from 0. The rebuild axis is diagnostic: its trials are numbered apart."""

    groups: tuple[TrialGroup, ...]
    """Groups that decide, in order of their numbers."""
    rebuilds: int
    """Trials on a rebuilt index; they decide nothing."""
    seed: int

    @property
    def trials(self) -> int:
        """Return the number of trials that decide."""
        return sum(group.count for group in self.groups)

    def deciding(self) -> tuple[Trial, ...]:
        """Return the trials that decide, in order."""
        return tuple(
            Trial(number, group.axis)
            for group in self.groups
            for number in range(group.first, group.first + group.count)
        )


def parse_axes(text: str) -> dict[Axis, int | None]:
    """Return the axes that ``sweep,process:2`` names, with their trials where it says how many.

    Raises:
        InputError: ``unknown_axis`` or ``invalid_trials``.
    """
    found: dict[Axis, int | None] = {}
    for part in text.split(","):
        name, colon, count = part.strip().partition(":")
        try:
            axis = Axis(name)
        except ValueError as error:
            raise InputError(
                "no such axis", code="unknown_axis", got=repr(name), wanted=", ".join(item.value for item in Axis)
            ) from error
        if axis in found or (colon and (not count.isdigit() or int(count) < 1)):
            raise InputError("unusable axis", code="invalid_trials", got=repr(part), wanted="each axis once, as NAME:N")
        found[axis] = int(count) if colon else None
    return found


def make_plan(trials: int = MIN_TRIALS, seed: int = 0, axes: Mapping[Axis, int | None] | None = None) -> TrialPlan:
    """Return a plan of ``trials`` deciding trials over ``axes``.

    An axis without a number gets its share: process 2, rebuild 2 (beside the others), sweep and batch what is left.

    Raises:
        InputError: ``too_few_trials``, ``invalid_trials`` or ``invalid_seed``.
    """
    wanted = dict(axes) if axes is not None else {Axis.sweep: None}
    if type(trials) is not int or trials < MIN_TRIALS:
        raise InputError("too few trials", code="too_few_trials", got=repr(trials), wanted=f"{MIN_TRIALS} or more")
    if type(seed) is not int or not -(2**53) < seed < 2**53:
        raise InputError("unusable seed", code="invalid_seed", got=repr(seed), wanted="an integer within ±(2^53−1)")
    rebuilds = (wanted.pop(Axis.rebuild) or REBUILDS) if Axis.rebuild in wanted else 0
    counts = _share(wanted, trials)
    groups = []
    first = 0
    for axis in (Axis.sweep, Axis.batch, Axis.process):
        if counts.get(axis):
            groups.append(TrialGroup(axis=axis, first=first, count=counts[axis]))
            first += counts[axis]
    if first != trials:
        raise InputError(
            "the axes do not add up to the trials",
            code="invalid_trials",
            got=", ".join(f"{axis.value}:{count}" for axis, count in counts.items()) or "no axis that decides",
            wanted=f"{trials} trials in all",
        )
    return TrialPlan(tuple(groups), rebuilds, seed)


def _share(wanted: Mapping[Axis, int | None], trials: int) -> dict[Axis, int]:
    counts = {axis: count for axis, count in wanted.items() if count is not None}
    open_axes = [axis for axis, count in wanted.items() if count is None]
    if Axis.process in open_axes and (len(open_axes) > 1 or counts):
        open_axes.remove(Axis.process)
        counts[Axis.process] = PROCESSES
    left = trials - sum(counts.values())
    for position, axis in enumerate(open_axes):
        counts[axis] = (left + len(open_axes) - 1 - position) // len(open_axes)
    return counts


def sweep_order(seed: int, trial: int, size: int) -> Sequence[int]:
    """Return the order in which trial ``trial`` asks ``size`` questions: a permutation of ``range(size)``.

    Sorted by the raw output of numpy's PCG64, whose stream numpy guarantees across versions.
    """
    keys = np.random.PCG64([seed % 2**64, trial]).random_raw(size)
    order: list[int] = np.argsort(keys, kind="stable").tolist()
    return order
