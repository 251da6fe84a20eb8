"""Measure ``records check`` and ``records verify`` over many AMR files: time and peak memory.

    python bench/records.py [--files N] [--dir FOLDER]

The files are as long as an agent writes them (front matter of 24 lines with links, a citation and a claim, three
sentences of body). The baseline reads the same files and hashes their bytes. Each measurement is a process of its own,
so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SOURCE = "# Runbook {0}\n\nJob {0} starts at {1:02}:30 UTC and is over within the hour.\n\nRestart it by hand once.\n"
RECORD = """---
auditable_memory: "0.1"
id: job-{0}
category: ops
type: observation
epistemic: {2}
confidence: 0.8
created_at: 2026-03-01T{1:02}:30:00Z
tags: [ops, jobs, nightly]
backed_by:
  - ops/{3:03}/job-{4}
contradicts: []
sources:
  - ref: sources/runbook-{5}.md
    quote: "Job {5} starts at {6:02}:30 UTC"
    quote_hash: "sha256:{7}"
claims:
  - text: job {0} depends on job {5}
    source_id: sources/runbook-{5}.md
    span:
      quote: "Job {5} starts at {6:02}:30 UTC"
      quote_hash: "sha256:{7}"
---

Job {0} depends on job {5}. When it is late, look at the queue first, then at the disk. Nobody is paged for it.
"""
WORDS = ("fact", "inference", "open_question", "unverified")
SOURCES = 500
PROBE = """
import json, resource, sys, time
from pathlib import Path
started = time.perf_counter()
{}
seconds = time.perf_counter() - started
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, what]))
"""
STORE = "from witnessmark.amr.store import Store\nstore = Store(Path(sys.argv[1]))\n"
MEASURED = {
    "reading and hashing the bytes": (
        "import hashlib\nwhat = 0\n"
        "for path in sorted(Path(sys.argv[1]).rglob('*.md')):\n"
        "    what += len(hashlib.sha256(path.read_bytes()).digest())"
    ),
    "check --level 3": (
        f"{STORE}from witnessmark.amr.check import check_records\n"
        "report = check_records(store, 3)\n"
        "what = [report.record_count, report.conforming_count, len(report.problems)]"
    ),
    "verify": (
        f"{STORE}from witnessmark.amr.verify import verify_records\n"
        "report = verify_records(store)\nwhat = [report.record_count, report.outcomes.ok, len(report.problems)]"
    ),
    "relations": (
        f"{STORE}from witnessmark.amr.relations import relations_of\n"
        "report = relations_of(store)\nwhat = [report.record_count, len(report.records)]"
    ),
}


def write(folder: Path, files: int) -> None:
    """Write the records and their sources."""
    (folder / "sources").mkdir()
    for number in range(SOURCES):
        (folder / "sources" / f"runbook-{number}.md").write_text(SOURCE.format(number, number % 24))
    for number in range(files):
        part, source, other = number // 500, number % SOURCES, (number + 7) % files
        if number % 500 == 0:
            (folder / "ops" / f"{part:03}").mkdir(parents=True)
        digest = hashlib.sha256(f"Job {source} starts at {source % 24:02}:30 UTC".encode()).hexdigest()
        text = RECORD.format(number, number % 24, WORDS[number % 4], other // 500, other, source, source % 24, digest)
        (folder / "ops" / f"{part:03}" / f"job-{number}.md").write_text(text)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--dir", type=Path, default=None)
    arguments = parser.parse_args()
    for files in (arguments.files // 5, arguments.files):
        with tempfile.TemporaryDirectory(dir=arguments.dir) as folder:
            write(Path(folder), files)
            for name, body in MEASURED.items():
                start = time.perf_counter()
                done = subprocess.run(
                    [sys.executable, "-c", PROBE.format(body), folder], check=True, capture_output=True, text=True
                )
                seconds, peak, what = json.loads(done.stdout)
                whole = time.perf_counter() - start
                print(f"{files:,} files, {name}: {seconds:.1f} s ({whole:.1f} s with the start), {peak:.0f} MB, {what}")


if __name__ == "__main__":
    main()
