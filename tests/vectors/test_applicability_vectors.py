"""Our own vectors for what the public ones leave open, found by listing."""

from __future__ import annotations

from pathlib import Path

import pytest

from witnessmark.vectors import run_file, vector_files

FOLDER = Path(__file__).parents[2] / "vectors" / "applicability"
FILES = vector_files(FOLDER)


@pytest.mark.parametrize("path", FILES, ids=[path.relative_to(FOLDER).as_posix() for path in FILES])
def test_vector(path: Path) -> None:
    (outcome,) = run_file(path)
    assert outcome.differences == ()
    assert outcome.why


def test_refusals_are_named_after_what_is_invalid() -> None:
    invalid = {path.stem for path in FILES if '"error"' in path.read_text(encoding="utf-8")}
    assert invalid == {path.stem for path in FILES if path.stem.startswith("invalid-")}
