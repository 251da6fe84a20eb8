"""Refs: how records and sources are named, and what a name may never be.

- A ref is ASCII: a letter or digit, then letters, digits, ``.``, ``_``, ``/`` and ``-``; it holds no ``..``.
- Nothing is trimmed or repaired. A trailing ``.md`` is allowed and names the same record as the ref without it.
"""

from __future__ import annotations

import re

from witnessmark.errors import Problem

__all__ = ["MAX_REF_LENGTH", "canonical_ref", "ref_problem"]

MAX_REF_LENGTH = 512
"""Characters of a ref."""

_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_WANTED = "ASCII letters, digits and . _ / -, a letter or digit first, no .."


def ref_problem(value: object) -> Problem | None:
    """Return what is wrong with a ref, or None where it is well-formed."""
    if not isinstance(value, str):
        return Problem("malformed_ref", "malformed ref", _shown(value), "text")
    if not _REF.fullmatch(value) or ".." in value:
        return Problem("malformed_ref", "malformed ref", _shown(value), _WANTED)
    if len(value) > MAX_REF_LENGTH:
        return Problem(
            "malformed_ref", "malformed ref", f"{len(value)} characters", f"at most {MAX_REF_LENGTH} characters"
        )
    return None


def canonical_ref(ref: str) -> str:
    """Return the one spelling that refs are compared in: without a trailing ``.md``."""
    return ref.removesuffix(".md")


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
