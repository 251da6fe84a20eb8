"""Retrieval quality of both answers under relevance judgements: nDCG, recall, reciprocal rank; it decides nothing.

- Gains are the relevances themselves (linear, as in trec_eval); 0 and less is not relevant and gains nothing.
- Ranks are those of the answers, whose ties are in the order of the profile's tie policy.
- A request without a relevant item says nothing about quality and is left out of the means.
- Pure: no file is read here and no clock.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from witnessmark.canonical import canonical_digest
from witnessmark.errors import InputError
from witnessmark.models import RetrievalRequest
from witnessmark.models.quality import Quality, QualityChange, QualityReport, RequestQuality
from witnessmark.moved import compared_answers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from witnessmark.models import Transcript
    from witnessmark.models.quality import Judgement

__all__ = ["measure", "measure_run"]


def measure(ranking: Sequence[str], relevance: Mapping[str, int], k: int) -> Quality:
    """Measure one answer at depth ``k``.

    Args:
        ranking: keys, the best first.
        relevance: by key; at least one is above 0.
        k: depth, 1 or more.
    """
    relevant = {key: gain for key, gain in relevance.items() if gain > 0}
    ranks = {key: rank for rank, key in enumerate(ranking[:k], start=1) if key in relevant}
    best = sorted(relevant.values(), reverse=True)[:k]
    ideal = math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(best, start=1))
    gained = math.fsum(relevant[key] / math.log2(rank + 1) for key, rank in ranks.items())
    return Quality(
        ndcg=min(1.0, gained / ideal),
        recall=len(ranks) / len(relevant),
        reciprocal_rank=1 / min(ranks.values()) if ranks else 0.0,
    )


def measure_run(
    transcript: Transcript, judgements: Iterable[Judgement], ids: Mapping[str, Sequence[str]], *, k: int
) -> QualityReport:
    """Measure both answers to every judged request.

    Args:
        transcript: what was observed.
        judgements: in the order of their file.
        ids: digests of the requests that an id stands for.
        k: depth, at most the ``top_k`` of the answers.

    Raises:
        InputError: ``conflicting_judgements``: two names of one request give an item two relevances; or
            ``nothing_judged``: no judged request was asked of both states.
    """
    answers = {item.request_digest: item for item in compared_answers(transcript)}
    relevance: dict[str, dict[str, int]] = {}
    not_asked: dict[str, None] = {}
    for row in judgements:
        digests = [digest for digest in _named(row, ids) if digest in answers]
        if not digests:
            not_asked[_shown(row)] = None
        for digest in digests:
            known = relevance.setdefault(digest, {}).setdefault(row.key, row.relevance)
            if known != row.relevance:
                raise InputError(
                    "two judgements of one request contradict each other",
                    code="conflicting_judgements",
                    got=f"relevances {known} and {row.relevance} of item {row.key!r}",
                    wanted="one relevance",
                    where=f"request {_shown(row)}",
                )
    if not relevance:
        raise InputError(
            "no judged request was asked of both states",
            code="nothing_judged",
            got=", ".join(list(not_asked)[:3]),
            wanted="ids of plain requests or of probes, or their queries and contexts",
        )
    found = [
        _compared(answers[digest].request, digest, known, answers[digest].before, answers[digest].after, k)
        for digest, known in relevance.items()
        if any(gain > 0 for gain in known.values())
    ]
    found.sort(key=lambda item: (*_members(item.change), item.request_digest))
    before, after = (_mean([item.baseline for item in found]), _mean([item.candidate for item in found]))
    return QualityReport(
        k=k,
        judged=len(found),
        unjudged=len(answers) - len(found),
        not_asked=tuple(not_asked),
        baseline=before,
        candidate=after,
        change=None if before is None or after is None else _change(before, after),
        requests=tuple(found),
    )


def _named(row: Judgement, ids: Mapping[str, Sequence[str]]) -> Sequence[str]:
    if row.id is not None:
        return ids.get(row.id, ())
    return (canonical_digest(RetrievalRequest(query=row.query or "", context=dict(row.context or {}))),)


def _shown(row: Judgement) -> str:
    if row.id is not None:
        return repr(row.id)
    return f"{row.query!r} {dict(sorted(row.context.items()))}" if row.context else repr(row.query)


def _compared(
    request: RetrievalRequest,
    digest: str,
    relevance: Mapping[str, int],
    before: Mapping[str, int],
    after: Mapping[str, int],
    k: int,
) -> RequestQuality:
    baseline, candidate = (measure(list(ranks), relevance, k) for ranks in (before, after))
    return RequestQuality(
        request_digest=digest,
        request=request,
        relevant=sum(gain > 0 for gain in relevance.values()),
        baseline=baseline,
        candidate=candidate,
        change=_change(baseline, candidate),
    )


def _change(before: Quality, after: Quality) -> QualityChange:
    return QualityChange(
        ndcg=after.ndcg - before.ndcg,
        recall=after.recall - before.recall,
        reciprocal_rank=after.reciprocal_rank - before.reciprocal_rank,
    )


def _members(value: Quality | QualityChange) -> tuple[float, float, float]:
    return value.ndcg, value.recall, value.reciprocal_rank


def _mean(values: Sequence[Quality]) -> Quality | None:
    if not values:
        return None
    ndcg, recall, reciprocal = (math.fsum(column) / len(values) for column in zip(*map(_members, values), strict=True))
    return Quality(ndcg=min(1.0, ndcg), recall=min(1.0, recall), reciprocal_rank=min(1.0, reciprocal))
