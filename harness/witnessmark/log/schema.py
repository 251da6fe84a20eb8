"""The tables of a log file, and the one way in which an entry gets into them.

- Writing and verifying share `append_entry`: verification replays the entries and compares what comes out.
- A run ends at most once, and only after it started.
- Whoever writes with another version of the database library says so in an entry first.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from witnessmark.canonical import model_bytes
from witnessmark.checkpoint.merkle import leaf_hash
from witnessmark.errors import EvidenceError, InputError
from witnessmark.log.tree import completed_nodes, node_count
from witnessmark.models.log import EngineChanged, LogCreated, RunAbandoned, RunEnded, RunStarted, parse_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from witnessmark.models.log import LogEntry

__all__ = [
    "APPLICATION_ID",
    "ENGINE",
    "PAGE_SIZE",
    "SCHEMA",
    "SCHEMA_VERSION",
    "append_entry",
    "check_schema",
    "create_schema",
    "entry_bytes",
    "log_size",
    "node",
    "transaction",
]

APPLICATION_ID = 0x574D4C47
"""``WMLG``, in the header of the database file."""
SCHEMA_VERSION = 1
PAGE_SIZE = 1024
"""Bytes. Entries are short, and small pages keep a short log small."""
ENGINE = f"SQLite {sqlite3.sqlite_version}"
SCHEMA = (
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT",
    "CREATE TABLE nodes (id INTEGER PRIMARY KEY, hash BLOB NOT NULL) STRICT",
    "CREATE TABLE ends (start INTEGER PRIMARY KEY, entry INTEGER NOT NULL) STRICT",
    "CREATE TABLE engines (entry INTEGER PRIMARY KEY, engine TEXT NOT NULL) STRICT",
)


def create_schema(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty log, outside any transaction."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    with transaction(connection):
        for statement in SCHEMA:
            connection.execute(statement)


def check_schema(connection: sqlite3.Connection, where: str) -> None:
    """Refuse a database that is no log of this version.

    Raises:
        EvidenceError: ``not_a_log``, or ``unsupported_log`` for another version.
    """
    if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise EvidenceError("not a log", code="not_a_log", wanted="a file made by `witnessmark log init`", where=where)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != SCHEMA_VERSION:
        raise EvidenceError(
            "unsupported version of log", code="unsupported_log", got=version, wanted=str(SCHEMA_VERSION), where=where
        )
    found = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master ORDER BY rowid")]
    if found != list(SCHEMA):
        raise EvidenceError("the log's tables were altered", code="log_altered", where=where)


class transaction:
    """One write transaction: committed when the block ends, rolled back when it raises."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def log_size(connection: sqlite3.Connection) -> int:
    """Return the number of entries."""
    (last,) = connection.execute("SELECT max(id) FROM entries").fetchone()
    return 0 if last is None else int(last) + 1


def node(connection: sqlite3.Connection, position: int) -> bytes:
    """Return one stored node.

    Raises:
        EvidenceError: ``log_altered``: it is missing, or no hash.
    """
    row = connection.execute("SELECT hash FROM nodes WHERE id = ?", (position,)).fetchone()
    if row is None or not isinstance(row[0], bytes) or len(row[0]) != 32:
        raise EvidenceError("a node of the log's tree is missing", code="log_altered", where=f"node {position}")
    return row[0]


def entry_bytes(connection: sqlite3.Connection, index: int) -> bytes:
    """Return the bytes of one entry.

    Raises:
        InputError: ``no_such_entry``.
        EvidenceError: ``log_altered``: the bytes are not what the tree has.
    """
    row = connection.execute("SELECT body FROM entries WHERE id = ?", (index,)).fetchone()
    if row is None:
        raise InputError("no such entry", code="no_such_entry", got=index, wanted=f"below {log_size(connection)}")
    data = row[0]
    if not isinstance(data, bytes) or leaf_hash(data) != node(connection, node_count(index)):
        raise EvidenceError("entry is not what the log's tree has", code="log_altered", where=f"entry {index}")
    return data


def append_entry(
    connection: sqlite3.Connection, entry: LogEntry, *, lookup: Callable[[int], bytes] | None = None
) -> int:
    """Add an entry within the caller's transaction and return its index.

    Raises:
        EvidenceError: ``log_altered``: the stored tree is damaged.
        InputError: ``invalid_entry``: the entry does not fit what the log holds.
    """
    size = log_size(connection)
    _check_order(connection, entry, size)
    data = model_bytes(entry)
    connection.execute("INSERT INTO entries VALUES (?, ?)", (size, data))
    added = completed_nodes(size, leaf_hash(data), lookup or (lambda position: node(connection, position)))
    first = node_count(size)
    connection.executemany("INSERT INTO nodes VALUES (?, ?)", list(enumerate(added, first)))
    if isinstance(entry, RunEnded | RunAbandoned):
        connection.execute("INSERT INTO ends VALUES (?, ?)", (entry.start, size))
    elif isinstance(entry, LogCreated | EngineChanged):
        connection.execute("INSERT INTO engines VALUES (?, ?)", (size, entry.engine))
    return size


def _check_order(connection: sqlite3.Connection, entry: LogEntry, size: int) -> None:
    if isinstance(entry, LogCreated) != (size == 0):
        raise InputError("a log begins with its creation, once", code="invalid_entry", where=f"entry {size}")
    if isinstance(entry, RunEnded | RunAbandoned):
        where = f"entry {size}"
        if entry.start >= size or not isinstance(
            parse_entry(entry_bytes(connection, entry.start), where=f"entry {entry.start}"), RunStarted
        ):
            raise InputError(
                "no run starts there",
                code="invalid_entry",
                got=f"start {entry.start}",
                wanted="a run_started entry",
                where=where,
            )
        ended = connection.execute("SELECT entry FROM ends WHERE start = ?", (entry.start,)).fetchone()
        if ended is not None:
            raise InputError(
                "the run has ended already",
                code="invalid_entry",
                got=f"start {entry.start}",
                wanted=f"nothing after entry {ended[0]}",
                where=where,
            )
