"""Measure what checking evidence costs: recomputing one large run, and a gate over many artifacts.

    python bench/verify.py [--requests N] [--artifacts N] [--probes N]

A request is one question to one state, with ten scored items and 20 trials. The baseline reads the same transcript with
the standard library's JSON parser, line by line, and digests it, which any check has to do at least. The gate is
evaluated over artifact files alone, as ``witnessmark gate`` does it, of ``--probes`` probes each; its baseline reads
and parses the same files. Exits with 1 where a check takes 10 seconds or more, or the gate 3.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark import assess
from witnessmark.canonical import model_bytes
from witnessmark.facts import establish_facts
from witnessmark.gate import evaluate_gate
from witnessmark.models import (
    MemoryCheckpointAssessment,
    ProbeSuite,
    RetrievalRequest,
    RetrievedItem,
    RetrieverProfile,
    StateReference,
)
from witnessmark.ports import ScoredAnswer
from witnessmark.rundir import policy_for, verify, write_run

if TYPE_CHECKING:
    from collections.abc import Sequence

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LIMITS = {"verify": 10.0, "gate": 3.0}
"""Seconds."""


class Prebuilt:
    """Answers from ten items made beforehand."""

    profile = RetrieverProfile.model_validate(
        {
            "implementation_id": "prebuilt",
            "implementation_version": "1",
            "adapter_version": "1",
            "adapter_capability": "deterministic",
            "distance_metric": "none",
            "index_implementation": "none",
            "top_k": 10,
            "truncation_rule": "none",
            "tie_policy": "score_desc_item_key_asc",
        }
    )

    def __init__(self) -> None:
        self._items = tuple(
            RetrievedItem(item_key=f"item-{rank}", item_version_digest=f"sha256:{'b' * 64}", rank=rank)
            for rank in range(1, 11)
        )
        self._scores = tuple(1 / 3 - rank / 100 for rank in range(10))

    def state_reference(self, state_name: str) -> StateReference:
        return StateReference(checkpoint_digest=f"sha256:{'a' * 64}")

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        return True

    def retrieve(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        return self._items

    def retrieve_scored(self, state_name: str, request: RetrievalRequest) -> ScoredAnswer:
        return ScoredAnswer(self._items, self._scores, None)

    def runtime_observation(self) -> None:
        return None


def suite_of(probes: int) -> ProbeSuite:
    """Return anchors: each asks both states one question."""
    return ProbeSuite.model_validate(
        {
            "probes": [
                {
                    "kind": "anchor_preservation",
                    "probe_id": f"anchor-{number}",
                    "query": f"question number {number} about something that is remembered",
                    "anchor": {"key": "item-3", "required_in": "both"},
                    "max_rank": 5,
                }
                for number in range(probes)
            ]
        }
    )


def measure_verify(folder: Path, requests: int) -> tuple[float, float, int]:
    """Return the seconds of verifying a run and of its baseline, and the size of the transcript in bytes."""
    write_run(folder / "run", assess(Prebuilt(), suite_of(requests // 2), assessed_at=NOW), {})
    transcript = folder / "run" / "transcript.jsonl"
    start = time.perf_counter()
    for line in transcript.read_bytes().splitlines():
        hashlib.sha256(line)
        json.loads(line)
    baseline = time.perf_counter() - start
    start = time.perf_counter()
    status = verify(folder / "run").status.value
    taken = time.perf_counter() - start
    assert status == "verified", status
    return taken, baseline, transcript.stat().st_size


def measure_gate(folder: Path, artifacts: int, probes: int) -> tuple[float, float]:
    """Return the seconds of a gate over artifact files, and of its baseline."""
    run = assess(Prebuilt(), suite_of(probes), assessed_at=NOW)
    paths = []
    for number in range(artifacts):
        document = run.assessment.model_dump(mode="json", exclude_none=True)
        document["assessed_at"] = (NOW + timedelta(seconds=number)).isoformat()
        path = folder / str(number) / "assessment.json"
        path.parent.mkdir()
        path.write_bytes(model_bytes(MemoryCheckpointAssessment.from_json(document)))
        paths.append(path)
    start = time.perf_counter()
    for path in paths:
        json.loads(path.read_bytes())
    baseline = time.perf_counter() - start
    policy = policy_for(run.assessment)
    start = time.perf_counter()
    facts = establish_facts(paths)
    evaluation = evaluate_gate(policy, [item.assessment for item in facts.evidence])
    taken = time.perf_counter() - start
    assert evaluation.satisfied
    assert evaluation.applicable_assessment_count == artifacts
    return taken, baseline


def main() -> int:
    """Measure, print and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--artifacts", type=int, default=1_000)
    parser.add_argument("--probes", type=int, default=25)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        verified, parsed, size = measure_verify(Path(folder), arguments.requests)
        print(
            f"verify: {arguments.requests} requests, transcript {size / 1e6:.1f} MB: {verified:.2f} s, "
            f"{verified / parsed:.1f} times reading it as JSON ({parsed:.2f} s)"
        )
        gated, read = measure_gate(Path(folder), arguments.artifacts, arguments.probes)
        print(
            f"gate: {arguments.artifacts} artifacts of {arguments.probes} probes: {gated:.2f} s, "
            f"{gated / read:.1f} times reading them as JSON ({read:.2f} s)"
        )
    return int(verified >= LIMITS["verify"] or gated >= LIMITS["gate"])


if __name__ == "__main__":
    sys.exit(main())
