"""Validation of ``dev.bastienrobert.memory.record``, all problems at once, each with its JSON pointer.

- ``maxLength`` is bytes in texts and items in lists; graphemes are counted beside it.
- ``kind`` is open, ``precision`` closed. Properties that the lexicon does not have are ignored, and kept by readers.
- null is a value, not absence, and no property allows it. No float anywhere: the data model has none.
- The time of the event is ``occurrence`` or ``occurredAt``: the lexicon's page leaves the name open. Never both.
- Nothing is repaired: a record with a problem is invalid as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import json_pointer
from witnessmark.errors import Problem
from witnessmark.lexicon.length import exceeds_graphemes, grapheme_count, utf8_length
from witnessmark.lexicon.place import read_at_uri
from witnessmark.lexicon.syntax import is_datetime, is_uri

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from witnessmark.canonical import JsonValue

    Path = tuple[str | int, ...]
    Check = Callable[[JsonValue, Path], Iterator[Problem]]

__all__ = ["EVENT_NAMES", "MAX_BYTES", "MAX_GRAPHEMES", "NSID", "check_record"]

NSID = "dev.bastienrobert.memory.record"
EVENT_NAMES = ("occurrence", "occurredAt")
"""Names under which the time of the event is read."""
MAX_BYTES, MAX_GRAPHEMES = 10_000, 2_500
"""Of ``content``."""
_PRECISIONS = ("year", "month", "day", "instant")
_SHOWN = 80


class _Property(NamedTuple):
    check: Check
    required: bool = False


def check_record(value: JsonValue, where: str | None = None) -> tuple[Problem, ...]:
    """Return everything for which the lexicon refuses ``value``, in the order of the lexicon's properties.

    Args:
        value: what the strict parser read.
        where: file, and line where there is one; put in front of the pointers.
    """
    found = (*_record(value), *_floats(value, ()))
    return found if where is None else tuple(problem.at(where) for problem in found)


def _problem(
    code: str, what: str, path: Path, got: object = None, wanted: str | None = None, *, shown: bool = True
) -> Problem:
    text = None if not shown else ascii(got)
    if text is not None and len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}…"
    return Problem(code, what, text if shown else str(got), wanted, json_pointer(path) or None)


def _record(value: JsonValue) -> Iterator[Problem]:
    if not isinstance(value, Mapping):
        yield _problem("wrong_type", "not a record", (), value, "an object")
        return
    kind = value.get("$type")
    if "$type" not in value:
        yield Problem("missing_field", "record does not say what it is", None, f"$type {NSID!r}", "/$type")
    elif kind != NSID:
        yield _problem("wrong_record_type", "record is something else", ("$type",), kind, repr(NSID))
    yield from _members(value, _RECORD, ())
    both = [name for name in EVENT_NAMES if name in value]
    if len(both) > 1:
        yield _problem("two_event_times", "time of the event stands twice", (both[1],), both[0], "one of the two names")


def _members(value: Mapping[str, JsonValue], properties: Mapping[str, _Property], path: Path) -> Iterator[Problem]:
    for name, (check, required) in properties.items():
        if name in value:
            yield from check(value[name], (*path, name))
        elif required:
            yield Problem("missing_field", "property is missing", wanted=name, where=json_pointer(path) or None)


def _wrong(value: JsonValue, wanted: str, path: Path) -> Iterator[Problem]:
    if value is None:
        yield _problem("null_value", "null is a value, not absence", path, value, f"{wanted}, or no such property")
    else:
        yield _problem("wrong_type", "value has the wrong type", path, value, wanted)


def _text(limit: int | None = None, graphemes: int | None = None) -> Check:
    def check(value: JsonValue, path: Path) -> Iterator[Problem]:
        if not isinstance(value, str):
            yield from _wrong(value, "text", path)
            return
        if limit is not None and (size := utf8_length(value)) > limit:
            yield _problem("too_many_bytes", "text is too long", path, f"{size} bytes", f"at most {limit}", shown=False)
        if graphemes is not None and exceeds_graphemes(value, graphemes):
            count = f"{grapheme_count(value)} graphemes"
            yield _problem("too_many_graphemes", "text is too long", path, count, f"at most {graphemes}", shown=False)

    return check


def _formatted(code: str, noun: str, fits: Callable[[str], object]) -> Check:
    def check(value: JsonValue, path: Path) -> Iterator[Problem]:
        if not isinstance(value, str):
            yield from _wrong(value, f"text, {noun}", path)
        elif not fits(value):
            yield _problem(code, f"not {noun}", path, value)

    return check


def _choice(options: tuple[str, ...]) -> Check:
    def check(value: JsonValue, path: Path) -> Iterator[Problem]:
        if not isinstance(value, str):
            yield from _wrong(value, "text", path)
        elif value not in options:
            yield _problem("unknown_value", "value is not one of a closed set", path, value, ", ".join(options))

    return check


def _many(item: Check, limit: int) -> Check:
    def check(value: JsonValue, path: Path) -> Iterator[Problem]:
        if not isinstance(value, list):
            yield from _wrong(value, "a list", path)
            return
        if len(value) > limit:
            yield _problem(
                "too_many_items", "list is too long", path, f"{len(value)} items", f"at most {limit}", shown=False
            )
        for index, child in enumerate(value):
            yield from item(child, (*path, index))

    return check


def _object(properties: Mapping[str, _Property]) -> Check:
    def check(value: JsonValue, path: Path) -> Iterator[Problem]:
        if isinstance(value, Mapping):
            yield from _members(value, properties, path)
        else:
            yield from _wrong(value, "an object", path)

    return check


def _floats(value: JsonValue, path: Path) -> Iterator[Problem]:
    if isinstance(value, float):
        yield _problem("float_value", "the data model has no floats", path, value, "an integer, or text")
    elif isinstance(value, Mapping):
        for name, child in value.items():
            yield from _floats(child, (*path, name))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _floats(child, (*path, index))


_DATETIME = _formatted("invalid_datetime", "a datetime", is_datetime)
_URI = _formatted("invalid_uri", "a URI", is_uri)
_AT_URI = _formatted("invalid_at_uri", "an at-uri", read_at_uri)
_OCCURRENCE = _object(
    {
        "from": _Property(_DATETIME, required=True),
        "precision": _Property(_choice(_PRECISIONS)),
        "to": _Property(_DATETIME),
    }
)
_PROVENANCE = _object({"agent": _Property(_text(256)), "client": _Property(_URI), "sourceUri": _Property(_URI)})
_RECORD: Mapping[str, _Property] = {
    "content": _Property(_text(MAX_BYTES, MAX_GRAPHEMES), required=True),
    "createdAt": _Property(_DATETIME, required=True),
    "kind": _Property(_text()),
    **{name: _Property(_OCCURRENCE) for name in EVENT_NAMES},
    "provenance": _Property(_PROVENANCE),
    "scope": _Property(_text(512)),
    "supersedes": _Property(_many(_AT_URI, 20)),
    "updatedAt": _Property(_DATETIME),
}
