"""The transcript: every ordering that was observed, enough to recompute the assessment (docs/formats.md).

``transcript.jsonl`` is one header, then the presence of every named item, then one observation a (state, request),
in the order in which the suite first asks for them, then what rebuilt indexes answered, then where missing items were
found, then which decisive texts were cut off, then one diagnosis a probe. Every line is RFC 8785. The lines before the
first diagnosis are the *observed part*: the artifact commits to their bytes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.assessment import BehavioralResult, MaterialAccess
from witnessmark.models.base import Count, Flag, HashValue, Many, Positive, Record, Text, Timestamp, Whole
from witnessmark.models.retrieval import RetrievalRequest
from witnessmark.models.state import RuntimeObservation, StateReference

__all__ = [
    "Axis",
    "AxisCounts",
    "ItemPresence",
    "LocatedItem",
    "Observation",
    "ObservedItem",
    "ObservedOrdering",
    "OrderingSplit",
    "Place",
    "ProbeDiagnosis",
    "RebuiltObservation",
    "Score",
    "Transcript",
    "TranscriptHeader",
    "TrialGroup",
    "TruncatedText",
]


Score = Annotated[str, Strict(), Field(pattern=r"^-?[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?$")]
"""Shortest decimal that reads back as the same double. Text, so that no float is under a digest."""


class Axis(StrEnum):
    """What a trial changed (docs/trials.md)."""

    sweep = "sweep"
    process = "process"
    batch = "batch"
    rebuild = "rebuild"


class TrialGroup(Record):
    """The trials of one axis, as a run of consecutive trial numbers."""

    axis: Axis
    first: Count
    """Number of the first trial of the group, from 0."""
    count: Positive


class TranscriptHeader(Record):
    """What was run: inputs, states, plan."""

    line: Literal["run"] = "run"
    format: Literal["witnessmark.transcript/0.1"] = "witnessmark.transcript/0.1"
    baseline_name: Text
    candidate_name: Text
    baseline_state: StateReference
    candidate_state: StateReference
    probe_suite_digest: HashValue
    retriever_profile_digest: HashValue
    assessed_at: Timestamp
    material_access: MaterialAccess
    seed: Whole
    """Seed of the order of requests in each sweep."""
    trials: Many[TrialGroup]
    """The trials that decide."""
    rebuilds: Count
    """Trials on an index that was rebuilt in another insertion order. They decide nothing."""
    runtime_observation: RuntimeObservation | None = None
    """As the adapter reported it, before the harness fills in the commitment."""
    scores_available: Flag
    """Whether the adapter gave scores; without them ties are unobservable."""


class ItemPresence(Record):
    """Whether a state holds an item that a probe names."""

    line: Literal["presence"] = "presence"
    state_name: Text
    item_key: Text
    present: Flag


class ObservedItem(Record):
    """One item of an observed answer, by rank."""

    item_key: Text
    item_version_digest: HashValue
    rank: Positive
    scope_labels: Many[Text] = ()
    """Sorted."""


class ObservedOrdering(Record):
    """One distinct answer to a request, and the trials in which it came."""

    items: Many[ObservedItem]
    scores: Many[Score] | None = None
    """Scores of the first trial that gave this ordering, one an item, larger is better; or absent."""
    cut_score: Score | None = None
    """Score of the best item below the cut in that trial, where it is known."""
    trials: Many[Many[Count]]
    """Runs of trial numbers ``[first, last]``, ascending, both included."""


class Observation(Record):
    """Everything that one request got from one state."""

    line: Literal["observation"] = "observation"
    state_name: Text
    request_digest: HashValue
    request: RetrievalRequest
    orderings: Many[ObservedOrdering]
    """Distinct orderings, by their first trial. Empty where the adapter was not called."""


class RebuiltObservation(Record):
    """What one request got from one state's index when it was rebuilt; trials are numbered apart."""

    line: Literal["rebuild"] = "rebuild"
    state_name: Text
    request_digest: HashValue
    orderings: Many[ObservedOrdering]


class Place(StrEnum):
    """Where an item is that an answer lacks."""

    absent = "absent"
    """Not in the state."""
    filtered_out = "filtered_out"
    """In the state, but the request's scope excludes it."""
    below_cut = "below_cut"
    """Found, but ranked below top_k."""
    unreachable = "unreachable"
    """In the state and in scope, but the index does not return it however far it is asked."""


class LocatedItem(Record):
    """Where a decisive item is that an answer lacked, as the adapter found it by searching further."""

    line: Literal["location"] = "location"
    state_name: Text
    request_digest: HashValue
    item_key: Text
    place: Place
    rank: Positive | None = None
    """Rank that it would have had, where it is below the cut."""


class TruncatedText(Record):
    """A decisive item, or a query, that is longer than the embedder reads: its end decides nothing."""

    line: Literal["truncation"] = "truncation"
    state_name: Text | None = None
    """Of an item; absent for a query."""
    item_key: Text | None = None
    request_digest: HashValue | None = None
    """Of a query; absent for an item."""
    tokens: Positive
    """Of the whole text."""
    limit: Positive
    """Tokens that are read."""

    @model_validator(mode="after")
    def _one_text_that_is_too_long(self) -> TruncatedText:
        if (self.state_name is None) != (self.item_key is None) or (
            (self.item_key is None) == (self.request_digest is None)
        ):
            raise PydanticCustomError("item_or_query", "a truncated text is an item of a state or a query")
        if self.tokens <= self.limit:
            raise PydanticCustomError("not_truncated", "a truncated text has more tokens than are read")
        return self


class AxisCounts(Record):
    """In how many trials of an axis each distinct ordering came."""

    axis: Axis
    counts: Many[Count]
    """One an ordering, in the order of the observation; orderings that only a rebuilt index gave come last."""


class OrderingSplit(Record):
    """How the answers to one question differed."""

    state_name: Text
    request_digest: HashValue
    axes: Many[AxisCounts]
    first_difference: Positive
    """First rank at which the orderings differ."""
    score_multisets: Positive | None = None
    """Distinct multisets of scores; 1 means that only ties moved. Absent where there are no scores."""


class ProbeDiagnosis(Record):
    """What helps to act on a probe's result. Derived from the observed part; decides nothing."""

    line: Literal["diagnosis"] = "diagnosis"
    probe_id: Text
    result: BehavioralResult
    trials_held: Count
    """Trials in which the probe's relation held."""
    trials_run: Count
    """Trials in which it could be looked at."""
    margin: Score | None = None
    """Smallest distance of the deciding scores over all orderings: correction above superseded, anchor above the first
    item beyond max_rank. 0 is a tie. Absent where there are no scores, or nothing to compare."""
    splits: Many[OrderingSplit] = ()
    """One a question that got more than one ordering, rebuilt indexes included."""
    notes: Many[Text] = ()


class Transcript(Record):
    """A whole transcript in memory."""

    header: TranscriptHeader
    presence: Many[ItemPresence] = ()
    observations: Many[Observation] = ()
    rebuilt: Many[RebuiltObservation] = ()
    locations: Many[LocatedItem] = ()
    truncations: Many[TruncatedText] = ()
    diagnoses: Many[ProbeDiagnosis] = Field(default=())
