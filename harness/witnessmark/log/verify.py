"""Verify a log file: recompute all of it from the bytes of its entries.

- The entries are replayed into an empty log in memory; every table has to come out equal.
- Under the database library that wrote the file, the file's bytes have to come out equal too: no byte of it, used or
  unused, can be changed unseen.
- A log cut off at the end is a shorter log. Only a tree head kept elsewhere shows that: ``kept``.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Literal, NamedTuple

from witnessmark.canonical import MAX_BYTES
from witnessmark.errors import EvidenceError, WitnessmarkError
from witnessmark.files import read_bytes
from witnessmark.log.runs import logged_runs
from witnessmark.log.schema import ENGINE, PAGE_SIZE, append_entry, check_schema, create_schema, transaction
from witnessmark.log.store import Log
from witnessmark.log.tree import StoredTree, node_count
from witnessmark.models.approval import KnownHead, RunOutcome
from witnessmark.models.base import Count, Many, Record, Text
from witnessmark.models.log import EngineChanged, LogCreated, TreeHead, parse_entry

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from witnessmark.models.log import LogEntry

__all__ = ["LogCheck", "ReadLog", "read_log", "read_log_bytes", "verify_log"]

_TABLES = ("entries", "nodes", "ends", "engines")
_WAL_VERSIONS = slice(18, 20)
"""Read and write version of the file format; 2 is WAL, 1 is what a database in memory has."""
_COUNTERS = (slice(24, 28), slice(92, 96))
"""The change counter, twice; it counts how the file came about, not what it holds."""
_WRITER = slice(96, 100)
"""Version number of the library that wrote last."""


class LogCheck(Record):
    """What verifying a log showed."""

    head: TreeHead
    extends: Many[KnownHead] = ()
    """Kept heads that the log was shown to extend."""
    file_bytes: Literal["equal", "not_compared"]
    """Whether the file is byte for byte what its entries give; compared under the library that wrote it only."""
    runs: Count
    open_runs: Many[Count] = ()
    """Start entries of runs that have no end."""
    abandoned_runs: Many[Count] = ()
    """Start entries of runs that ended without an assessment."""
    engines: Many[Text]
    """Database libraries that wrote the log, in order."""


class ReadLog(NamedTuple):
    """A verified log and what is in it."""

    check: LogCheck
    entries: tuple[LogEntry, ...]


def verify_log(path: Path, *, kept: Sequence[TreeHead] = ()) -> LogCheck:
    """Verify a log file; see `read_log`."""
    return read_log(path, kept=kept).check


def read_log(path: Path, *, kept: Sequence[TreeHead] = ()) -> ReadLog:
    """Verify a log file and return its entries.

    Args:
        path: the file; one whose writer was killed is fine.
        kept: tree heads kept elsewhere, all of which the log has to extend.

    Raises:
        InputError: ``unreadable_file`` or ``too_large``.
        EvidenceError: ``not_a_log``, ``unsupported_log``, ``log_altered`` or ``head_not_extended``.
    """
    pending = path.with_name(f"{path.name}-wal")
    if pending.exists() and pending.stat().st_size:
        # A writer is at work or was killed: let the library put the file and its write-ahead log together.
        with Log.open(path) as log:
            data = log.file_bytes()
    else:
        data = read_bytes(path, max_bytes=16 * MAX_BYTES)
    return read_log_bytes(data, kept=kept, where=str(path))


def read_log_bytes(data: bytes, *, kept: Sequence[TreeHead] = (), where: str = "log") -> ReadLog:
    """Verify the bytes of a log file and return its entries; as `read_log`.

    Raises:
        EvidenceError: ``not_a_log``, ``unsupported_log``, ``log_altered`` or ``head_not_extended``.
    """
    try:
        return _verify(data, kept, where)
    except WitnessmarkError as error:
        if isinstance(error, EvidenceError):
            raise
        raise EvidenceError(f"an entry is malformed: {error}", code="log_altered", where=where) from error
    except (sqlite3.Error, OverflowError, MemoryError, UnicodeError) as error:
        raise EvidenceError(f"not an intact log: {error}", code="log_altered", where=where) from error


def _verify(data: bytes, kept: Sequence[TreeHead], where: str) -> ReadLog:
    if len(data) < PAGE_SIZE or len(data) % PAGE_SIZE or not data.startswith(b"SQLite format 3\0"):
        raise EvidenceError("not a log, or cut short", code="not_a_log", got=f"{len(data)} bytes", where=where)
    if data[_WAL_VERSIONS] != b"\2\2" or data[_COUNTERS[0]] != data[_COUNTERS[1]]:
        raise EvidenceError("the file's header was altered", code="log_altered", where=where)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as stored:
        # A database in memory has no WAL; the two bytes were checked above.
        stored.deserialize(data[:18] + b"\1\1" + data[20:])
        check_schema(stored, where)
        entries = _read_entries(stored, where)
        with closing(_replay(entries)) as replayed:
            for table in _TABLES:
                _compare(stored, replayed, table, where)
            tree = _tree(replayed, len(entries))
            head = _head(tree, entries)
            for known in kept:
                _check_extends(tree, head, known, where)
            engines = [entry.engine for entry in entries if isinstance(entry, LogCreated | EngineChanged)]
            compared = engines == [ENGINE]
            if compared:
                _compare_bytes(data, replayed.serialize(), where)
            elif _library(data) != engines[-1]:
                raise EvidenceError(
                    "the file was written by a library that its entries do not name",
                    code="log_altered",
                    got=_library(data),
                    wanted=engines[-1],
                    where=where,
                )
    runs = logged_runs(enumerate(entries))
    check = LogCheck(
        head=head,
        extends=tuple(KnownHead(size=known.size, root=known.root) for known in kept),
        file_bytes="equal" if compared else "not_compared",
        runs=len(runs),
        open_runs=tuple(run.start for run in runs if run.outcome is RunOutcome.open),
        abandoned_runs=tuple(run.start for run in runs if run.outcome is RunOutcome.abandoned),
        engines=tuple(engines),
    )
    return ReadLog(check, tuple(entries))


def _read_entries(stored: sqlite3.Connection, where: str) -> list[LogEntry]:
    entries: list[LogEntry] = []
    for wanted, (index, body) in enumerate(stored.execute("SELECT id, body FROM entries ORDER BY id")):
        if index != wanted or not isinstance(body, bytes):
            raise EvidenceError("an entry is missing", code="log_altered", where=f"{where}: entry {wanted}")
        entries.append(parse_entry(body, where=f"{where}: entry {index}"))
    if not entries:
        raise EvidenceError("the log is empty", code="log_altered", where=where)
    return entries


def _replay(entries: Sequence[LogEntry]) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    connection.execute("PRAGMA journal_mode = OFF")
    create_schema(connection)
    for entry in entries:
        with transaction(connection):
            append_entry(connection, entry)
    return connection


def _compare(stored: sqlite3.Connection, replayed: sqlite3.Connection, table: str, where: str) -> None:
    query = f"SELECT * FROM {table} ORDER BY 1"
    wanted = replayed.execute(query)
    for row in stored.execute(query):
        if row != wanted.fetchone():
            raise EvidenceError("the log was altered", code="log_altered", where=f"{where}: {table} {row[0]}")
    if wanted.fetchone() is not None:
        raise EvidenceError("the log was cut", code="log_altered", where=f"{where}: {table}")


def _tree(replayed: sqlite3.Connection, size: int) -> StoredTree:
    nodes = dict(replayed.execute("SELECT id, hash FROM nodes"))
    if len(nodes) != node_count(size):
        raise EvidenceError("the log's tree has another size than its entries", code="log_altered")
    return StoredTree(nodes.__getitem__)


def _head(tree: StoredTree, entries: Sequence[LogEntry]) -> TreeHead:
    first = entries[0]
    if not isinstance(first, LogCreated):
        raise EvidenceError("the log does not begin with its creation", code="log_altered")
    return TreeHead(origin=first.origin, size=len(entries), root=f"sha256:{tree.root(len(entries)).hex()}")


def _check_extends(tree: StoredTree, head: TreeHead, known: TreeHead, where: str) -> None:
    if known.origin != head.origin:
        raise EvidenceError(
            "the kept tree head is of another log",
            code="head_not_extended",
            got=known.origin,
            wanted=head.origin,
            where=where,
        )
    if known.size > head.size or known.root != f"sha256:{tree.root(known.size).hex()}":
        raise EvidenceError(
            "the log does not extend the kept tree head",
            code="head_not_extended",
            got=f"{head.size} entries",
            wanted=f"{known.size} entries with root {known.root}, then more",
            where=where,
        )


def _compare_bytes(data: bytes, replayed: bytes, where: str) -> None:
    if _library(data) != ENGINE:
        raise EvidenceError("the file's header was altered", code="log_altered", where=where)
    wanted = bytearray(replayed)
    for part in (_WAL_VERSIONS, *_COUNTERS, _WRITER):
        wanted[part] = data[part]
    if bytes(wanted) != data:
        offset = next((i for i, (a, b) in enumerate(zip(data, wanted, strict=False)) if a != b), len(wanted))
        raise EvidenceError(
            "the file holds bytes that its entries do not account for",
            code="log_altered",
            where=f"{where}: byte {offset}",
        )


def _library(data: bytes) -> str:
    number = int.from_bytes(data[_WRITER])
    return f"SQLite {number // 1_000_000}.{number // 1_000 % 1_000}.{number % 1_000}"
