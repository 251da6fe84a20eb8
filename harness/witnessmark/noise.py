"""The noise floor: how much a state differs from itself, before two states are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.opening import open_states
from witnessmark.run.source import TargetSource
from witnessmark.run.transcript import to_observed
from witnessmark.runner import Workforce, assess

if TYPE_CHECKING:
    from witnessmark.models.session import SessionInputs

__all__ = ["NoiseFloor", "measure_noise"]


class NoiseFloor(NamedTuple):
    """What comparing a state with itself showed. Anything but 0 and 0 is noise that a comparison inherits."""

    questions: int
    """Requests that were asked of the state."""
    unstable: int
    """Requests that got more than one ordering within one opening of the state."""
    differing: int
    """Requests whose orderings differ between two openings of the state."""

    @property
    def silent(self) -> bool:
        """Whether the state never differed from itself."""
        return not self.unstable and not self.differing


def measure_noise(inputs: SessionInputs, *, workforce: Workforce = Workforce()) -> NoiseFloor:  # noqa: B008 - immutable
    """Assess the baseline against itself, opened twice, with the plan and the suite of an assessment.

    Raises:
        InputError: the baseline cannot be opened.
        AdapterError: the retriever failed or broke its contract.
    """
    source = TargetSource({"baseline": inputs.baseline, "candidate": inputs.baseline}, inputs.profile)
    with open_states(source.states, source.profile) as retriever:
        run = assess(
            retriever,
            inputs.suite,
            trials=inputs.trials,
            seed=inputs.seed,
            axes=inputs.chosen_axes(rebuilds=False),
            assessed_at=inputs.assessed_at,
            source=source,
            workforce=workforce,
        )
    answers = to_observed(run.transcript).answers
    by_request: dict[str, list[frozenset[object]]] = {}
    for asked, orderings in answers.items():
        by_request.setdefault(asked.request_digest, []).append(frozenset(ordering.identity for ordering in orderings))
    return NoiseFloor(
        questions=len(by_request),
        unstable=sum(any(len(found) > 1 for found in openings) for openings in by_request.values()),
        differing=sum(len(set(openings)) > 1 for openings in by_request.values()),
    )
