"""Rewriting keeps what it does not change."""

from __future__ import annotations

import json

import pytest

from witnessmark.errors import InputError
from witnessmark.lexicon import NSID, rewrite_record

TEXT = (
    '{"zeta": {"b": 1, "a": null}, "createdAt": "2026-01-05T09:00:00.1200+00:00", "content": "Tée",\n'
    f' "$type": "{NSID}", "alpha": [3, 1]}}'
).encode()


def test_order_times_and_unknown_properties_stay() -> None:
    changed = rewrite_record(TEXT, {"content": "Coffee", "updatedAt": "2026-02-01T00:00:00Z"}, where="r.json")

    assert list(json.loads(changed)) == ["zeta", "createdAt", "content", "$type", "alpha", "updatedAt"]
    assert json.loads(changed) == {
        **json.loads(TEXT),
        "content": "Coffee",
        "updatedAt": "2026-02-01T00:00:00Z",
    }
    assert b'"2026-01-05T09:00:00.1200+00:00"' in changed


def test_rewriting_without_a_change_is_stable() -> None:
    once = rewrite_record(TEXT, {}, where="r.json")

    assert rewrite_record(once, {}, where="r.json") == once


@pytest.mark.parametrize(
    ("data", "changes", "message"),
    [
        (TEXT, {"scope": None}, "r.json after the change /scope: null is a value, not absence"),
        (TEXT.replace(b'"content"', b'"text"'), {}, "r.json: property is missing: wanted content"),
        (b'{"a":1,"a":2}', {}, "r.json /a: key stands twice in one object"),
    ],
    ids=["makes it invalid", "is invalid", "no strict JSON"],
)
def test_an_invalid_record_is_not_written(data: bytes, changes: dict[str, None], message: str) -> None:
    with pytest.raises(InputError) as caught:
        rewrite_record(data, changes, where="r.json")

    assert str(caught.value).startswith(message)
