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

__all__ = ["Asked", "Question", "SuiteQuestions", "ask", "probe_requests", "read_questions"]


class Asked(NamedTuple):
    """The identity of one distinct question of a run."""

    state_name: str
    request_digest: str


class Question(NamedTuple):
    """One distinct question, and the probe that asks it first."""

    asked: Asked
    request: RetrievalRequest
    probe_id: str

    def place(self, trial: str) -> str:
        """Return where an error is: the probe, the state, the trial and the request."""
        query, context = self.request.query, self.request.context
        shown = query if len(query) <= 60 else f"{query[:57]}..."
        return (
            f"probe {self.probe_id!r}, state {self.asked.state_name!r}, {trial}, query {shown!r}, context {context!r}"
        )


class SuiteQuestions(NamedTuple):
    """What a suite asks of two named states; one entry a probe, in the order of the suite."""

    baseline: str
    candidate: str
    named: tuple[tuple[tuple[str, str], ...], ...]
    """The (state name, item key) pairs that have to exist for the probe to be decidable."""
    asked: tuple[tuple[Asked, ...], ...]
    """The questions that the probe looks at: baseline then candidate, or the candidate in context A then B."""
    requests: Mapping[Asked, RetrievalRequest]

    def decidable(self, suite: ProbeSuite, presence: Mapping[tuple[str, str], bool]) -> tuple[Question, ...]:
        """Return the distinct questions in the order in which the probes first ask them.

        A probe with a missing item is decided without asking (``id_churn``, wire contract §3), so it asks nothing.
        """
        found: dict[Asked, Question] = {}
        for probe, named, asked in zip(suite.probes, self.named, self.asked, strict=True):
            if all(presence[place] for place in named):
                for question in asked:
                    if question not in found:
                        found[question] = Question(question, self.requests[question], probe.probe_id)
        return tuple(found.values())


def ask(state_name: str, request: RetrievalRequest) -> Asked:
    """Return the identity of a question: the request by its canonical digest."""
    return Asked(state_name, sha256_digest(canonical_bytes({"query": request.query, "context": request.context})))


def probe_requests(suite: ProbeSuite) -> dict[str, tuple[str, ...]]:
    """Return the digests of the requests that each probe asks, by its id."""
    questions = read_questions(suite, "baseline", "candidate")
    return {
        probe.probe_id: tuple(dict.fromkeys(question.request_digest for question in asked))
        for probe, asked in zip(suite.probes, questions.asked, strict=True)
    }


def read_questions(suite: ProbeSuite, baseline: str, candidate: str) -> SuiteQuestions:
    """Return what ``suite`` asks of the two states."""
    digests: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[str, RetrievalRequest]] = {}
    requests: dict[Asked, RetrievalRequest] = {}
    everything = []
    for probe in suite.probes:
        asked = []
        for state_name, query, context in _asks(probe, baseline, candidate):
            spelled = (query, tuple(context.items()))
            if spelled not in digests:
                request = RetrievalRequest(query=query, context=dict(context))
                digests[spelled] = ask(state_name, request).request_digest, request
            digest, request = digests[spelled]
            asked.append(Asked(state_name, digest))
            requests.setdefault(asked[-1], request)
        everything.append(tuple(asked))
    named = tuple(_named(probe, baseline, candidate) for probe in suite.probes)
    return SuiteQuestions(baseline, candidate, named, tuple(everything), requests)


def _named(probe: Probe, baseline: str, candidate: str) -> tuple[tuple[str, str], ...]:
    if isinstance(probe, CorrectionPrecedenceProbe):
        return (*_places(probe.superseded, baseline, candidate), *_places(probe.correction, baseline, candidate))
    if isinstance(probe, AnchorPreservationProbe):
        return _places(probe.anchor, baseline, candidate)
    if isinstance(probe, StateConditionedDifferentiationProbe):
        return tuple((candidate, key) for key in dict.fromkeys((*probe.a_required_keys, *probe.b_required_keys)))
    return ()


def _asks(probe: Probe, baseline: str, candidate: str) -> tuple[tuple[str, str, Mapping[str, str]], ...]:
    """Return (state name, query, context) of each question, in the order in which the probe asks."""
    if isinstance(probe, StateConditionedDifferentiationProbe):
        return ((candidate, probe.query, probe.context_a), (candidate, probe.query, probe.context_b))
    if isinstance(probe, ScopeIsolationProbe):
        return ((candidate, probe.query, probe.context),)
    return ((baseline, probe.query, probe.context), (candidate, probe.query, probe.context))


def _places(reference: ItemReference, baseline: str, candidate: str) -> tuple[tuple[str, str], ...]:
    if reference.required_in is RequiredIn.both:
        return ((baseline, reference.key), (candidate, reference.key))
    return ((baseline if reference.required_in is RequiredIn.baseline else candidate, reference.key),)
