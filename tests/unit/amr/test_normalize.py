"""Normalization: the 16 folds, the 29 white spaces, and nothing else."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.amr.normalize import FOLDED, WHITESPACE, normalize


def test_the_table_has_sixteen_entries_and_white_space_twenty_nine() -> None:
    assert (len(FOLDED), len(WHITESPACE), len(set(WHITESPACE))) == (16, 29, 29)


def test_white_space_is_that_of_pythons_unicode_expressions() -> None:
    assert [c for c in map(chr, range(sys.maxunicode + 1)) if re.match(r"\s", c)] == sorted(WHITESPACE)


@pytest.mark.parametrize("kept", [*"\u2010\u2011\u2015\u2032\ufeff\u200d\u00ad\u2060", "é", "e\u0301", "ﬁ", "A"])
def test_everything_else_stays(kept: str) -> None:
    assert normalize(f" {kept}x{kept} ") == f"{kept}x{kept}"


@given(st.text(alphabet=st.sampled_from([*FOLDED, *WHITESPACE, "a", "é", "\ufeff", "-"])))
def test_it_is_idempotent_and_leaves_no_fold_and_no_run(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once
    assert not set(once) & (set(FOLDED) | set(WHITESPACE) - {" "})
    assert "  " not in once
    assert once == once.strip()
