"""What an answer has to be: every refusal by its code, with the whole message where it is stable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from retrievers import digest, profile
from witnessmark.errors import AdapterError
from witnessmark.models import RetrieverProfile, StateReference
from witnessmark.run.contract import RawItem, as_record, check_answer
from witnessmark.run.observed import SeenItem

WHERE = "here"
A, B = digest("a"), digest("b")
TWO: list[RawItem] = [(1, "a", A, ()), (2, "b", B, ())]


def check(
    raw: Sequence[Any] = TWO,
    scores: Sequence[float] | None = None,
    cut: float | None = None,
    own: RetrieverProfile | None = None,
) -> tuple[tuple[SeenItem, ...], tuple[float, ...] | None, float | None]:
    return check_answer(raw, scores, cut, own or profile(top_k=3), WHERE, {})


def refused(*arguments: Any, **options: Any) -> tuple[str, str]:
    with pytest.raises(AdapterError) as caught:
        check(*arguments, **options)
    return caught.value.code, str(caught.value)


def test_answer_is_ordered_by_rank_with_sorted_labels_and_its_scores() -> None:
    raw: list[RawItem] = [(3, "b", B, ("z", "a")), (1, "a", A, ())]
    assert check(raw, [0.25, 0.5], 0.125) == (
        (SeenItem(1, "a", A, ()), SeenItem(3, "b", B, ("a", "z"))),
        (0.5, 0.25),
        0.125,
    )


def test_empty_answer_is_an_answer() -> None:
    assert check([]) == ((), None, None)
    assert check([], []) == ((), (), None)


def test_equal_items_are_one_object() -> None:
    known: dict[RawItem, SeenItem] = {}
    first = check_answer(TWO, None, None, profile(), WHERE, known)[0]
    second = check_answer([(1, "a", A, ())], None, None, profile(), WHERE, known)[0]
    assert first[0] is second[0]


def test_true_is_no_rank_even_where_rank_one_was_seen_before() -> None:
    known: dict[RawItem, SeenItem] = {}
    check_answer(TWO, None, None, profile(), WHERE, known)
    with pytest.raises(AdapterError, match=r"items\[0\]\.rank: got True, wanted an integer of 1 or more"):
        check_answer([(True, "a", A, ())], None, None, profile(), WHERE, known)


@pytest.mark.parametrize("rank", [0, -1, True, 1.0, "1", None])
def test_invalid_item_rank(rank: object) -> None:
    assert refused([(rank, "a", A, ())]) == (
        "invalid_item",
        f"here: items[0].rank: got {rank!r}, wanted an integer of 1 or more",
    )


@pytest.mark.parametrize("key", [None, 1, b"a"])
def test_invalid_item_key(key: object) -> None:
    assert refused([*TWO, (3, key, A, ())]) == (
        "invalid_item",
        f"here: items[2].item_key: got {key!r}, wanted a string",
    )


@pytest.mark.parametrize("version", ["", "sha256:00", A.upper(), A + "\n", "md5:" + "0" * 64, None, A[7:]])
def test_invalid_item_version(version: object) -> None:
    code, message = refused([(1, "a", version, ())])
    assert code == "invalid_item"
    assert message.startswith("here: items[0].item_version_digest: got ")


@pytest.mark.parametrize("labels", [None, "tenant:a", {"a"}, [1], ("a", None)])
def test_invalid_item_labels(labels: object) -> None:
    assert refused([(1, "a", A, labels)]) == (
        "invalid_item",
        f"here: items[0].scope_labels: got {labels!r}, wanted a list of strings",
    )


def test_labels_in_a_list_are_labels() -> None:
    assert check([(1, "a", A, ["b", "a"])])[0] == (SeenItem(1, "a", A, ("a", "b")),)


def test_too_many_items() -> None:
    raw = [(rank, f"k{rank}", A, ()) for rank in range(1, 5)]
    assert refused(raw) == ("too_many_items", "here: answer has more items than top_k: got 4, wanted at most 3")


def test_rank_above_top_k() -> None:
    assert refused([(1, "a", A, ()), (4, "b", B, ())]) == (
        "rank_above_top_k",
        "here: rank is above top_k: got 4, wanted at most 3",
    )


def test_duplicate_rank() -> None:
    assert refused([(1, "a", A, ()), (1, "b", B, ())]) == (
        "duplicate_rank",
        "here: rank stands twice in one answer: got 1",
    )


def test_duplicate_item_key() -> None:
    assert refused([(1, "a", A, ()), (2, "a", B, ())]) == (
        "duplicate_item_key",
        "here: item_key stands twice in one answer: got 'a'",
    )


@pytest.mark.parametrize("scores", [[], [0.5], [0.5, 0.4, 0.3]])
def test_score_count(scores: list[float]) -> None:
    assert refused(TWO, scores) == (
        "score_count",
        f"here: answer has another number of scores than items: got {len(scores)}, wanted 2",
    )


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_non_finite_score(bad: float) -> None:
    assert refused(TWO, [0.5, bad]) == ("non_finite_score", f"here: score is not finite: got {bad!r}")
    assert refused(TWO, [0.5, 0.4], bad) == ("non_finite_score", f"here: score is not finite: got {bad!r}")


def test_rank_score_inversion() -> None:
    assert refused(TWO, [0.4, 0.5]) == (
        "rank_score_inversion",
        "here: score rises from rank 1 to rank 2: got 0.4 then 0.5, wanted scores that do not rise with the rank",
    )


def test_rank_score_inversion_at_the_cut() -> None:
    assert refused(TWO, [0.5, 0.4], 0.45) == (
        "rank_score_inversion",
        "here: an item below the cut scores higher than the last one above it: got 0.45 below 0.4",
    )
    assert check(TWO, [0.5, 0.4], 0.4)[2] == 0.4
    assert check([], [], 0.4)[2] == 0.4


def test_tie_policy_not_applied() -> None:
    raw: list[RawItem] = [(1, "b", B, ()), (2, "a", A, ())]
    assert refused(raw, [0.5, 0.5]) == (
        "tie_policy_not_applied",
        "here: equal scores are not in the declared order: got 'b' before 'a', both 0.5, "
        "wanted score_desc_item_key_asc",
    )
    assert check(TWO, [0.5, 0.5])[1] == (0.5, 0.5)
    assert check(raw, [0.5, 0.5], own=profile(tie_policy="insertion order"))[1] == (0.5, 0.5)
    assert check(raw, [0.5, 0.4])[1] == (0.5, 0.4)


# Records of other implementations


class TheirState(BaseModel):
    """Another implementation's model of the same shape."""

    checkpoint_digest: str
    retrieval_state_digest: str | None = None
    indexed_item_count: int | None = None


@dataclass
class Unrelated:
    checkpoint_digest: str


def test_our_record_is_taken_as_it_is() -> None:
    own = StateReference(checkpoint_digest=A)
    assert as_record(StateReference, own, "state reference") is own


def test_their_model_and_plain_data_become_our_record() -> None:
    own = StateReference(checkpoint_digest=A, indexed_item_count=3)
    assert as_record(StateReference, TheirState(checkpoint_digest=A, indexed_item_count=3), "state reference") == own
    assert as_record(StateReference, {"checkpoint_digest": A, "indexed_item_count": 3}, "state reference") == own


@pytest.mark.parametrize("value", [None, 3, Unrelated(A), {}, TheirState(checkpoint_digest="nothing")])
def test_invalid_record(value: object) -> None:
    with pytest.raises(AdapterError) as caught:
        as_record(StateReference, value, "state reference 'x'")
    assert caught.value.code == "invalid_record"
    assert str(caught.value).startswith("state reference 'x' of the adapter")
