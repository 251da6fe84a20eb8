"""A FAISS flat retriever for the benches: two states of seeded random vectors, questions that are vectors themselves.

One class serves both harnesses: it gives items in the classes that it is handed.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import faiss
import numpy as np

from witnessmark import models
from witnessmark.ports import ScoredAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from witnessmark.ports import Call

TOP_K = 10
PROFILE = {
    "implementation_id": "bench",
    "implementation_version": "1",
    "adapter_version": "1",
    "adapter_capability": "deterministic",
    "distance_metric": "ip",
    "index_implementation": "IndexFlatIP",
    "top_k": TOP_K,
    "truncation_rule": "none",
    "tie_policy": "as the index gives them",
}
DIGEST = f"sha256:{'0' * 64}"


def vectors(seed: int, count: int, dimension: int) -> np.ndarray:
    """Return ``count`` unit vectors, float32, drawn in blocks so that a million need no second copy."""
    rng = np.random.default_rng(seed)
    out = np.empty((count, dimension), np.float32)
    for start in range(0, count, 50_000):
        block = out[start : start + 50_000]
        block[:] = rng.standard_normal(block.shape, dtype=np.float32)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return out


def suite_document(requests: int) -> dict[str, Any]:
    """Return a suite that asks ``requests`` distinct questions of each state."""
    return {
        "version": "0.1",
        "probes": [
            {
                "kind": "anchor_preservation",
                "probe_id": f"p{number}",
                "query": str(number),
                "anchor": {"key": f"k{number:07}", "required_in": "both"},
                "max_rank": 5,
            }
            for number in range(requests)
        ],
    }


class SerialRetriever:
    """Answers one question a call. It has no batch, so that both harnesses do the same work."""

    def __init__(self, records: int, dimension: int, requests: int, classes: Any = models) -> None:
        self.profile = classes.RetrieverProfile.model_validate(PROFILE)
        self._item, self._reference = classes.RetrievedItem, classes.StateReference
        self.indexes = {}
        for seed, name in enumerate(("baseline", "candidate")):
            self.indexes[name] = faiss.IndexFlatIP(dimension)
            self.indexes[name].add(vectors(seed, records, dimension))
        self.queries = vectors(7, requests, dimension)
        self._size = records

    def state_reference(self, state_name: str) -> Any:
        return self._reference(checkpoint_digest=DIGEST, indexed_item_count=self._size)

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        return int(item_key[1:]) < self._size

    def retrieve(self, state_name: str, request: Any) -> Sequence[Any]:
        number = int(request.query)
        _, ids = self.indexes[state_name].search(self.queries[number : number + 1], TOP_K)
        return self.items(ids[0].tolist())

    def items(self, ids: Sequence[int]) -> tuple[Any, ...]:
        return tuple(
            self._item(item_key=f"k{number:07}", item_version_digest=DIGEST, rank=rank)
            for rank, number in enumerate(ids, 1)
        )

    def runtime_observation(self) -> None:
        return None


class BatchedRetriever(SerialRetriever):
    """Answers a whole trial with one search a state."""

    def retrieve_batch(self, calls: Sequence[Call]) -> Sequence[ScoredAnswer]:
        answers: list[ScoredAnswer | None] = [None] * len(calls)
        for name, index in self.indexes.items():
            places = [place for place, call in enumerate(calls) if call.state_name == name]
            scores, ids = index.search(self.queries[[int(calls[place].request.query) for place in places]], TOP_K)
            for place, row, numbers in zip(places, scores.tolist(), ids.tolist(), strict=True):
                answers[place] = ScoredAnswer(self.items(numbers), row)
        return [answer for answer in answers if answer is not None]


class SerialSource(NamedTuple):
    """Opens a `SerialRetriever` in a worker."""

    records: int
    dimension: int
    requests: int

    @contextmanager
    def __call__(self) -> Iterator[SerialRetriever]:
        yield SerialRetriever(*self)
