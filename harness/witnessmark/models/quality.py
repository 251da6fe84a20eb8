"""Retrieval quality under relevance judgements (docs/moved.md): diagnostics, never a verdict."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.base import Count, HashValue, Many, Positive, Record, Share, Text, TextMap, Whole
from witnessmark.models.retrieval import RetrievalRequest

__all__ = ["Judgement", "Quality", "QualityChange", "QualityReport", "RequestQuality"]

Change = Annotated[float, Strict(), Field(ge=-1.0, le=1.0)]


class Judgement(Record):
    """One line of a judgements file: how relevant an item is to a request."""

    id: Text | None = None
    """Of a plain request, or of a probe; or absent, and the request is told by its query."""
    query: Text | None = None
    context: TextMap | None = None
    """Goes with ``query``; absent is the empty context."""
    key: Text
    relevance: Whole
    """Gain; 0 and less is not relevant."""

    @model_validator(mode="after")
    def _one_way_to_name_the_request(self) -> Judgement:
        if (self.id is None) == (self.query is None) or (self.context is not None and self.query is None):
            raise PydanticCustomError("id_or_query", "a judgement names its request by id, or by query and context")
        return self


class Quality(Record):
    """How good an answer is; over requests, the means."""

    ndcg: Share
    """Gain over log2(rank + 1), over that of the best possible answer."""
    recall: Share
    """Relevant items in the answer, over all relevant ones."""
    reciprocal_rank: Share
    """One over the rank of the first relevant item; 0 where there is none. Its mean is the MRR."""


class QualityChange(Record):
    """Candidate less baseline."""

    ndcg: Change
    recall: Change
    reciprocal_rank: Change


class RequestQuality(Record):
    """The two answers to one judged request."""

    request_digest: HashValue
    request: RetrievalRequest
    relevant: Positive
    """Items that are relevant to it."""
    baseline: Quality
    candidate: Quality
    change: QualityChange


class QualityReport(Record):
    """Quality of both states at depth ``k``, over the judged requests that were asked of both."""

    k: Positive
    judged: Count
    """Requests that are judged and were asked of both states."""
    unjudged: Count
    """Requests that were asked of both states and have no relevant item among the judgements."""
    not_asked: Many[Text] = ()
    """Requests of the judgements, as these name them, that were not asked of both states."""
    baseline: Quality | None = None
    """Means; absent where nothing is judged."""
    candidate: Quality | None = None
    change: QualityChange | None = None
    requests: Many[RequestQuality] = ()
    """By ascending change of nDCG, then of recall, then of reciprocal rank, then request digest: the worst first."""
