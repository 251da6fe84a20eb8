"""Pinning a retriever and comparing profiles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from witnessmark.canonical import canonical_digest
from witnessmark.errors import InputError, ProfileMismatch
from witnessmark.models import RetrieverPin, RetrieverProfile, Target, profile_differences
from witnessmark.pin import compare_profiles, diff_profiles, pin_target, require_profile, write_pin

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {
    "implementation_id": "table",
    "implementation_version": "1",
    "adapter_version": "0.1",
    "adapter_capability": "deterministic",
    "distance_metric": "fixture-order",
    "index_implementation": "table",
    "index_build_config": {"M": 4, "package:numpy": "2.0"},
    "top_k": 4,
    "truncation_rule": "top-k",
    "tie_policy": "rank",
}


def profile(config: dict[str, object] | None = None, **fields: object) -> RetrieverProfile:
    if config is not None:
        fields["index_build_config"] = config
    return RetrieverProfile.from_json({**FIELDS, **fields})


def test_equal_profiles_have_no_problem() -> None:
    assert compare_profiles(profile(), profile()) == ()
    require_profile(profile(), profile())


def test_every_differing_field_is_named_with_both_values() -> None:
    live = profile({"M": 8, "ef_search": 3, "package:numpy": "2.1"}, top_k=5, embedding_model_id="m", seed=1)
    with pytest.raises(ProfileMismatch) as caught:
        require_profile(profile(seed=0), live)
    assert str(caught.value).splitlines() == [
        "profile /embedding_model_id: the live retriever is not the pinned one: got live 'm', wanted pinned absent",
        "profile /index_build_config/M: the live retriever is not the pinned one: got live 8, wanted pinned 4",
        "profile /index_build_config/ef_search: the live retriever is not the pinned one: got live 3, "
        "wanted pinned absent",
        "profile /index_build_config/package:numpy: the live retriever is not the pinned one: got live '2.1', "
        "wanted pinned '2.0'",
        "profile /top_k: the live retriever is not the pinned one: got live 5, wanted pinned 4",
        "profile /seed: the live retriever is not the pinned one: got live 1, wanted pinned 0",
    ]
    assert caught.value.code == "profile_mismatch"


@pytest.mark.parametrize("name", [name for name in FIELDS if name != "adapter_capability"])
def test_no_field_is_left_out_of_the_comparison(name: str) -> None:
    changed = {"index_build_config": {}, "top_k": 99}.get(name, "changed")
    assert compare_profiles(profile(), profile(**{name: changed}))


def test_packages_count_only_where_they_are_pinned() -> None:
    live = profile({"M": 4, "package:numpy": "2.0", "package:other": "1"})
    assert compare_profiles(profile({"M": 4}), live) == ()
    assert compare_profiles(profile(), live) == ()
    assert [problem.where for problem in compare_profiles(live, profile({"M": 4}))] == [
        "profile /index_build_config/package:numpy",
        "profile /index_build_config/package:other",
    ]


def test_a_null_setting_is_an_absent_one_and_true_is_not_one() -> None:
    found = profile_differences(profile({"a": None, "b": True}), profile({"b": 1}))
    assert [item.field for item in found] == ["index_build_config/b"]


def test_differences_in_words() -> None:
    assert diff_profiles(profile(), profile(top_k=5, tie_policy="key")) == (
        "top_k: 4 → 5",
        "tie_policy: 'rank' → 'key'",
    )
    assert diff_profiles(profile(), profile()) == ()


def table(folder: Path) -> Target:
    path = folder / "t.json"
    state = {"checkpoint_digest": "sha256:" + "a" * 64, "item_keys": [], "responses": []}
    path.write_text(json.dumps({"profile": FIELDS, "states": {"only": state}}))
    return Target(adapter="table", options={"path": str(path), "state": "only"})


def test_pinning_writes_what_the_adapter_says(tmp_path: Path) -> None:
    pinned = pin_target(table(tmp_path))
    assert pinned.profile == profile({"M": 4})
    assert pinned.pin.distribution.startswith("witnessmark ")
    beside = write_pin(pinned, tmp_path / "p.profile.json")
    assert beside == tmp_path / "p.pin.json"
    assert RetrieverProfile.from_bytes((tmp_path / "p.profile.json").read_bytes()) == pinned.profile
    pin = RetrieverPin.from_bytes(beside.read_bytes())
    assert pin == pinned.pin
    assert pin.profile_digest == canonical_digest(pinned.profile)


@pytest.mark.parametrize("name", ["p.json", ".profile.json"])
def test_wrong_suffix(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_pin(pin_target(table(tmp_path)), tmp_path / name)
    assert caught.value.code == "wrong_suffix"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.json"]
