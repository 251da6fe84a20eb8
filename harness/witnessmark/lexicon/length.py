"""How long a text is for a lexicon: in UTF-8 bytes, and in grapheme clusters (UAX #29)."""

from __future__ import annotations

import regex

__all__ = ["exceeds_graphemes", "grapheme_count", "utf8_length"]

_CLUSTER = regex.compile(r"\X")


def utf8_length(text: str) -> int:
    """Return the length in bytes."""
    return len(text) if text.isascii() else len(text.encode("utf-8"))


def grapheme_count(text: str) -> int:
    """Return the number of extended grapheme clusters, by the tables of the installed ``regex``."""
    return sum(1 for _ in _CLUSTER.finditer(text))


def exceeds_graphemes(text: str, limit: int) -> bool:
    """Tell whether a text has more clusters than ``limit``; they are counted only where code points leave it open."""
    return len(text) > limit and grapheme_count(text) > limit
