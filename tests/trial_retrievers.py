"""Small retrievers that really misbehave, and sources that open them in other processes.

Each one keeps a handful of notes with two-dimensional vectors; what is wrong with it is in its class and nowhere else.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import SystemRandom
from typing import Any, NamedTuple

import faiss
import numpy as np

from witnessmark.canonical import sha256_digest
from witnessmark.errors import TransientError
from witnessmark.models import (
    Place,
    ProbeSuite,
    RetrievalRequest,
    RetrievedItem,
    RetrieverProfile,
    StateReference,
    Target,
)
from witnessmark.ports import Call, ItemLocation, ScoredAnswer

TOP_K = 3
NOTES = ("a", "b", "c", "d", "e")
"""Keys; where scores are equal, this is the order in which the notes were written."""
PROFILE: dict[str, Any] = {
    "implementation_id": "notes",
    "implementation_version": "1",
    "adapter_version": "1",
    "adapter_capability": "deterministic",
    "distance_metric": "inner product",
    "index_implementation": "list",
    "top_k": TOP_K,
    "truncation_rule": "top-k",
    "tie_policy": "insertion order",
}


def anchors(count: int = 4, key: str = "a", max_rank: int = TOP_K, first: int = 0) -> ProbeSuite:
    """Return a suite of ``count`` anchor probes; query ``q0`` is asked first."""
    return ProbeSuite.from_json(
        {
            "version": "0.1",
            "probes": [
                {
                    "kind": "anchor_preservation",
                    "probe_id": f"p{number}",
                    "query": f"q{number}",
                    "anchor": {"key": key, "required_in": "both"},
                    "max_rank": max_rank,
                }
                for number in range(first, first + count)
            ],
        }
    )


def isolation(count: int = 1) -> ProbeSuite:
    """Return a suite that forbids the label ``secret``."""
    return ProbeSuite.from_json(
        {
            "version": "0.1",
            "probes": [
                {
                    "kind": "scope_isolation",
                    "probe_id": f"p{number}",
                    "query": f"q{number}",
                    "forbidden_scope_labels": ["secret"],
                }
                for number in range(count)
            ],
        }
    )


def correction() -> ProbeSuite:
    """Return a suite in which note ``b`` corrects note ``a``."""
    return ProbeSuite.from_json(
        {
            "version": "0.1",
            "probes": [
                {
                    "kind": "correction_precedence",
                    "probe_id": "p0",
                    "query": "q0",
                    "superseded": {"key": "a", "required_in": "both"},
                    "correction": {"key": "b", "required_in": "candidate"},
                }
            ],
        }
    )


def item(key: str, rank: int, *labels: str) -> RetrievedItem:
    """Return an item of an answer."""
    return RetrievedItem(item_key=key, item_version_digest=sha256_digest(key.encode()), rank=rank, scope_labels=labels)


def ranked(keys: Sequence[str], *labels: str) -> tuple[RetrievedItem, ...]:
    """Return the first ``TOP_K`` keys as an answer."""
    return tuple(item(key, rank, *labels) for rank, key in enumerate(keys[:TOP_K], 1))


class Notes:
    """Answers every question with the notes in the order in which they were written. Nothing is wrong with it."""

    def __init__(self, notes: Sequence[str] = NOTES) -> None:
        self.notes = tuple(notes)
        self.asked = 0

    @property
    def profile(self) -> RetrieverProfile:
        return RetrieverProfile.from_json(PROFILE)

    def state_reference(self, state_name: str) -> StateReference:
        return StateReference(
            checkpoint_digest=sha256_digest("".join(sorted(self.notes)).encode()), indexed_item_count=len(self.notes)
        )

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        return item_key in self.notes

    def retrieve(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        self.asked += 1
        return self.answer(state_name, request)

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        return ranked(self.notes)

    def runtime_observation(self) -> None:
        return None


class OrderDependentCache(Notes):
    """Ranks what it answered last first: the answer depends on the question before."""

    last = 0

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        start, self.last = self.last, int(request.query[1:]) % len(self.notes)
        return ranked(self.notes[start:] + self.notes[:start])


class RandomBehindCache(Notes):
    """Draws a random order once a process and question, and answers from the cache ever after."""

    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[str, tuple[RetrievedItem, ...]] = {}

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        if request.query not in self.cache:
            self.cache[request.query] = ranked(SystemRandom().sample(self.notes, len(self.notes)))
        return self.cache[request.query]


class SetOrder(Notes):
    """Collects its matches in a set: equal scores come in the order of their hashes."""

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        return ranked(list({*self.notes}))


class BatchOnly(Notes):
    """Answers a batch of a thousand by another path than a single question."""

    def retrieve_batch(self, calls: Sequence[Call]) -> Sequence[ScoredAnswer]:
        notes = self.notes[::-1] if len(calls) >= 1000 else self.notes
        return [ScoredAnswer(ranked(notes), (1.0,) * TOP_K) for _ in calls]

    def retrieve_scored(self, state_name: str, request: RetrievalRequest) -> ScoredAnswer:
        (answer,) = self.retrieve_batch([Call(state_name, request)])
        return answer


class WriteOnRead(Notes):
    """Counts its reads inside the state."""

    def state_reference(self, state_name: str) -> StateReference:
        return StateReference(checkpoint_digest=sha256_digest(str(self.asked).encode()))


class WriteAndUndo(Notes):
    """Writes at the 2nd question of every ten and takes it back at the 9th: nothing is left when a sweep of 10 ends."""

    def state_reference(self, state_name: str) -> StateReference:
        written = 2 <= self.asked % 10 < 9
        return StateReference(checkpoint_digest=sha256_digest(b"B" if written else b"A"))


class HalfPrecision(Notes):
    """Scores in half precision: what differs by less than 2^-11 is saturated to the same number."""

    scores = np.array([0.90002, 0.90001, 0.9, 0.5, 0.4])

    def retrieve_scored(self, state_name: str, request: RetrievalRequest) -> ScoredAnswer:
        half = self.scores.astype(np.float16).astype(float)
        order = np.argsort(-half, kind="stable")
        return ScoredAnswer(
            ranked([self.notes[index] for index in order]), half[order][:TOP_K].tolist(), float(half[order][TOP_K])
        )


class LocalTime(Notes):
    """Holds note ``a`` valid until a moment that it reads in the time zone of the machine."""

    moment = 1_767_225_600.0
    """2026-01-01T00:00:00Z."""

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        today = time.strftime("%Y-%m-%d", time.localtime(self.moment))
        return ranked(self.notes if today < "2026-01-01" else self.notes[1:])


class OnceInTwenty(Notes):
    """Answers ``wrong`` at every twentieth question."""

    def __init__(self, wrong: Sequence[RetrievedItem]) -> None:
        super().__init__()
        self.wrong = wrong

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        return self.wrong if state_name == "candidate" and self._turn(request) % 20 == 7 else ranked(self.notes)

    def _turn(self, request: RetrievalRequest) -> int:
        self.turn = getattr(self, "turn", -1) + 1
        return self.turn


class ChangesProfile(Notes):
    """Finds out at the 30th question that it has another metric than it said."""

    @property
    def profile(self) -> RetrieverProfile:
        return RetrieverProfile.from_json(PROFILE | ({"distance_metric": "l2"} if self.asked >= 30 else {}))


class OtherProfile(Notes):
    """Says, in this process, another metric than the retriever that was opened first."""

    @property
    def profile(self) -> RetrieverProfile:
        return RetrieverProfile.from_json(PROFILE | {"distance_metric": "l2"})


class ElsewhereOtherProfile(NamedTuple):
    """Opens a retriever of another profile."""

    @contextmanager
    def __call__(self) -> Iterator[Notes]:
        yield OtherProfile()


class Uniform(Notes):
    """Answers in a new random order every time."""

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        return ranked(SystemRandom().sample(self.notes, len(self.notes)))


class Located(Notes):
    """Can tell where a note is that its answer lacks."""

    def __init__(self, notes: Sequence[str], location: ItemLocation) -> None:
        super().__init__(notes)
        self.location = location

    def locate(self, state_name: str, request: RetrievalRequest, item_key: str) -> ItemLocation:
        return self.location if state_name == "candidate" else ItemLocation(Place.absent)

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        return ranked(self.notes if state_name == "baseline" else self.notes[1:])


class Sleeper(Notes):
    """Falls asleep at the 7th question."""

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        if self.asked == 7:
            time.sleep(30)
        return ranked(self.notes)


class Passing(Notes):
    """Fails with an error that may pass, ``failures`` times in a row from the 7th question on."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        if 7 <= self.asked < 7 + self.failures:
            raise TransientError("the store is busy", code="adapter_unavailable")
        return ranked(self.notes)


