"""What moved between baseline and candidate (docs/moved.md): diagnostics, never a verdict."""

from __future__ import annotations

from typing import Literal

from witnessmark.models.base import Count, HashValue, Many, Positive, Record, Share, Text
from witnessmark.models.quality import QualityReport
from witnessmark.models.retrieval import RetrievalRequest

__all__ = ["ItemMove", "MovedReport", "MovedSummary", "RequestMoves"]


class ItemMove(Record):
    """One item that a probe names, in the answers to one request."""

    item_key: Text
    baseline_rank: Positive | None = None
    """Absent where the baseline's answer lacks it."""
    candidate_rank: Positive | None = None
    """Absent where the candidate's answer lacks it."""


class RequestMoves(Record):
    """How the two answers to one request differ."""

    request_digest: HashValue
    request: RetrievalRequest
    overlap: Share
    """Items that both answers have, over ``top_k``, or over the longer answer where that is shorter."""
    rank_biased_overlap: Share
    """Extrapolated rank-biased overlap with persistence 0.9."""
    moves: Many[ItemMove] = ()
    """Named items that changed rank, by key."""
    lost: Many[Text] = ()
    """Keys that only the baseline's answer has, by rank."""
    gained: Many[Text] = ()
    """Keys that only the candidate's answer has, by rank."""


class MovedSummary(Record):
    """Over all requests that were asked of both states."""

    requests: Count
    unchanged: Count
    """Requests with the same keys in the same order."""
    mean_overlap: Share | None = None
    """Absent where no request was asked of both states."""
    mean_rank_biased_overlap: Share | None = None
    named_items_moved: Count
    named_items_unreachable: Count
    """Named items that the baseline's answer has and the candidate's lacks."""


class MovedReport(Record):
    """What moved, the worst request first."""

    format: Literal["witnessmark.moved/0.1"] = "witnessmark.moved/0.1"
    assessment_digest: HashValue
    top_k: Positive
    summary: MovedSummary
    requests: Many[RequestMoves]
    """By ascending rank-biased overlap, then overlap, then request digest."""
    quality: QualityReport | None = None
    """Under relevance judgements, where there are some."""
