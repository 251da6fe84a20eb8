"""Rewriting a record's JSON text: what is not changed stays, unknown properties, their order and times as written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from witnessmark.canonical import parse_json
from witnessmark.errors import InputError
from witnessmark.lexicon.record import check_record

if TYPE_CHECKING:
    from witnessmark.canonical import JsonValue

__all__ = ["rewrite_record"]


def rewrite_record(data: bytes, changes: Mapping[str, JsonValue], *, where: str) -> bytes:
    """Return the text of a record with some properties replaced.

    Properties keep their order, new ones come last. Texts are never parsed into anything, so a datetime keeps its
    spelling. The text is UTF-8, indented by two, with a line feed at its end.

    Args:
        data: the record as it was read.
        changes: new values by property.
        where: file, for errors.

    Raises:
        InputError: ``data`` is not strict JSON, or the lexicon refuses it, before or after the change.
    """
    value = parse_json(data, where=where)
    problems = check_record(value, where)
    if problems or not isinstance(value, Mapping):
        raise InputError.from_problems(problems)
    changed = {**value, **changes}
    problems = check_record(changed, f"{where} after the change")
    if problems:
        raise InputError.from_problems(problems)
    return (json.dumps(changed, ensure_ascii=False, indent=2) + "\n").encode("utf-8")
