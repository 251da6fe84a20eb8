"""Checkpoints of real memory: facts of ten long conversations."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from witnessmark.checkpoint.build import build_checkpoint
from witnessmark.checkpoint.diff import compare
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.models import RetrieverProfile
from witnessmark.ports import CheckpointAdapter


@pytest.mark.data
def test_all_sessions_extend_the_earlier_ones(
    tmp_path: Path,
    data: Path,
    write_records: Callable[..., Path],
    profile: RetrieverProfile,
    adapter: CheckpointAdapter,
) -> None:
    source = data / "locomo" / "records.jsonl"
    facts = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    earlier = [fact for fact in facts if fact["session"] <= 10]
    assert len(facts) == 2541
    assert 0 < len(earlier) < len(facts)

    def build(records: Path, name: str, extends: Path | None = None) -> Checkpoint:
        out = tmp_path / name
        build_checkpoint(records, profile=profile, adapter_name="plain", adapter=adapter, out=out, extends=extends)
        return Checkpoint.open(out)

    base = build(write_records(earlier), "base")
    candidate = build(source, "candidate", base.path)
    found = compare(base, candidate)
    assert found.append_only
    assert found.added == tuple(sorted(fact["key"] for fact in facts if fact["session"] > 10))
    assert (found.changed, found.deleted) == ((), ())
    assert found.appended_operations == len(facts) - len(earlier)
    assert [record.model_dump(mode="json") for record in candidate.records()] == sorted(
        facts, key=lambda fact: fact["key"]
    )

    unrelated = build(source, "unrelated")
    found = compare(base, unrelated)
    assert not found.append_only
    assert found.candidate.item_count == candidate.manifest.item_count
