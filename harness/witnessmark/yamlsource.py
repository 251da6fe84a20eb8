"""Strict YAML in, for files that people write: plain data, and the line that every value stands on.

- One document of mappings, lists and scalars. Anchors, aliases, tags, a second document and a byte order mark are
  errors, and so is a key that stands twice in one mapping.
- A plain scalar means what it means in JSON: ``true``, ``false``, ``null``, a JSON number; everything else is text.
  What other readers of YAML take for something else (``yes``, ``~``, ``0x1f``, ``1_000``, dates) has to be quoted;
  on request it is kept as the text that stands there, for files that were not written for us.
- Bounds: bytes and nesting; numbers and text have to be what JSON can hold exactly.
- Every message names file and line.
- libyaml reads, where PyYAML was built with it; what it refuses, PyYAML's own parser decides and explains.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import yaml

from witnessmark.canonical import MAX_DEPTH, MAX_INTEGER, json_pointer
from witnessmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from witnessmark.canonical import JsonValue

__all__ = ["MAX_YAML_BYTES", "KeyPlace", "key_places", "line_of", "load_yaml"]

MAX_YAML_BYTES = 4 * 1024 * 1024
"""Largest YAML text that is read, in bytes; larger sources are better written as JSON."""

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_RESOLVER = yaml.resolver.Resolver()
_FAST = getattr(yaml, "CSafeLoader", None)
_DISPUTED = re.compile(r"[\t\ufeff\x85\u2028\u2029]|[|>][-+0-9]*#")
_TEXT = "tag:yaml.org,2002:str"
_WORDS: dict[str, JsonValue] = {"true": True, "false": False, "null": None, "": None}


class KeyPlace(NamedTuple):
    """Where a key stands in the text."""

    offset: int
    """Characters before it."""
    column: int
    """Characters before it on its line."""
    flow: bool
    """Whether its mapping is written in braces."""


def load_yaml(text: bytes, where: str, *, keep_spelling: bool = False) -> tuple[JsonValue, Mapping[str, int]]:
    """Parse one YAML document strictly.

    With ``keep_spelling`` a plain scalar that has no JSON value of its own (a date, ``yes``, an integer beyond
    ±(2^53−1)) is the text that stands there, as a value and as a key.

    Returns:
        The value, and a map from JSON pointer to line, counted from 1. A member stands on the line of its key.

    Raises:
        InputError: ``too_large``, ``invalid_utf8``, ``byte_order_mark``, ``invalid_yaml``, ``tab_character``,
            ``yaml_alias``, ``yaml_tag``, ``several_documents``, ``duplicate_key``, ``key_is_not_text``, ``too_deep``,
            ``lone_surrogate``; without ``keep_spelling`` also ``ambiguous_yaml``, ``integer_out_of_range`` and
            ``non_finite_number``.
    """
    decoded = _decode(text, where)
    if _FAST is not None and not _is_disputed(decoded):
        reader = _Reader(decoded, where, _FAST, keep_spelling)
        try:
            return reader.parse(), reader.lines
        except (InputError, yaml.YAMLError):
            pass  # read again by the parser that says what is wrong in one and the same way everywhere
    reader = _Reader(decoded, where, yaml.SafeLoader, keep_spelling)
    return reader.document(), reader.lines


def key_places(text: bytes, where: str) -> Mapping[str, KeyPlace]:
    """Return where every key of a document stands, by JSON pointer. Most JSON texts can be read too.

    Raises:
        InputError: as `load_yaml`, but for what is wrong with a scalar.
    """
    reader = _PlaceReader(_decode(text, where), where, yaml.SafeLoader, True)
    reader.document()
    return reader.places


def line_of(lines: Mapping[str, int], pointer: str) -> int:
    """Return the line of ``pointer``, or of the nearest value around it that the source holds."""
    while pointer and pointer not in lines:
        pointer = pointer.rpartition("/")[0]
    return lines.get(pointer, 1)


def _decode(text: bytes, where: str) -> str:
    if len(text) > MAX_YAML_BYTES:
        raise InputError(
            "YAML text is too large",
            code="too_large",
            got=f"{len(text)} bytes",
            wanted=f"at most {MAX_YAML_BYTES}, or JSON",
            where=where,
        )
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InputError(
            "not UTF-8",
            code="invalid_utf8",
            got=f"byte 0x{text[error.start]:02x} at offset {error.start}",
            where=f"{where}:{line}",
        ) from error
    if decoded.startswith("\ufeff"):
        raise InputError(
            "starts with a byte order mark", code="byte_order_mark", wanted="plain UTF-8", where=f"{where}:1"
        )
    return decoded


def _is_disputed(text: str) -> bool:
    """Tell whether libyaml may accept what PyYAML's own parser does not, or count lines in another way."""
    return ("?" in text and ("[" in text or "{" in text)) or _DISPUTED.search(text) is not None


