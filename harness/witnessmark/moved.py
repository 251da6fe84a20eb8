"""What moved between the answers of baseline and candidate, from a transcript alone; it decides nothing.

- Of several orderings of one question, the one that came in most trials counts, the earliest of these.
- Named items are those that a probe of the suite names; their requests are whichever the suite asks.
- Pure: no file is read here and no clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.models import (
    AnchorPreservationProbe,
    CorrectionPrecedenceProbe,
    ScopeIsolationProbe,
)
from witnessmark.models.moved import ItemMove, MovedReport, MovedSummary, RequestMoves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from witnessmark.models import Observation, Probe, ProbeSuite, RetrievalRequest, Transcript
    from witnessmark.models.quality import QualityReport

__all__ = ["ComparedAnswers", "compared_answers", "overlap", "rank_biased_overlap", "what_moved"]

_PERSISTENCE = 0.9


class ComparedAnswers(NamedTuple):
    """The two answers to one request, as rank by key in the order of ranks."""

    request_digest: str
    request: RetrievalRequest
    before: Mapping[str, int]
    after: Mapping[str, int]


def compared_answers(transcript: Transcript) -> Iterator[ComparedAnswers]:
    """Yield the two answers to every request that both states were asked, in the order of the transcript."""
    header = transcript.header
    asked: dict[str, dict[str, Observation]] = {}
    for observation in transcript.observations:
        if observation.orderings:
            asked.setdefault(observation.request_digest, {})[observation.state_name] = observation
    for digest, found in asked.items():
        if header.baseline_name in found and header.candidate_name in found:
            baseline, candidate = found[header.baseline_name], found[header.candidate_name]
            yield ComparedAnswers(digest, baseline.request, _usual(baseline), _usual(candidate))


def what_moved(
    transcript: Transcript,
    suite: ProbeSuite,
    *,
    top_k: int,
    assessment_digest: str,
    quality: QualityReport | None = None,
) -> MovedReport:
    """Compare the answers of the two states to every request that both were asked.

    Args:
        transcript: what was observed.
        suite: names the items whose moves are told.
        top_k: of the pinned profile.
        assessment_digest: canonical digest of the run's assessment.
        quality: under relevance judgements, to be told beside (`witnessmark.quality.measure_run`).
    """
    named = {key for probe in suite.probes for key in _named(probe)}
    compared = [_compare(answers, named, top_k) for answers in compared_answers(transcript)]
    compared.sort(key=lambda item: (item.rank_biased_overlap, item.overlap, item.request_digest))
    return MovedReport(
        assessment_digest=assessment_digest,
        top_k=top_k,
        summary=_summary(compared),
        requests=tuple(compared),
        quality=quality,
    )


def overlap(first: Sequence[str], second: Sequence[str], depth: int) -> float:
    """Return the share of keys that both answers have, over ``depth`` or the longer answer where that is shorter."""
    size = min(depth, max(len(first), len(second)))
    return 1.0 if size == 0 else len(set(first[:depth]) & set(second[:depth])) / size


def rank_biased_overlap(first: Sequence[str], second: Sequence[str], persistence: float = _PERSISTENCE) -> float:
    """Return the extrapolated rank-biased overlap of two rankings (Webber, Moffat and Zobel 2010, equation 32).

    1 for equal rankings, two empty ones among them, and 0 where they share nothing.
    """
    short, long = sorted((first, second), key=len)
    if not short:
        return 0.0 if long else 1.0
    shared, agreement, at_short = 0, 0.0, 0
    seen: set[str] = set()
    for depth, key in enumerate(long, start=1):
        others = (short[depth - 1],) if depth <= len(short) else ()
        for one in (key, *others):
            if one in seen:
                shared += 1
            seen.add(one)
        if depth <= len(short):
            at_short = shared
            agreement += shared / depth * persistence**depth
        else:
            expected = at_short * (depth - len(short)) / (len(short) * depth)
            agreement += (shared / depth + expected) * persistence**depth
    tail = (shared - at_short) / len(long) + at_short / len(short)
    return min(1.0, (1 - persistence) / persistence * agreement + tail * persistence ** len(long))


def _compare(answers: ComparedAnswers, named: set[str], top_k: int) -> RequestMoves:
    digest, request, before, after = answers
    ranks = {key: (before.get(key), after.get(key)) for key in sorted((before.keys() | after.keys()) & named)}
    return RequestMoves(
        request_digest=digest,
        request=request,
        overlap=overlap(list(before), list(after), top_k),
        rank_biased_overlap=rank_biased_overlap(list(before), list(after)),
        moves=tuple(
            ItemMove(item_key=key, baseline_rank=old, candidate_rank=new)
            for key, (old, new) in ranks.items()
            if old != new
        ),
        lost=tuple(key for key in before if key not in after),
        gained=tuple(key for key in after if key not in before),
    )


def _usual(observation: Observation) -> dict[str, int]:
    """Return rank by key of the ordering that came most often."""
    usual = max(observation.orderings, key=lambda item: sum(last - first + 1 for first, last in item.trials))
    return {item.item_key: item.rank for item in usual.items}


def _summary(compared: Sequence[RequestMoves]) -> MovedSummary:
    total = len(compared)
    moves = [move for item in compared for move in item.moves]
    return MovedSummary(
        requests=total,
        unchanged=sum(item.rank_biased_overlap >= 1.0 - 1e-12 for item in compared),
        mean_overlap=sum(item.overlap for item in compared) / total if total else None,
        mean_rank_biased_overlap=sum(item.rank_biased_overlap for item in compared) / total if total else None,
        named_items_moved=len(moves),
        named_items_unreachable=sum(move.candidate_rank is None for move in moves),
    )


def _named(probe: Probe) -> tuple[str, ...]:
    if isinstance(probe, CorrectionPrecedenceProbe):
        return (probe.superseded.key, probe.correction.key)
    if isinstance(probe, AnchorPreservationProbe):
        return (probe.anchor.key,)
    if isinstance(probe, ScopeIsolationProbe):
        return tuple(probe.forbidden_item_keys)
    return (*probe.a_required_keys, *probe.a_forbidden_keys, *probe.b_required_keys, *probe.b_forbidden_keys)
