"""What the harness costs per trial beyond the adapter's own call, against the public reference in the same process.

Usage: python bench/overhead.py [--probes 1000 10000] [--repeats 3]

The adapter answers from ten prebuilt items, so nearly all of the time is the harness's. A bare loop makes the same
calls; its time is taken off both. Needs the extra ``interop``. Memory is the peak resident size of a process that does
one run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType


def adapter_of(models: ModuleType) -> Any:
    profile = models.RetrieverProfile(
        implementation_id="prebuilt",
        implementation_version="1",
        adapter_version="1",
        adapter_capability="deterministic",
        distance_metric="none",
        index_implementation="none",
        top_k=10,
        truncation_rule="none",
        tie_policy="rank",
    )
    state = models.StateReference(checkpoint_digest=f"sha256:{'a' * 64}")
    items = [
        models.RetrievedItem(
            item_key=f"item-{rank}", item_version_digest=f"sha256:{'b' * 64}", rank=rank, scope_labels=["tenant:a"]
        )
        for rank in range(1, 11)
    ]

    class Prebuilt:
        calls = 0

        @property
        def profile(self) -> Any:
            return profile

        def state_reference(self, state_name: str) -> Any:
            return state

        def contains_item_key(self, state_name: str, item_key: str) -> bool:
            return True

        def retrieve(self, state_name: str, request: Any) -> Any:
            Prebuilt.calls += 1
            return items

        def runtime_observation(self) -> None:
            return None

    return Prebuilt()


def suite_of(models: ModuleType, count: int) -> Any:
    def both(key: str) -> dict[str, str]:
        return {"key": key, "required_in": "both"}

    kinds = (
        lambda name: models.CorrectionPrecedenceProbe(
            probe_id=name, query=f"query {name}", superseded=both("item-4"), correction=both("item-2")
        ),
        lambda name: models.AnchorPreservationProbe(
            probe_id=name, query=f"query {name}", anchor=both("item-3"), max_rank=5
        ),
        lambda name: models.ScopeIsolationProbe(
            probe_id=name, query=f"query {name}", forbidden_scope_labels=["tenant:b"]
        ),
        lambda name: models.StateConditionedDifferentiationProbe(
            probe_id=name,
            query=f"query {name}",
            context_a={"mood": "a"},
            context_b={"mood": "b"},
            a_required_keys=["item-1"],
            require_distinct_ordering=False,
        ),
    )
    return models.ProbeSuite(probes=[kinds[number % 4](f"p{number}") for number in range(count)])


def reference_run(count: int) -> tuple[float, int]:
    import agent_manifest._memory_assessment as models

    adapter, suite = adapter_of(models), suite_of(models, count)
    start = perf_counter()
    models.AssessmentHarness().run(adapter, suite)
    return perf_counter() - start, adapter.calls


def our_run(count: int, trials: int = 20) -> tuple[float, int]:
    import witnessmark

    adapter, suite = adapter_of(witnessmark), suite_of(witnessmark, count)
    start = perf_counter()
    witnessmark.assess(adapter, suite, trials=trials)
    return perf_counter() - start, adapter.calls


def bare(calls: int) -> float:
    import witnessmark

    adapter, request = adapter_of(witnessmark), witnessmark.RetrievalRequest(query="q")
    start = perf_counter()
    for _ in range(calls):
        adapter.retrieve("candidate", request)
    return perf_counter() - start


def peak_rss() -> float:
    """Return this process's peak resident size in MB; ``ru_maxrss`` would count the parent's too."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def peak(kind: str, count: int, trials: int = 20) -> float:
    """Return the peak resident size of one run in a process of its own, in MB."""
    done = subprocess.run(
        [sys.executable, __file__, "--one", kind, str(count), str(trials)], check=True, capture_output=True, text=True
    )
    return float(json.loads(done.stdout))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--probes", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        kind, count, trials = options.one[0], int(options.one[1]), int(options.one[2])
        if kind == "reference":
            reference_run(count)
        else:
            our_run(count, trials)
        print(json.dumps(peak_rss()))
        return
    our_run(10), reference_run(10)
    print("probes  calls    reference us/call  ours us/call  ratio   peak MB: reference  ours  ours at 200 trials")
    for count in options.probes:
        theirs, ours = [], []
        for _ in range(options.repeats):
            seconds, calls = reference_run(count)
            theirs.append((seconds - bare(calls)) / calls * 1e6)
            seconds, again = our_run(count)
            ours.append((seconds - bare(again)) / again * 1e6)
            assert again == calls
        ratio = statistics.median(our / their for our, their in zip(ours, theirs, strict=True))
        print(
            f"{count:<7} {calls:<8} {statistics.median(theirs):<18.1f} {statistics.median(ours):<13.1f} {ratio:<7.2f}"
            f" {peak('reference', count):>17.0f} {peak('ours', count):>5.0f} {peak('ours', count, 200):>7.0f}"
        )


if __name__ == "__main__":
    main()
