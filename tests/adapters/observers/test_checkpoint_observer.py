"""Items and states of checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from witnessmark.checkpoint.build import build_checkpoint
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.errors import InputError
from witnessmark.models import LineageState, RetrieverProfile
from witnessmark.models.applicability import state_digest
from witnessmark.ports import IndexItem, Sighting
from witnessmark_adapters.observers.checkpoint import CheckpointObserver

from .conftest import Seek

PROFILE = RetrieverProfile.from_json(
    {
        "implementation_id": "keys",
        "implementation_version": "1",
        "adapter_version": "1",
        "adapter_capability": "unsupported_or_unknown",
        "distance_metric": "none",
        "index_implementation": "list",
        "top_k": 1,
        "truncation_rule": "none",
    }
)
RECORDS = (
    {"key": "fact/1", "text": "The limit is 10000."},
    {"key": "fact/2", "text": "The limit is 20000.", "supersedes": "fact/1"},
    {"key": "fact/3", "text": "Both limits are gone.", "supersedes": ["fact/2", 7]},
)
Build = Callable[..., Path]


class KeysAdapter:
    """An index of keys."""

    def complete_profile(self, profile: RetrieverProfile) -> RetrieverProfile:
        return profile

    def build_index(
        self, items: Iterable[IndexItem], count: int, profile: RetrieverProfile, directory: Path
    ) -> Mapping[str, JsonValue]:
        (directory / "keys.txt").write_text("".join(f"{item.record.key}\n" for item in items))
        return {}


@pytest.fixture
def build(tmp_path: Path) -> Build:
    def make(name: str, *records: Mapping[str, object], extends: Path | None = None) -> Path:
        source = tmp_path / f"{name}.jsonl"
        source.write_text("".join(json.dumps(record) + "\n" for record in records))
        out = tmp_path / name
        build_checkpoint(source, profile=PROFILE, adapter_name="keys", adapter=KeysAdapter(), out=out, extends=extends)
        return out

    return make


def test_an_item_is_its_version_and_its_state(build: Build, seek: Seek) -> None:
    memory = build("memory", *RECORDS)
    digests = {item.record.key: item.version_digest.removeprefix("sha256:") for item in Checkpoint.open(memory).items()}
    observer = CheckpointObserver()
    assert [observer.observe(seek(f"memory#fact/{number}")) for number in (1, 2, 3)] == [
        Sighting(True, digests["fact/1"], LineageState.superseded),
        Sighting(True, digests["fact/2"], LineageState.superseded),
        Sighting(True, digests["fact/3"], LineageState.active),
    ]
    assert observer.observe(seek("memory#fact/4")) == Sighting(False)


def test_the_target_is_where_the_memory_is_today(build: Build, seek: Seek) -> None:
    before = build("before", *RECORDS)
    after = build("after", {**RECORDS[0], "text": "The limit is 99999."}, extends=before)
    observer = CheckpointObserver()
    then = observer.observe(seek("before#fact/1"))
    now = observer.observe(seek("before#fact/1", targets=(str(after),)))
    assert (now.exists, now.state) == (True, LineageState.active)
    assert now.digest != then.digest
    assert observer.observe(seek("#fact/1", targets=(str(after),))) == now
    deleted = observer.observe(seek("before#fact/3", targets=(str(after),)))
    assert deleted == Sighting(False, state=LineageState.retired)


def test_a_state_is_the_digest_of_its_reference(build: Build, seek: Seek) -> None:
    memory = build("memory", *RECORDS)
    wanted = state_digest(Checkpoint.open(memory).state_reference())
    observer = CheckpointObserver()
    assert observer.observe(seek("memory")) == Sighting(True, wanted)
    assert observer.environment(str(memory)).binding.model_dump(exclude_none=True) == {"target_state_digest": wanted}


def test_an_inventory_is_every_live_key(build: Build) -> None:
    memory = build("memory", *RECORDS)
    inventory = CheckpointObserver().inventory("memory", str(memory))
    assert (inventory.source_ids, inventory.complete) == (("fact/1", "fact/2", "fact/3"), True)


def test_an_altered_checkpoint_decides_nothing(build: Build, seek: Seek) -> None:
    memory = build("memory", *RECORDS)
    with (memory / "operations.jsonl").open("ab") as stream:
        stream.write(b"{}\n")
    sighting = CheckpointObserver().observe(seek("memory#fact/1"))
    assert (sighting.exists, sighting.digest) == (None, None)
    with pytest.raises(InputError) as caught:
        CheckpointObserver().environment(str(memory))
    assert caught.value.code == "unreadable_target"


def test_no_checkpoint_is_unknown(seek: Seek, tmp_path: Path) -> None:
    assert CheckpointObserver().observe(seek("nothing#fact/1")).exists is None
    with pytest.raises(InputError) as caught:
        CheckpointObserver().inventory("memory", str(tmp_path / "nothing"))
    assert caught.value.code == "unreadable_target"


@pytest.mark.parametrize("reference", ["memory#", "#fact/1", "", "#"])
def test_invalid_locator(seek: Seek, reference: str) -> None:
    with pytest.raises(InputError) as caught:
        CheckpointObserver().observe(seek(reference))
    assert caught.value.code == "invalid_locator"


def test_ambiguous_target(seek: Seek) -> None:
    with pytest.raises(InputError) as caught:
        CheckpointObserver().observe(seek("memory#fact/1", targets=("a", "b")))
    assert f"[{caught.value.code}] {caught.value}" == (
        "[ambiguous_target] several checkpoints are targets: got a, b, wanted one"
    )
