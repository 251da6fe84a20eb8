"""The profiles that are shipped: their digests are listed, and they are what this installation is."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from witnessmark.builtin import builtin_names, read_named
from witnessmark.canonical import canonical_digest
from witnessmark.models import RetrieverProfile
from witnessmark.registry import find_adapter

NAMES = ("fts5-unicode61", "hybrid-wordllama-fts5", "wordllama-flat-ip", "wordllama-hnsw", "wordllama-int8")


def load(name: str) -> RetrieverProfile:
    where, data = read_named(f"builtin:{name}", "profile")
    return RetrieverProfile.from_bytes(data, where=where)


def test_the_list_of_digests_is_the_list_of_files() -> None:
    listed = json.loads((files("witnessmark_profiles") / "DIGESTS.json").read_text(encoding="utf-8"))
    assert builtin_names("profile") == NAMES
    assert listed == {name: canonical_digest(load(name)) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_profile_is_what_this_installation_is(name: str) -> None:
    profile = load(name)
    adapter, _ = find_adapter(profile.implementation_id)
    assert adapter.complete_profile(profile) == profile  # type: ignore[attr-defined]
    assert not any(key.startswith("package:") for key in profile.index_build_config)
