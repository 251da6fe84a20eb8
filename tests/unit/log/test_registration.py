"""A run's place in a log survives a kill at any of its steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence_samples import T0, assessment, assessment_digest, digest, started
from witnessmark.canonical import model_bytes
from witnessmark.errors import EvidenceError, InputError
from witnessmark.log import Log, Registration
from witnessmark.models.log import RunAbandoned, RunEnded, RunStarted
from witnessmark.models.session import Registered


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """An empty log."""
    Log.create(tmp_path / "l.log", "demo").close()
    return tmp_path / "l.log"


@pytest.fixture
def planned(tmp_path: Path, log: Path) -> Path:
    """What is written down of a run that is for the log."""
    Registration.plan(tmp_path / "log.json", log)
    return tmp_path / "log.json"


def found(path: Path) -> Registration:
    """Return the registration as a new process finds it."""
    registration = Registration.find(path)
    assert registration is not None
    return registration


def kinds(log: Path) -> list[str]:
    """Return the kinds of entries after the first."""
    with Log.open(log) as opened:
        return [entry.entry for _, entry in opened.entries()][1:]


def later(entry: RunStarted) -> RunStarted:
    """Return the same start at another time, as a resumed process would make it."""
    return RunStarted.model_validate({**entry.model_dump(), "started_at": T0.replace(year=2027)})


def test_a_start_is_entered_once_however_often_the_run_goes_on(planned: Path, log: Path) -> None:
    assert found(planned).start(started()) == 1
    assert found(planned).start(later(started())) == 1
    assert kinds(log) == ["run_started"]


def test_a_start_that_was_written_down_and_not_entered_is_entered(planned: Path, log: Path) -> None:
    planned.write_bytes(model_bytes(Registered(log=str(log), entry=started())))
    assert found(planned).start(later(started())) == 1
    with Log.open(log) as opened:
        assert opened.entry(1) == started()


def test_an_end_is_entered_once(planned: Path, log: Path) -> None:
    artifact = assessment()
    found(planned).start(started())
    for _ in range(2):
        found(planned).end(artifact, assessment_digest(artifact), digest("transcript"))
    assert kinds(log) == ["run_started", "run_ended"]
    with Log.open(log) as opened:
        end = opened.entry(2)
    assert isinstance(end, RunEnded)
    assert (end.start, end.result) == (1, artifact.result)


def test_another_end_contradicts_the_log(planned: Path, log: Path) -> None:
    artifact = assessment()
    found(planned).start(started())
    found(planned).end(artifact, assessment_digest(artifact), digest("transcript"))
    with pytest.raises(EvidenceError) as caught:
        found(planned).end(artifact, assessment_digest(artifact), digest("another transcript"))
    assert str(caught.value) == f"{log}: the log has another end of this run: got entry 2"


def test_an_abandoned_run_can_leave_nothing(planned: Path, log: Path) -> None:
    registration = found(planned)
    registration.abandon("never started")
    assert kinds(log) == []
    registration.start(started())
    registration.abandon("the store went away")
    with Log.open(log) as opened:
        assert opened.entry(2) == RunAbandoned(start=1, reason="the store went away")
    with pytest.raises(EvidenceError, match="the log has another end of this run"):
        found(planned).end(assessment(), digest("a"), digest("t"))


def test_a_log_that_lost_the_start_is_contradicted(planned: Path, log: Path, tmp_path: Path) -> None:
    found(planned).start(started())
    for path in tmp_path.glob("l.log*"):
        path.unlink()
    Log.create(log, "demo").close()
    with pytest.raises(EvidenceError, match="the log no longer has the start of this run"):
        found(planned).end(assessment(), digest("a"), digest("t"))


def test_refusals(tmp_path: Path, planned: Path) -> None:
    with pytest.raises(InputError, match="no such log"):
        Registration.plan(tmp_path / "other.json", tmp_path / "nowhere.log")
    assert not (tmp_path / "other.json").exists()
    assert Registration.find(tmp_path / "nothing.json") is None
    planned.write_bytes(b"{}")
    with pytest.raises(EvidenceError, match="field required"):
        Registration.find(planned)
