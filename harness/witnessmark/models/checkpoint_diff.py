"""What changed between two checkpoints (docs/formats.md)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, Strict

from witnessmark.models.base import Count, Flag, HashValue, Many, Record, Text

__all__ = ["CheckpointDiff", "CheckpointSide"]


class CheckpointSide(Record):
    """What a comparison states of one checkpoint."""

    checkpoint_digest: HashValue
    retrieval_state_digest: HashValue
    profile_digest: HashValue
    adapter: Text
    operation_count: Count
    item_count: Count


class CheckpointDiff(Record):
    """A baseline and a candidate, compared. A candidate that does not extend its baseline is a finding, no error."""

    format: Literal["witnessmark.checkpoint-diff/0.1"] = "witnessmark.checkpoint-diff/0.1"
    baseline: CheckpointSide
    candidate: CheckpointSide
    append_only: Flag
    """The candidate's log begins with all of the baseline's: the consistency proof verifies."""
    consistency_proof: Many[HashValue] = ()
    """RFC 9162 §2.1.4 nodes in proof order; empty where the logs are equal, and where there is no proof."""
    first_difference: Count | None = None
    """Where not append-only: index (from 0) of the baseline's first operation that the candidate lacks there."""
    appended_operations: Count
    """The candidate's operations after the part that both logs begin with."""
    delta_fraction: Annotated[float, Strict(), Field(ge=0.0, le=1.0)]
    """``appended_operations / candidate.operation_count``; 0 for an empty log."""
    added: Many[Text] = ()
    """Keys that are live in the candidate only, sorted."""
    changed: Many[Text] = ()
    """Keys that are live in both, with different records, sorted."""
    deleted: Many[Text] = ()
    """Keys that are live in the baseline only, sorted."""
    retrieval_changed: Flag
    """The retrieval state digests differ: index files, profile, adapter or index settings."""
