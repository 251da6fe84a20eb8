"""Records from files that people write: YAML or JSON in, one record out, every problem with its file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from witnessmark.canonical import parse_json
from witnessmark.errors import InputError
from witnessmark.models import Record
from witnessmark.yamlsource import line_of, load_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from witnessmark.canonical import JsonValue

__all__ = ["parse_source"]

R = TypeVar("R", bound=Record)

_YAML = (".yaml", ".yml")
_MAX_LOCATED = 1024 * 1024
"""JSON texts above this many bytes get no line numbers: finding them would take longer than the reader waits."""


def parse_source(record_type: type[R], data: bytes, where: str) -> R:
    """Parse one record; ``where`` is its file name, and YAML where that ends in ``.yaml`` or ``.yml``.

    Raises:
        InputError: the text is malformed or not this record; one problem a field, with file, line and JSON pointer.
    """
    value: JsonValue
    if where.endswith(_YAML):
        value, lines = load_yaml(data, where)
    else:
        value, lines = parse_json(data, where=where), None
    try:
        return record_type.from_json(value, where=where)
    except InputError as error:
        known = _lines_of_json(data, where) if lines is None else lines
        problems = tuple(
            problem._replace(where=_with_line(problem.where or where, where, known)) for problem in error.problems
        )
        raise InputError.from_problems(problems) from error


def _with_line(place: str, where: str, lines: Mapping[str, int]) -> str:
    pointer = place.removeprefix(where).lstrip()
    return f"{where}:{line_of(lines, pointer)} {pointer}".rstrip() if lines else place


def _lines_of_json(data: bytes, where: str) -> Mapping[str, int]:
    # Almost every JSON text is YAML too, with the same values. Where one is not, the pointer has to do.
    try:
        return load_yaml(data, where)[1] if len(data) <= _MAX_LOCATED else {}
    except InputError:
        return {}
