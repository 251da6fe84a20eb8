"""One retrieval: what is asked, and what comes back."""

from __future__ import annotations

from pydantic import Field

from witnessmark.models.base import HashValue, Many, Positive, Record, Text, TextMap

__all__ = ["RetrievalRequest", "RetrievedItem"]


class RetrievalRequest(Record):
    """A query in a context (wire contract §1). Its canonical digest is the ``request_digest``."""

    query: Text
    context: TextMap = Field(default_factory=dict)


class RetrievedItem(Record):
    """One item of an answer (wire contract §1)."""

    item_key: Text
    item_version_digest: HashValue
    rank: Positive
    """Place in the answer; 1 is the best."""
    scope_labels: Many[Text] = ()
