"""A retriever whose answers are written down, trial by trial."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from witnessmark.canonical import canonical_digest
from witnessmark.models import RetrievalRequest, RetrievedItem, RetrieverProfile, RuntimeObservation, StateReference
from witnessmark.models.base import Many, Positive, Record, Text, TextMap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["AnswerRun", "TableAdapter", "TableAnswer", "TableState"]


class AnswerRun(Record):
    """The same answer in consecutive trials."""

    times: Positive
    items: Many[RetrievedItem]


class TableAnswer(Record):
    """What one request gets, over the trials."""

    query: Text
    context: TextMap = Field(default_factory=dict)
    runs: Many[AnswerRun]
    """In the order of trials. When they are used up they start again."""


class TableState(Record):
    """A memory state: what identifies it, what it holds and how it answers. Other requests get nothing."""

    reference: StateReference
    item_keys: Many[Text]
    answers: Many[TableAnswer] = ()


class TableAdapter:
    """A retriever over tables; counts the trials of each request."""

    def __init__(
        self,
        profile: RetrieverProfile,
        states: Mapping[str, TableState],
        observation: RuntimeObservation | None = None,
    ) -> None:
        self._profile = profile
        self._states = states
        self._observation = observation
        self._asked: Counter[tuple[str, str]] = Counter()
        self._answers = {
            (name, canonical_digest(RetrievalRequest(query=answer.query, context=answer.context))): [
                run.items for run in answer.runs for _ in range(run.times)
            ]
            for name, state in states.items()
            for answer in state.answers
        }

    @property
    def profile(self) -> RetrieverProfile:
        """The profile that the table was given."""
        return self._profile

    def state_reference(self, state_name: str) -> StateReference:
        """Return the reference that stands in the table."""
        return self._states[state_name].reference

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        """Tell whether the table's state holds an item."""
        return item_key in self._states[state_name].item_keys

    def retrieve(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        """Return the answer of the next trial."""
        key = (state_name, canonical_digest(request))
        answers = self._answers.get(key, [()])
        trial = self._asked[key]
        self._asked[key] += 1
        return answers[trial % len(answers)]

    def runtime_observation(self) -> RuntimeObservation | None:
        """Return what the table says of the running retriever."""
        return self._observation
