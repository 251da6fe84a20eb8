"""Where a memory state lives, and what was observed of a retriever when it was pinned."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from witnessmark.models.base import HashValue, Record, Text

__all__ = ["RetrieverPin", "Target"]


class Target(Record):
    """A memory state to open: a checkpoint directory, or an adapter and its options (``*.target.yaml``)."""

    adapter: Text
    """Entry point name in the group ``witnessmark.adapters``."""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """Closed by the adapter: an option it does not know is an error. Paths are absolute by now."""


class RetrieverPin(Record):
    """``*.pin.json``: what was observed when a profile was pinned, beside the profile."""

    format: Literal["witnessmark.pin/0.1"] = "witnessmark.pin/0.1"
    profile_digest: HashValue
    adapter: Text
    distribution: Text
    """Distribution and version that provides the adapter."""
    packages: dict[str, Text] = Field(default_factory=dict)
    """Versions of the packages that decide answers."""
    fingerprints: dict[str, HashValue] = Field(default_factory=dict)
    """Digests of the vectors of some telling texts, by name; they differ where numeric kernels differ."""
