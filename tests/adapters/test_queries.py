"""Query preprocessing."""

from __future__ import annotations

import pytest

from witnessmark.errors import InputError
from witnessmark_adapters.queries import QueryPreprocessing


def test_steps_apply_in_order() -> None:
    assert QueryPreprocessing(["strip", "lowercase", "prefix:Query: "])("  Where IS it? ") == "Query: where is it?"
    assert QueryPreprocessing(["prefix:Query: ", "lowercase"])("X") == "query: x"
    assert QueryPreprocessing([])(" X ") == " X "


@pytest.mark.parametrize("step", ["Lowercase", "prefix:", "prefix", "stem", ""])
def test_an_unknown_step_is_an_error(step: str) -> None:
    with pytest.raises(InputError) as caught:
        QueryPreprocessing(["strip", step])
    assert caught.value.code == "unknown_preprocessing"
    assert str(caught.value) == (
        f"profile /query_preprocessing/1: no such preprocessing step: got {step!r}, "
        "wanted lowercase, strip or prefix:TEXT"
    )
