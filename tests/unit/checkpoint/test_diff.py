"""Comparing two checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from witnessmark.checkpoint.diff import compare, verify_append_only
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.models import CheckpointDiff


def diff(base: Path, candidate: Path) -> CheckpointDiff:
    found = compare(Checkpoint.open(base), Checkpoint.open(candidate))
    assert verify_append_only(found) is found.append_only
    return found


def test_an_extension_is_append_only_with_a_proof(build: Callable[..., Path]) -> None:
    base = build("base", {"a": "one", "b": "two", "d": "four"})
    found = diff(base, build("after", {"a": "one", "b": "changed", "c": "new"}, extends=base))
    assert found.append_only
    assert found.first_difference is None
    assert found.consistency_proof != ()
    assert (found.added, found.changed, found.deleted) == (("c",), ("b",), ("d",))
    assert (found.appended_operations, found.delta_fraction) == (3, 0.5)
    assert (found.baseline.item_count, found.candidate.item_count) == (3, 3)
    assert found.retrieval_changed


def test_a_checkpoint_extends_itself(build: Callable[..., Path]) -> None:
    folder = build("one", {"a": "one"})
    found = diff(folder, folder)
    assert found.append_only
    assert (found.consistency_proof, found.appended_operations, found.delta_fraction) == ((), 0, 0.0)
    assert (found.added, found.changed, found.deleted, found.retrieval_changed) == ((), (), (), False)


def test_another_profile_over_the_same_log_is_append_only_with_other_material(build: Callable[..., Path]) -> None:
    base = build("base", {"a": "one"})
    found = diff(base, build("after", {"a": "one"}, extends=base, top_k=9))
    assert found.append_only
    assert found.retrieval_changed
    assert found.baseline.profile_digest != found.candidate.profile_digest


def test_a_log_that_differs_is_reported_with_its_first_difference(build: Callable[..., Path]) -> None:
    base = build("base", {"a": "one", "b": "two", "c": "three"})
    found = diff(base, build("other", {"a": "one", "b": "TWO", "c": "three", "e": "five"}))
    assert not found.append_only
    assert found.first_difference == 1
    assert found.consistency_proof == ()
    assert (found.appended_operations, found.delta_fraction) == (3, 0.75)
    assert (found.added, found.changed, found.deleted) == (("e",), ("b",), ())


def test_a_shorter_log_is_no_extension(build: Callable[..., Path]) -> None:
    base = build("base", {"a": "one", "b": "two", "c": "three"})
    found = diff(base, build("shorter", {"a": "one", "b": "two"}))
    assert not found.append_only
    assert (found.first_difference, found.appended_operations, found.delta_fraction) == (2, 0, 0.0)
    assert found.deleted == ("c",)


@pytest.mark.parametrize("count", range(1, 20))
def test_every_size_of_extension_is_proven(build: Callable[..., Path], count: int) -> None:
    texts = {f"k{number:02}": "t" for number in range(count)}
    base = build("base", texts)
    found = diff(base, build("after", {**texts, "x": "new", "y": "newer"}, extends=base))
    assert found.append_only
    assert found.delta_fraction == 2 / (count + 2)


def test_a_proof_is_verified_and_not_believed(build: Callable[..., Path]) -> None:
    base = build("base", {"a": "one", "b": "two", "c": "three"})
    good = diff(base, build("after", {"a": "one", "b": "two", "c": "three", "d": "four"}, extends=base))
    claims = good.model_dump(mode="json")
    assert verify_append_only(CheckpointDiff.from_json(claims))
    assert not verify_append_only(CheckpointDiff.from_json({**claims, "append_only": False}))
    assert not verify_append_only(CheckpointDiff.from_json({**claims, "consistency_proof": []}))
    assert not verify_append_only(CheckpointDiff.from_json({**claims, "baseline": claims["candidate"]}))
