"""Reports on Auditable Memory Records (docs/records.md)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from witnessmark.models.base import Count, Many, Record, Text

__all__ = ["EpistemicCounts", "ProblemSeverity", "RecordProblem", "RecordsCheck"]

ProblemSeverity: TypeAlias = Literal["unreadable", "invalid", "not_conforming", "warning"]
"""The file cannot be read; malformed at any level; well-formed but short of the level; neither."""


class RecordProblem(Record):
    """One thing that is wrong with a record or its file."""

    severity: ProblemSeverity
    code: Text
    record: Text
    """Ref of the record, or the file's path below the root."""
    where: Text
    """File, line and JSON pointer."""
    message: Text
    """What, got, wanted."""


class EpistemicCounts(Record):
    """How strongly records are believed, by what they say themselves."""

    fact: Count
    inference: Count
    open_question: Count
    unverified: Count
    unmarked: Count
    """Records that say nothing, which is not fact."""
    invalid: Count
    """Records that say something else."""


class RecordsCheck(Record):
    """Whether records conform to a level of AMR 0.1."""

    format: Literal["witnessmark.records-check/0.1"] = "witnessmark.records-check/0.1"
    level: Literal[1, 2, 3]
    record_count: Count
    declared_count: Count
    """Records that carry the declaration, by which a scan finds them."""
    conforming_count: Count
    unreadable_count: Count
    """Files that cannot be read, which are in no other count."""
    document_count: Count
    """Markdown without front matter: no records, and fine to cite."""
    epistemic: EpistemicCounts
    problems: Many[RecordProblem] = ()
    """In the order of the files; links to records that are not there come last."""
