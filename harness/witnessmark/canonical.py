"""Strict JSON in, RFC 8785 bytes and digests out. The only module that knows the canonicalizer.

- `parse_json` refuses what other parsers repair: duplicate keys, NaN and infinities, numbers that overflow, lone
  surrogates, integers beyond ±(2^53−1), a byte order mark, nesting deeper than 64, more bytes than the limit.
- A float that RFC 8785 writes as an integer beyond ±(2^53−1) is refused with it: its canonical form could not be read.
- In a record's canonical form null is absence: absent fields and null members of maps are left out.
- No text is normalized: strings that differ only by Unicode normalization stay different.
- Everything the canonicalizer raises leaves here as a `CanonicalError` with a code and a JSON pointer.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import rfc8785

from witnessmark.errors import CanonicalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import BaseModel

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_INTEGER",
    "JsonValue",
    "canonical_bytes",
    "canonical_digest",
    "json_pointer",
    "model_bytes",
    "parse_canonical",
    "parse_json",
    "plain_bytes",
    "sha256_digest",
]

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"

MAX_BYTES = 256 * 1024 * 1024
"""Largest JSON text that is read at once, in bytes."""
MAX_DEPTH = 64
"""Deepest nesting of arrays and objects; a scalar has depth 0."""
MAX_INTEGER = 2**53 - 1
"""Largest absolute value of an integer (RFC 8785 §3.2.2.3, I-JSON)."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]', re.DOTALL)


class _Duplicate(dict[str, object]):
    """An object in which a key stood twice, kept until the walk knows its pointer."""

    key: str


class _Refused:
    """A number literal without an exact finite value, kept until the walk knows its pointer."""

    def __init__(self, literal: str) -> None:
        self.literal = literal


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    marked = _Duplicate(plain)
    counts = Counter(key for key, _ in pairs)
    marked.key = next(key for key, count in counts.items() if count > 1)
    return marked


def _float(literal: str) -> object:
    value = float(literal)
    size = abs(value)
    # Between 2^53 and 10^21 the canonical form is a plain integer, which would be refused when read again.
    return value if size <= MAX_INTEGER or 1e21 <= size < math.inf else _Refused(literal)


def _int(literal: str) -> object:
    # Python refuses to convert very long digit strings; all of those are out of range anyway.
    return int(literal) if len(literal) <= 300 else _Refused(literal)


# For plain values (see _is_plain) the standard encoder writes the same bytes as rfc8785, several times faster:
# code-point order and UTF-16 order agree on ASCII keys, and only floats are spelled differently.
_PLAIN = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), check_circular=False)

_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=_float, parse_int=_int, parse_constant=_Refused)


