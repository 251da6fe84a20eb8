"""What an assessment was asked to do: enough to go on with it after it was killed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from witnessmark.models.assessment import MIN_TRIALS, MaterialAccess
from witnessmark.models.base import Count, Many, Record, Text, Timestamp, Whole
from witnessmark.models.log import RunStarted
from witnessmark.models.probes import ProbeSuite
from witnessmark.models.profile import RetrieverProfile
from witnessmark.models.target import Target
from witnessmark.models.transcript import Axis
from witnessmark.models.withheld import Material

__all__ = ["Registered", "SessionInputs"]


class SessionInputs(Record):
    """``inputs.json`` of an unfinished run."""

    format: Literal["witnessmark.session/0.1"] = "witnessmark.session/0.1"
    baseline: Target
    candidate: Target
    suite: ProbeSuite
    profile: RetrieverProfile
    trials: Whole = MIN_TRIALS
    seed: Whole = 0
    axes: dict[Axis, Count] = Field(default_factory=dict)
    """Trials by axis; 0 leaves the axis its share. Empty is the default plan."""
    material_access: MaterialAccess = MaterialAccess.public
    assessed_at: Timestamp | None = None
    """Time that was asked for; absent is the time of the start."""
    withhold: Many[Material] = ()
    """Material that the run directory is not to hold."""
    salts: Text | None = None
    """Path of the salt file to write then."""

    def chosen_axes(self, *, rebuilds: bool = True) -> dict[Axis, int | None] | None:
        """Return the axes as a plan takes them, with or without the one that decides nothing; None: not chosen."""
        axes = {axis: count or None for axis, count in self.axes.items() if rebuilds or axis is not Axis.rebuild}
        return axes or None


class Registered(Record):
    """``log.json`` of an unfinished run that a log is to know of."""

    format: Literal["witnessmark.registration/0.1"] = "witnessmark.registration/0.1"
    log: Text
    """Path of the log."""
    entry: RunStarted | None = None
    """The start as it is, or was going to be, entered."""
