"""Vectors for the atproto memory lexicon: what a record is refused for, and what masks what."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from witnessmark.lexicon import check_record, masked
from witnessmark.models.base import Many, Record, Text
from witnessmark.vectors.outcome import VectorOutcome, agree

__all__ = ["LexiconProblem", "LexiconVector", "MasksVector", "run_lexicon", "run_masks"]


class LexiconProblem(Record):
    """One thing for which a record is refused."""

    code: Text
    pointer: Text
    """Empty for the whole record."""


class LexiconVector(Record):
    """A record, and everything for which it is refused."""

    format: Literal["witnessmark.vectors.lexicon/0.1"]
    why: Text
    document: JsonValue
    repeat: dict[Text, int] | None = None
    """Times that the text of a property stands in a row, so that a vector may hold a long text."""
    problems: Many[LexiconProblem]
    """Empty: the record is valid."""


class MasksVector(Record):
    """What each record replaces within one space and repository, and what is masked."""

    format: Literal["witnessmark.vectors.lexicon-masks/0.1"]
    why: Text
    supersedes: dict[Text, Many[Text]]
    masked: dict[Text, Many[Text]]


def run_lexicon(name: str, vector: LexiconVector) -> VectorOutcome:
    """Run one vector."""
    document = vector.document
    if isinstance(document, dict):
        times = vector.repeat or {}
        document = {key: value * times[key] if key in times else value for key, value in document.items()}  # type: ignore[operator]
    found = [{"code": item.code, "pointer": item.where or ""} for item in check_record(document)]
    expected: dict[str, object] = {"problems": [item.model_dump() for item in vector.problems]}
    return agree(name, "lexicon", vector.why, expected, {"problems": found})


def run_masks(name: str, vector: MasksVector) -> VectorOutcome:
    """Run one vector."""
    return agree(name, "lexicon", vector.why, {"masked": vector.masked}, {"masked": masked(vector.supersedes)})
