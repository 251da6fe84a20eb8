"""What masks what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.lexicon import masked

CASES = {
    "nothing": ({"a": []}, {}),
    "one": ({"a": [], "b": ["a"]}, {"a": ("b",)}),
    "chain": ({"a": [], "b": ["a"], "c": ["b"]}, {"a": ("b",), "b": ("c",)}),
    "merge": ({"a": [], "b": [], "c": ["a", "b"]}, {"a": ("c",), "b": ("c",)}),
    "replaced twice": ({"a": [], "b": ["a"], "c": ["a"]}, {"a": ("b", "c")}),
    "itself": ({"a": ["a"]}, {}),
    "unknown": ({"a": ["elsewhere"]}, {}),
    "cycle": ({"a": ["b"], "b": ["a"]}, {}),
    "cycle of three that replaces": ({"a": ["b"], "b": ["c"], "c": ["a", "d"], "d": []}, {"d": ("c",)}),
    "cycle that is replaced": ({"a": ["b"], "b": ["a"], "c": ["a"]}, {"a": ("c",), "b": ("c",)}),
    "cycle into a cycle": (
        {"a": ["b"], "b": ["a", "c"], "c": ["d"], "d": ["c"]},
        {"c": ("b",), "d": ("b",)},
    ),
}


@pytest.mark.parametrize(("edges", "wanted"), CASES.values(), ids=CASES)
def test_masks(edges: dict[str, list[str]], wanted: dict[str, tuple[str, ...]]) -> None:
    assert masked(edges) == wanted


def test_a_long_chain_ends() -> None:
    edges = {f"{n:05}": [f"{n - 1:05}"] if n else [] for n in range(20_000)}

    assert len(masked(edges)) == 19_999


_KEYS = st.sampled_from("abcdef")


@given(st.dictionaries(_KEYS, st.lists(_KEYS, max_size=3)))
def test_masked_means_replaced_by_what_it_does_not_replace(edges: dict[str, list[str]]) -> None:
    def reach(start: str) -> set[str]:
        found: set[str] = set()
        work = [start]
        while work:
            for child in edges[work.pop()]:
                if child in edges and child not in found:
                    found.add(child)
                    work.append(child)
        return found

    below = {key: reach(key) for key in edges}
    wanted = {
        key for key in edges if any(key in below[other] and other not in below[key] for other in edges if other != key)
    }

    assert set(masked(edges)) == wanted
    assert masked(dict(reversed(edges.items()))) == masked(edges)
