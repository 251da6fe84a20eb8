"""Declared relations between records, as exact sets: never ranked, never resolved, never completed by us.

- What a record declares is in its set, whether or not the other record is there or links back.
- A contradiction that only one side declares is valid; it is listed, and nothing is written into the other side.
- The inverse of ``contradicts`` is found by reading every record, not by trusting a back-link.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.amr.check import problem_of
from witnessmark.amr.fields import LINK_FIELDS, check_fields, links_of
from witnessmark.amr.findings import placed
from witnessmark.amr.refs import canonical_ref
from witnessmark.errors import InputError
from witnessmark.models.amr import OneSidedLink, RecordRelations, RelationsReport

if TYPE_CHECKING:
    from collections.abc import Iterable

    from witnessmark.amr.store import Store
    from witnessmark.models.amr import RecordProblem

__all__ = ["relations_of"]

Links = dict[str, dict[str, None]]


def relations_of(store: Store, of: str | None = None) -> RelationsReport:
    """Return the relations of every record that has any, or of one ref, in the order of the refs.

    Raises:
        InputError: ``no_records``, or ``unknown_record`` where ``of`` is no record and no record links to it.
    """
    forward: dict[str, Links] = {field: {} for field in LINK_FIELDS}
    inverse: dict[str, Links] = {field: {} for field in LINK_FIELDS}
    known: set[str] = set()
    problems: list[RecordProblem] = []
    for entry in store.entries():
        problems.extend(problem_of("unreadable", entry.ref, problem) for problem in entry.problems)
        if entry.document is None:
            continue
        known.add(entry.ref)
        problems.extend(
            problem_of(finding.severity, entry.ref, placed(finding, entry.document))
            for finding in check_fields(entry.document.fields, entry.ref, 2)
            if finding.level == 2
        )
        for field in LINK_FIELDS:
            for target in links_of(entry.document.fields, field):
                if target != entry.ref:
                    forward[field].setdefault(entry.ref, {})[target] = None
                    inverse[field].setdefault(target, {})[entry.ref] = None
    if not known and not problems:
        raise InputError("no record here", code="no_records", wanted="1 or more", where=str(store.path))
    linked = known.union(*forward.values(), *inverse.values())
    if of is not None and canonical_ref(of) not in linked and not problems:
        raise InputError(
            "no such record, and no link to it", code="unknown_record", got=repr(of), where=str(store.path)
        )
    wanted = sorted(linked) if of is None else [canonical_ref(of)]
    records = [
        RecordRelations(
            record=ref,
            present=ref in known,
            backed_by=_sorted(forward["backed_by"].get(ref, ())),
            backs=_sorted(inverse["backed_by"].get(ref, ())),
            contradicts=_sorted(forward["contradicts"].get(ref, ())),
            contradicted_by=_sorted(inverse["contradicts"].get(ref, ())),
        )
        for ref in wanted
    ]
    related = [item for item in records if item.backed_by or item.backs or item.contradicts or item.contradicted_by]
    return RelationsReport(
        record_count=len(known),
        records=tuple(related if of is None else records),
        one_sided=tuple(
            OneSidedLink(record=item.record, contradicts=target)
            for item in records
            for target in item.contradicts
            if item.record not in forward["contradicts"].get(target, ())
        ),
        problems=tuple(problems),
    )


def _sorted(refs: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(refs))