class _Reader:
    """Builds plain data from the parser's events, so that no constructor and no resolver of YAML 1.1 takes part."""

    def __init__(self, text: str, where: str, loader: type[yaml.SafeLoader], keep_spelling: bool) -> None:
        self._text = text
        self._where = where
        self._loader = loader
        self._keep_spelling = keep_spelling
        self.lines: dict[str, int] = {}
        self.places: dict[str, KeyPlace] = {}

    def parse(self) -> JsonValue:
        """Return the only document."""
        events = self._events()
        first = next(events, None)
        if first is None:
            self._fail("invalid_yaml", "holds no document", 1)
        value = self._value(first, events, ())
        extra = next(events, None)
        if extra is not None:
            self._fail("several_documents", "holds more than one document", _line(extra), wanted="one")
        return value

    def document(self) -> JsonValue:
        """Return the only document; what the parser refuses is our error, with its line."""
        try:
            return self.parse()
        except yaml.MarkedYAMLError as error:
            self._syntax(error)
        except yaml.reader.ReaderError as error:
            line = self._text.count("\n", 0, error.position) + 1
            self._fail(
                "invalid_yaml",
                "holds a character that YAML does not allow",
                line,
                got=f"U+{ord(self._text[error.position]):04X}",
            )

    def _events(self) -> Iterator[yaml.Event]:
        for event in yaml.parse(self._text, Loader=self._loader):
            if isinstance(event, yaml.AliasEvent):
                self._fail("yaml_alias", "alias", _line(event), got=f"*{event.anchor}", wanted="the value written out")
            if isinstance(event, yaml.NodeEvent):
                if event.anchor is not None:
                    self._fail(
                        "yaml_alias", "anchor", _line(event), got=f"&{event.anchor}", wanted="the value without it"
                    )
                tag = getattr(event, "tag", None)
                if tag is not None:
                    self._fail("yaml_tag", "tag", _line(event), got=str(tag), wanted="plain data")
                yield event
            elif isinstance(event, yaml.CollectionEndEvent):
                yield event

    def _value(self, event: yaml.Event, events: Iterator[yaml.Event], path: tuple[str | int, ...]) -> JsonValue:
        self.lines.setdefault(json_pointer(path), _line(event))
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path)
        if len(path) >= MAX_DEPTH:
            self._fail("too_deep", "nesting is too deep", _line(event), wanted=f"at most {MAX_DEPTH} levels")
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[JsonValue] = []
            while not isinstance(event := next(events), yaml.SequenceEndEvent):
                items.append(self._value(event, events, (*path, len(items))))
            return items
        return self._mapping(events, path, bool(getattr(event, "flow_style", False)))

    def _mapping(self, events: Iterator[yaml.Event], path: tuple[str | int, ...], flow: bool) -> JsonValue:
        members: dict[str, JsonValue] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            line = _line(event)
            key = self._scalar(event, path) if isinstance(event, yaml.ScalarEvent) else event
            if self._keep_spelling and isinstance(event, yaml.ScalarEvent):
                key = str(event.value)
            if not isinstance(key, str):
                shown = repr(key) if isinstance(event, yaml.ScalarEvent) else "a list or mapping"
                self._fail("key_is_not_text", "key is not text", line, path, got=shown, wanted="text; quote it")
            inner = (*path, key)
            if key in members:
                first = self.lines[json_pointer(inner)]
                self._fail("duplicate_key", "key stands twice in one mapping", line, inner, got=f"also on line {first}")
            pointer = json_pointer(inner)
            self.lines[pointer] = line
            if event.start_mark is not None:
                self.places[pointer] = KeyPlace(event.start_mark.index, event.start_mark.column, flow)
            members[key] = self._value(next(events), events, inner)
        return members

    def _scalar(self, event: yaml.ScalarEvent, path: tuple[str | int, ...]) -> JsonValue:
        text = str(event.value)
        if event.style:  # quoted or a block: always text
            if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
                self._fail("lone_surrogate", "text holds a lone surrogate", _line(event), path, got=ascii(text))
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            exact = len(text) <= 17 and -MAX_INTEGER <= int(text) <= MAX_INTEGER
            if self._keep_spelling:
                return int(text) if exact else text
            if not exact:
                self._fail(
                    "integer_out_of_range",
                    "integer is not exact in JSON",
                    _line(event),
                    path,
                    got=text[:40],
                    wanted="at most ±(2^53−1)",
                )
            return int(text)
        if _NUMBER.fullmatch(text):
            number = float(text)
            if self._keep_spelling and not math.isfinite(number):
                return text
            if not math.isfinite(number):
                self._fail("non_finite_number", "number is not finite", _line(event), path, got=text[:40])
            return number
        if self._keep_spelling:
            return text
        if _RESOLVER.resolve(yaml.ScalarNode, text, (True, False)) != _TEXT:  # type: ignore[no-untyped-call]
            self._fail(
                "ambiguous_yaml",
                "plain text that others read as something else",
                _line(event),
                path,
                got=text[:40],
                wanted="it in quotes, or a JSON value",
            )
        return text

    def _syntax(self, error: yaml.MarkedYAMLError) -> NoReturn:
        mark = error.problem_mark
        line = 1 if mark is None else mark.line + 1
        rows = self._text.splitlines()
        row = rows[line - 1] if line <= len(rows) else ""
        if "\t" in row[: len(row) - len(row.lstrip())]:
            self._fail("tab_character", "line is indented with a tab", line, wanted="spaces")
        what = f"not YAML: {error.problem or error.context or 'cannot be read'}"
        self._fail("invalid_yaml", what, line, got=ascii(row.strip()[:60]) if row.strip() else None)

    def _fail(
        self,
        code: str,
        what: str,
        line: int,
        path: tuple[str | int, ...] = (),
        *,
        got: str | None = None,
        wanted: str | None = None,
    ) -> NoReturn:
        pointer = json_pointer(path).encode("utf-8", "backslashreplace").decode("utf-8")
        place = f"{self._where}:{line} {pointer}" if pointer else f"{self._where}:{line}"
        raise InputError(what, code=code, got=got, wanted=wanted, where=place)


class _PlaceReader(_Reader):
    """Reads for the places alone: in JSON an escaped pair of surrogates is a character, here it is none."""

    def _scalar(self, event: yaml.ScalarEvent, path: tuple[str | int, ...]) -> JsonValue:
        return str(event.value)


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    return 1 if mark is None else mark.line + 1
