"""A log adds, reads and proves entries, and refuses what does not fit."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from evidence_samples import T0, approval, assessment, digest, ended, run_entries, started
from witnessmark.canonical import model_bytes
from witnessmark.checkpoint.merkle import leaf_hash, verify_consistency, verify_inclusion
from witnessmark.errors import EvidenceError, InputError
from witnessmark.log import Log, logged_runs
from witnessmark.log.schema import ENGINE
from witnessmark.models.approval import RunOutcome
from witnessmark.models.log import EngineChanged, LogCreated, LogEntry, RunAbandoned


def test_a_new_log_holds_its_creation(tmp_path: Path) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        assert [entry for _, entry in log.entries()] == [LogCreated(origin="demo", engine=ENGINE)]
        assert (log.tree_head().origin, log.tree_head().size) == ("demo", 1)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["l.log"]


def test_entries_come_back_as_they_were_appended(tmp_path: Path) -> None:
    artifact = assessment()
    wanted = [*run_entries(artifact, 1), approval(artifact)]
    with Log.create(tmp_path / "l.log", "demo") as log:
        assert [log.append(entry) for entry in wanted] == [1, 2, 3]
    with Log.open(tmp_path / "l.log") as log:
        assert [entry for _, entry in log.entries()][1:] == wanted
        assert log.entry_bytes(3) == model_bytes(wanted[2])


def test_proofs_verify_against_the_tree_head(tmp_path: Path) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        for _ in range(10):
            log.append(started())
        head, early = log.tree_head(), log.tree_head(4)
        root, early_root = bytes.fromhex(head.root[7:]), bytes.fromhex(early.root[7:])
        assert verify_inclusion(leaf_hash(log.entry_bytes(7)), 7, 11, log.inclusion_proof(7), root)
        assert verify_consistency(4, 11, early_root, root, log.consistency_proof(4))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (ended(0, assessment()), "entry 2: no run starts there: got start 0, wanted a run_started entry"),
        (ended(2, assessment()), "entry 2: no run starts there: got start 2, wanted a run_started entry"),
        (LogCreated(origin="again", engine=ENGINE), "entry 2: a log begins with its creation, once"),
        (EngineChanged(engine="SQLite 9.9.9"), "the log enters that by itself: got engine_changed"),
    ],
    ids=["end_of_another_entry", "end_of_itself", "second_creation", "engine_changed"],
)
def test_invalid_entry(tmp_path: Path, entry: LogEntry, message: str) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        log.append(started())
        with pytest.raises(InputError) as caught:
            log.append(entry)
        assert (caught.value.code, str(caught.value)) == ("invalid_entry", message)
        assert log.size == 2


def test_a_run_ends_once(tmp_path: Path) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        start = log.append(started())
        log.append(RunAbandoned(start=start, reason="interrupted"))
        with pytest.raises(InputError, match="the run has ended already: got start 1, wanted nothing after entry 2"):
            log.append(ended(start, assessment()))


def test_runs_show_what_became_of_them(tmp_path: Path) -> None:
    artifact = assessment("fail")
    with Log.create(tmp_path / "l.log", "demo") as log:
        for entry in (started(), started(), started(artifact)):
            log.append(entry)
        log.append(RunAbandoned(start=1, reason="interrupted"))
        log.append(ended(3, artifact))
        runs = logged_runs(log.entries())
    assert [(run.start, run.end, run.outcome) for run in runs] == [
        (1, 4, RunOutcome.abandoned),
        (2, None, RunOutcome.open),
        (3, 5, RunOutcome.assessed),
    ]
    assert (runs[2].assessed_at, runs[2].transcript_digest) == (T0, digest("transcript"))


def test_another_library_version_says_so_before_it_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        monkeypatch.setattr("witnessmark.log.store.ENGINE", "SQLite 9.9.9")
        assert log.append(started()) == 2
        assert log.append(started()) == 3
        assert log.entry(1) == EngineChanged(engine="SQLite 9.9.9")


def test_output_exists(tmp_path: Path) -> None:
    Log.create(tmp_path / "l.log", "demo").close()
    with pytest.raises(InputError) as caught:
        Log.create(tmp_path / "l.log", "demo")
    assert caught.value.code == "output_exists"


def test_invalid_origin(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a log needs a name"):
        Log.create(tmp_path / "l.log", " ")
    assert not list(tmp_path.iterdir())


def test_unreadable_file(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        Log.open(tmp_path / "none.log")
    assert caught.value.code == "unreadable_file"


def test_not_a_log(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, but longer than a header would be" * 100)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE x (y)").connection.close()
    for name in ("text", "other.db"):
        with pytest.raises(EvidenceError) as caught:
            Log.open(tmp_path / name)
        assert caught.value.code == "not_a_log"


@pytest.mark.parametrize("size", [0, 3, -1])
def test_no_such_size(tmp_path: Path, size: int) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        log.append(started())
        for ask in (log.tree_head, log.consistency_proof):
            with pytest.raises(InputError) as caught:
                ask(size)
            assert caught.value.code == "no_such_size"


def test_no_such_entry(tmp_path: Path) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        for ask in (log.entry, log.inclusion_proof):
            with pytest.raises(InputError) as caught:
                ask(1)
            assert caught.value.code == "no_such_entry"


def test_a_changed_entry_is_noticed_when_it_is_read(tmp_path: Path) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        log.append(approval(assessment()))
    connection = sqlite3.connect(tmp_path / "l.log", isolation_level=None)
    connection.execute("UPDATE entries SET body = CAST(replace(body, 'release board', 'somebody else') AS BLOB)")
    connection.close()
    with Log.open(tmp_path / "l.log") as log, pytest.raises(EvidenceError) as caught:
        log.entry(1)
    assert str(caught.value) == "entry 1: entry is not what the log's tree has"


def test_another_database_is_left_as_it_is(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE x (y)").connection.close()
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(EvidenceError):
        Log.open(tmp_path / "other.db")
    assert {item.name: item.read_bytes() for item in tmp_path.iterdir()} == {"other.db": before}
