"""What identifies a memory state, and what was seen of the retriever at run time."""

from __future__ import annotations

from witnessmark.models.base import Count, HashValue, Positive, Record, Text

__all__ = ["RuntimeObservation", "StateReference"]


class StateReference(Record):
    """A memory state, bound by digest (wire contract §1)."""

    checkpoint_digest: HashValue
    """The logical content: for a checkpoint directory, the RFC 9162 root over its operation log."""
    retrieval_state_digest: HashValue | None = None
    """Every byte that can change an answer: index, vectors, build configuration."""
    indexed_item_count: Count | None = None


class RuntimeObservation(Record):
    """What the adapter reports of the running retriever (wire contract §1)."""

    runtime_id: Text | None = None
    embedding_dimension: Positive | None = None
    indexed_item_count: Count | None = None
    fingerprint_probe_digest: HashValue | None = None
    """Filled by the harness with the digest of the observed part of the transcript when an adapter leaves it empty."""
