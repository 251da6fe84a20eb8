"""How strong a suite is (docs/strength.md): planted regressions, and what no probe covers."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.assessment import BehavioralResult
from witnessmark.models.base import Count, Flag, HashValue, Many, Record, Share, Text
from witnessmark.models.retrieval import RetrievalRequest

__all__ = [
    "KillCount",
    "KindStrength",
    "MemoryCover",
    "PlantedRegression",
    "RegressionKind",
    "SuiteStrengthReport",
    "SurvivalReason",
    "UncoveredEdge",
]


class RegressionKind(StrEnum):
    """What is done to a recorded answer of the candidate."""

    drop_correction = "drop_correction"
    """The correction is gone from the answer."""
    swap_correction = "swap_correction"
    """The superseded item takes the place of the correction."""
    demote_by_one = "demote_by_one"
    """A correction or an anchor goes one rank down."""
    leak_scope = "leak_scope"
    """An item of a scope that is not the context's own comes last in the answer, with its labels."""
    leak_unlabelled = "leak_unlabelled"
    """The same item, without its labels."""
    collapse_contexts = "collapse_contexts"
    """One context of a differentiation probe gets the answer of the other."""
    truncate_by_one = "truncate_by_one"
    """An answer of top_k items loses the last."""
    truncate_to_one = "truncate_to_one"
    """Only the first item is left."""
    empty = "empty"
    """Nothing is retrieved."""


class SurvivalReason(StrEnum):
    """Why no required probe caught a planted regression."""

    no_required_probe = "no_required_probe"
    """No required probe asks that."""
    masked = "masked"
    """A required probe that asks it did not pass before, so it says nothing new; the others still pass."""
    not_noticed = "not_noticed"
    """All required probes that ask it passed before, and still do."""


class PlantedRegression(Record):
    """One regression that was planted in a recorded answer."""

    kind: RegressionKind
    request_digest: HashValue
    request: RetrievalRequest
    planted: Text
    """What was done, in words."""
    caught_by: Many[Text] = ()
    """Required probes that passed before and no longer do."""
    survived: SurvivalReason | None = None
    """Absent where it was caught."""
    asked_by: Many[Text] = ()
    """Probes that ask it, required or not, in the order of the suite."""
    optional_noticed: Many[Text] = ()
    """Probes that are not required, passed before and no longer do."""

    @model_validator(mode="after")
    def _caught_or_survived(self) -> PlantedRegression:
        if bool(self.caught_by) == (self.survived is not None):
            raise PydanticCustomError("contradicts_itself", "A regression should be caught, or survive with a reason")
        return self


class KillCount(Record):
    """How many of the planted regressions were caught."""

    caught: Count
    planted: Count
    """Regressions that changed an answer."""
    unchanged: Count
    """Regressions that would have left the answer as it is, or that it already shows: not among the planted."""
    kill_ratio: Share | None = None
    """``caught`` of ``planted``; absent where nothing was planted."""


class KindStrength(KillCount):
    """The counts of one kind of regression."""

    kind: RegressionKind


class UncoveredEdge(Record):
    """A relation between records that no required probe is about."""

    item_key: Text
    """The record that says it."""
    relation: Literal["supersedes", "contradicts"]
    target_key: Text
    target_live: Flag
    """Whether the candidate still holds the target."""


class MemoryCover(Record):
    """What of the candidate's records the required probes are about."""

    edges: Count
    edges_covered: Count
    anchors: Count
    anchors_covered: Count
    scopes: Count
    scopes_covered: Count
    uncovered_edges: Many[UncoveredEdge] = ()
    uncovered_anchors: Many[Text] = ()
    """Keys of records that are marked as anchors."""
    uncovered_scopes: Many[Text] = ()
    """Scope labels that no required probe forbids, itself or by the key of an item that carries it."""


class SuiteStrengthReport(Record):
    """Which planted regressions a suite would have caught. It decides nothing."""

    format: Literal["witnessmark.strength/0.1"] = "witnessmark.strength/0.1"
    assessment_digest: HashValue
    probe_suite_digest: HashValue
    result: BehavioralResult
    """Of the run, as it was."""
    total: KillCount
    kinds: Many[KindStrength]
    """One a kind, in a fixed order."""
    regressions: Many[PlantedRegression]
    """By kind, then in the order in which the suite asks."""
    cover: MemoryCover | None = None
    """Absent where the candidate's records are not at hand."""
