"""`witnessmark assess` with retrievers that fail or move: exit 4, the place named, and no artifact."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from trial_retrievers import PROFILE, anchors, register
from witnessmark.canonical import model_bytes
from witnessmark.cli.main import main


class Ended(NamedTuple):
    """How a command ended."""

    code: object
    err: str


class Bench:
    """A folder with targets of adapter ``trial``, a suite and a profile."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.out = folder / "run"
        self._folder, self._capfd = folder, capfd
        (folder / "anchors.suite.json").write_bytes(model_bytes(anchors(4)))
        (folder / "notes.profile.json").write_text(json.dumps(PROFILE), encoding="utf-8")

    def assess(self, kind: str, *options: str, arguments: tuple[Any, ...] = ()) -> Ended:
        target = {"adapter": "trial", "options": {"kind": kind, "arguments": list(arguments)}}
        (self._folder / "notes.target.yaml").write_text(json.dumps(target), encoding="utf-8")
        state = str(self._folder / "notes.target.yaml")
        return self.run(
            *("assess", "--baseline", state, "--candidate", state, "--out", str(self.out)),
            *("--suite", str(self._folder / "anchors.suite.json")),
            *("--profile", str(self._folder / "notes.profile.json")),
            *options,
        )

    def run(self, *arguments: str) -> Ended:
        self._capfd.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        return Ended(stopped.value.code, self._capfd.readouterr().err)

    def left(self) -> list[str]:
        return sorted(path.name for path in self._folder.iterdir() if path.name.startswith("run"))


@pytest.fixture
def bench(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Bench:
    site = tmp_path / "site"
    site.mkdir()
    register(site)
    monkeypatch.syspath_prepend(site)
    (tmp_path / "work").mkdir()
    return Bench(tmp_path / "work", capfd)


SWEEPS = ("--axes", "sweep")


def test_nothing_is_wrong_without_a_fault(bench: Bench) -> None:
    assert bench.assess("Notes", "--exit-zero").code == 0
    assert bench.left() == ["run"]


class TestStopped:
    def test_a_call_that_does_not_return(self, bench: Bench) -> None:
        ended = bench.assess("Sleeper", *SWEEPS, "--timeout", "0.4")

        assert ended == (
            4,
            "error[adapter_timeout]: probe 'p2', state 'baseline', trial 0, query 'q2', context {}: the adapter did "
            "not answer in time: wanted an answer within 0.4 s\n",
        )
        assert bench.left() == []

    def test_an_error_that_passes_is_tried_again(self, bench: Bench) -> None:
        assert bench.assess("Passing", *SWEEPS, "--retries", "1", arguments=(1,)).code == 0

    def test_an_error_that_stays_stops_the_run(self, bench: Bench) -> None:
        ended = bench.assess("Passing", *SWEEPS, "--retries", "1", arguments=(2,))

        assert ended == (
            4,
            "error[adapter_unavailable]: probe 'p2', state 'baseline', trial 0, query 'q2', context {}: "
            "the store is busy\n",
        )
        assert bench.left() == []

    def test_any_other_error_stops_the_run_and_what_is_finished_is_kept(self, bench: Bench, tmp_path: Path) -> None:
        ended = bench.assess("FailsOnce", *SWEEPS, arguments=(str(tmp_path),))

        assert ended.code == 4
        kept, error = ended.err.splitlines()
        assert kept == (
            f"stopped: {bench.out}.partial keeps the finished trials; "
            f"go on with: witnessmark assess --resume {bench.out}"
        )
        assert error.startswith("error[adapter_failed]: probe 'p")
        assert "trial 3, query 'q" in error
        assert error.endswith("the adapter failed: OSError: the disk is gone")
        assert bench.left() == ["run.partial"]

        assert bench.run("assess", "--resume", str(bench.out)).code == 0
        assert bench.left() == ["run"]

    def test_a_state_that_changes_while_it_is_read(self, bench: Bench) -> None:
        ended = bench.assess("WriteOnRead", *SWEEPS)

        assert ended.code == 4
        assert ended.err.startswith("error[state_changed_during_run]: after probe 'p")
        assert bench.left() == []

    def test_a_failure_in_a_fresh_process(self, bench: Bench) -> None:
        ended = bench.assess("FailsInAnotherZone", "--axes", "sweep,process:1")

        assert ended.code == 4
        assert "error[adapter_failed]: probe 'p" in ended.err
        assert "trial 19, query 'q" in ended.err
        assert bench.left() == ["run.partial"]


class TestNoiseFloor:
    def test_noise_between_openings_is_reported_before_anything_else(self, bench: Bench) -> None:
        ended = bench.assess("RandomBehindCache", "--axes", "sweep,process:4", "--self-check")

        assert ended.code == 3
        assert ended.err.splitlines()[0] == (
            "self-check: NOISE: of 4 requests to the baseline, 4 got more than one ordering and 0 differ between two "
            "openings; a comparison inherits this"
        )

    def test_the_axes_of_the_assessment_are_those_of_the_check(self, bench: Bench) -> None:
        ended = bench.assess("RandomBehindCache", *SWEEPS, "--self-check")

        assert ended.err.splitlines()[0] == "self-check: the baseline does not differ from itself (4 requests)"
