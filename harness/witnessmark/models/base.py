"""The base of every record, the scalar types they are made of, and the one way in from bytes.

- Records are closed (an unknown field is an error) and frozen.
- Scalars are never coerced: ``"5"``, ``1.0`` and ``true`` are no integers, a number is no time.
- A list is accepted where a tuple is stored, and a value where an enum member is; a set never is, it has no order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    Strict,
    ValidationError,
)
from pydantic_core import PydanticCustomError

from witnessmark.canonical import MAX_BYTES, JsonValue, json_pointer, parse_json
from witnessmark.errors import InputError, Problem

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = [
    "Count",
    "Flag",
    "HashValue",
    "JsonScalar",
    "Many",
    "Positive",
    "Record",
    "Share",
    "Text",
    "TextMap",
    "Timestamp",
    "Whole",
    "unique",
    "validation_problems",
]

T = TypeVar("T")
HASH_PATTERN = r"^(?:sha256|shake256):[0-9a-f]{64}$"
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt _]\d{2}:\d{2}")


def _ordered(value: object) -> object:
    if isinstance(value, list | tuple):
        return value
    raise PydanticCustomError("wrong_type", "Input should be a list")


def _scalar(value: object) -> object:
    if isinstance(value, str):
        return str.__str__(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    raise PydanticCustomError("wrong_type", "Input should be a string, an integer, a boolean or null")


def _time(value: object) -> object:
    if isinstance(value, datetime):
        return value
    if isinstance(value, str) and _TIME.match(value):
        return value
    raise PydanticCustomError("wrong_type", "Input should be an RFC 3339 date and time")


def _aware(value: datetime) -> datetime:
    if value.tzinfo is None or value.utcoffset() is None:
        raise PydanticCustomError("naive_timestamp", "Input should name its time zone")
    return value


Text = Annotated[str, Strict()]
"""A string, kept as it is: no trimming, no normalization."""
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
Count = Annotated[int, Strict(), Field(ge=0)]
"""An integer of 0 or more."""
Positive = Annotated[int, Strict(), Field(ge=1)]
"""An integer of 1 or more."""
Share = Annotated[float, Strict(), Field(ge=0.0, le=1.0)]
"""A part of a whole, from 0 to 1."""
HashValue = Annotated[str, Strict(), Field(pattern=HASH_PATTERN)]
"""``sha256:`` or ``shake256:`` followed by 64 lowercase hexadecimal digits."""
JsonScalar = Annotated[
    str | int | bool | None,
    PlainValidator(_scalar, json_schema_input_type=str | int | bool | None),
]
"""String, integer, boolean or null. No floats: write them as strings, so that a digest has one spelling."""
TextMap = dict[Text, Text]
Many = Annotated[tuple[T, ...], BeforeValidator(_ordered)]
"""A tuple that also accepts a list."""
Timestamp = Annotated[datetime, BeforeValidator(_time), AfterValidator(_aware)]
"""A time with its zone; naive times, numbers and dates alone are errors."""


class Record(BaseModel):
    """A closed, frozen record. Its digest is `witnessmark.canonical.canonical_digest` of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    @classmethod
    def from_bytes(cls, data: bytes | str, *, where: str | None = None, max_bytes: int = MAX_BYTES) -> Self:
        """Parse strictly, then validate.

        Raises:
            CanonicalError: the text is not strict JSON.
            InputError: the value is not this record; one problem a field.
        """
        return cls.from_json(parse_json(data, where=where, max_bytes=max_bytes), where=where)

    @classmethod
    def from_json(cls, value: JsonValue, *, where: str | None = None) -> Self:
        """Validate a value that `parse_json` returned.

        Raises:
            InputError: one problem a field, with its JSON pointer.
        """
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise InputError.from_problems(
                validation_problems(error, where=where or cls.__name__, value=value)
            ) from error


_CODES = {"extra_forbidden": "unknown_field", "missing": "missing_field"}
_OURS = frozenset(
    {
        "contradicts_itself",
        "duplicate_id",
        "invalid_instant",
        "missing_tie_policy",
        "naive_timestamp",
        "nothing_required",
        "nothing_to_check",
        "reasons_mismatch",
        "wrong_type",
    }
)


def validation_problems(
    error: ValidationError, *, where: str | None = None, value: object = None
) -> tuple[Problem, ...]:
    """Return the problems that pydantic found in ``value``, under our codes, with JSON pointers into it.

    Without ``value`` the pointers keep what pydantic adds to them, such as the tag of a union.
    """
    details = error.errors(include_url=False, include_context=False)
    return tuple(_problem(detail, value, where) for detail in details)


def _problem(detail: ErrorDetails, value: object, where: str | None) -> Problem:
    kind = detail["type"]
    code = kind if kind in _OURS else _CODES.get(kind) or ("wrong_type" if kind.endswith("_type") else "invalid_value")
    pointer = json_pointer(_path(detail, value))
    shown = ascii(detail["input"]) if kind != "missing" else None
    if shown is not None and len(shown) > 80:
        shown = f"{shown[:77]}..."
    place = " ".join(part for part in (where, pointer) if part)
    return Problem(code, _lower(detail["msg"]), got=shown, where=place or None)


def _path(detail: ErrorDetails, value: object) -> list[str | int]:
    """Return the path of a problem in ``value``: pydantic's location without union tags and key marks."""
    if value is None:
        return list(detail["loc"])
    path: list[str | int] = []
    node: Any = value
    untagged = True
    for step in detail["loc"]:
        if isinstance(node, Mapping):
            if untagged and node.get("kind") == step:
                untagged = False
                continue
            if step in node:
                node, untagged = node[step], True
            elif detail["type"] != "missing":
                continue
        elif isinstance(node, list | tuple) and isinstance(step, int):
            node, untagged = node[step], True
        else:
            continue
        path.append(step)
    return path


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]


def unique(values: list[str] | tuple[str, ...], what: str) -> None:
    """Raise a validation error of type ``duplicate_id`` where a value stands twice."""
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise PydanticCustomError("duplicate_id", "{what} {value} stands twice", {"what": what, "value": value})
        seen.add(value)
