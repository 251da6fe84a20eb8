"""``assess --log``: a run is in the log before its first trial, whatever becomes of it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from witnessmark.canonical import canonical_digest, sha256_digest
from witnessmark.cli.main import main
from witnessmark.log import Log, logged_runs, read_log
from witnessmark.models.approval import RunOutcome
from witnessmark.models.log import LogEntry, RunAbandoned, RunEnded, RunStarted
from witnessmark.rundir import read_assessment, restored_texts

PROFILE = "builtin:wordllama-flat-ip"
WHEN = "2026-03-01T12:00:00Z"
SUITE = """\
probes:
  - kind: anchor_preservation
    probe_id: rule
    query: How many approvals does an invoice need?
    anchor: {key: rule, required_in: both}
    max_rank: 1
"""


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint and a suite."""
    folder = tmp_path_factory.mktemp("states")
    records = [{"key": "rule", "text": "Invoices need two approvals."}, {"key": "tea", "text": "Tea is at four."}]
    (folder / "live.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (folder / "rule.suite.yaml").write_text(SUITE)
    with pytest.raises(SystemExit) as stopped:
        build = ("checkpoint", "build", folder / "live.jsonl", "--profile", PROFILE, "--out", folder / "live")
        main([str(part) for part in build])
    assert stopped.value.code == 0
    return folder


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """An empty log."""
    Log.create(tmp_path / "team.log", "team").close()
    return tmp_path / "team.log"


def arguments(states: Path, out: Path, *more: object) -> list[str]:
    """Return the command line of a run of the one probe."""
    named = ("--baseline", states / "live", "--candidate", states / "live", "--suite", states / "rule.suite.yaml")
    parts = ("assess", *named, "--profile", PROFILE, "--out", out, "--axes", "sweep", "--assessed-at", WHEN, *more)
    return [str(part) for part in parts]


def run(capfd: pytest.CaptureFixture[str], *parts: str) -> tuple[int, str]:
    """Run the command line and return exit code and stderr."""
    with pytest.raises(SystemExit) as stopped:
        main(list(parts))
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, capfd.readouterr().err


def entries(log: Path) -> list[LogEntry]:
    """Return what the log has, but for its creation."""
    return list(read_log(log).entries[1:])


def kill_after_some_trials(command: list[str], out: Path) -> None:
    """Run a command as a process of its own and kill it when it has made a few trials."""
    process = subprocess.Popen(
        [sys.executable, "-m", "witnessmark", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    journal = out.with_name(f"{out.name}.partial") / "journal.jsonl"
    for _ in range(3000):
        if journal.is_file() and journal.read_bytes().count(b"\n") > 3:
            break
        assert process.poll() is None, "the run ended before it could be killed"
        time.sleep(0.01)
    process.kill()
    process.wait()


def test_start_and_end_are_entered(states: Path, log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"

    assert run(capfd, *arguments(states, out, "--log", log))[0] == 0

    start, end = entries(log)
    assessment = read_assessment(out)
    assert isinstance(start, RunStarted)
    assert isinstance(end, RunEnded)
    assert start.probe_suite_digest == assessment.probe_suite_digest
    assert start.retriever_profile_digest == assessment.retriever_profile_digest
    assert (start.baseline_state, start.candidate_state) == (assessment.baseline_state, assessment.candidate_state)
    assert [(group.axis.value, group.count) for group in start.plan.trials] == [("sweep", 20)]
    assert end.assessment_digest == canonical_digest(assessment)
    assert end.transcript_digest == sha256_digest((out / "transcript.jsonl").read_bytes())
    assert (end.start, end.result, end.assessed_at) == (1, assessment.result, assessment.assessed_at)


def test_a_killed_run_stays_open_until_it_goes_on(
    states: Path, log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    kill_after_some_trials(arguments(states, out, "--log", log, "--trials", 3000), out)

    check = read_log(log).check
    assert (check.runs, check.open_runs) == (1, (1,))

    code, err = run(capfd, "assess", "--resume", str(out), "--log", str(tmp_path / "other.log"))
    assert code == 4
    assert err == (
        f"error[other_log]: {out}: the run did not begin in that log: got {tmp_path / 'other.log'}, wanted {log}\n"
    )

    assert run(capfd, "assess", "--resume", str(out), "--log", str(log))[0] == 0
    start, end = entries(log)
    assert isinstance(end, RunEnded)
    assert (read_log(log).check.open_runs, end.start) == ((), 1)
    assert isinstance(start, RunStarted)


def test_a_killed_run_that_is_thrown_away_stays_visible(
    states: Path, log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "thrown"
    kill_after_some_trials(arguments(states, out, "--log", log, "--trials", 3000), out)
    for path in (tmp_path / "thrown.partial").iterdir():
        path.unlink()
    (tmp_path / "thrown.partial").rmdir()

    assert run(capfd, *arguments(states, tmp_path / "run", "--log", log))[0] == 0

    read = read_log(log)
    assert (read.check.runs, read.check.open_runs) == (2, (1,))
    policy = tmp_path / "p.policy.json"
    assert run(capfd, "policy", "make", "--run", str(tmp_path / "run"), "--out", str(policy))[0] == 0
    approval = {
        "format": "witnessmark.approval-policy/0.1",
        "assessment_policy": json.loads(policy.read_bytes()),
        "controls": [{"control": "all_logged_runs_presented"}],
    }
    policy.write_text(json.dumps(approval))
    with pytest.raises(SystemExit) as stopped:
        main(["gate", "--policy", str(policy), "--log", str(log), str(tmp_path / "run")])
    assert stopped.value.code == 1
    assert "  open_run: log entry 1\n" in capfd.readouterr().out


def test_a_run_that_fails_before_its_first_trial_is_entered_as_abandoned(
    states: Path, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from witnessmark.errors import AdapterError

    def fails(*_: object) -> None:
        raise AdapterError("the store went away", code="store_gone")

    monkeypatch.setattr("witnessmark.runner.conduct", fails)

    assert run(capfd, *arguments(states, tmp_path / "run", "--log", log))[0] == 4

    start, end = entries(log)
    assert isinstance(start, RunStarted)
    assert end == RunAbandoned(start=1, reason="store_gone: the store went away")
    assert [found.outcome for found in logged_runs(enumerate(read_log(log).entries))] == [RunOutcome.abandoned]
    assert not (tmp_path / "run.partial").exists()


def test_a_run_that_cannot_begin_is_not_entered(
    states: Path, log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = arguments(states, tmp_path / "run", "--log", log)
    broken[broken.index("--suite") + 1] = str(tmp_path / "nowhere.suite.yaml")
    assert run(capfd, *broken)[0] == 4
    assert entries(log) == []


def test_a_run_without_its_material_leaves_it_nowhere_and_is_the_logged_one(
    states: Path, log: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out, salts = tmp_path / "run", tmp_path / "run.salts.json"
    withheld = ("--withhold", "queries,keys,labels", "--salts", salts)

    assert run(capfd, *arguments(states, out, "--log", log, *withheld))[0] == 0

    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run.salts.json", "team.log"]
    assert not any(b"approvals" in path.read_bytes() for path in out.iterdir())
    assert run(capfd, "verify", str(out))[0] == 3
    assert run(capfd, "verify", str(out), "--salts", str(salts))[0] == 0
    _, end = entries(log)
    assert isinstance(end, RunEnded)
    assert end.assessment_digest == canonical_digest(read_assessment(out))
    assert end.transcript_digest == sha256_digest(restored_texts(out, salts).transcript)
    code, err = run(capfd, *arguments(states, tmp_path / "other", *withheld))
    assert (code, err.splitlines()[-1]) == (
        4,
        f"error[output_exists]: {salts}: output already exists: wanted a new path",
    )
    assert run(capfd, *arguments(states, tmp_path / "other", "--salts", salts))[0] == 2
    assert not list(tmp_path.glob("other*"))


def test_a_killed_run_goes_on_without_its_material(
    states: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out, salts = tmp_path / "run", tmp_path / "run.salts.json"
    more = ("--trials", 3000, "--withhold", "keys", "--salts", salts)
    kill_after_some_trials(arguments(states, out, *more), out)

    assert run(capfd, "assess", "--resume", str(out))[0] == 0

    assert not (out / "transcript.jsonl").exists()
    assert run(capfd, "verify", str(out), "--salts", str(salts))[0] == 0


def test_a_log_that_is_not_there_stops_the_run(states: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    missing = tmp_path / "nowhere.log"

    code, err = run(capfd, *arguments(states, tmp_path / "run", "--log", missing))

    assert (code, err) == (4, f"error[unreadable_file]: {missing}: cannot read file: no such log\n")
    assert not list(tmp_path.iterdir())
