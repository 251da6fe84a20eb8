"""What a check finds in one record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from witnessmark.amr.frontmatter import AmrDocument
    from witnessmark.errors import Problem

__all__ = ["Finding", "Level", "Severity", "placed"]

Level = Literal[1, 2, 3]
"""1 Marked, 2 Linked, 3 Cited; each includes those below it."""
Severity = Literal["invalid", "not_conforming", "warning"]
"""Malformed at any level; well-formed but short of the level; neither."""


class Finding(NamedTuple):
    """One thing that was found, at one field."""

    severity: Severity
    level: Level
    """The level whose rule this is; a check at a lower level leaves it out."""
    pointer: str
    """JSON pointer of the field."""
    problem: Problem
    """Without a place."""


def placed(finding: Finding, document: AmrDocument) -> Problem:
    """Return the problem with file, line and pointer."""
    return finding.problem._replace(where=document.place(finding.pointer))
