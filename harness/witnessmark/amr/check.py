"""Check records against a level of AMR 0.1, one by one and against each other.

- A record conforms where nothing is malformed and nothing falls short of the level; warnings take nothing away.
- Each ref names one record. A link to a record that is not there is a warning: it may be somewhere else.
- Doing nothing conforms at no level: no record is an error, and a record without a declaration does not conform.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.amr.fields import LINK_FIELDS, Epistemic, check_fields, declares, links_of
from witnessmark.amr.findings import Finding, placed
from witnessmark.errors import InputError, Problem
from witnessmark.models.amr import EpistemicCounts, RecordProblem, RecordsCheck

if TYPE_CHECKING:
    from collections.abc import Iterator

    from witnessmark.amr.findings import Level
    from witnessmark.amr.frontmatter import AmrDocument
    from witnessmark.amr.store import Entry, Store
    from witnessmark.models.amr import ProblemSeverity

__all__ = ["check_records", "problem_of"]


def check_records(store: Store, level: Level) -> RecordsCheck:
    """Check every record of a store.

    Raises:
        InputError: ``no_records``.
    """
    return _Check(level).run(store)


class _Check:
    def __init__(self, level: Level) -> None:
        self._level = level
        self._problems: list[RecordProblem] = []
        self._first: dict[str, str] = {}
        self._pending: list[tuple[str, str, str]] = []
        self._counts = dict.fromkeys(("unmarked", "invalid", *Epistemic), 0)
        self._records = self._declared = self._conforming = self._unreadable = 0

    def run(self, store: Store) -> RecordsCheck:
        for entry in store.entries():
            if entry.document is None:
                self._unreadable += 1
                self._problems.extend(problem_of("unreadable", entry.ref, problem) for problem in entry.problems)
            else:
                self._records += 1
                self._record(entry, entry.document)
        if not self._records and not self._unreadable:
            raise InputError("no record here", code="no_records", wanted="1 or more", where=str(store.path))
        self._problems.extend(self._unresolved())
        return RecordsCheck(
            level=self._level,
            record_count=self._records,
            declared_count=self._declared,
            conforming_count=self._conforming,
            unreadable_count=self._unreadable,
            document_count=store.documents,
            epistemic=EpistemicCounts.model_validate(self._counts),
            problems=tuple(self._problems),
        )

    def _record(self, entry: Entry, document: AmrDocument) -> None:
        findings = check_fields(document.fields, entry.ref, self._level)
        duplicate = self._first.setdefault(entry.ref, document.place())
        if duplicate != document.place():
            problem = Problem("duplicate_ref", "two records with one ref", f"{entry.ref!r}, also {duplicate}")
            findings = (Finding("invalid", 1, "", problem), *findings)
        self._problems.extend(
            problem_of(finding.severity, entry.ref, placed(finding, document)) for finding in findings
        )
        self._conforming += not any(finding.severity != "warning" for finding in findings)
        self._declared += declares(document.fields)
        value = document.fields.get("epistemic")
        known = isinstance(value, str) and value in Epistemic.__members__
        self._counts["unmarked" if value is None else str(value) if known else "invalid"] += 1
        if self._level > 1:
            self._pending.extend(
                (entry.ref, target, document.place(f"/{field}"))
                for field in LINK_FIELDS
                for target in links_of(document.fields, field)
                if target not in self._first
            )

    def _unresolved(self) -> Iterator[RecordProblem]:
        for ref, target, place in self._pending:
            if target not in self._first:
                problem = Problem("unresolved_link", "link to a record that is not here", repr(target), where=place)
                yield problem_of("warning", ref, problem)


def problem_of(severity: ProblemSeverity, ref: str, problem: Problem) -> RecordProblem:
    """Return a problem as reports hold it."""
    return RecordProblem(
        severity=severity,
        code=problem.code,
        record=ref,
        where=problem.where or ref,
        message=str(problem._replace(where=None)),
    )
