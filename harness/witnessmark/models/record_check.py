"""Report on memory records of any format (docs/records.md)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from witnessmark.models.base import Count, Many, Record, Text

__all__ = ["FormatCheck", "FormatProblem"]


class FormatProblem(Record):
    """One thing that is wrong with the records."""

    code: Text
    where: Text | None = None
    """File, line and JSON pointer."""
    message: Text
    """What, got, wanted."""


class FormatCheck(Record):
    """Whether records can become a checkpoint."""

    format: Literal["witnessmark.format-check/0.1"] = "witnessmark.format-check/0.1"
    record_format: Text
    record_count: Count | None = None
    """Absent where there are problems: then nothing counts as read."""
    problems: Many[FormatProblem] = ()
    masked: dict[Text, Many[Text]] = Field(default_factory=dict)
    """Keys of records that others replaced, each with the keys that mask it."""
