"""Stamp records: add the declaration and the hashes that are missing, and change nothing else.

- A record that would not conform afterwards is left alone: malformed, of another version, or with a hash or claim id
  that disagrees, which a stamp would seem to confirm. That it cites nothing, or lacks only hashes, is no reason.
- What stands there stays, byte for byte: properties, order, comments, spellings of dates, the body. New members are
  inserted into the text, and the result is read again and has to be the old record and the new members.
- A hash is only ever added, as ``sha256:``. None is replaced, and stamping twice is stamping once.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.amr.check import problem_of
from witnessmark.amr.citations import citations_of
from witnessmark.amr.fields import DECLARATION, VERSION, check_fields
from witnessmark.amr.findings import placed
from witnessmark.amr.frontmatter import parse_json_records, parse_markdown, split_front_matter, yaml_text
from witnessmark.amr.hashes import quote_hash
from witnessmark.canonical import json_pointer
from witnessmark.errors import InputError, Problem
from witnessmark.models.amr import RecordsStamp, StampedRecord
from witnessmark.yamlsource import key_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from witnessmark.amr.frontmatter import AmrDocument
    from witnessmark.amr.store import Entry, Store, StoredFile
    from witnessmark.canonical import JsonValue
    from witnessmark.models.amr import RecordProblem
    from witnessmark.yamlsource import KeyPlace

__all__ = ["stamp_records"]

_ADDED = frozenset({"hash_missing", "no_citations", "not_declared"})
"""What falls short before a stamp and not because of the record's contents."""


class _Stamped(NamedTuple):
    """What became of one file."""

    data: bytes
    """What it was, where nothing was added."""
    added: tuple[tuple[Entry, tuple[str, ...]], ...]
    """Records and the JSON pointers of their new members."""
    refused: tuple[tuple[Entry, tuple[RecordProblem, ...]], ...]
    """Records that were left alone, and why."""


class _Addition(NamedTuple):
    pointer: str
    """Of the new member, in its record."""
    holder: str
    """Pointer of the mapping in the file."""
    before: str
    """Pointer of the member in front of which it goes."""
    name: str
    value: str


def stamp_records(store: Store, write: Callable[[Path, bytes], None]) -> RecordsStamp:
    """Stamp every record of a store; ``write`` gets each file that changes, with its new bytes.

    Raises:
        InputError: ``no_records``, or what ``write`` raises.
    """
    refs = Counter(entry.ref for entry in store.entries() if entry.document is not None)
    count = refused_count = 0
    stamped: list[StampedRecord] = []
    problems: list[RecordProblem] = []
    for file in store.files():
        for entry in file.entries:
            problems.extend(problem_of("unreadable", entry.ref, problem) for problem in entry.problems)
        result = _stamp_file(file, refs)
        if result.data != file.data:
            write(file.path, result.data)
        count += sum(entry.document is not None for entry in file.entries)
        refused_count += len(result.refused)
        problems.extend(problem for _, against in result.refused for problem in against)
        stamped.extend(
            StampedRecord(record=entry.ref, where=str(file.path), added=pointers) for entry, pointers in result.added
        )
    if not count and not problems:
        raise InputError("no record here", code="no_records", wanted="1 or more", where=str(store.path))
    return RecordsStamp(
        record_count=count,
        stamped=tuple(stamped),
        unchanged_count=count - len(stamped) - refused_count,
        refused_count=refused_count,
        problems=tuple(problems),
    )


def _stamp_file(file: StoredFile, refs: Mapping[str, int]) -> _Stamped:
    refused: list[tuple[Entry, tuple[RecordProblem, ...]]] = []
    missing: list[tuple[Entry, tuple[_Addition, ...]]] = []
    for entry in file.entries:
        if entry.document is None:
            continue
        against = tuple(_against(entry, entry.document, refs))
        if against:
            refused.append((entry, against))
        elif additions := tuple(_missing(entry.document, entry.ref)):
            missing.append((entry, additions))
    if not missing:
        return _Stamped(file.data, (), tuple(refused))
    try:
        data = _insert(file, [addition for _, additions in missing for addition in additions])
    except InputError as error:
        for entry, _ in missing:
            problems = tuple(problem_of("not_conforming", entry.ref, _cannot(problem)) for problem in error.problems)
            refused.append((entry, problems))
        return _Stamped(file.data, (), tuple(refused))
    added = tuple((entry, tuple(addition.pointer for addition in additions)) for entry, additions in missing)
    return _Stamped(data, added, tuple(refused))


