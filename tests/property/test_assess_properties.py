"""Properties of every run: it repeats to the byte, it can be recomputed, and hiding evidence never helps."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from retrievers import FOUR, NOW, Call, Retriever, item, suite
from witnessmark.artifact import recompute
from witnessmark.canonical import canonical_digest
from witnessmark.gate import evaluate_gate
from witnessmark.models import BehavioralResult, RetrievedItem
from witnessmark.rundir import policy_for
from witnessmark.runner import assess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.runner import Run

KEYS = ("old", "new", "rule", "secret", "calm", "alarm", "plain")


def shuffled(seed: int, noise: int) -> Retriever:
    """Return a retriever whose answers depend on the seed, and in one of ``noise`` calls on the number of the call."""

    def answer(call: Call, number: int) -> Sequence[RetrievedItem]:
        unstable = number if noise and number % noise == 0 else 0
        generator = random.Random(f"{seed}/{unstable}/{call.state}/{call.query}/{sorted(call.context.items())}")
        keys = generator.sample(KEYS, generator.randrange(len(KEYS) + 1))
        labels = ("tenant:b",) if generator.random() < 0.2 else ("tenant:a",)
        return [item(key, rank, *labels) for rank, key in enumerate(keys, 1)]

    return Retriever(answer)


def ran(seed: int, noise: int, trials: int = 20) -> Run:
    return assess(shuffled(seed, noise), suite(*FOUR), assessed_at=NOW, seed=seed, trials=trials)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), noise=st.sampled_from([0, 2, 7, 23]), trials=st.integers(20, 24))
def test_a_run_repeats_to_the_byte_and_can_be_recomputed(seed: int, noise: int, trials: int) -> None:
    first, second = ran(seed, noise, trials), ran(seed, noise, trials)

    assert canonical_digest(first.assessment) == canonical_digest(second.assessment)
    assert first.transcript_bytes == second.transcript_bytes
    again = recompute(first.suite, first.profile, first.transcript_bytes)
    assert again.assessment == first.assessment
    assert again.transcript == first.transcript_bytes


@settings(max_examples=30, deadline=None)
@given(seeds=st.lists(st.integers(0, 50), min_size=1, max_size=4), drop=st.integers(0, 3))
def test_leaving_out_evidence_that_does_not_pass_is_the_only_way_to_gain(seeds: list[int], drop: int) -> None:
    """The 0.1 gate sees what it is shown: only hiding an applicable fail or indeterminate can satisfy it."""
    assessments = [ran(seed, 0).assessment for seed in seeds]
    policy = policy_for(assessments[0])
    fewer = [item for place, item in enumerate(assessments) if place != drop]

    whole, part = evaluate_gate(policy, assessments), evaluate_gate(policy, fewer)

    if part.satisfied and not whole.satisfied:
        assert assessments[drop].result is not BehavioralResult.pass_
    assert not evaluate_gate(policy, []).satisfied


def test_the_hash_seed_of_the_process_changes_nothing() -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import hashlib, test_assess_properties as t\n"
        "run = t.ran(7, 7)\n"
        "print(hashlib.sha256(run.transcript_bytes).hexdigest())"
    )
    here = str(Path(__file__).parent)
    path = os.pathsep.join([str(Path(here).parent), os.environ.get("PYTHONPATH", "")])
    digests = {
        subprocess.run(
            [sys.executable, "-c", program, here],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed in ("0", "1", "2")
    }

    assert digests == {hashlib.sha256(ran(7, 7).transcript_bytes).hexdigest()}
