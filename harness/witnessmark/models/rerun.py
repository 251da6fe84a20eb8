"""What running an assessment again showed."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import JsonValue, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.assessment import BehavioralResult
from witnessmark.models.base import Count, Flag, HashValue, Many, Positive, Record, Text
from witnessmark.models.state import StateReference
from witnessmark.models.transcript import Axis

__all__ = ["AnswerComparison", "Change", "ChangedResult", "ChangedState", "Reproduction", "RerunReport"]


class Reproduction(StrEnum):
    """Whether an answer came again."""

    reproduced = "reproduced"
    diverged = "diverged"


class AnswerComparison(Record):
    """One request to one state along one axis: the distinct orderings of then and of now."""

    state_name: Text
    request_digest: HashValue
    axis: Axis
    status: Reproduction
    """Reproduced: exactly the orderings of then, in however many trials each."""
    recorded: Count
    """Distinct orderings in the transcript."""
    observed: Count
    """Distinct orderings now."""
    first_difference: Positive | None = None
    """First place in the orderings of both at which an item, its version or its labels differ."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> AnswerComparison:
        if (self.status is Reproduction.diverged) != (self.first_difference is not None):
            raise PydanticCustomError("contradicts_itself", "a first difference should come with diverged answers")
        return self


class Change(Record):
    """Something of the environment that is not as it was recorded."""

    where: Text
    """JSON pointer into ``environment.json``."""
    recorded: JsonValue = None
    """Null: not recorded."""
    observed: JsonValue = None
    """Null: not there now."""


class ChangedState(Record):
    """A state that is not the one that was assessed."""

    state_name: Text
    recorded: StateReference
    observed: StateReference


class ChangedResult(Record):
    """A probe whose result is another one now."""

    probe_id: Text
    recorded: BehavioralResult
    observed: BehavioralResult


class RerunReport(Record):
    """What running an assessment again showed. It changes nothing about the evidence."""

    format: Literal["witnessmark.rerun/0.1"] = "witnessmark.rerun/0.1"
    reproduced: Flag
    """Whether every answer and every result came again, from the same states."""
    assessment_digest: HashValue
    """Of the assessment that was run again."""
    answers: Many[AnswerComparison]
    states: Many[ChangedState] = ()
    results: Many[ChangedResult] = ()
    environment: Many[Change] = ()
    """What differs in the environment; decides nothing."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> RerunReport:
        diverged = any(item.status is Reproduction.diverged for item in self.answers)
        if self.reproduced == (diverged or bool(self.states) or bool(self.results)):
            raise PydanticCustomError("contradicts_itself", "reproduced is not what answers, states and results give")
        return self
