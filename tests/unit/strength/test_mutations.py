"""Each mutation alters the answer as its name says, leaves alone what it cannot alter, and keeps the ranks in order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrievers import digest
from witnessmark.run.observed import SeenItem
from witnessmark.strength.mutations import Items, append, demote, drop, keep, swap


def seen(key: str, rank: int = 1, *labels: str) -> SeenItem:
    return SeenItem(rank, key, digest(key), labels)


def answer(keys: str, ranks: tuple[int, ...] | None = None) -> Items:
    return tuple(seen(key, rank) for key, rank in zip(keys, ranks or range(1, len(keys) + 1), strict=True))


def shown(items: Items) -> list[tuple[str, int]]:
    return [(item.key, item.rank) for item in items]


GAPS = (1, 3, 4)
"""Ranks of an adapter that leaves places out."""


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (drop(answer("abc"), "a"), [("b", 1), ("c", 2)]),
        (drop(answer("abc", GAPS), "b"), [("a", 1), ("c", 3)]),
        (drop(answer("abc"), "x"), [("a", 1), ("b", 2), ("c", 3)]),
        (swap(answer("abc"), "a", seen("c")), [("c", 1), ("b", 2), ("a", 3)]),
        (swap(answer("abc", GAPS), "a", seen("c")), [("c", 1), ("b", 3), ("a", 4)]),
        (swap(answer("abc"), "b", seen("x")), [("a", 1), ("x", 2), ("b", 3)]),
        (swap(answer("abc"), "c", seen("x")), [("a", 1), ("b", 2), ("x", 3)]),
        (swap(answer("abc"), "c", seen("a")), [("a", 1), ("b", 2), ("c", 3)]),
        (swap(answer("abc"), "x", seen("a")), [("a", 1), ("b", 2), ("c", 3)]),
        (swap(answer("abc"), "a", seen("a")), [("a", 1), ("b", 2), ("c", 3)]),
        (demote(answer("abc"), "a", 10), [("b", 1), ("a", 2), ("c", 3)]),
        (demote(answer("abc", GAPS), "b", 10), [("a", 1), ("c", 3), ("b", 4)]),
        (demote(answer("abc"), "c", 3), [("a", 1), ("b", 2)]),
        (demote(answer("abc"), "c", 10), [("a", 1), ("b", 2), ("c", 3)]),
        (demote(answer("abc"), "x", 3), [("a", 1), ("b", 2), ("c", 3)]),
        (append(answer("abc"), seen("x"), 10), [("a", 1), ("b", 2), ("c", 3), ("x", 4)]),
        (append(answer("abc"), seen("x"), 3), [("a", 1), ("b", 2), ("x", 3)]),
        (append(answer("abc", GAPS), seen("x"), 3), [("a", 1), ("b", 3), ("x", 4)]),
        (append(answer("a"), seen("x"), 1), [("x", 1)]),
        (append((), seen("x"), 3), [("x", 1)]),
        (append(answer("abc"), seen("a"), 3), [("a", 1), ("b", 2), ("c", 3)]),
        (keep(answer("abc"), 1), [("a", 1)]),
        (keep(answer("abc"), 0), []),
        (keep(answer("abc"), 3), [("a", 1), ("b", 2), ("c", 3)]),
    ],
)
def test_what_is_done(found: Items, wanted: list[tuple[str, int]]) -> None:
    assert shown(found) == wanted


def test_an_item_that_is_planted_keeps_its_labels() -> None:
    assert append(answer("a"), seen("x", 1, "tenant:b"), 3)[1].labels == ("tenant:b",)


@given(keys=st.lists(st.sampled_from("abcdef"), unique=True, max_size=6), key=st.sampled_from("abcdefx"))
def test_every_result_is_an_answer_and_the_original_stays(keys: list[str], key: str) -> None:
    before = answer("".join(keys))
    kept = tuple(before)
    for changed in (
        drop(before, key),
        swap(before, "a", seen(key)),
        demote(before, key, 6),
        append(before, seen(key), 6),
        keep(before, 5),
    ):
        ranks = [item.rank for item in changed]
        assert ranks == list(range(1, len(changed) + 1))
        assert len({item.key for item in changed}) == len(changed) <= 6
    assert before == kept
