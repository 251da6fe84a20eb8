"""Normalization of quotes: what two texts have to share to be the same passage.

- Sixteen code points of punctuation and space become ASCII or nothing; then every run of white space becomes one space,
  and both ends are stripped. Nothing else changes: no case, no NFC, no other hyphen or quote.
- White space is exactly 29 code points, written out, so that no version of Unicode and no other language moves a hash.
"""

from __future__ import annotations

import re

__all__ = ["FOLDED", "WHITESPACE", "normalize"]

FOLDED: dict[str, str] = {
    "\u2018": "'",
    "\u2019": "'",
    "\u201a": "'",
    "\u201b": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u201f": '"',
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2026": "...",
    "\u00a0": " ",
    "\u2009": " ",
    "\u202f": " ",
    "\u200b": "",
}
"""What each of the sixteen code points becomes."""

WHITESPACE = (
    "\u0009\u000a\u000b\u000c\u000d\u001c\u001d\u001e\u001f\u0020\u0085\u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""The 29 code points that count as white space."""

_TABLE = str.maketrans(FOLDED)
_RUN = re.compile(f"[{WHITESPACE}]+")


def normalize(text: str) -> str:
    """Return the form of ``text`` that quotes are compared and hashed in; it is its own normalization."""
    return _RUN.sub(" ", text.translate(_TABLE)).strip(" ")
