"""Measure the log: durable appends, verification, and what a proof costs.

    python bench/log.py [--entries N] [--dir FOLDER]

Every append is its own transaction and is on disk before the next begins (WAL, ``synchronous=FULL``: one fsync an
append), so the number depends on the disk of FOLDER. The entries are run starts of about 700 bytes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path

from witnessmark.canonical import model_bytes
from witnessmark.log import Log, verify_log
from witnessmark.models import StateReference
from witnessmark.models.log import RunPlan, RunStarted


def entry() -> RunStarted:
    """Return an entry of the usual size."""
    digest = f"sha256:{'a' * 64}"
    state = StateReference(checkpoint_digest=digest, retrieval_state_digest=digest, indexed_item_count=1000)
    return RunStarted.model_validate(
        {
            "started_at": "2026-01-01T00:00:00Z",
            "baseline_state": state,
            "candidate_state": state,
            "probe_suite_digest": digest,
            "retriever_profile_digest": digest,
            "plan": RunPlan(trials=(), seed=0),
        }
    )


def fsync_rate(folder: Path, count: int = 200) -> float:
    """Return how many small writes with fsync a second the disk does, median of three."""
    rates = []
    for _ in range(3):
        with (folder / "probe").open("wb") as stream:
            start = time.perf_counter()
            for _ in range(count):
                stream.write(b"x" * 4096)
                stream.flush()
                os.fsync(stream.fileno())
            rates.append(count / (time.perf_counter() - start))
    return statistics.median(rates)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--dir", type=Path, default=Path())
    arguments = parser.parse_args()
    record = entry()
    with tempfile.TemporaryDirectory(dir=arguments.dir) as folder:
        path = Path(folder) / "bench.log"
        print(f"disk: {fsync_rate(Path(folder)):,.0f} writes with fsync a second")
        with Log.create(path, "bench") as log:
            start = time.perf_counter()
            for _ in range(arguments.entries):
                log.append(record)
            seconds = time.perf_counter() - start
            print(
                f"append: {arguments.entries:,} entries of {len(model_bytes(record))} bytes in {seconds:.2f} s, "
                f"{arguments.entries / seconds:,.0f} a second"
            )
            for name, make in (
                ("inclusion proof", lambda index: log.inclusion_proof(index)),
                ("consistency proof", lambda index: log.consistency_proof(index + 1)),
                ("tree head", lambda index: log.tree_head(index + 1)),
            ):
                start = time.perf_counter()
                for index in range(0, arguments.entries, max(1, arguments.entries // 200)):
                    make(index)
                print(f"{name}: {(time.perf_counter() - start) / 200 * 1e6:,.0f} µs")
        start = time.perf_counter()
        check = verify_log(path)
        print(
            f"verify: {check.head.size:,} entries, {path.stat().st_size / 1e6:.1f} MB in "
            f"{time.perf_counter() - start:.2f} s, file bytes {check.file_bytes}"
        )


if __name__ == "__main__":
    main()
