"""Conduct the trials of a run: journal, guard and progress around what the crew does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.errors import EvidenceError
from witnessmark.models import Axis
from witnessmark.run.journal import TrialLine
from witnessmark.run.plan import sweep_order
from witnessmark.run.sweep import Sweeper
from witnessmark.run.tally import Tallies

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from witnessmark.models import RetrieverProfile
    from witnessmark.ports import RetrieverAdapter
    from witnessmark.run.crew import Crew
    from witnessmark.run.guard import StateGuard
    from witnessmark.run.journal import Journal
    from witnessmark.run.patience import Patience
    from witnessmark.run.plan import TrialPlan
    from witnessmark.run.questions import Question

__all__ = ["Progress", "conduct", "conduct_rebuilds"]


class Progress(NamedTuple):
    """How far a run is."""

    done: int
    """Trials that are finished, those of an earlier session included."""
    trials: int
    """Trials in all."""
    axis: Axis
    """Axis of the trial that was finished last."""
    questions: int
    """Questions a trial."""


def conduct(
    plan: TrialPlan,
    questions: Sequence[Question],
    crew: Crew,
    guard: StateGuard,
    journal: Journal | None,
    on_trial: Callable[[Progress], None] | None,
) -> Tallies:
    """Run the trials that decide and return their tallies.

    Raises:
        AdapterError: the adapter failed or broke its contract.
        StateChanged: a state reference changed meanwhile.
        EvidenceError: ``invalid_journal``: the journal does not fit this run.
    """
    tallies = Tallies(questions)
    _replay(tallies, journal, rebuild=False)
    everything = plan.trials + plan.rebuilds
    for trial in plan.deciding()[tallies.trials :]:
        crew.run(trial, tallies)
        guard.check(f"after trial {trial.number} of {plan.trials}")
        changes = tallies.finish_trial()
        if journal is not None:
            journal.append(TrialLine.of(trial.number, changes))
        if on_trial is not None:
            on_trial(Progress(trial.number + 1, everything, trial.axis, len(questions)))
    return tallies


def conduct_rebuilds(
    plan: TrialPlan,
    questions: Sequence[Question],
    profile: RetrieverProfile,
    patience: Patience,
    rebuild: Callable[[int], AbstractContextManager[tuple[RetrieverAdapter, StateGuard]]],
    journal: Journal | None,
    on_trial: Callable[[Progress], None] | None,
) -> Tallies:
    """Ask the questions of indexes that were rebuilt in another insertion order; diagnostic, decides nothing.

    Raises:
        AdapterError: the adapter failed or broke its contract.
        EvidenceError: ``invalid_journal``: the journal does not fit this run.
    """
    tallies = Tallies(questions, "rebuild")
    _replay(tallies, journal, rebuild=True)
    for number in range(tallies.trials, plan.rebuilds):
        with rebuild(number) as (adapter, guard):
            sweeper = Sweeper(adapter, profile, questions, guard, seed=plan.seed, patience=patience)
            order = sweep_order(plan.seed, plan.trials + number, len(questions))
            with sweeper.watched():
                for index, answer in sweeper.sweep(plan.trials + number, order):
                    tallies.add(index, answer)
        changes = tallies.finish_trial()
        if journal is not None:
            journal.append(TrialLine.of(number, changes, rebuild=True))
        if on_trial is not None:
            done = plan.trials + number + 1
            on_trial(Progress(done, plan.trials + plan.rebuilds, Axis.rebuild, len(questions)))
    return tallies


def _replay(tallies: Tallies, journal: Journal | None, *, rebuild: bool) -> None:
    if journal is None:
        return
    for line in journal.finished:
        if line.rebuild is not rebuild:
            continue
        try:
            if line.trial != tallies.trials:
                raise ValueError(f"trial: got {line.trial}, wanted {tallies.trials}")
            tallies.replay(line.changes())
        except (ValueError, IndexError) as error:
            raise EvidenceError(f"the journal does not fit this run: {error}", code="invalid_journal") from error
