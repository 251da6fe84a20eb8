"""Time 100,000 evaluations on one core: over records, and over plain mappings that are validated first.

Run ``python bench/applicability.py``. It exits with 1 where evaluating records takes 2 seconds of CPU time or more. Of
mappings most of the time is validation, four of them an evaluation; it is printed beside the baseline, which validates
and does not evaluate.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from witnessmark.applicability import evaluate
from witnessmark.models import EnvironmentBinding, LineageDependency, SourceObservation

COUNT = 100_000
LIMIT = 2.0
"""Seconds."""

SOURCE = {
    "locator": "git:rules@" + "1" * 40 + ":billing.md",
    "refetchable": True,
    "exists": True,
    "expected_digest": "a" * 64,
    "observed_digest": "a" * 64,
}
STORED = {
    "repository": "https://git.example/acme/rules.git",
    "branch": "main",
    "commit_sha": "1" * 40,
    "workspace": "prod",
    "actor": "agent:reviewer",
    "tenant": "tenant-a",
    "policy_digest": "b" * 64,
    "target_state_digest": "c" * 64,
    "api_version": "v1",
    "model_version": "model-a",
}
EXPIRING = {**STORED, "observed_at": "2026-08-11T10:00:00Z", "valid_until": "2026-08-11T13:00:00Z"}
PARENT = {"dependency_id": "d", "state": "active", "expected_digest": "a" * 64, "observed_digest": "a" * 64}
NOW = "2026-08-11T12:00:00Z"


def seconds(inputs: dict[str, Any]) -> float:
    """Return the CPU seconds of `COUNT` evaluations."""
    started = time.process_time()
    for _ in range(COUNT):
        evaluate(**inputs)
    return time.process_time() - started


def validation_seconds() -> float:
    """Return the CPU seconds of validating the mappings of `COUNT` evaluations."""
    started = time.process_time()
    for _ in range(COUNT):
        SourceObservation.model_validate(SOURCE)
        EnvironmentBinding.model_validate(EXPIRING)
        EnvironmentBinding.model_validate(STORED)
        LineageDependency.model_validate(PARENT)
    return time.process_time() - started


def main() -> int:
    """Measure, print and return the exit code."""
    mappings = {"source": SOURCE, "stored": EXPIRING, "current": STORED, "lineage": [PARENT], "now": NOW}
    records = {
        "source": SourceObservation.from_json(SOURCE),
        "stored": EnvironmentBinding.from_json(EXPIRING),
        "current": EnvironmentBinding.from_json(STORED),
        "lineage": (LineageDependency.from_json(PARENT),),
        "now": NOW,
    }
    differing = {**records, "current": EnvironmentBinding.from_json({**STORED, "tenant": "b", "branch": "x"})}
    slow = False
    for name, inputs in (("records, MATCH", records), ("records, REVALIDATE", differing)):
        took = seconds(inputs)
        slow = slow or took >= LIMIT
        print(f"{name}: {COUNT} evaluations in {took:.2f} s, {took / COUNT * 1e6:.1f} µs each")
    took, validated = seconds(mappings), validation_seconds()
    print(
        f"mappings, MATCH: {COUNT} evaluations in {took:.2f} s, {took / COUNT * 1e6:.1f} µs each, "
        f"{took / validated:.2f} times validating them alone ({validated:.2f} s)"
    )
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
