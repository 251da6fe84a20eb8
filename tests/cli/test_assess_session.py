"""`witnessmark assess` as people run it: killed, interrupted, gone on with, configured, spread over workers."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest

from witnessmark.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

WHEN = "2026-01-01T00:00:00Z"
FILES = ("assessment.json", "transcript.jsonl", "suite.json", "profile.json")


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command line in this process and return exit code, stdout and stderr."""
    capfd.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    out, err = capfd.readouterr()
    code = stopped.value.code
    assert isinstance(code, int)
    return code, out, err


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the demo leaves behind."""
    folder = tmp_path_factory.mktemp("session") / "demo"
    with pytest.raises(SystemExit) as stopped:
        main(["demo", "--out", str(folder), "--assessed-at", WHEN])
    assert stopped.value.code == 0
    return folder


def inputs(demo: Path, candidate: str = "repaired") -> list[str]:
    return [
        "--baseline",
        str(demo / "baseline"),
        "--candidate",
        str(demo / candidate),
        "--suite",
        "builtin:demo",
        "--profile",
        str(demo / "demo.profile.json"),
        "--assessed-at",
        WHEN,
    ]


def same(first: Path, second: Path) -> bool:
    return all((first / name).read_bytes() == (second / name).read_bytes() for name in FILES)


def start(demo: Path, out: Path, trials: int, *options: str) -> subprocess.Popen[str]:
    """Start an assessment as a job of its own, with interrupts as a shell in the foreground has them."""
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from witnessmark.cli.main import main; main()",
            "assess",
            *inputs(demo),
            "--out",
            str(out),
            "--trials",
            str(trials),
            *options,
        ],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_trials(out: Path, process: subprocess.Popen[str], trials: int) -> None:
    journal = out.with_name(f"{out.name}.partial") / "journal.jsonl"
    for _ in range(3000):
        if journal.is_file() and journal.read_bytes().count(b"\n") > trials:
            return
        assert process.poll() is None, "the run ended before it could be stopped"
        time.sleep(0.01)
    raise TimeoutError("no trial was finished within 30 s")


TRIALS = 300


class Finished(NamedTuple):
    """A run that nothing stopped."""

    out: Path
    talk: str


@pytest.fixture(scope="module")
def unbroken(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    out = tmp_path_factory.mktemp("unbroken") / "run"
    process = start(demo, out, TRIALS)
    _, talk = process.communicate(timeout=120)
    assert process.returncode == 0
    return Finished(out, talk)


class TestStoppedRuns:
    def test_a_killed_run_goes_on_to_the_same_bytes(
        self, demo: Path, unbroken: Finished, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "run"
        process = start(demo, out, TRIALS)
        wait_for_trials(out, process, 5)
        process.kill()
        process.communicate()
        assert not out.exists()

        code, _, _ = run(capfd, "assess", "--resume", str(out))

        assert code == 0
        assert same(out, unbroken.out)
        assert not out.with_name("run.partial").exists()

    @pytest.mark.parametrize("options", [(), ("--workers", "2"), ("--axes", "process")])
    def test_an_interrupt_says_how_to_go_on(self, demo: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
        out = tmp_path / "run"
        process = start(demo, out, TRIALS, *options)
        wait_for_trials(out, process, 2)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)

        assert process.returncode == 130
        assert err.splitlines()[-1] == (
            f"interrupted: {out}.partial keeps the finished trials; go on with: witnessmark assess --resume {out}"
        )
        assert "Traceback" not in err

    def test_a_new_run_does_not_write_over_an_unfinished_one(
        self, demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "run"
        partial = tmp_path / "run.partial"
        partial.mkdir()

        code, _, err = run(capfd, "assess", *inputs(demo), "--out", str(out))

        assert code == 4
        assert err == (
            f"error[unfinished_run]: {partial}: an unfinished run is there: "
            f"wanted go on with it (--resume {out}) or delete it\n"
        )

    def test_nothing_to_resume(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "run"

        code, _, err = run(capfd, "assess", "--resume", str(out))

        assert code == 4
        assert err == f"error[nothing_to_resume]: {out}.partial: there is no unfinished run: got {out}\n"

    def test_a_run_that_fails_before_its_first_trial_leaves_nothing(
        self, demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        profile = json.loads((demo / "demo.profile.json").read_bytes())
        other = tmp_path / "other.profile.json"
        other.write_text(json.dumps(profile | {"embedding_model_revision": "sha256:" + "0" * 64}), encoding="utf-8")
        arguments = inputs(demo)
        arguments[arguments.index("--profile") + 1] = str(other)

        code, _, err = run(capfd, "assess", *arguments, "--out", str(tmp_path / "run"))

        assert code == 4
        assert "error[profile_mismatch]" in err
        assert "embedding_model_revision" in err
        assert [path.name for path in tmp_path.iterdir()] == ["other.profile.json"]


class TestWorkers:
    def test_workers_do_not_change_the_bytes(
        self, demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        for name, extra in (("one", ()), ("two", ("--workers", "2"))):
            code, _, _ = run(capfd, "assess", *inputs(demo), "--out", str(tmp_path / name), *extra)
            assert code == 0

        assert same(tmp_path / "one", tmp_path / "two")

    def test_an_unreachable_cluster_is_an_error(
        self, demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        pytest.importorskip("distributed")

        code, _, err = run(
            capfd, "assess", *inputs(demo), "--out", str(tmp_path / "run"), "--dask", "nonsense://127.0.0.1:1"
        )

        assert code == 4
        assert "error[cluster_unreachable]" in err
        assert not (tmp_path / "run.partial").exists()


class TestProgress:
    def test_plain_lines_where_there_is_no_terminal(self, unbroken: Finished) -> None:
        lines = unbroken.talk.splitlines()

        assert re.fullmatch(r"trial 300/300 \(process\), 12,000 of 12,000 questions, [0-9,]+/s, 0 s left", lines[-2]), (
            lines
        )
        assert lines[-1].startswith("wrote ")

    def test_a_bar_on_a_terminal(self, demo: Path, tmp_path: Path) -> None:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "witnessmark", "assess", *inputs(demo), "--out", str(tmp_path / "run")],
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "120"},
        )
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the end of a terminal
            while part := os.read(ours, 4096):
                shown += part
        os.close(ours)

        assert process.wait() == 0
        assert "━" in shown.decode()
        assert b"trial 20/20 (process)" in shown
        assert b"s left" not in shown


class TestAxes:
    def test_each_axis_is_counted_apart(self, demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        out = tmp_path / "run"

        code, _, _ = run(capfd, "assess", *inputs(demo), "--out", str(out), "--axes", "sweep,batch:3,process:1")

        header = json.loads((out / "transcript.jsonl").read_bytes().split(b"\n")[0])
        assert code == 0
        assert header["trials"] == [
            {"axis": "sweep", "count": 16, "first": 0},
            {"axis": "batch", "count": 3, "first": 16},
            {"axis": "process", "count": 1, "first": 19},
        ]

    @pytest.mark.parametrize(
        ("axes", "message"),
        [
            ("sweeps", "error[unknown_axis]: no such axis: got 'sweeps', wanted sweep, process, batch, rebuild"),
            ("sweep:0", "error[invalid_trials]: unusable axis: got 'sweep:0', wanted each axis once, as NAME:N"),
            ("sweep,sweep", "error[invalid_trials]: unusable axis: got 'sweep', wanted each axis once, as NAME:N"),
            (
                "sweep:30",
                "error[invalid_trials]: the axes do not add up to the trials: got sweep:30, wanted 20 trials in all",
            ),
            (
                "rebuild",
                "error[invalid_trials]: the axes do not add up to the trials: got no axis that decides, "
                "wanted 20 trials in all",
            ),
        ],
    )
    def test_unusable_axes(
        self, demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], axes: str, message: str
    ) -> None:
        code, _, err = run(capfd, "assess", *inputs(demo), "--out", str(tmp_path / "run"), "--axes", axes)

        assert (code, err) == (4, f"{message}\n")
        assert not list(tmp_path.iterdir())


def test_self_check_reports_the_noise_floor_first(
    demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capfd, "assess", *inputs(demo), "--out", str(tmp_path / "run"), "--self-check")

    assert code == 0
    assert err.splitlines()[0] == "self-check: the baseline does not differ from itself (20 requests)"


class TestConfiguration:
    def configured(self, demo: Path, folder: Path, text: str) -> Path:
        path = folder / "witnessmark.yaml"
        path.write_text(text.replace("DEMO", str(demo)), encoding="utf-8")
        return path

    def test_every_option_can_stand_in_the_file(
        self, demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "below").mkdir()
        (tmp_path / "baseline").symlink_to(demo / "baseline")
        self.configured(
            demo,
            tmp_path,
            "assess:\n  baseline: baseline\n  candidate: DEMO/candidate\n  suite: builtin:demo\n"
            "  profile: DEMO/demo.profile.json\n  assessed-at: '2026-01-01T00:00:00Z'\n  exit-zero: true\n"
            "trials:\n  total: 24\n  axes: {sweep: null, process: 3}\n  seed: 7\n",
        )
        monkeypatch.chdir(tmp_path / "below")

        code, _, _ = run(capfd, "assess", "--out", "run")

        header = json.loads((tmp_path / "below" / "run" / "transcript.jsonl").read_bytes().split(b"\n")[0])
        assert code == 0
        assert header["seed"] == 7
        assert [(group["axis"], group["count"]) for group in header["trials"]] == [("sweep", 21), ("process", 3)]

    def test_the_command_line_goes_first(
        self, demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        config = self.configured(demo, tmp_path, "trials:\n  total: 5\n")

        code, _, err = run(
            capfd, "--config", str(config), "assess", *inputs(demo), "--out", str(tmp_path / "r"), "--trials", "20"
        )

        assert (code, err.splitlines()[-1]) == (0, f"wrote {tmp_path / 'r'}")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (
                "trials:\n  totl: 5\n",
                "error[unknown_option]: FILE:2 /trials/totl: unknown option: got 'totl', wanted one of: axes, dask, "
                "retries, seed, self_check, timeout, total, workers",
            ),
            ("assess: 5\n", "error[wrong_type]: FILE:1 /assess: not a mapping: got 5, wanted name: value"),
            ("gate:\n  polcy: x\n", "error[unknown_option]: FILE:2 /gate/polcy: unknown option: got 'polcy'"),
            ("asess:\n  trials: 20\n", "error[unknown_command]: FILE:1 /asess: unknown command: got 'asess'"),
        ],
    )
    def test_what_no_command_has_is_an_error_with_its_line(
        self, demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str, message: str
    ) -> None:
        config = self.configured(demo, tmp_path, text)

        code, _, err = run(capfd, "--config", str(config), "digest", str(config))

        assert code == 4
        assert err.startswith(message.replace("FILE", str(config)))
