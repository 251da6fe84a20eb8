"""A log in a SQLite file: create, open, append, read, prove.

- One transaction an entry, on disk before `Log.append` returns (WAL, ``synchronous=FULL``).
- Writers take turns (``BEGIN IMMEDIATE``); an entry gets its index inside the transaction.
- Nothing is ever updated or deleted.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from witnessmark.errors import EvidenceError, InputError
from witnessmark.log.schema import (
    ENGINE,
    PAGE_SIZE,
    append_entry,
    check_schema,
    create_schema,
    entry_bytes,
    log_size,
    node,
    transaction,
)
from witnessmark.log.tree import StoredTree
from witnessmark.models.log import EngineChanged, LogCreated, TreeHead, parse_entry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from witnessmark.models.log import LogEntry

__all__ = ["Log"]

_BUSY_SECONDS = 60.0


class Log:
    """An open log. Use it as a context manager; not to be shared between threads."""

    def __init__(self, connection: sqlite3.Connection, path: Path, origin: str) -> None:
        self._connection = connection
        self._path = path
        self.origin = origin

    @classmethod
    def create(cls, path: Path, origin: str) -> Log:
        """Make a log that holds its creation entry, and open it.

        Args:
            path: a new file.
            origin: name of the log, which every tree head carries.

        Raises:
            InputError: ``output_exists``, ``unwritable_file`` or ``invalid_origin``.
        """
        if not origin.strip():
            raise InputError("a log needs a name", code="invalid_origin", got=repr(origin))
        if path.exists() or path.is_symlink():
            raise InputError("output already exists", code="output_exists", wanted="a new path", where=str(path))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
                staged = Path(folder) / "log"
                connection = _connect(staged, "rwc")
                try:
                    create_schema(connection)
                    with transaction(connection):
                        append_entry(connection, LogCreated(origin=origin, engine=ENGINE))
                finally:
                    connection.close()
                os.link(staged, path)
        except FileExistsError as error:
            raise InputError(
                "output already exists", code="output_exists", wanted="a new path", where=str(path)
            ) from error
        except OSError as error:
            raise InputError(
                f"cannot write file: {error.strerror or error}", code="unwritable_file", where=str(path)
            ) from error
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> Log:
        """Open a log.

        Raises:
            InputError: ``unreadable_file``.
            EvidenceError: ``not_a_log``, ``unsupported_log`` or ``log_altered``.
        """
        if not path.is_file():
            raise InputError("cannot read file: no such log", code="unreadable_file", where=str(path))
        with _database_errors(path):
            connection = _connect(path, "rw" if os.access(path, os.W_OK) else "ro")
            try:
                check_schema(connection, str(path))
                if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                    raise EvidenceError("the log lost its write-ahead log", code="log_altered", where=str(path))
                first = parse_entry(entry_bytes(connection, 0), where=f"{path}: entry 0")
                if not isinstance(first, LogCreated):
                    raise EvidenceError("the log does not begin with its creation", code="log_altered", where=str(path))
            except BaseException:
                connection.close()
                raise
        return cls(connection, path, first.origin)

    def close(self) -> None:
        """Close the file; calling twice is allowed."""
        with _database_errors(self._path):
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, entry: LogEntry) -> int:
        """Add an entry, durably, and return its index.

        Raises:
            InputError: ``invalid_entry`` (a run that did not start, or has ended), ``unwritable_file``.
            EvidenceError: ``log_altered``.
        """
        if isinstance(entry, EngineChanged):
            raise InputError("the log enters that by itself", code="invalid_entry", got=entry.entry)
        with _database_errors(self._path), transaction(self._connection):
            last = self._connection.execute("SELECT engine FROM engines ORDER BY entry DESC LIMIT 1").fetchone()
            if last != (ENGINE,):
                append_entry(self._connection, EngineChanged(engine=ENGINE))
            return append_entry(self._connection, entry)

    @property
    def size(self) -> int:
        """Number of entries."""
        with _database_errors(self._path):
            return log_size(self._connection)

    def entry(self, index: int) -> LogEntry:
        """Return one entry, checked against the tree.

        Raises:
            InputError: ``no_such_entry``.
            EvidenceError: ``log_altered``.
        """
        return parse_entry(self.entry_bytes(index), where=f"{self._path}: entry {index}")

    def entry_bytes(self, index: int) -> bytes:
        """Return the bytes of one entry, checked against the tree.

        Raises:
            InputError: ``no_such_entry``.
            EvidenceError: ``log_altered``.
        """
        with _database_errors(self._path):
            return entry_bytes(self._connection, index)

    def entries(self) -> Iterator[tuple[int, LogEntry]]:
        """Yield index and entry of all that are in the log now, in order.

        Raises:
            EvidenceError: ``log_altered``.
        """
        for index in range(self.size):
            yield index, self.entry(index)

    def file_bytes(self) -> bytes:
        """Return the database as one consistent image, what is still in the write-ahead log included."""
        with _database_errors(self._path):
            return self._connection.serialize()

    def tree_head(self, size: int | None = None) -> TreeHead:
        """Return the tree head at ``size`` entries, by default all of them.

        Raises:
            InputError: ``no_such_size``.
            EvidenceError: ``log_altered``.
        """
        with self._tree(size) as (tree, known):
            return TreeHead(origin=self.origin, size=known, root=f"sha256:{tree.root(known).hex()}")

    def inclusion_proof(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """Return the proof that an entry is among the first ``size``.

        Raises:
            InputError: ``no_such_entry`` or ``no_such_size``.
            EvidenceError: ``log_altered``.
        """
        with self._tree(size) as (tree, known):
            if not 0 <= index < known:
                raise InputError("no such entry", code="no_such_entry", got=index, wanted=f"below {known}")
            return tree.inclusion_proof(index, known)

    def consistency_proof(self, first: int, second: int | None = None) -> tuple[bytes, ...]:
        """Return the proof that ``second`` entries extend the first ``first``.

        Raises:
            InputError: ``no_such_size``.
            EvidenceError: ``log_altered``.
        """
        with self._tree(second) as (tree, known):
            if not 1 <= first <= known:
                raise InputError("no such size", code="no_such_size", got=first, wanted=f"1 to {known}")
            return tree.consistency_proof(first, known)

    @contextmanager
    def _tree(self, size: int | None) -> Iterator[tuple[StoredTree, int]]:
        with _database_errors(self._path):
            whole = log_size(self._connection)
            known = whole if size is None else size
            if not 1 <= known <= whole:
                raise InputError("no such size", code="no_such_size", got=known, wanted=f"1 to {whole}")
            yield StoredTree(lambda position: node(self._connection, position)), known


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY_SECONDS)
    try:
        if mode == "rwc":
            connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _database_errors(path: Path) -> Iterator[None]:
    """Give what SQLite raises one of our codes."""
    try:
        yield
    except sqlite3.OperationalError as error:
        text = str(error)
        if "malformed" in text or "UTF-8" in text:
            raise EvidenceError(f"the log is damaged: {text}", code="log_altered", where=str(path)) from error
        raise InputError(f"cannot use the log: {text}", code="unusable_log", where=str(path)) from error
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise EvidenceError(f"not a log: {error}", code="not_a_log", where=str(path)) from error