class DiesOnce(Notes):
    """Kills its process, once in all processes that share a folder: a worker that is lost in the middle of a task."""

    def __init__(self, folder: Path, asks: int = 3) -> None:
        super().__init__()
        self.folder, self.asks, self.home = folder, asks, os.getppid()

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        if self.asked == self.asks:
            try:
                (self.folder / "died").touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        with (self.folder / "asked").open("a", encoding="utf-8") as stream:
            stream.write(f"{state_name} {request.query}\n")
        return ranked(self.notes)


class Flat(Notes):
    """Notes in a FAISS index; ``a`` to ``e`` are copies of each other, so that their order is that of insertion."""

    def __init__(self, order: Sequence[int] = range(5)) -> None:
        super().__init__([NOTES[index] for index in order])
        self.index = faiss.IndexFlatIP(4)
        self.index.add(np.ones((len(order), 4), np.float32))

    def state_reference(self, state_name: str) -> Any:
        return Notes().state_reference(state_name)

    def nearest(self, count: int = TOP_K) -> list[str]:
        _, ids = self.index.search(np.ones((1, 4), np.float32), count)
        return [self.notes[number] for number in ids[0].tolist()]

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        return ranked(self.nearest())


class CachedSqlite(Notes):
    """Lets SQLite break ties at random, and remembers what it got."""

    def __init__(self) -> None:
        super().__init__()
        database = sqlite3.connect(":memory:")
        database.execute("create table notes (key text, score real)")
        database.executemany("insert into notes values (?, 1.0)", [(key,) for key in NOTES])

        @cache
        def search(query: str) -> list[str]:
            rows = database.execute("select key from notes order by score desc, random() limit ?", (TOP_K,))
            return [key for (key,) in rows]

        self.search = search
        self.close = database.close

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        return ranked(self.search(request.query))


