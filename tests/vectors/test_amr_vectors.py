"""The vectors of Auditable Memory Records notice what other implementers get wrong."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from witnessmark.amr.normalize import FOLDED, WHITESPACE
from witnessmark.vectors import vector_files
from witnessmark.vectors.amr import NormalizeVector, run_normalize

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "amr" / "normalize"
VECTORS = [NormalizeVector.from_bytes(path.read_bytes()) for path in vector_files(FOLDER)]
JAVASCRIPT = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def made(folded: dict[str, str], spaces: str) -> Callable[[str], str]:
    """Return a normalizer with another table or other white space."""
    table, run = str.maketrans(folded), re.compile(f"[{spaces}]+")
    return lambda text: run.sub(" ", text.translate(table)).strip(" ")


def right(text: str) -> str:
    """Return what is specified."""
    return made(FOLDED, WHITESPACE)(text)


SPACE_BY_FOLD = {"\u00a0", "\u2009", "\u202f"}
"""Folded to a space and white space besides, so that either alone gives the same."""
WRONG: dict[str, Callable[[str], str]] = {
    **{
        f"without the fold of U+{ord(c):04X}": made({k: v for k, v in FOLDED.items() if k != c}, WHITESPACE)
        for c in FOLDED
        if c not in SPACE_BY_FOLD
    },
    **{
        f"without the white space U+{ord(c):04X}": made(FOLDED, WHITESPACE.replace(c, ""))
        for c in WHITESPACE
        if c not in SPACE_BY_FOLD
    },
    "seven folds": made({c: FOLDED[c] for c in "\u2018\u2019\u201c\u201d\u2013\u2014\u2026"}, WHITESPACE),
    "white space of JavaScript": made(FOLDED, JAVASCRIPT),
    "white space of ASCII": made(FOLDED, " \t\n\r\f\v"),
    "no folds": made({}, WHITESPACE),
    "hyphens too": made({**FOLDED, "\u2010": "-", "\u2011": "-"}, WHITESPACE),
    "primes too": made({**FOLDED, "\u2032": "'"}, WHITESPACE),
    "soft hyphens too": made({**FOLDED, "\u00ad": ""}, WHITESPACE),
    "every format character": lambda text: "".join(c for c in right(text) if unicodedata.category(c) != "Cf"),
    "NFC": lambda text: unicodedata.normalize("NFC", right(text)),
    "NFD": lambda text: unicodedata.normalize("NFD", right(text)),
    "NFKC": lambda text: unicodedata.normalize("NFKC", right(text)),
    "lower case": lambda text: right(text).lower(),
    "ASCII only": lambda text: right(text).encode("ascii", "ignore").decode(),
    "not stripped": lambda text: re.sub(f"[{WHITESPACE}]+", " ", text.translate(str.maketrans(FOLDED))),
    "stripped first": lambda text: re.sub(f"[{WHITESPACE}]+", " ", text.strip().translate(str.maketrans(FOLDED))),
    "collapsed first": lambda text: re.sub(f"[{WHITESPACE}]+", " ", text).translate(str.maketrans(FOLDED)).strip(),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_normalizer_breaks_a_vector(mistake: str) -> None:
    assert any(not run_normalize("x", vector, WRONG[mistake]).agrees for vector in VECTORS)


def test_the_right_one_breaks_none() -> None:
    assert len(VECTORS) == 73
    assert [vector.why for vector in VECTORS if not run_normalize("x", vector, right).agrees] == []
