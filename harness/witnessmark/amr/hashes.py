"""Hashes of quotes and ids of claims.

- Written is ``sha256:`` and 64 lowercase hexadecimal digits, and nothing else.
- Read are also MD5, and digits without a prefix, whose algorithm their number decides; both come with a warning.
- Whatever else stands there is refused, never guessed at; the number of digits is checked after a prefix too.
"""

from __future__ import annotations

import hashlib
import re
from typing import Literal, NamedTuple

from witnessmark.amr.normalize import normalize
from witnessmark.amr.refs import canonical_ref
from witnessmark.errors import InputError

__all__ = ["QuoteHash", "claim_id", "parse_quote_hash", "quote_hash"]

_DIGITS = {"sha256": 64, "md5": 32}
_HEX = re.compile(r"[0-9a-f]+")


class QuoteHash(NamedTuple):
    """A stored hash of a quote."""

    algorithm: Literal["sha256", "md5"]
    digits: str
    """Lowercase hexadecimal."""
    prefixed: bool

    def agrees_with(self, quote: str) -> bool:
        """Tell whether this is the hash of the normalized quote."""
        data = normalize(quote).encode()
        if self.algorithm == "sha256":
            return hashlib.sha256(data).hexdigest() == self.digits
        return hashlib.md5(data, usedforsecurity=False).hexdigest() == self.digits


def parse_quote_hash(text: str) -> QuoteHash:
    """Read a stored hash.

    Raises:
        InputError: ``unsupported_hash_algorithm``, ``digest_not_hexadecimal``, ``wrong_digest_length``, or
            ``unknown_digest_length`` where there is no prefix.
    """
    algorithm, colon, digits = text.partition(":")
    if not colon:
        return _bare(text)
    if algorithm not in _DIGITS:
        raise InputError(
            "unsupported hash algorithm",
            code="unsupported_hash_algorithm",
            got=ascii(algorithm[:40]),
            wanted="sha256:, or md5: in records that exist already",
        )
    _require_hexadecimal(digits)
    if len(digits) != _DIGITS[algorithm]:
        raise InputError(
            f"wrong number of digits for {algorithm}",
            code="wrong_digest_length",
            got=str(len(digits)),
            wanted=str(_DIGITS[algorithm]),
        )
    return QuoteHash("sha256" if algorithm == "sha256" else "md5", digits, True)


def quote_hash(quote: str) -> str:
    """Return the hash of a quote as it is written into records."""
    return f"sha256:{hashlib.sha256(normalize(quote).encode()).hexdigest()}"


def claim_id(record_ref: str, text: str) -> str:
    """Return the id of a claim: 16 hexadecimal digits that the record's ref and the claim's words decide.

    The ref counts without a trailing ``.md``, so that both of its spellings give one id.
    """
    data = f"{canonical_ref(record_ref)}:{normalize(text)}"
    return hashlib.sha256(data.encode()).hexdigest()[:16]


def _bare(digits: str) -> QuoteHash:
    _require_hexadecimal(digits)
    if len(digits) == _DIGITS["md5"]:
        return QuoteHash("md5", digits, False)
    if len(digits) == _DIGITS["sha256"]:
        return QuoteHash("sha256", digits, False)
    raise InputError(
        "unrecognized bare digest length",
        code="unknown_digest_length",
        got=f"{len(digits)} digits",
        wanted="sha256: and 64 digits",
    )


def _require_hexadecimal(digits: str) -> None:
    if not _HEX.fullmatch(digits):
        raise InputError(
            "digest is not lowercase hexadecimal",
            code="digest_not_hexadecimal",
            got=ascii(digits[:72]),
            wanted="digits 0-9 and a-f",
        )
