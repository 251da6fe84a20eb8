"""What assessing costs beyond FAISS itself: 100,000 vectors of 384 dimensions, 1,000 requests, two states, 20 trials.

Usage: python bench/faiss_flat.py [--records N] [--dimension D] [--requests N] [--serial N] [--trials N] [--repeats N]

Three ratios, each against a bare loop of the same calls in the same process, in turns; the target of each is 1.10:

- one by one: an assessment whose retriever has no batch, on ``--serial`` requests, against its ``retrieve`` calls;
- batched: an assessment on the batch axis, against its ``retrieve_batch`` calls;
- ties: the pipeline's search with the tie policy applied, against ``search`` for ``top_k`` alone.
"""

from __future__ import annotations

import argparse
import statistics
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING

import faiss
from flat_retriever import TOP_K, BatchedRetriever, SerialRetriever, suite_document, vectors
from threadpoolctl import threadpool_info

from witnessmark import assess
from witnessmark.models import Axis, ProbeSuite, RetrievalRequest
from witnessmark.ports import Call
from witnessmark_adapters.faiss_index import VectorIndex
from witnessmark_adapters.ties import rank

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STATES = ("baseline", "candidate")


def seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def report(name: str, bare: Callable[[], object], ours: Callable[[], object], repeats: int) -> None:
    pairs = [(seconds(bare), seconds(ours)) for _ in range(repeats)]
    ratio = statistics.median(own / base for base, own in pairs)
    base, own = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"{name:<12} bare {base:7.2f} s   ours {own:7.2f} s   ratio {ratio:.3f}", flush=True)


def serial(records: int, dimension: int, requests: int, trials: int, repeats: int) -> None:
    retriever = SerialRetriever(records, dimension, requests)
    suite = ProbeSuite.model_validate(suite_document(requests))
    asked = [RetrievalRequest(query=str(number)) for number in range(requests)]

    def bare() -> None:
        for _ in range(trials):
            for state in STATES:
                for request in asked:
                    retriever.retrieve(state, request)

    report(
        "one by one",
        bare,
        lambda: assess(retriever, suite, trials=trials, axes={Axis.sweep: None}, assessed_at=NOW),
        repeats,
    )


def batched(records: int, dimension: int, requests: int, trials: int, repeats: int) -> None:
    retriever = BatchedRetriever(records, dimension, requests)
    suite = ProbeSuite.model_validate(suite_document(requests))
    calls = [Call(state, RetrievalRequest(query=str(number))) for state in STATES for number in range(requests)]

    def bare() -> None:
        for _ in range(trials):
            retriever.retrieve_batch(calls)

    report(
        "batched",
        bare,
        lambda: assess(retriever, suite, trials=trials, axes={Axis.batch: None}, assessed_at=NOW),
        repeats,
    )


def ties(records: int, dimension: int, requests: int, trials: int, repeats: int) -> None:
    index = faiss.IndexFlatIP(dimension)
    index.add(vectors(0, records, dimension))
    queries = vectors(7, requests, dimension)
    pipeline = VectorIndex(index, order=None, where="bench")
    report(
        "ties",
        lambda: [index.search(queries, TOP_K) for _ in range(trials)],
        lambda: [rank(pipeline, queries, TOP_K) for _ in range(trials)],
        repeats,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--serial", type=int, default=50)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    core = next(
        (
            one.get("architecture")
            for one in threadpool_info()
            if "faiss" in one["filepath"] and one["internal_api"] == "openblas"
        ),
        "unknown",
    )
    print(f"BLAS core type of faiss: {core}, {faiss.omp_get_max_threads()} threads")
    rest = (given.trials, given.repeats)
    ties(given.records, given.dimension, given.requests, *rest)
    batched(given.records, given.dimension, given.requests, *rest)
    serial(given.records, given.dimension, given.serial, *rest)


if __name__ == "__main__":
    main()
