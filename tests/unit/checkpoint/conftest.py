"""A small adapter and builders of checkpoints for the tests of this folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from witnessmark.checkpoint.build import build_checkpoint
from witnessmark.models import CheckpointManifest, RetrieverProfile
from witnessmark.ports import IndexItem

PROFILE: dict[str, JsonValue] = {
    "implementation_id": "plain",
    "implementation_version": "1",
    "adapter_version": "1",
    "adapter_capability": "unsupported_or_unknown",
    "distance_metric": "none",
    "index_implementation": "list",
    "top_k": 3,
    "truncation_rule": "none",
}


class PlainAdapter:
    """Writes keys and version digests, one file a shard, so that an index has a folder of its own."""

    def complete_profile(self, profile: RetrieverProfile) -> RetrieverProfile:
        return RetrieverProfile.from_json({**profile.model_dump(mode="json"), "embedding_model_revision": "known"})

    def build_index(
        self, items: Iterable[IndexItem], count: int, profile: RetrieverProfile, directory: Path
    ) -> Mapping[str, JsonValue]:
        (directory / "shards").mkdir()
        lines = [f"{item.record.key} {item.version_digest}\n" for item in items]
        (directory / "shards" / "0.txt").write_text("".join(lines), encoding="utf-8")
        (directory / "count.txt").write_text(f"{count} {profile.top_k}\n", encoding="utf-8")
        return {"shards": 1, "nothing": None}


@pytest.fixture
def profile() -> RetrieverProfile:
    return RetrieverProfile.from_json(PROFILE)


@pytest.fixture
def adapter() -> PlainAdapter:
    return PlainAdapter()


@pytest.fixture
def write_records(tmp_path: Path) -> Callable[..., Path]:
    def write(records: Iterable[Mapping[str, object]], name: str = "records.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
        return path

    return write


@pytest.fixture
def build(
    tmp_path: Path, write_records: Callable[..., Path], profile: RetrieverProfile, adapter: PlainAdapter
) -> Callable[..., Path]:
    """Build a checkpoint of ``{key: text}`` under a name in the test's folder."""

    def make(name: str, texts: Mapping[str, str], *, extends: Path | None = None, top_k: int = 3) -> Path:
        records = write_records([{"key": key, "text": text} for key, text in texts.items()], f"{name}.jsonl")
        chosen = RetrieverProfile.from_json({**profile.model_dump(mode="json"), "top_k": top_k})
        built: CheckpointManifest = build_checkpoint(
            records, profile=chosen, adapter_name="plain", adapter=adapter, out=tmp_path / name, extends=extends
        )
        assert built.format == "witnessmark.checkpoint/0.1"
        return tmp_path / name

    return make