class Fused(Flat):
    """Joins the hits of two FAISS searches in a set, without an order of its own."""

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        return ranked(list({*self.nearest(4)} | {*self.nearest(5)}))


class Opens(NamedTuple):
    """Opens a retriever of a module-level class, in any process."""

    make: Callable[..., Notes]
    arguments: tuple[Any, ...] = ()

    @contextmanager
    def __call__(self) -> Iterator[Notes]:
        yield self.make(*self.arguments)


def drawn(_: int) -> float:
    """Return another number at every call, whatever it is called with."""
    return SystemRandom().random()


class FailsOnce(Notes):
    """Fails at the 30th question, once in all processes that share a folder."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.failed = Path(folder) / "failed"

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        if self.asked == 30 and not self.failed.exists():
            self.failed.touch()
            raise OSError("the disk is gone")
        return ranked(self.notes)


class FailsInAnotherZone(Notes):
    """Fails where the clock is not in UTC."""

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        if time.localtime(0).tm_gmtoff:
            raise OSError("the clock is wrong")
        return ranked(self.notes)


class TrialAdapter:
    """Opens the retriever of this module that the candidate's option ``kind`` names, with its ``arguments``."""

    def open(self, states: Mapping[str, Target], profile: RetrieverProfile | None) -> Notes:
        options: dict[str, Any] = dict(states["candidate"].options)
        retriever: Notes = globals()[options["kind"]](*options.get("arguments", ()))
        return retriever


ADAPTER = TrialAdapter()


def register(folder: Path) -> None:
    """Write a distribution into ``folder`` that provides `TrialAdapter` as the adapter ``trial``."""
    metadata = folder / "trial_retrievers-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: trial-retrievers\nVersion: 1\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(
        "[witnessmark.adapters]\ntrial = trial_retrievers:ADAPTER\n", encoding="utf-8"
    )
