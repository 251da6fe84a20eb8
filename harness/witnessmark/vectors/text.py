"""Vectors for canonicalization: a JSON text, and its RFC 8785 form or the code under which it is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from witnessmark.canonical import canonical_bytes, parse_json, sha256_digest
from witnessmark.errors import CanonicalError
from witnessmark.models.base import HashValue, Record, Text
from witnessmark.vectors.outcome import VectorOutcome, agree

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CanonicalVector", "run_canonical"]


class CanonicalVector(Record):
    """A JSON text and what becomes of it."""

    format: Literal["witnessmark.vectors.canonical/0.1"]
    why: Text
    text: Text | None = None
    text_hex: Text | None = None
    """The text's bytes, where they are no UTF-8 or start with a byte order mark."""
    canonical_hex: Text | None = None
    sha256: HashValue | None = None
    error: Text | None = None
    pointer: Text | None = None
    """Where the error is, as a JSON pointer; absent where the text has no such place."""

    @model_validator(mode="after")
    def _is_one_case(self) -> CanonicalVector:
        accepted = self.canonical_hex is not None and self.sha256 is not None
        if (self.text is None) == (self.text_hex is None) or accepted == (self.error is not None):
            raise PydanticCustomError(
                "contradicts_itself", "a vector has text or text_hex, and canonical_hex with sha256 or an error"
            )
        return self

    @property
    def input(self) -> bytes:
        """Return the bytes to parse."""
        return self.text.encode() if self.text is not None else bytes.fromhex(self.text_hex or "")


def run_canonical(
    name: str, vector: CanonicalVector, canonicalize: Callable[[object], bytes] = canonical_bytes
) -> VectorOutcome:
    """Run one vector; another canonicalizer than ours can be put to the same test."""
    expected: dict[str, object] = {
        "canonical_hex": vector.canonical_hex,
        "sha256": vector.sha256,
        "error": vector.error,
        "pointer": vector.pointer,
    }
    got: dict[str, object]
    try:
        data = canonicalize(parse_json(vector.input))
        got = {"canonical_hex": data.hex(), "sha256": sha256_digest(data)}
    except CanonicalError as error:
        where = error.problems[0].where
        got = {"error": error.code, "pointer": where if where is None or where.startswith("/") else None}
    return agree(name, "canonical", vector.why, expected, got)
