"""Verification recomputes a log and notices what was changed, cut or rewritten."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from evidence_samples import approval, assessment, digest, ended, started
from witnessmark.errors import EvidenceError, WitnessmarkError
from witnessmark.log import Log, verify_log
from witnessmark.log.schema import ENGINE
from witnessmark.log.verify import read_log_bytes
from witnessmark.models.log import RunAbandoned, TreeHead


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log with runs in every condition."""
    artifact = assessment()
    with Log.create(tmp_path / "l.log", "demo") as log:
        for entry in (started(artifact), started(), ended(1, artifact), started(), approval(artifact)):
            log.append(entry)
        log.append(RunAbandoned(start=4, reason="interrupted"))
    return tmp_path / "l.log"


def _rewrite(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def test_an_intact_log_verifies(path: Path) -> None:
    check = verify_log(path)
    with Log.open(path) as log:
        assert check.head == log.tree_head()
    assert (check.file_bytes, check.runs, check.open_runs, check.abandoned_runs) == ("equal", 3, (2,), (4,))
    assert check.engines == (ENGINE,)


def test_a_log_that_is_being_written_verifies(path: Path) -> None:
    with Log.open(path) as log:
        log.append(started())
        assert path.with_name("l.log-wal").stat().st_size
        assert verify_log(path).head == log.tree_head()


def test_verification_writes_nothing(path: Path) -> None:
    before = {item.name: item.read_bytes() for item in path.parent.iterdir()}
    verify_log(path)
    assert {item.name: item.read_bytes() for item in path.parent.iterdir()} == before


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("DELETE FROM entries WHERE id = 2", "entry 2: an entry is missing"),
        ("DELETE FROM entries WHERE id = 6", "nodes 10: the log was altered"),
        ("UPDATE nodes SET hash = zeroblob(32) WHERE id = 2", "nodes 2: the log was altered"),
        ("DELETE FROM ends WHERE start = 1", "ends 4: the log was altered"),
        ("DELETE FROM ends WHERE start = 4", "ends: the log was cut"),
        ("UPDATE engines SET engine = 'other'", "engines 0: the log was altered"),
        ("UPDATE entries SET body = CAST(body AS TEXT) WHERE id = 1", "entry 1: an entry is missing"),
        ("DELETE FROM entries", "the log is empty"),
        ("CREATE TABLE more (x)", "the log's tables were altered"),
        ("VACUUM", None),
        ("PRAGMA user_version = 2", "unsupported version of log: got 2, wanted 1"),
    ],
)
def test_log_altered(path: Path, statement: str, message: str | None) -> None:
    # STRICT tables refuse text in a BLOB column; whoever alters a file is not bound by that.
    if "AS TEXT" in statement:
        _rewrite(
            path,
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET sql = replace(sql, ' STRICT', '')",
        )
    _rewrite(path, statement)
    if "AS TEXT" in statement:
        _rewrite(
            path,
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_master SET sql = sql || ' STRICT'",
        )
    with pytest.raises(EvidenceError) as caught:
        verify_log(path)
    assert caught.value.code in {"log_altered", "unsupported_log"}
    if message is not None:
        assert str(caught.value).endswith(message)


def test_an_entry_in_another_spelling_is_refused(path: Path) -> None:
    _rewrite(path, "UPDATE entries SET body = CAST(replace(body, ',', ', ') AS BLOB) WHERE id = 1")
    with pytest.raises(EvidenceError, match="entry 1: entry is not in the form this log writes"):
        verify_log(path)


def test_a_rewritten_log_does_not_extend_a_kept_head(tmp_path: Path, path: Path) -> None:
    with Log.open(path) as log:
        kept = log.tree_head(3)
    assert verify_log(path, kept=[kept]).extends[0].size == 3
    artifact = assessment("fail", candidate="other")
    with Log.create(tmp_path / "other.log", "demo") as log:
        for entry in (started(artifact), started(artifact), ended(1, artifact)):
            log.append(entry)
    with pytest.raises(EvidenceError) as caught:
        verify_log(tmp_path / "other.log", kept=[kept])
    assert caught.value.code == "head_not_extended"


def test_a_log_cut_short_does_not_extend_a_kept_head(tmp_path: Path, path: Path) -> None:
    kept = verify_log(path).head
    with Log.create(tmp_path / "short.log", "demo") as log:
        log.append(started(assessment()))
    assert verify_log(tmp_path / "short.log").file_bytes == "equal"
    with pytest.raises(EvidenceError, match="does not extend the kept tree head: got 2 entries, wanted 7 entries"):
        verify_log(tmp_path / "short.log", kept=[kept])


def test_a_kept_head_of_another_log_is_refused(path: Path) -> None:
    with pytest.raises(EvidenceError, match="the kept tree head is of another log: got elsewhere, wanted demo"):
        verify_log(path, kept=[TreeHead(origin="elsewhere", size=1, root=digest("root"))])


def test_bytes_are_compared_under_the_library_that_wrote_them_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        log.append(started())
    monkeypatch.setattr("witnessmark.log.verify.ENGINE", "SQLite 9.9.9")
    assert verify_log(tmp_path / "l.log").file_bytes == "not_compared"


def _flips(data: bytes, step: int) -> list[Callable[[], bytes]]:
    def flipped(bit: int) -> Callable[[], bytes]:
        return lambda: data[: bit // 8] + bytes([data[bit // 8] ^ (1 << bit % 8)]) + data[bit // 8 + 1 :]

    return [flipped(bit) for bit in range(0, 8 * len(data), step)]


@pytest.mark.no_cover
@pytest.mark.parametrize("step", [31, pytest.param(1, marks=pytest.mark.slow)])
def test_every_flipped_bit_is_noticed(tmp_path: Path, step: int) -> None:
    artifact = assessment()
    with Log.create(tmp_path / "l.log", "demo") as log:
        for entry in (started(artifact), ended(1, artifact), approval(artifact)):
            log.append(entry)
    data = (tmp_path / "l.log").read_bytes()
    read_log_bytes(data)
    for flip in _flips(data, step):
        with pytest.raises(EvidenceError):
            read_log_bytes(flip())


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    with Log.create(tmp_path / "l.log", "demo") as log:
        log.append(started())
    data = (tmp_path / "l.log").read_bytes()
    for length in range(len(data)):
        with pytest.raises(EvidenceError):
            read_log_bytes(data[:length])


def test_bytes_added_at_the_end_are_noticed(path: Path) -> None:
    data = path.read_bytes()
    for more in (b"\0", bytes(1024), data):
        with pytest.raises(EvidenceError):
            read_log_bytes(data + more)


@pytest.mark.parametrize("step", [61, pytest.param(7, marks=pytest.mark.slow)])
def test_reading_and_appending_to_a_damaged_log_raise_our_errors_only(tmp_path: Path, step: int) -> None:
    artifact = assessment()
    path = tmp_path / "l.log"
    with Log.create(path, "demo") as log:
        for entry in (started(artifact), ended(1, artifact), started()):
            log.append(entry)
        entries = list(log.entries())
        head = log.tree_head()
    for flip in _flips(path.read_bytes(), step):
        path.write_bytes(flip())
        try:
            with Log.open(path) as log:
                # What can be read without an error is what was written.
                assert list(log.entries()) == entries[: log.size]
                if log.size == head.size and log.tree_head() != head:
                    continue
                log.append(RunAbandoned(start=3, reason="after the damage"))
        except WitnessmarkError:
            pass
        for beside in tmp_path.iterdir():
            beside.unlink()