def json_pointer(path: Sequence[str | int]) -> str:
    """Return the RFC 6901 pointer for ``path``; the empty string is the whole document."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def parse_json(text: bytes | str, *, where: str | None = None, max_bytes: int = MAX_BYTES) -> JsonValue:
    """Parse one JSON text strictly.

    Args:
        text: UTF-8 bytes, or a string.
        where: name of the source, put in front of the pointer in errors.
        max_bytes: size limit in bytes.

    Raises:
        CanonicalError: with one of the codes ``too_large``, ``invalid_utf8``, ``byte_order_mark``, ``invalid_json``,
            ``duplicate_key``, ``non_finite_number``, ``lone_surrogate``, ``integer_out_of_range``, ``too_deep``.
    """
    decoded = _decode(text, where, max_bytes)
    try:
        value = _DECODER.decode(decoded)
    except RecursionError:
        _fail("too_deep", "nesting is too deep", None, f"at most {MAX_DEPTH} levels", _deep_path(decoded), where)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise CanonicalError(
            f"not JSON: {error.msg}", code="invalid_json", where=f"{where}: {place}" if where else place
        ) from error
    if not _is_sound(value):
        _check(value, where)
    return value  # type: ignore[no-any-return]


def parse_canonical(data: bytes, *, where: str | None = None, max_bytes: int = MAX_BYTES) -> JsonValue:
    """Parse JSON that must already be its own RFC 8785 form, byte for byte.

    Raises:
        CanonicalError: as `parse_json`, or ``not_canonical`` where the bytes are another spelling of the same value.
    """
    value = parse_json(data, where=where, max_bytes=max_bytes)
    wanted = canonical_bytes(value, where=where)
    if wanted != data:
        offset = next((i for i, (a, b) in enumerate(zip(data, wanted, strict=False)) if a != b), len(wanted))
        raise CanonicalError(
            "not in canonical form",
            code="not_canonical",
            got=f"{data[offset : offset + 20]!r} at byte {offset}",
            wanted=f"{wanted[offset : offset + 20]!r} (RFC 8785)",
            where=where,
        )
    return value


def canonical_bytes(value: object, *, where: str | None = None) -> bytes:
    """Return the RFC 8785 bytes of a JSON value.

    Raises:
        CanonicalError: ``non_finite_number``, ``integer_out_of_range``, ``lone_surrogate``, ``too_deep`` or
            ``not_json`` (a type that JSON does not have), with the JSON pointer.
    """
    try:
        if _is_plain(value):
            return _PLAIN.encode(value).encode("utf-8")
        if not _is_sound(value):
            _check(value, where)
        return rfc8785.dumps(value)  # type: ignore[arg-type]
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        # A lone surrogate in a plain value is a UnicodeEncodeError, which is a ValueError.
        _check(value, where)
        raise CanonicalError(f"no canonical form: {error}", code="not_canonical", where=where) from error


def plain_bytes(value: object) -> bytes:
    """Return the RFC 8785 bytes of a value that the caller built from plain parts only.

    Plain means: text, integers within ±(2^53−1), booleans, nulls, lists, and objects with ASCII keys. It is not
    checked; use `canonical_bytes` where a part comes from outside.

    Raises:
        CanonicalError: ``lone_surrogate``, with the JSON pointer.
    """
    try:
        return _PLAIN.encode(value).encode("utf-8")
    except UnicodeEncodeError:
        return canonical_bytes(value)


def model_bytes(model: BaseModel) -> bytes:
    """Return the RFC 8785 bytes of a model (wire contract, introduction).

    Defaults are included; absent (None) fields and null members of maps are left out. A null in a list stays.

    Raises:
        CanonicalError: as `canonical_bytes`.
    """
    dumped = model.model_dump(mode="json", exclude_none=True)
    data = canonical_bytes(dumped, where=type(model).__name__)
    # Most records hold no null, and this finds none faster than a walk does.
    return canonical_bytes(_without_nulls(dumped)) if b":null" in data else data


def canonical_digest(value: BaseModel | JsonValue) -> str:
    """Return ``sha256:`` + SHA-256 over the RFC 8785 bytes of a model (as `model_bytes`) or of a JSON value as it is.

    Raises:
        CanonicalError: as `canonical_bytes`.
    """
    dump = getattr(value, "model_dump", None)
    return sha256_digest(canonical_bytes(value) if dump is None else model_bytes(value))  # type: ignore[arg-type]


def sha256_digest(data: bytes) -> str:
    """Return ``sha256:`` + 64 lowercase hexadecimal digits over ``data`` as it is."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _is_plain(value: object, depth: int = 0) -> bool:
    """Tell whether ``value`` holds only text, exact integers, booleans, nulls, lists and objects with ASCII keys."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return True
    if kind is int:
        return -MAX_INTEGER <= value <= MAX_INTEGER  # type: ignore[operator]
    if depth >= MAX_DEPTH:
        return False
    if kind is dict:
        for key, child in value.items():  # type: ignore[attr-defined]
            if (
                type(key) is not str
                or not key.isascii()
                or (type(child) is not str and not _is_plain(child, depth + 1))
            ):
                return False
        return True
    if kind is list or kind is tuple:
        for child in value:  # type: ignore[attr-defined]  # noqa: SIM110 - a generator costs half as much again
            if type(child) is not str and not _is_plain(child, depth + 1):
                return False
        return True
    return False


def _decode(text: bytes | str, where: str | None, max_bytes: int) -> str:
    size = len(text) if isinstance(text, bytes) or text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise CanonicalError(
            "JSON text is too large", code="too_large", got=f"{size} bytes", wanted=f"at most {max_bytes}", where=where
        )
    if isinstance(text, str):
        decoded = text
    else:
        try:
            decoded = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CanonicalError(
                "not UTF-8",
                code="invalid_utf8",
                got=f"byte 0x{text[error.start]:02x} at offset {error.start}",
                where=where,
            ) from error
    if decoded.startswith("\ufeff"):
        raise CanonicalError("starts with a byte order mark", code="byte_order_mark", wanted="plain UTF-8", where=where)
    return decoded


def _fail(
    code: str, what: str, got: str | None, wanted: str | None, path: Sequence[str | int], where: str | None
) -> NoReturn:
    pointer = json_pointer(path)
    # A pointer may itself hold the surrogate that is being reported; show it escaped.
    shown = pointer.encode("utf-8", "backslashreplace").decode("utf-8")
    place = " ".join(part for part in (where, shown) if part)
    raise CanonicalError(what, code=code, got=got, wanted=wanted, where=place or None)


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _is_sound(value: object) -> bool:
    """Tell quickly, without paths, whether a value is plain JSON; where it says no, `_check` decides."""
    level: list[Any] = [value]
    depth = 0
    while level:
        below: list[Any] = []
        for item in level:
            kind = type(item)
            if kind is str:
                if not _is_unicode(item):
                    return False
            elif kind is dict:
                if depth == MAX_DEPTH or not all(type(key) is str and _is_unicode(key) for key in item):
                    return False
                below.extend(item.values())
            elif kind is list:
                if depth == MAX_DEPTH:
                    return False
                below.extend(item)
            elif kind is int:
                if not -MAX_INTEGER <= item <= MAX_INTEGER:
                    return False
            elif kind is float:
                if not math.isfinite(item):
                    return False
            elif item is not None and kind is not bool:
                return False
        level, depth = below, depth + 1
    return True


def _without_nulls(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _without_nulls(child) for key, child in value.items() if child is not None}
    if isinstance(value, list):
        return [_without_nulls(child) for child in value]
    return value


def _check(value: object, where: str | None) -> None:
    """Walk a value in document order and raise for the first thing JSON or RFC 8785 cannot hold."""
    stack: list[tuple[object, tuple[str | int, ...]]] = [(value, ())]
    while stack:
        item, path = stack.pop()
        if isinstance(item, str):
            if not _is_unicode(item):
                _fail("lone_surrogate", "string holds a lone surrogate", ascii(item), "Unicode text", path, where)
        elif item is None or isinstance(item, bool):
            continue
        elif isinstance(item, int):
            if not -MAX_INTEGER <= item <= MAX_INTEGER:
                _fail(
                    "integer_out_of_range", "integer is not exact in JSON", str(item), "at most ±(2^53−1)", path, where
                )
        elif isinstance(item, float):
            if not math.isfinite(item):
                _fail("non_finite_number", "number is not finite", repr(item), "a finite number", path, where)
        elif isinstance(item, _Refused):
            _check_literal(item.literal, path, where)
        elif isinstance(item, dict | list | tuple):
            if len(path) >= MAX_DEPTH:
                _fail("too_deep", "nesting is too deep", None, f"at most {MAX_DEPTH} levels", path, where)
            stack.extend(reversed(_children(item, path, where)))
        else:
            _fail("not_json", "JSON has no such type", type(item).__name__, "a JSON value", path, where)


def _check_literal(literal: str, path: tuple[str | int, ...], where: str | None) -> NoReturn:
    shown = literal if len(literal) <= 40 else f"{literal[:40]}…"
    if literal.lstrip("-").isdigit():
        _fail("integer_out_of_range", "integer is not exact in JSON", shown, "at most ±(2^53−1)", path, where)
    if math.isfinite(float(literal)):
        wanted = "at most ±(2^53−1), or 1e21 or more"
        _fail("integer_out_of_range", "number is written as an inexact integer", shown, wanted, path, where)
    _fail("non_finite_number", "number is not finite", shown, "a finite number", path, where)


def _children(
    item: dict[str, object] | list[object] | tuple[object, ...], path: tuple[str | int, ...], where: str | None
) -> list[tuple[object, tuple[str | int, ...]]]:
    if not isinstance(item, dict):
        return [(child, (*path, index)) for index, child in enumerate(item)]
    if isinstance(item, _Duplicate):
        _fail("duplicate_key", "key stands twice in one object", repr(item.key), None, (*path, item.key), where)
    for key in item:
        if not isinstance(key, str):
            _fail("not_json", "object key is not a string", repr(key), "a string", path, where)
        if not _is_unicode(key):
            _fail("lone_surrogate", "key holds a lone surrogate", ascii(key), "Unicode text", (*path, key), where)
    return [(child, (*path, key)) for key, child in item.items()]


def _deep_path(text: str) -> tuple[str | int, ...]:
    """Return the path of the first container below `MAX_DEPTH`, which the parser has seen, without recursion."""
    path: list[str | int] = []
    objects: list[bool] = []
    key_next = False
    tokens = _TOKEN.finditer(text)
    while len(objects) <= MAX_DEPTH:
        token = next(tokens).group()
        if token in "{[":
            objects.append(token == "{")
            path.append("" if token == "{" else 0)
            key_next = token == "{"
        elif token in "}]":
            objects.pop()
            path.pop()
        elif token == ",":
            key_next = objects[-1]
            last = path[-1]
            if isinstance(last, int):
                path[-1] = last + 1
        elif token.startswith('"') and key_next:
            path[-1] = json.loads(token, strict=False)
            key_next = False
    return tuple(path[:MAX_DEPTH])
