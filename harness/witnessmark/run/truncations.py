"""Which decisive texts the embedder does not read to the end, as an adapter that can tell says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.models import CorrectionPrecedenceProbe, ScopeIsolationProbe, StateConditionedDifferentiationProbe
from witnessmark.ports import Truncation, TruncationReporter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from witnessmark.models import Probe, ProbeSuite
    from witnessmark.ports import RetrieverAdapter
    from witnessmark.run.questions import Asked, SuiteQuestions

__all__ = ["Truncations", "decisive_items", "find_truncations"]


class Truncations(NamedTuple):
    """Texts of which the embedder reads only a part."""

    items: Mapping[tuple[str, str], Truncation]
    """(state name, item key) of decisive items."""
    queries: Mapping[str, Truncation]
    """By request digest."""


def decisive_items(
    probe: Probe, named: Sequence[tuple[str, str]], asked: Sequence[Asked]
) -> tuple[tuple[str, str], ...]:
    """Return the (state name, item key) pairs that a probe's relation is about; the forbidden ones need not exist."""
    forbidden: tuple[str, ...] = ()
    if isinstance(probe, ScopeIsolationProbe):
        forbidden = probe.forbidden_item_keys
    elif isinstance(probe, StateConditionedDifferentiationProbe):
        forbidden = (*probe.a_forbidden_keys, *probe.b_forbidden_keys)
    elif isinstance(probe, CorrectionPrecedenceProbe):
        # Both compete in the candidate, wherever they are required.
        forbidden = (probe.superseded.key, probe.correction.key)
    return tuple(dict.fromkeys((*named, *((asked[-1].state_name, key) for key in forbidden))))


def find_truncations(adapter: RetrieverAdapter, suite: ProbeSuite, asks: SuiteQuestions) -> Truncations:
    """Ask an adapter that can tell for the decisive items and the queries of a suite."""
    if not isinstance(adapter, TruncationReporter):
        return Truncations({}, {})
    keys: dict[str, dict[str, None]] = {}
    for probe, named, asked in zip(suite.probes, asks.named, asks.asked, strict=True):
        for state_name, key in decisive_items(probe, named, asked):
            keys.setdefault(state_name, {})[key] = None
    items: dict[tuple[str, str], Truncation] = {}
    for state_name, wanted in keys.items():
        found = adapter.truncated_items(state_name, tuple(wanted))
        items.update({(state_name, key): Truncation(*found[key]) for key in wanted if key in found})
    requests = {question.request_digest: request for question, request in asks.requests.items()}
    answers = adapter.truncated_queries(tuple(requests.values()))
    queries = {
        digest: Truncation(*answer) for digest, answer in zip(requests, answers, strict=True) if answer is not None
    }
    return Truncations(items, queries)
