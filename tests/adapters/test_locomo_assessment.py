"""Real memory: ten long conversations, a baseline of the earlier sessions and a candidate of all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

from retrievers import NOW
from witnessmark.builtin import read_named
from witnessmark.canonical import canonical_digest
from witnessmark.checkpoint.build import build_checkpoint
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.checkpoint.targets import resolve_target
from witnessmark.models import (
    AnchorPreservationProbe,
    BehavioralResult,
    ItemReference,
    Probe,
    ProbeSuite,
    RetrievalRequest,
    RetrieverProfile,
    ScopeIsolationProbe,
)
from witnessmark.opening import open_states
from witnessmark.ports import CheckpointAdapter
from witnessmark.registry import find_adapter
from witnessmark.runner import assess

if TYPE_CHECKING:
    from pathlib import Path

    from witnessmark.runner import Run

pytestmark = [pytest.mark.data, pytest.mark.slow]

EARLIER = 15
"""The baseline holds the sessions up to this one."""
MAX_RANK = 5


class Memory(NamedTuple):
    """The two checkpoints under one profile, and the suite."""

    baseline: Path
    candidate: Path
    profile: RetrieverProfile
    suite: ProbeSuite


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def conversation(row: dict[str, object]) -> str:
    return next(str(label) for label in list(row["scope_labels"]) if str(label).startswith("conversation:"))  # type: ignore[call-overload]


def profile(*rules: str) -> RetrieverProfile:
    value = json.loads(read_named("builtin:wordllama-flat-ip", "profile")[1])
    return RetrieverProfile.model_validate(value | {"filtering_rules": list(rules)})


def build(
    records: list[dict[str, object]], folder: Path, name: str, wanted: RetrieverProfile, base: Path | None
) -> Path:
    source = folder / f"{name}.jsonl"
    source.write_text("".join(f"{json.dumps(row)}\n" for row in records), encoding="utf-8")
    adapter, _ = find_adapter("faiss")
    assert isinstance(adapter, CheckpointAdapter)
    build_checkpoint(source, profile=wanted, adapter_name="faiss", adapter=adapter, out=folder / name, extends=base)
    return folder / name


def make(data: Path, folder: Path, *rules: str) -> Memory:
    records = rows(data / "locomo" / "records.jsonl")
    questions = rows(data / "locomo" / "questions.jsonl")
    wanted = profile(*rules)
    baseline = build([row for row in records if int(str(row["session"])) <= EARLIER], folder, "baseline", wanted, None)
    candidate = build(records, folder, "candidate", wanted, baseline)
    live = Checkpoint.open(baseline).profile
    return Memory(baseline, candidate, live, ProbeSuite(probes=tuple(probes(records, questions, baseline, live))))


def probes(
    records: list[dict[str, object]], questions: list[dict[str, object]], baseline: Path, live: RetrieverProfile
) -> list[Probe]:
    """Anchors on facts that the baseline retrieves for their question, and isolation of every conversation."""
    facts: dict[tuple[str, str], list[str]] = {}
    for row in records:
        for turn in list(row["evidence"]):  # type: ignore[call-overload]
            facts.setdefault((conversation(row), str(turn)), []).append(str(row["key"]))
    labels = sorted({conversation(row) for row in records})
    found: list[Probe] = []
    with open_states({"baseline": resolve_target(baseline)}, live) as retriever:
        for row in questions[::8]:
            label = f"conversation:{row['conversation']}"
            context = {"conversation": str(row["conversation"])}
            request = RetrievalRequest(query=str(row["question"]), context=context)
            got = {seen.item_key: seen.rank for seen in retriever.retrieve("baseline", request)}
            known = [key for turn in list(row["evidence"]) for key in facts.get((label, str(turn)), [])]  # type: ignore[call-overload]
            anchors = [key for key in dict.fromkeys(known) if got.get(key, 99) <= MAX_RANK]
            if anchors:
                found.append(
                    AnchorPreservationProbe(
                        probe_id=f"anchor/{row['id']}",
                        query=request.query,
                        context=context,
                        anchor=ItemReference.model_validate({"key": anchors[0], "required_in": "both"}),
                        max_rank=10,
                    )
                )
                found.append(
                    ScopeIsolationProbe(
                        probe_id=f"isolation/{row['id']}",
                        query=request.query,
                        context=context,
                        forbidden_scope_labels=tuple(other for other in labels if other != label),
                    )
                )
    return found


def ran(memory: Memory) -> Run:
    states = {"baseline": resolve_target(memory.baseline), "candidate": resolve_target(memory.candidate)}
    with open_states(states, memory.profile) as retriever:
        return assess(retriever, memory.suite, assessed_at=NOW)


def leaks(run: Run) -> int:
    return sum(
        result.result is BehavioralResult.fail and isinstance(probe, ScopeIsolationProbe)
        for probe, result in zip(run.suite.probes, run.assessment.probe_results, strict=True)
    )


def test_with_the_filter_nothing_leaks_and_the_bytes_repeat(data: Path, tmp_path: Path) -> None:
    memory = make(data, tmp_path, "scope:conversation:strict")
    run, again = ran(memory), ran(memory)

    assert canonical_digest(run.assessment) == canonical_digest(again.assessment)
    assert run.transcript_bytes == again.transcript_bytes
    coverage = run.assessment.coverage
    assert coverage.required_probe_count == len(memory.suite.probes) >= 100
    assert coverage.passed + coverage.failed + coverage.indeterminate == coverage.required_probe_count
    assert coverage.indeterminate == 0
    assert all(item.repeatability.distinct_orderings_observed == 1 for item in run.assessment.invocation_evidence)
    assert leaks(run) == 0
    assert not run.assessment.security_flags.contains_confidentiality_failure
    assert coverage.passed >= 0.9 * coverage.required_probe_count
    assert run.assessment.candidate_state.indexed_item_count == 2541


def test_without_the_filter_leaks_are_found(data: Path, tmp_path: Path) -> None:
    run = ran(make(data, tmp_path))

    assert leaks(run) > 0
    assert run.assessment.security_flags.contains_confidentiality_failure
    assert run.assessment.result is BehavioralResult.fail
