"""Memory records from JSONL: strict, one record a line, every problem with file and line.

- Blank lines and a missing final line feed are fine, CRLF too; a byte order mark is not.
- A key that stands twice is a problem that names both lines.
- What could not be read back from a log is refused here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark import linefiles
from witnessmark.canonical import MAX_DEPTH, json_pointer, parse_json
from witnessmark.checkpoint.operations import MAX_LINE_BYTES
from witnessmark.errors import InputError, Problem
from witnessmark.models import MemoryRecord

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from witnessmark.canonical import JsonValue

__all__ = ["kept_record", "read_lines", "read_records"]

_RECORD_DEPTH = MAX_DEPTH - 1
"""A record lies one level down in its operation, which has to stay within `MAX_DEPTH`."""


def read_records(path: Path) -> Iterator[MemoryRecord]:
    """Yield the records of a JSONL file in its order; what is wrong with the file is raised at its end, all at once.

    A record that could not be kept (``too_deep``) is a problem like a malformed one.

    Raises:
        InputError: ``unreadable_file``, ``no_records``, ``duplicate_key``, or what the parser and the model refuse.
    """
    problems: list[Problem] = []
    lines: dict[str, int] = {}
    for number, line in read_lines(path):
        where = f"{path}:{number}"
        try:
            record = kept_record(_value(line), where)
        except InputError as error:
            problems.extend(error.problems)
        else:
            first = lines.setdefault(record.key, number)
            if first != number:
                stands = f"{record.key!r}, also on line {first}"
                problems.append(Problem("duplicate_key", "key stands twice", stands, "one record a key", where))
            elif not problems:
                yield record
        if len(problems) >= linefiles.MAX_PROBLEMS:
            more = Problem("too_many_problems", f"reading stopped after {linefiles.MAX_PROBLEMS} problems", where=where)
            raise InputError.from_problems((*problems[: linefiles.MAX_PROBLEMS], more))
    if problems:
        raise InputError.from_problems(tuple(problems))
    if not lines:
        raise InputError("no record in the file", code="no_records", wanted="1 or more", where=str(path))


def read_lines(path: Path) -> Iterator[tuple[int, JsonValue | InputError]]:
    """Yield the lines of a JSONL file with their numbers, each as its value or as what is wrong with it.

    Raises:
        InputError: ``unreadable_file``, or ``too_large``: a line is longer than `MAX_LINE_BYTES`.
    """
    for number, data in linefiles.read_lines(path, max_bytes=MAX_LINE_BYTES):
        where = f"{path}:{number}"
        try:
            yield number, parse_json(data, where=where)
        except InputError as error:
            problems = tuple(linefiles.without_inner_line(problem, where) for problem in error.problems)
            yield number, InputError.from_problems(problems)  # type: ignore[misc]


def kept_record(value: JsonValue, where: str) -> MemoryRecord:
    """Return a record that a log can keep and give back.

    Raises:
        InputError: what the model refuses, or ``too_deep``.
    """
    record = MemoryRecord.from_json(value, where=where)
    for name, extra in (record.model_extra or {}).items():
        _check_depth(extra, (name,), where)
    return record


def _value(line: JsonValue | InputError) -> JsonValue:
    if isinstance(line, InputError):
        raise line
    return line


def _check_depth(value: object, path: tuple[str | int, ...], where: str) -> None:
    if isinstance(value, dict | list):
        if len(path) >= _RECORD_DEPTH:
            raise InputError(
                "nesting is too deep",
                code="too_deep",
                wanted=f"at most {_RECORD_DEPTH} levels in a record",
                where=f"{where} {json_pointer(path)}",
            )
        children = value.items() if isinstance(value, dict) else enumerate(value)
        for step, child in children:
            _check_depth(child, (*path, step), where)