def _against(entry: Entry, document: AmrDocument, refs: Mapping[str, int]) -> Iterator[RecordProblem]:
    if refs[entry.ref] > 1:
        problem = Problem("duplicate_ref", "two records with one ref", repr(entry.ref), where=document.place())
        yield problem_of("invalid", entry.ref, problem)
    for finding in check_fields(document.fields, entry.ref):
        if finding.severity != "warning" and finding.problem.code not in _ADDED:
            yield problem_of(finding.severity, entry.ref, placed(finding, document))


def _missing(document: AmrDocument, ref: str) -> Iterator[_Addition]:
    if document.fields.get(DECLARATION) is None:
        first = document.pointer + json_pointer((next(iter(document.fields), ""),))
        yield _Addition(f"/{DECLARATION}", document.pointer, first, DECLARATION, VERSION)
    for citation in citations_of(document.fields, ref)[0]:
        if citation.quote_hash is None:
            holder = document.pointer + citation.holder
            pointer = f"{citation.holder}/quote_hash"
            yield _Addition(pointer, holder, f"{holder}/quote", "quote_hash", quote_hash(citation.quote))


def _insert(file: StoredFile, additions: list[_Addition]) -> bytes:
    where = str(file.path)
    if file.path.suffix == ".json":
        places, end = key_places(file.data, where), len(file.data)
    else:
        parts = split_front_matter(file.data, where)
        places, end = key_places(yaml_text(file.data, parts), where), parts.end
    text = file.data[:end].decode("utf-8")
    inserted = sorted(((_place(places, item, where), item) for item in additions), key=lambda pair: pair[0].offset)
    for place, item in reversed(inserted):
        text = text[: place.offset] + _member(place, item, file.path.suffix == ".json") + text[place.offset :]
    data = text.encode() + file.data[end:]
    _require_same(file, additions, _documents(data, where, file.path.suffix))
    return data


def _place(places: Mapping[str, KeyPlace], item: _Addition, where: str) -> KeyPlace:
    if item.before not in places:
        raise InputError("record has no member", code="cannot_stamp", wanted="1 or more", where=where)
    return places[item.before]


def _member(place: KeyPlace, item: _Addition, quoted: bool) -> str:
    member = f"{json.dumps(item.name) if quoted else item.name}: {json.dumps(item.value)}"
    return f"{member}, " if place.flow else f"{member}\n{' ' * place.column}"


def _documents(data: bytes, where: str, suffix: str) -> tuple[AmrDocument, ...]:
    return parse_json_records(data, where) if suffix == ".json" else (parse_markdown(data, where),)


def _require_same(file: StoredFile, additions: list[_Addition], after: tuple[AmrDocument, ...]) -> None:
    before = {item.pointer: item for entry in file.entries if (item := entry.document) is not None}
    wanted = {(item.holder, item.name): item.value for item in additions}
    for document in after:
        old = before.get(document.pointer)
        if (
            old is None
            or _without(document.fields, document.pointer, wanted) != old.fields
            or document.body != old.body
        ):
            raise InputError(
                "record would not be the same", code="cannot_stamp", wanted="plain keys", where=str(file.path)
            )
    if wanted:
        raise InputError("not all would be added", code="cannot_stamp", where=str(file.path))


def _without(value: JsonValue, pointer: str, wanted: dict[tuple[str, str], str]) -> JsonValue:
    """Return ``value`` without the members that were to be added, and cross those off."""
    if isinstance(value, list):
        return [_without(item, f"{pointer}/{index}", wanted) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    kept: dict[str, JsonValue] = {}
    for name, item in value.items():
        if (pointer, name) in wanted and item == wanted[pointer, name]:
            del wanted[pointer, name]
        else:
            kept[name] = _without(item, pointer + json_pointer((name,)), wanted)
    return kept


def _cannot(problem: Problem) -> Problem:
    return problem._replace(code="cannot_stamp", what=f"nothing can be added: {problem.what}")
