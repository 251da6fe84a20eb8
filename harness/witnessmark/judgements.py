"""Relevance judgements from files: TREC qrels, or JSONL where the name ends in ``.jsonl``.

- TREC qrels: ``id iteration key relevance``, parted by blanks; the iteration is ignored, as trec_eval ignores it.
- JSONL: one `Judgement` a line, for ids, keys and queries with blanks in them.
- An item that is judged twice for one request is a problem that names both lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from witnessmark.canonical import parse_json
from witnessmark.errors import InputError, Problem
from witnessmark.linefiles import parse_lines
from witnessmark.models.quality import Judgement

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_judgements"]

_RELEVANCE = re.compile(r"-?[0-9]{1,9}")


def read_judgements(path: Path) -> tuple[Judgement, ...]:
    """Return the judgements of a file, in its order.

    Raises:
        InputError: ``unreadable_file``, ``no_judgements``, ``invalid_qrels``, ``duplicate_judgement``, or what the
            parser and the model refuse; every problem with file and line.
    """
    rows = parse_lines(path, _from_json if path.suffix == ".jsonl" else _from_qrels)
    first: dict[tuple[object, ...], int] = {}
    problems = []
    for number, row in rows:
        request = row.id if row.id is not None else (row.query, tuple(sorted((row.context or {}).items())))
        before = first.setdefault((request, row.key), number)
        if before != number:
            stands = f"{row.key!r}, also on line {before}"
            problems.append(
                Problem("duplicate_judgement", "item is judged twice", stands, "one line", f"{path}:{number}")
            )
    if problems:
        raise InputError.from_problems(tuple(problems))
    if not rows:
        raise InputError("no judgement in the file", code="no_judgements", wanted="1 or more", where=str(path))
    return tuple(row for _, row in rows)


def _from_json(data: bytes, where: str) -> Judgement:
    return Judgement.from_json(parse_json(data, where=where), where=where)


def _from_qrels(data: bytes, where: str) -> Judgement:
    try:
        fields = data.decode("utf-8").split()
    except UnicodeDecodeError as error:
        raise InputError("line is not UTF-8", code="invalid_qrels", where=where) from error
    if len(fields) != 4 or not _RELEVANCE.fullmatch(fields[3]):
        raise InputError(
            "line is no judgement",
            code="invalid_qrels",
            got=ascii(" ".join(fields)),
            wanted="id iteration key relevance, the last an integer",
            where=where,
        )
    return Judgement(id=fields[0], key=fields[2], relevance=int(fields[3]))
