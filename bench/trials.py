"""Measure trials: batches against the reference harness, and two workers against one.

    python bench/trials.py [--records N] [--dimension D] [--requests N] [--subset N] [--trials N]

Every measurement runs in a process of its own. The reference harness, and the trials that ask one by one, are measured
on ``--subset`` requests and extrapolated: their time is linear in requests. The reference needs the extra ``interop``.
BLAS core types whose instructions this processor lacks are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CORES = ("", "Haswell", "SkylakeX", "Zen")
"""OPENBLAS_CORETYPE; empty is what the library detects."""


def measure(what: str, records: int, dimension: int, requests: int, trials: int) -> float:
    """Return the seconds of one assessment, opening not included (workers: their opening is warmed up)."""
    from flat_retriever import BatchedRetriever, SerialRetriever, SerialSource, suite_document

    document = suite_document(requests)
    if what == "reference":
        from agent_manifest import _memory_assessment as reference

        retriever = SerialRetriever(records, dimension, requests, reference)
        suite = reference.ProbeSuite.model_validate(document)
        harness = reference.AssessmentHarness(repeatability_trials=trials)
        start = time.perf_counter()
        harness.run(retriever, suite, assessed_at=NOW)
        return time.perf_counter() - start
    from witnessmark import assess
    from witnessmark.models import Axis, ProbeSuite
    from witnessmark.runner import Workforce

    suite = ProbeSuite.model_validate(document)
    if what == "batch":
        batched = BatchedRetriever(records, dimension, requests)
        start = time.perf_counter()
        assess(batched, suite, trials=trials, axes={Axis.batch: None}, assessed_at=NOW)
        return time.perf_counter() - start
    workers = int(what.removeprefix("workers"))
    finished = []
    assess(
        SerialRetriever(records, dimension, requests),
        suite,
        trials=trials,
        axes={Axis.sweep: None},
        assessed_at=NOW,
        source=SerialSource(records, dimension, requests),
        workforce=Workforce(workers=workers),
        on_trial=lambda progress: finished.append(time.perf_counter()),
    )
    # The first trial opens the workers' states; every other one is the steady rate.
    return (finished[-1] - finished[0]) / (trials - 1) * trials


def child(what: str, core: str, threads: int, *sizes: int) -> float:
    """Measure in a fresh process."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    environment.pop("OPENBLAS_CORETYPE", None)
    if core:
        environment["OPENBLAS_CORETYPE"] = core
    command = [sys.executable, __file__, "--measure", what, *map(str, sizes)]
    return float(json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout))


def main() -> None:
    """Run and print."""
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2], *map(int, sys.argv[3:]))))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--subset", type=int, default=20)
    parser.add_argument("--trials", type=int, default=20)
    given = parser.parse_args()
    shape = (given.records, given.dimension)
    threads = os.cpu_count() or 1
    scale = given.requests / given.subset
    probe: dict[str, float] = {}
    for core in CORES[1:]:
        try:
            probe[core] = child("batch", core, threads, *shape, 400, 20)
        except subprocess.CalledProcessError as error:
            if error.returncode != -signal.SIGILL:
                raise
            print(f"BLAS {core}: not on this processor", flush=True)
    best = min(probe, key=lambda core: probe[core])
    for core in ("", best):
        reference = child("reference", core, threads, *shape, given.subset, given.trials) * scale
        batch = child("batch", core, threads, *shape, given.requests, given.trials)
        print(
            f"BLAS {core or 'default'}: reference {reference:.1f} s ({given.subset} of {given.requests} requests "
            f"measured), batch {batch:.1f} s, ratio {reference / batch:.1f}",
            flush=True,
        )
    one, two = (child(f"workers{count}", "", 1, *shape, given.subset * 2, given.trials) for count in (1, 2))
    print(f"serial, {given.subset * 2} requests: 1 worker {one:.1f} s, 2 workers {two:.1f} s, ratio {one / two:.2f}")


if __name__ == "__main__":
    main()
