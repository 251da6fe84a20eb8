"""What a suite asks: the distinct questions of a run, and the items that have to exist for its probes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_bytes, sha256_digest
from witnessmark.models import (
    AnchorPreservationProbe,
    CorrectionPrecedenceProbe,
    Probe,
    RequiredIn,
    RetrievalRequest,
    ScopeIsolationProbe,
    StateConditionedDifferentiationProbe,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from witnessmark.models import ItemReference, ProbeSuite

__all__ = ["Asked", "Question", "ask", "items_named", "plan_questions", "questions_of"]


class Asked(NamedTuple):
    """The identity of one distinct question of a run."""

    state_name: str
    request_digest: str


class Question(NamedTuple):
    """One distinct question, and the probe that asks it first."""

    asked: Asked
    request: RetrievalRequest
    probe_id: str


def ask(state_name: str, request: RetrievalRequest) -> Asked:
    """Return the identity of a question: the request by its canonical digest."""
    return Asked(state_name, sha256_digest(canonical_bytes({"query": request.query, "context": request.context})))


def items_named(probe: Probe, baseline: str, candidate: str) -> tuple[tuple[str, str], ...]:
    """Return the (state name, item key) pairs that have to exist for ``probe`` to be decidable."""
    if isinstance(probe, CorrectionPrecedenceProbe):
        return (*_places(probe.superseded, baseline, candidate), *_places(probe.correction, baseline, candidate))
    if isinstance(probe, AnchorPreservationProbe):
        return _places(probe.anchor, baseline, candidate)
    if isinstance(probe, StateConditionedDifferentiationProbe):
        return tuple((candidate, key) for key in dict.fromkeys((*probe.a_required_keys, *probe.b_required_keys)))
    return ()


def questions_of(probe: Probe, baseline: str, candidate: str) -> tuple[tuple[str, RetrievalRequest], ...]:
    """Return the (state name, request) pairs that ``probe`` looks at, in the order in which it asks."""
    if isinstance(probe, StateConditionedDifferentiationProbe):
        return tuple(
            (candidate, RetrievalRequest(query=probe.query, context=context))
            for context in (probe.context_a, probe.context_b)
        )
    request = RetrievalRequest(query=probe.query, context=probe.context)
    if isinstance(probe, ScopeIsolationProbe):
        return ((candidate, request),)
    return ((baseline, request), (candidate, request))


def plan_questions(
    suite: ProbeSuite, presence: Mapping[tuple[str, str], bool], baseline: str, candidate: str
) -> tuple[Question, ...]:
    """Return the distinct questions of ``suite``, in the order in which its probes first ask them.

    A probe with a missing item is decided without asking (``id_churn``, wire contract §3), so it asks nothing.
    """
    found: dict[Asked, Question] = {}
    for probe in suite.probes:
        if all(presence[place] for place in items_named(probe, baseline, candidate)):
            for state_name, request in questions_of(probe, baseline, candidate):
                asked = ask(state_name, request)
                if asked not in found:
                    found[asked] = Question(asked, request, probe.probe_id)
    return tuple(found.values())


def _places(reference: ItemReference, baseline: str, candidate: str) -> tuple[tuple[str, str], ...]:
    states = {
        RequiredIn.baseline: (baseline,),
        RequiredIn.candidate: (candidate,),
        RequiredIn.both: (baseline, candidate),
    }[reference.required_in]
    return tuple((state, reference.key) for state in states)
