"""Memory records and the checkpoint manifest (docs/formats.md)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, Strict, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.base import Count, HashValue, Many, Record, Text

__all__ = ["CheckpointManifest", "FileEntry", "MemoryOperation", "MemoryRecord"]


class MemoryRecord(Record):
    """One memory. Fields we do not know are kept, and they are part of its version digest; null is absence."""

    model_config = ConfigDict(frozen=True, extra="allow", use_attribute_docstrings=True)

    key: Annotated[str, Strict(), Field(min_length=1)]
    """Stable item key, unique in a checkpoint."""
    text: Text
    """What is embedded and searched."""
    scope_labels: Many[Text] = ()
    """Tenants, projects, agents ... that the memory belongs to."""


class MemoryOperation(Record):
    """One entry of the append-only operation log; leaf of the checkpoint's Merkle tree."""

    op: Literal["PUT", "DEL"]
    key: Text
    value: dict[str, JsonValue] | None = None
    """The record for PUT; absent for DEL."""

    @model_validator(mode="after")
    def _value_fits_op(self) -> MemoryOperation:
        if (self.op == "PUT") != (self.value is not None):
            raise PydanticCustomError("contradicts_itself", "A value should come with PUT, only and always")
        if self.value is not None and self.value.get("key") != self.key:
            raise PydanticCustomError("contradicts_itself", "A record should be stored under its own key")
        return self


class FileEntry(Record):
    """A file of a checkpoint directory."""

    path: Text
    """Relative to the checkpoint directory, with forward slashes."""
    size: Count
    """Bytes."""
    sha256: HashValue


class CheckpointManifest(Record):
    """``checkpoint.json``: what the directory holds and what it is bound to."""

    format: Literal["witnessmark.checkpoint/0.1"] = "witnessmark.checkpoint/0.1"
    operation_count: Count
    item_count: Count
    """Live items after folding the log."""
    checkpoint_digest: HashValue
    """RFC 9162 root over ``operations.jsonl``, leaves tagged ``am-mem-kv``."""
    retrieval_state_digest: HashValue
    """Canonical digest of ``index_files``, ``profile_digest`` and ``index_settings``."""
    adapter: Text
    """Name of the adapter that built ``index/`` and opens it."""
    profile_digest: HashValue
    """Profile under which the retrieval material was built."""
    index_settings: dict[str, JsonValue] = Field(default_factory=dict)
    """What the adapter has to know to open ``index/`` (dimension, metric, embedder ...)."""
    operations_file: FileEntry
    index_files: Many[FileEntry]
