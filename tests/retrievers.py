"""Retrievers for tests: answers that are written down, and the small records around them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from witnessmark.models import (
    AnchorPreservationProbe,
    CorrectionPrecedenceProbe,
    ItemReference,
    Probe,
    ProbeSuite,
    RetrievalRequest,
    RetrievedItem,
    RetrieverProfile,
    RuntimeObservation,
    ScopeIsolationProbe,
    StateConditionedDifferentiationProbe,
    StateReference,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def digest(text: str) -> str:
    """Return a digest that only depends on ``text``."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def profile(**changes: object) -> RetrieverProfile:
    """Return a deterministic profile with top_k 10, and ``changes``."""
    return RetrieverProfile.model_validate(
        {
            "implementation_id": "written",
            "implementation_version": "1",
            "adapter_version": "1",
            "adapter_capability": "deterministic",
            "distance_metric": "cosine",
            "index_implementation": "none",
            "top_k": 10,
            "truncation_rule": "none",
            "tie_policy": "score_desc_item_key_asc",
            **changes,
        }
    )


def item(key: str, rank: int, *labels: str, version: str = "v1") -> RetrievedItem:
    """Return one item of an answer."""
    return RetrievedItem(item_key=key, item_version_digest=digest(key + version), rank=rank, scope_labels=labels)


def items(*keys: str) -> tuple[RetrievedItem, ...]:
    """Return an answer with these keys, from rank 1."""
    return tuple(item(key, rank) for rank, key in enumerate(keys, 1))


def reference(key: str, required_in: str = "both") -> ItemReference:
    """Return an item reference."""
    return ItemReference.model_validate({"key": key, "required_in": required_in})


def correction(probe_id: str = "correction", **changes: object) -> CorrectionPrecedenceProbe:
    """Return a probe that wants ``new`` above ``old``."""
    return CorrectionPrecedenceProbe.model_validate(
        {
            "probe_id": probe_id,
            "query": "what is right?",
            "superseded": reference("old", "baseline"),
            "correction": reference("new", "candidate"),
            **changes,
        }
    )


def anchor(probe_id: str = "anchor", **changes: object) -> AnchorPreservationProbe:
    """Return a probe that wants ``rule`` within rank 2."""
    return AnchorPreservationProbe.model_validate(
        {"probe_id": probe_id, "query": "what is the rule?", "anchor": reference("rule"), "max_rank": 2, **changes}
    )


def isolation(probe_id: str = "isolation", **changes: object) -> ScopeIsolationProbe:
    """Return a probe that forbids the item ``secret`` and the label ``tenant:b``."""
    return ScopeIsolationProbe.model_validate(
        {
            "probe_id": probe_id,
            "query": "what is the secret?",
            "context": {"tenant": "a"},
            "forbidden_item_keys": ["secret"],
            "forbidden_scope_labels": ["tenant:b"],
            **changes,
        }
    )


def differentiation(probe_id: str = "differentiation", **changes: object) -> StateConditionedDifferentiationProbe:
    """Return a probe that wants ``calm`` in mood a and ``alarm`` in mood b, and neither in the other."""
    return StateConditionedDifferentiationProbe.model_validate(
        {
            "probe_id": probe_id,
            "query": "how do I answer?",
            "context_a": {"mood": "a"},
            "context_b": {"mood": "b"},
            "a_required_keys": ["calm"],
            "a_forbidden_keys": ["alarm"],
            "b_required_keys": ["alarm"],
            "b_forbidden_keys": ["calm"],
            **changes,
        }
    )


def suite(*probes: Probe) -> ProbeSuite:
    """Return a suite of ``probes``."""
    return ProbeSuite(probes=probes)


class Call(NamedTuple):
    """One call that a retriever got."""

    state: str
    query: str
    context: Mapping[str, str]


Answer = Callable[[Call, int], Sequence[object]]
"""Takes the call and its number from 0, counted over all calls; returns the items."""


class Retriever:
    """A retriever whose answers come from a function; every call is kept."""

    def __init__(
        self,
        answer: Answer,
        *,
        absent: Iterable[tuple[str, str]] = (),
        own_profile: RetrieverProfile | None = None,
        runtime: RuntimeObservation | None = None,
    ) -> None:
        self._answer = answer
        self._absent = frozenset(absent)
        self._profile = own_profile or profile()
        self._runtime = runtime
        self.calls: list[Call] = []

    @property
    def profile(self) -> RetrieverProfile:
        return self._profile

    def state_reference(self, state_name: str) -> StateReference:
        return StateReference(
            checkpoint_digest=digest(state_name),
            retrieval_state_digest=digest(f"index of {state_name}"),
            indexed_item_count=7,
        )

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        return (state_name, item_key) not in self._absent

    def retrieve(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        call = Call(state_name, request.query, dict(request.context))
        self.calls.append(call)
        return self._answer(call, len(self.calls) - 1)  # type: ignore[return-value]

    def runtime_observation(self) -> RuntimeObservation | None:
        return self._runtime


def always(*keys: str) -> Answer:
    """Return a function that gives the same answer to everything."""
    fixed = items(*keys)
    return lambda call, number: fixed


FOUR = (correction(), anchor(), isolation(), differentiation())
"""One probe a kind."""


def good_answers(call: Call, number: int) -> Sequence[RetrievedItem]:
    """Answer as every probe of `FOUR` wants it."""
    if call.query == "how do I answer?":
        return items("calm", "plain") if call.context["mood"] == "a" else items("alarm", "plain")
    if call.query == "what is right?":
        return items("old", "plain") if call.state == "baseline" else items("new", "old")
    if call.query == "what is the rule?":
        return items("plain", "rule")
    return (item("plain", 1, "tenant:a"),)
