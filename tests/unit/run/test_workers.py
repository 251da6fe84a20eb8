"""Workers: whoever runs the trials, the bytes are the same, and a lost worker costs nothing but time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from trial_retrievers import DiesOnce, HalfPrecision, Notes, Opens, Sleeper, Uniform, anchors, drawn
from witnessmark import assess
from witnessmark.canonical import model_bytes
from witnessmark.errors import AdapterError, InputError
from witnessmark.models import Axis
from witnessmark.run.patience import Patience
from witnessmark.runner import Run, Workforce

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SWEEPS: dict[Axis, int | None] = {Axis.sweep: None}


def run(make: type[Notes], workforce: Workforce, *arguments: Any, **options: Any) -> Run:
    return assess(
        make(*arguments),
        anchors(7),
        assessed_at=NOW,
        source=Opens(make, arguments),
        workforce=workforce,
        **{"axes": SWEEPS, **options},
    )


def same(first: Run, second: Run) -> bool:
    return first.transcript_bytes == second.transcript_bytes and model_bytes(first.assessment) == model_bytes(
        second.assessment
    )


@pytest.fixture(scope="module")
def alone() -> Run:
    return run(HalfPrecision, Workforce())


class TestBytes:
    @pytest.mark.parametrize("workers", [2, 3])
    def test_worker_processes(self, workers: int, alone: Run) -> None:
        assert same(run(HalfPrecision, Workforce(workers=workers)), alone)

    def test_more_workers_than_questions(self, alone: Run) -> None:
        with ThreadPoolExecutor(2) as executor:
            assert same(run(HalfPrecision, Workforce(workers=50, executor=executor)), alone)

    def test_a_pool_of_threads(self, alone: Run) -> None:
        with ThreadPoolExecutor(2) as executor:
            assert same(run(HalfPrecision, Workforce(workers=2, executor=executor)), alone)

    def test_a_pool_of_processes(self, alone: Run) -> None:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            assert same(run(HalfPrecision, Workforce(workers=2, executor=executor)), alone)


class TestLostWorkers:
    def test_a_killed_workers_task_is_done_again_and_counts_once(self, tmp_path: Path) -> None:
        expected = run(Notes, Workforce())

        found = run(DiesOnce, Workforce(workers=2), tmp_path)

        assert (tmp_path / "died").exists()
        assert same(found, expected)
        assert [item.trials_run for item in found.diagnoses] == [20] * 7

    def test_a_killed_fresh_process_is_started_again(self, tmp_path: Path) -> None:
        axes = {Axis.sweep: 18, Axis.process: 2}
        (tmp_path / "died").touch()
        expected = run(DiesOnce, Workforce(), tmp_path, axes=axes)
        (tmp_path / "died").unlink()

        found = assess(
            Notes(), anchors(7), assessed_at=NOW, axes=axes, source=Opens(DiesOnce, (tmp_path,)), workforce=Workforce()
        )

        assert (tmp_path / "died").exists()
        assert same(found, expected)

    def test_a_given_pool_that_breaks_stops_the_run(self, tmp_path: Path) -> None:
        with (
            ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor,
            pytest.raises(AdapterError) as stopped,
        ):
            assess(
                Notes(),
                anchors(7),
                assessed_at=NOW,
                axes=SWEEPS,
                source=Opens(DiesOnce, (tmp_path,)),
                workforce=Workforce(workers=2, executor=executor),
            )

        assert stopped.value.code == "worker_lost"


class TestErrors:
    def test_a_workers_error_names_probe_state_and_request(self) -> None:
        with pytest.raises(AdapterError) as stopped:
            run(Sleeper, Workforce(workers=2, patience=Patience(timeout=0.4)))

        assert stopped.value.code == "adapter_timeout"
        assert "probe 'p" in str(stopped.value)

    def test_workers_need_something_to_open(self) -> None:
        with pytest.raises(InputError) as refused:
            assess(Notes(), anchors(), assessed_at=NOW, workforce=Workforce(workers=2))

        assert refused.value.code == "cannot_reopen"

    @pytest.mark.parametrize("axes", [SWEEPS, {Axis.sweep: 19, Axis.process: 1}])
    def test_a_source_that_cannot_travel_is_named(self, axes: dict[Axis, int | None]) -> None:
        @contextmanager
        def local() -> Iterator[Notes]:
            yield Notes()

        with pytest.raises(InputError) as refused:
            assess(Notes(), anchors(), assessed_at=NOW, axes=axes, source=local, workforce=Workforce(workers=2))

        assert refused.value.code == "cannot_reopen"
        assert str(refused.value).startswith("the source cannot be sent to another process: Can't pickle local object")
        assert str(refused.value).endswith(": wanted a module-level class or function, and plain data")


def orderings(found: Run) -> Counter[int]:
    return Counter(len(observation.orderings) for observation in found.transcript.observations)


@pytest.mark.dask
@pytest.mark.slow
class TestDask:
    @pytest.fixture(scope="class")
    @classmethod
    def client(cls) -> Iterator[Any]:
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(
                n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None, memory_limit=0
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client

    def test_the_bytes_are_the_same(self, client: Any, alone: Run) -> None:
        executor = client.get_executor(pure=False)

        assert same(run(HalfPrecision, Workforce(workers=2, executor=executor)), alone)

    def test_identical_trials_are_not_taken_for_one(self, client: Any) -> None:
        found = run(Uniform, Workforce(workers=2, executor=client.get_executor(pure=False)))

        assert min(orderings(found)) > 1

    def test_the_default_of_dask_would_take_identical_tasks_for_one(self, client: Any) -> None:
        def distinct(pure: bool) -> int:
            executor = client.get_executor(pure=pure)
            return len({executor.submit(drawn, 0).result() for _ in range(20)})

        assert distinct(pure=True) < 20
        assert distinct(pure=False) == 20

    def test_a_killed_workers_task_is_done_again_and_counts_once(self, client: Any, tmp_path: Path) -> None:
        expected = run(Notes, Workforce())

        found = run(DiesOnce, Workforce(workers=2, executor=client.get_executor(pure=False)), tmp_path)

        assert (tmp_path / "died").exists()
        assert same(found, expected)

    def test_the_command_lines_executor(self, client: Any, alone: Run) -> None:
        from witnessmark.run.cluster import dask_workers

        client.wait_for_workers(2, timeout=60)
        with dask_workers(client.scheduler.address) as (executor, size):
            assert size == 2
            assert same(run(HalfPrecision, Workforce(workers=size, executor=executor)), alone)
