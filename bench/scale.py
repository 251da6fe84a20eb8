"""How time and memory of an assessment grow with records, requests, trials and workers, over the real pipeline.

Usage: python bench/scale.py [--records N ...] [--requests N ...] [--trials N ...] [--workers N ...] [--plot FILE]

Checkpoints of made-up texts are embedded with the wordllama model at 64 dimensions into a flat index, once a number of
records; each row is then one assessment of such a checkpoint against itself in a process of its own, on the batch axis
(where workers vary: one by one, so that there is something to share). One quantity varies at a time; the others stay at
``--usual`` RECORDS REQUESTS, 20 trials and 1 worker. ``--plot`` needs matplotlib.
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
from typing import TYPE_CHECKING, Any, NamedTuple

from checkpoint_build import peak_rss, write_records

if TYPE_CHECKING:
    from collections.abc import Sequence

PROFILE = {
    "adapter_capability": "deterministic",
    "adapter_version": "0.1",
    "distance_metric": "cosine",
    "implementation_id": "faiss",
    "implementation_version": "1",
    "index_build_config": {"embedder": "wordllama", "embedding_dimension": 64},
    "index_implementation": "IndexFlatIP",
    "tie_policy": "score_desc_item_key_asc",
    "top_k": 10,
    "truncation_rule": "text:none;answer:top_k",
}


class Row(NamedTuple):
    """One assessment."""

    records: int
    requests: int
    trials: int
    workers: int
    open_s: float
    assess_s: float
    peak_mb: float


def build(records: int, folder: Path) -> float:
    from witnessmark.checkpoint.build import build_checkpoint
    from witnessmark.models import RetrieverProfile
    from witnessmark.registry import find_adapter

    write_records(folder / "records.jsonl", records, 12)
    adapter, source = find_adapter("faiss")
    start = perf_counter()
    build_checkpoint(
        folder / "records.jsonl",
        profile=RetrieverProfile.model_validate(PROFILE),
        adapter_name=source.name,
        adapter=adapter,  # type: ignore[arg-type]
        out=folder / "checkpoint",
    )
    return perf_counter() - start


def suite(records: Path, requests: int) -> dict[str, Any]:
    """Ask for as many records as there are requests by a part of their own words."""
    random, probes = Random(1), []
    with records.open(encoding="utf-8") as lines:
        for number, line in zip(range(requests), lines, strict=False):
            record = json.loads(line)
            probes.append(
                {
                    "kind": "anchor_preservation",
                    "probe_id": f"p{number:06}",
                    "query": " ".join(random.sample(record["text"].split(), 6)),
                    "anchor": {"key": record["key"], "required_in": "both"},
                    "max_rank": 10,
                }
            )
    return {"version": "0.1", "probes": probes}


def one(folder: Path, axis: str, requests: int, trials: int, workers: int) -> dict[str, float]:
    from witnessmark.checkpoint.directory import Checkpoint
    from witnessmark.checkpoint.targets import resolve_target
    from witnessmark.models import Axis, ProbeSuite
    from witnessmark.opening import open_states
    from witnessmark.run.source import TargetSource
    from witnessmark.runner import Workforce, assess

    profile = Checkpoint.open(folder / "checkpoint").profile
    target = resolve_target(folder / "checkpoint")
    states = {"baseline": target, "candidate": target}
    asked = ProbeSuite.model_validate(suite(folder / "records.jsonl", requests))
    start = perf_counter()
    with open_states(states, profile) as retriever:
        opened = perf_counter()
        assess(
            retriever,
            asked,
            trials=trials,
            axes={Axis(axis): None},
            source=TargetSource(states, profile),
            workforce=Workforce(workers=workers),
        )
        done = perf_counter()
    return {"open_s": opened - start, "assess_s": done - opened, "peak_mb": peak_rss()}


def measure(folder: Path, axis: str, records: int, requests: int, trials: int, workers: int) -> Row:
    command = [sys.executable, __file__, "--one", str(folder), axis, str(requests), str(trials), str(workers)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    row = Row(records, requests, trials, workers, **json.loads(done.stdout))
    print(
        f"| {row.records:,} | {row.requests:,} | {row.trials} | {row.workers} | {row.open_s:.1f} |"
        f" {row.assess_s:.1f} | {row.peak_mb:,.0f} |",
        flush=True,
    )
    return row


def plot(rows: dict[str, list[Row]], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "witnessmark"
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(2, len(rows), figsize=(3 * len(rows), 5), squeeze=False, sharex="col")
    for column, (name, measured) in enumerate(rows.items()):
        measured = sorted(measured)
        places = [getattr(row, name) for row in measured]
        panels[0][column].plot(places, [row.assess_s for row in measured], "o-")
        panels[1][column].plot(places, [row.peak_mb for row in measured], "s-")
        panels[1][column].set_xlabel(name)
        for panel in panels[:, column]:
            panel.set_ylim(bottom=0)
    panels[0][0].set_ylabel("assess, s")
    panels[1][0].set_ylabel("peak memory, MB")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000, 50_000, 100_000])
    parser.add_argument("--requests", type=int, nargs="*", default=[500, 1_000, 10_000])
    parser.add_argument("--trials", type=int, nargs="*", default=[20, 50, 100])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--usual", type=int, nargs=2, default=[10_000, 1_000], metavar=("RECORDS", "REQUESTS"))
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        place, axis, *numbers = given.one
        print(json.dumps(one(Path(place), axis, *map(int, numbers))))
        return
    usual = {"records": given.usual[0], "requests": given.usual[1], "trials": 20, "workers": 1}
    rows: dict[str, list[Row]] = {}
    print("| records | requests | trials | workers | open s | assess s | peak MB |\n|---|---|---|---|---|---|---|")
    for records in sorted({*given.records, usual["records"]}):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            seconds = build(records, folder)
            print(f"built {records:,} records in {seconds:.1f} s", file=sys.stderr, flush=True)
            if records in given.records:
                rows.setdefault("records", []).append(measure(folder, "batch", **{**usual, "records": records}))
            if records != usual["records"]:
                continue
            varied: dict[str, Sequence[int]] = {"requests": given.requests, "trials": given.trials}
            for quantity, values in {**varied, "workers": given.workers}.items():
                for value in values:
                    axis = "sweep" if quantity == "workers" else "batch"
                    row = measure(folder, axis, **{**usual, quantity: value})
                    rows.setdefault(quantity, []).append(row)
    if given.plot is not None:
        plot(rows, given.plot)


if __name__ == "__main__":
    main()
