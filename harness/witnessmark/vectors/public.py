"""The public reference implementation's own vector format, ``MemoryCheckpointAssessmentReferenceVectors/0.1``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from witnessmark.models import (
    BehavioralResult,
    ProbeSuite,
    RetrievedItem,
    RetrieverProfile,
    StateReference,
)
from witnessmark.models.base import HashValue, Many, Positive, Record, Text, TextMap
from witnessmark.runner import assess
from witnessmark.vectors.outcome import VectorOutcome, agree
from witnessmark.vectors.table import AnswerRun, TableAdapter, TableAnswer, TableState

__all__ = ["PublicCase", "PublicItem", "PublicResponse", "PublicState", "PublicVectors", "run_public"]


class PublicItem(Record):
    """One retrieved item."""

    key: Text
    version: HashValue
    rank: Positive
    scope_labels: Many[Text] = ()


class PublicResponse(Record):
    """The answer to one request."""

    query: Text
    context: TextMap = Field(default_factory=dict)
    items: Many[PublicItem]


class PublicState(Record):
    """A memory state and its answers."""

    checkpoint_digest: HashValue
    retrieval_state_digest: HashValue | None = None
    item_keys: Many[Text]
    responses: Many[PublicResponse]


class PublicCase(Record):
    """One case: answers of the candidate that differ from the common ones, and the outcome."""

    id: Text
    expected_result: BehavioralResult
    expected_failed_probes: Many[Text]
    overrides: Many[PublicResponse]


class PublicVectors(Record):
    """The whole file."""

    format: Literal["MemoryCheckpointAssessmentReferenceVectors/0.1"]
    profile: RetrieverProfile
    probe_suite: ProbeSuite
    baseline: PublicState
    candidate: PublicState
    cases: Many[PublicCase]


def run_public(name: str, vectors: PublicVectors) -> tuple[VectorOutcome, ...]:
    """Run every case of the file."""
    return tuple(_run_case(f"{name}#{case.id}", vectors, case) for case in vectors.cases)


def _run_case(name: str, vectors: PublicVectors, case: PublicCase) -> VectorOutcome:
    states = {"baseline": _state(vectors.baseline, ()), "candidate": _state(vectors.candidate, case.overrides)}
    assessment = assess(TableAdapter(vectors.profile, states), vectors.probe_suite).assessment
    failed = [item.probe_id for item in assessment.probe_results if item.result is BehavioralResult.fail]
    return agree(
        name,
        "public",
        f"reference vector {case.id}",
        {"result": case.expected_result.value, "failed_probes": sorted(case.expected_failed_probes)},
        {"result": assessment.result.value, "failed_probes": sorted(failed)},
    )


def _state(state: PublicState, overrides: tuple[PublicResponse, ...]) -> TableState:
    replaced = [(item.query, item.context) for item in overrides]
    kept = [item for item in state.responses if (item.query, item.context) not in replaced]
    return TableState(
        reference=StateReference(
            checkpoint_digest=state.checkpoint_digest, retrieval_state_digest=state.retrieval_state_digest
        ),
        item_keys=state.item_keys,
        answers=tuple(_answer(item) for item in (*kept, *overrides)),
    )


def _answer(response: PublicResponse) -> TableAnswer:
    items = tuple(
        RetrievedItem(
            item_key=item.key, item_version_digest=item.version, rank=item.rank, scope_labels=item.scope_labels
        )
        for item in response.items
    )
    return TableAnswer(query=response.query, context=response.context, runs=(AnswerRun(times=1, items=items),))
