"""Records as they stand in files: Markdown with YAML front matter, or JSON.

- Front matter is everything between a first line ``---`` and the next line ``---``; what follows is the body.
- Values keep their meaning: what JSON has no value for (dates, ``yes``) is the text that stands there.
- Refused with file and line: what `witnessmark.yamlsource` refuses, carriage returns, line breaks that editors do not
  count, and front matter of more than 1 MiB.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import parse_json
from witnessmark.errors import InputError
from witnessmark.yamlsource import line_of, load_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from witnessmark.canonical import JsonValue

__all__ = [
    "MAX_FRONT_MATTER_BYTES",
    "AmrDocument",
    "FrontMatter",
    "has_front_matter",
    "parse_json_records",
    "parse_markdown",
    "split_front_matter",
    "yaml_text",
]

MAX_FRONT_MATTER_BYTES = 1024 * 1024
"""Largest front matter that is read, in bytes."""

_MARK = re.compile(rb"---[ \t]*\r?(?:\n|\Z)")
_END = re.compile(rb"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_ODD_BREAK = re.compile("\r|\x85|\u2028|\u2029".encode())
_BOM = "\ufeff".encode()
_MAX_LOCATED = 1024 * 1024
"""JSON texts above this many bytes get no line numbers: finding them takes longer than parsing."""


class FrontMatter(NamedTuple):
    """Where the parts of a Markdown file are."""

    start: int
    """Offset of the first byte after the opening line."""
    end: int
    """Offset of the closing line."""
    body: int
    """Offset of the first byte after the closing line."""


class AmrDocument:
    """One record with its fields, as they stand in its file."""

    def __init__(
        self,
        where: str,
        fields: Mapping[str, JsonValue],
        *,
        body: str,
        data: bytes,
        pointer: str = "",
        lines: Mapping[str, int] | None = None,
    ) -> None:
        self.where = where
        """The file, for messages."""
        self.fields = fields
        """Every field, also those that we do not know."""
        self.body = body
        """The text after the front matter; empty for JSON."""
        self.pointer = pointer
        """Of the record in its file: empty, but in a list of records."""
        self._given = lines
        self._data = data

    def place(self, pointer: str = "") -> str:
        """Return file, line and pointer of a field; of JSON that is too long the line is left out."""
        shown = self.pointer + pointer
        line = line_of(self._lines, shown) if self._lines else None
        return " ".join(part for part in (self.where if line is None else f"{self.where}:{line}", shown) if part)

    @cached_property
    def _lines(self) -> Mapping[str, int]:
        if self._given is not None:
            return self._given
        # Almost every JSON text is YAML too, with the same values. Where one is not, the pointer has to do.
        try:
            return load_yaml(self._data, self.where)[1] if len(self._data) <= _MAX_LOCATED else {}
        except InputError:
            return {}


def has_front_matter(data: bytes) -> bool:
    """Tell whether a Markdown file begins as a record does; a byte order mark before it does not hide one."""
    return _MARK.match(data, len(_BOM) if data.startswith(_BOM) else 0) is not None


def split_front_matter(data: bytes, where: str) -> FrontMatter:
    """Return where front matter and body are in a file that begins with ``---``.

    Raises:
        InputError: ``byte_order_mark``, ``no_front_matter``, ``front_matter_not_closed`` or ``too_large``.
    """
    if data.startswith(_BOM):
        raise InputError(
            "starts with a byte order mark", code="byte_order_mark", wanted="plain UTF-8", where=f"{where}:1"
        )
    first = _MARK.match(data)
    if first is None:
        raise InputError("no front matter", code="no_front_matter", wanted="a first line ---", where=f"{where}:1")
    last = _END.search(data, first.end())
    size = (len(data) if last is None else last.start()) - first.end()
    if size > MAX_FRONT_MATTER_BYTES:
        raise InputError(
            "front matter is too large",
            code="too_large",
            got=f"{size} bytes",
            wanted=f"at most {MAX_FRONT_MATTER_BYTES}",
            where=f"{where}:1",
        )
    if last is None:
        raise InputError(
            "front matter is not closed", code="front_matter_not_closed", wanted="a line ---", where=f"{where}:1"
        )
    return FrontMatter(first.end(), last.start(), last.end())


def yaml_text(data: bytes, parts: FrontMatter) -> bytes:
    """Return the YAML of a Markdown file with lines and offsets as they are in the file."""
    return b" " * (parts.start - 1) + b"\n" + data[parts.start : parts.end]


def parse_markdown(data: bytes, where: str) -> AmrDocument:
    """Parse a Markdown file that begins with ``---``.

    Raises:
        InputError: as `split_front_matter` and `witnessmark.yamlsource.load_yaml`, ``carriage_return``,
            ``line_separator``, ``invalid_utf8`` (in the body) or ``not_a_mapping``.
    """
    parts = split_front_matter(data, where)
    # From the opening line on, so that lines are counted as in the file.
    odd = _ODD_BREAK.search(data, 0, parts.end)
    if odd is not None:
        line = data.count(b"\n", 0, odd.start()) + 1
        found = odd.group().decode()
        code = "carriage_return" if found == "\r" else "line_separator"
        what = "carriage return" if found == "\r" else "line break that most editors do not show"
        raise InputError(
            f"{what} in the front matter",
            code=code,
            got=f"U+{ord(found):04X}",
            wanted="line feeds",
            where=f"{where}:{line}",
        )
    fields, lines = load_yaml(yaml_text(data, parts), where, keep_spelling=True)
    if not isinstance(fields, dict):
        raise InputError("front matter is no mapping", code="not_a_mapping", wanted="name: value", where=f"{where}:2")
    return AmrDocument(where, fields, body=_body(data, parts.body, where), data=b"", lines=lines)


def parse_json_records(data: bytes, where: str) -> tuple[AmrDocument, ...]:
    """Parse a JSON file: one record, or a list of records.

    Raises:
        InputError: as `witnessmark.canonical.parse_json`, or ``not_a_mapping``.
    """
    value = parse_json(data, where=where)
    items = value if isinstance(value, list) else [value]
    documents = []
    for index, fields in enumerate(items):
        pointer = f"/{index}" if isinstance(value, list) else ""
        if not isinstance(fields, dict):
            place = f"{where} {pointer}".rstrip()
            raise InputError("record is no object", code="not_a_mapping", wanted='{"name": value}', where=place)
        documents.append(AmrDocument(where, fields, body="", data=data, pointer=pointer))
    return tuple(documents)


def _body(data: bytes, start: int, where: str) -> str:
    try:
        return data[start:].decode("utf-8")
    except UnicodeDecodeError as error:
        at = start + error.start
        line = data.count(b"\n", 0, at) + 1
        raise InputError(
            "not UTF-8", code="invalid_utf8", got=f"byte 0x{data[at]:02x} at offset {at}", where=f"{where}:{line}"
        ) from error
