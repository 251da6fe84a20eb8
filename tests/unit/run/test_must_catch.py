"""Retrievers that misbehave in the field: each one is caught, and by the axis that moves it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, ClassVar

import faiss
import numpy as np
import pytest

from trial_retrievers import (
    NOTES,
    TOP_K,
    BatchOnly,
    CachedSqlite,
    ChangesProfile,
    ElsewhereOtherProfile,
    Flat,
    Fused,
    HalfPrecision,
    LocalTime,
    Notes,
    OnceInTwenty,
    Opens,
    OrderDependentCache,
    RandomBehindCache,
    SetOrder,
    WriteAndUndo,
    WriteOnRead,
    anchors,
    correction,
    isolation,
    ranked,
)
from witnessmark import assess
from witnessmark.errors import AdapterError, ProfileMismatch, StateChanged
from witnessmark.models import Axis, ProbeSuite, RetrievalRequest, RetrievedItem
from witnessmark.ports import RetrieverAdapter
from witnessmark.run.guard import StateGuard
from witnessmark.runner import Rebuild, Run, Workforce

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SWEEPS: dict[Axis, int | None] = {Axis.sweep: None}
WITH_PROCESSES: dict[Axis, int | None] = {Axis.sweep: 18, Axis.process: 2}
WITH_REBUILDS: dict[Axis, int | None] = {Axis.sweep: None, Axis.rebuild: 4}


def run(adapter: RetrieverAdapter, suite: ProbeSuite, axes: dict[Axis, int | None] = SWEEPS, **options: Any) -> Run:
    return assess(adapter, suite, axes=axes, assessed_at=NOW, **options)


def results(found: Run) -> list[str]:
    return [item.result.value for item in found.assessment.probe_results]


def split_axes(found: Run) -> set[str]:
    """Return the axes on which some question got more than one ordering, or another one than the first axis."""
    moved = set()
    for diagnosis in found.diagnoses:
        for split in diagnosis.splits:
            first = next(index for index, count in enumerate(split.axes[0].counts) if count)
            for axis in split.axes:
                if any(count for index, count in enumerate(axis.counts) if index != first):
                    moved.add(axis.axis.value)
    return moved


def rebuilder(make: Callable[[Sequence[int]], RetrieverAdapter], size: int) -> Rebuild:
    """Rebuild with the records in another order of insertion."""

    @contextmanager
    def rebuild(number: int) -> Iterator[tuple[RetrieverAdapter, StateGuard]]:
        order = list(range(size))
        random.Random(number).shuffle(order)
        adapter = make(order)
        yield adapter, StateGuard(adapter, ("baseline", "candidate"))

    return rebuild


class TestOrderDependentCache:
    def test_a_sweep_in_another_order_shows_it(self) -> None:
        found = run(OrderDependentCache(), anchors())

        assert results(found) == ["indeterminate"] * 4
        assert split_axes(found) == {"sweep"}

    def test_a_semantic_cache_of_two_entries_over_faiss(self) -> None:
        @dataclass(frozen=True)
        class Near:
            """A question that the cache takes for any other one of its cell."""

            cell: int
            number: int = field(compare=False)

        vectors = np.random.default_rng(1).standard_normal((5, 4), dtype=np.float32)
        index = faiss.IndexFlatIP(4)
        index.add(vectors)

        @lru_cache(maxsize=2)
        def search(near: Near) -> tuple[int, ...]:
            _, ids = index.search(vectors[near.number % 5 : near.number % 5 + 1], TOP_K)
            return tuple(ids[0].tolist())

        class Cached(Notes):
            def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
                number = int(request.query[1:])
                return ranked([NOTES[found] for found in search(Near(number // 5, number))])

        found = run(Cached(), anchors(20))

        assert "indeterminate" in results(found)
        assert split_axes(found) == {"sweep"}


class TestRandomOrderBehindACache:
    def test_sweeps_do_not_show_it(self) -> None:
        assert split_axes(run(RandomBehindCache(), anchors())) == set()

    def test_a_fresh_process_shows_it(self) -> None:
        found = run(RandomBehindCache(), anchors(), WITH_PROCESSES, source=Opens(RandomBehindCache))

        assert found.assessment.result.value == "indeterminate"
        assert split_axes(found) == {"process"}

    def test_a_cached_query_of_sqlite_without_an_order(self) -> None:
        found = run(CachedSqlite(), anchors(), WITH_PROCESSES, source=Opens(CachedSqlite))

        assert split_axes(found) == {"process"}


class TestSetOrder:
    @pytest.mark.parametrize("make", [SetOrder, Fused])
    def test_sweeps_do_not_show_it(self, make: Callable[[], Notes]) -> None:
        assert split_axes(run(make(), anchors())) == set()

    @pytest.mark.parametrize("make", [SetOrder, Fused])
    def test_a_process_with_another_hash_seed_shows_it(self, make: Callable[[], Notes]) -> None:
        found = run(make(), anchors(), WITH_PROCESSES, source=Opens(make))

        assert "process" in split_axes(found)
        assert "sweep" not in split_axes(found)
        assert results(found) == ["indeterminate"] * 4


class TestInsertionOrderTies:
    def test_a_rebuilt_list_shows_it(self) -> None:
        def make(order: Sequence[int]) -> Notes:
            return Notes([NOTES[index] for index in order])

        found = run(Notes(), anchors(), WITH_REBUILDS, rebuild=rebuilder(make, len(NOTES)))

        assert split_axes(found) == {"rebuild"}
        assert results(found) == ["pass"] * 4

    def test_a_rebuilt_flat_index_of_faiss_shows_it(self) -> None:
        found = run(Flat(), anchors(key="e"), WITH_REBUILDS, rebuild=rebuilder(Flat, len(NOTES)))

        assert split_axes(found) == {"rebuild"}


class Graph(Notes):
    """A FAISS HNSW index with a recall that is no better than many in use."""

    vectors = np.random.default_rng(3).standard_normal((400, 16), dtype=np.float32)

    def __init__(self, order: Sequence[int] = range(400)) -> None:
        super().__init__([f"k{index}" for index in order])
        self.index = faiss.IndexHNSWFlat(16, 4)
        self.index.hnsw.efConstruction = 8
        self.index.hnsw.efSearch = 4
        self.index.add(self.vectors[list(order)])

    def answer(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        number = int(request.query[1:])
        _, ids = self.index.search(self.vectors[number : number + 1] * 0.9 + 0.2, TOP_K)
        return ranked([self.notes[found] for found in ids[0].tolist() if found >= 0])


def test_hnsw_rebuilt_in_another_order_is_shown_by_a_rebuild_alone() -> None:
    suite = anchors(40, key="k0")

    assert split_axes(run(Graph(), suite)) == set()
    assert split_axes(run(Graph(), suite, WITH_REBUILDS, rebuild=rebuilder(Graph, 400))) == {"rebuild"}


class TestBatches:
    axes: ClassVar[dict[Axis, int | None]] = {Axis.sweep: 18, Axis.batch: 2}

    def test_a_batch_of_a_thousand_shows_what_single_questions_do_not(self) -> None:
        assert split_axes(run(BatchOnly(), anchors(500))) == set()
        assert split_axes(run(BatchOnly(), anchors(500), self.axes)) == {"batch"}

    def test_workers_do_not_make_the_batch_smaller(self) -> None:
        found = run(BatchOnly(), anchors(500), self.axes, source=Opens(BatchOnly), workforce=Workforce(workers=2))

        assert split_axes(found) == {"batch"}


class TestWritesOnRead:
    def test_a_state_that_changes_stops_the_run(self) -> None:
        with pytest.raises(StateChanged) as stopped:
            run(WriteOnRead(), anchors(10))

        assert stopped.value.code == "state_changed_during_run"
        assert "state 'baseline' changed while it was assessed" in str(stopped.value)
        assert "trial 0" in str(stopped.value)

    def test_a_change_that_is_undone_within_a_sweep_is_found(self) -> None:
        with pytest.raises(StateChanged) as stopped:
            run(WriteAndUndo(), anchors(5))

        assert "after probe" in str(stopped.value)


class TestSaturatedScores:
    def test_the_tie_is_counted_and_the_margin_is_zero(self) -> None:
        found = run(HalfPrecision(), correction())
        (diagnosis,) = found.diagnoses
        evidence = found.assessment.invocation_evidence[-1].repeatability

        assert diagnosis.margin == "0.0"
        assert "tie on decisive items: correction 'b', margin 0.0" in diagnosis.notes
        assert (evidence.tie_events_observed or 0) > 0

    def test_without_scores_ties_are_unobservable_and_not_zero(self) -> None:
        found = run(Notes(), correction())
        (diagnosis,) = found.diagnoses
        evidence = found.assessment.invocation_evidence[-1].repeatability

        assert diagnosis.margin is None
        assert "ties unobservable: the adapter gives no scores" in diagnosis.notes
        assert evidence.tie_events_observed is None


class TestTimeZones:
    def test_a_process_in_another_zone_shows_it(self) -> None:
        found = run(LocalTime(), anchors(), WITH_PROCESSES, source=Opens(LocalTime))

        assert "process" in split_axes(found)
        assert "sweep" not in split_axes(found)

    def test_sweeps_do_not_show_it(self) -> None:
        assert split_axes(run(LocalTime(), anchors())) == set()


class TestOnceInTwenty:
    def test_a_leak_in_one_of_twenty_fails(self) -> None:
        found = run(OnceInTwenty(ranked(NOTES, "secret")), isolation())
        (diagnosis,) = found.diagnoses

        assert results(found) == ["fail"]
        assert (diagnosis.trials_held, diagnosis.trials_run) == (19, 20)
        assert found.assessment.security_flags.contains_confidentiality_failure

    def test_a_flip_in_one_of_twenty_is_indeterminate_with_its_bound(self) -> None:
        found = run(OnceInTwenty(ranked(NOTES[1:])), anchors(1))
        (diagnosis,) = found.diagnoses

        assert results(found) == ["indeterminate"]
        assert (diagnosis.trials_held, diagnosis.trials_run) == (19, 20)
        assert "relation held in 19 of 20 trials: flip rate at most 21.6% (95 %, one-sided)" in diagnosis.notes

    def test_twenty_clean_trials_say_what_they_leave_open(self) -> None:
        (diagnosis,) = run(Notes(), anchors(1)).diagnoses

        assert "relation held in 20 of 20 trials: flip rate at most 13.9% (95 %, one-sided)" in diagnosis.notes


class TestAnotherProfile:
    def test_a_profile_that_changes_during_the_run(self) -> None:
        with pytest.raises(AdapterError) as stopped:
            run(ChangesProfile(), anchors())

        assert stopped.value.code == "profile_changed_during_run"

    def test_another_profile_in_a_fresh_process(self) -> None:
        with pytest.raises(ProfileMismatch) as stopped:
            run(Notes(), anchors(), WITH_PROCESSES, source=ElsewhereOtherProfile())

        assert "distance_metric" in str(stopped.value)
        assert "l2" in str(stopped.value)
