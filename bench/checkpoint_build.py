"""How much memory building a checkpoint holds beyond its vectors, and how fast it is against embedding alone.

Usage: python bench/checkpoint_build.py [--records 25000 50000 100000] [--words 40]

Each build runs in a process of its own, with the embedded retriever over texts of made-up words. The growth of the peak
between two sizes is what a record costs: its vector is 1,024 bytes, the rest is its key and where it lies in the log.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from time import perf_counter

VECTOR_BYTES = 256 * 4


def write_records(path: Path, count: int, words: int) -> int:
    random = Random(0)
    vocabulary = ["".join(random.choices("abcdefghijklmnoprstuvw", k=6)) for _ in range(5000)]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            record = {"key": f"record/{number:07}", "text": " ".join(random.choices(vocabulary, k=words))}
            stream.write(json.dumps({**record, "scope_labels": [f"tenant:{number % 50}"]}) + "\n")
    return path.stat().st_size


def peak_rss() -> float:
    """Return this process's peak resident size in MB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def one(records: str, out: str) -> dict[str, float]:
    from witnessmark.builtin import read_named
    from witnessmark.canonical import parse_json
    from witnessmark.checkpoint.build import build_checkpoint
    from witnessmark.models import RetrieverProfile
    from witnessmark.registry import find_adapter, find_embedder

    where, data = read_named("builtin:wordllama-flat-ip", "profile")
    profile = RetrieverProfile.from_bytes(data, where=where)
    adapter, source = find_adapter("faiss")
    start = perf_counter()
    build_checkpoint(Path(records), profile=profile, adapter_name=source.name, adapter=adapter, out=Path(out))  # type: ignore[arg-type]
    seconds, peak = perf_counter() - start, peak_rss()
    embedder = find_embedder("wordllama")[0].load({})
    texts = [parse_json(line)["text"] for line in Path(records).read_bytes().splitlines()]  # type: ignore[index, call-overload]
    start = perf_counter()
    for first in range(0, len(texts), 4096):
        embedder.embed(texts[first : first + 4096])  # type: ignore[arg-type]
    return {"seconds": seconds, "peak": peak, "embedding": perf_counter() - start}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[25_000, 50_000, 100_000])
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(*options.one)))
        return
    print("records   file MB   vectors MB   peak MB   bytes a record beyond its vector   build s   embedding alone s")
    before: tuple[int, float] | None = None
    for count in options.records:
        with tempfile.TemporaryDirectory() as folder:
            size = write_records(Path(folder) / "records.jsonl", count, options.words)
            done = subprocess.run(
                [sys.executable, __file__, "--one", f"{folder}/records.jsonl", f"{folder}/out"],
                check=True,
                capture_output=True,
                text=True,
            )
        seen = json.loads(done.stdout)
        more = (
            "" if before is None else f"{(seen['peak'] - before[1]) * 2**20 / (count - before[0]) - VECTOR_BYTES:.0f}"
        )
        print(
            f"{count:<9} {size / 2**20:<9.1f} {count * VECTOR_BYTES / 2**20:<12.1f} {seen['peak']:<9.0f} {more:<34}"
            f" {seen['seconds']:<9.1f} {seen['embedding']:.1f}"
        )
        before = count, seen["peak"]


if __name__ == "__main__":
    main()
