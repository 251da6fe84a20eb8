"""An FTS5 index in a file of its own: built to the same bytes every time, opened without being able to change it.

- Texts are not in the file, only what the tokenizer made of them; row ids are places of insertion, from 1.
- What a question means is decided by tokens alone: each is quoted, so that no text of a user is an operator.
- A NUL is read as a space, in texts and in questions: some tokenizers stop there.
- The file has to hold the tables of such an index and no other thing, before any of them is used.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from witnessmark.errors import AdapterError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from witnessmark_adapters.fts5_settings import LexicalSettings

__all__ = ["LexicalIndex", "Matches", "Tokens", "build_index"]

_BUILD = (
    "PRAGMA page_size=4096",
    "PRAGMA encoding='UTF-8'",
    "PRAGMA auto_vacuum=NONE",
    "PRAGMA journal_mode=OFF",
    "PRAGMA synchronous=OFF",
    "PRAGMA locking_mode=EXCLUSIVE",
    "BEGIN",
)
_SEARCH = "SELECT rowid, -bm25(documents) FROM documents WHERE documents MATCH ?"


class Matches(NamedTuple):
    """Every document that has a token of a question; larger scores are better."""

    places: NDArray[np.int64]
    """Places of insertion, from 0, shape ``(matches,)``."""
    scores: NDArray[np.float64]
    """Same shape."""


def build_index(texts: Iterable[str], settings: LexicalSettings, order: NDArray[np.int64] | None, path: Path) -> None:
    """Write the index of some texts.

    Args:
        texts: in key order, read once.
        settings: decide the tokenizer.
        order: ordinals in the order of insertion; None inserts in key order.
        path: file to make.

    Raises:
        InputError: ``missing_fts5`` or ``unsupported_tokenizer``.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        for statement in _BUILD:
            database.execute(statement)
        _create(database, settings.tokenize)
        rows = ((place, _readable(text)) for place, text in enumerate(texts, 1))
        if order is None:
            database.executemany("INSERT INTO documents(rowid, text) VALUES (?, ?)", rows)
        else:
            place_of = np.empty(len(order), dtype=np.int64)
            place_of[order] = np.arange(1, len(order) + 1)
            # FTS5 writes a segment whenever a row id descends: rows are sorted by place before they go in.
            database.execute("CREATE TEMP TABLE spool (place INTEGER PRIMARY KEY, text TEXT)")
            database.executemany(
                "INSERT INTO spool VALUES (?, ?)", ((int(place_of[number - 1]), text) for number, text in rows)
            )
            database.execute("INSERT INTO documents(rowid, text) SELECT place, text FROM spool ORDER BY place")
        database.execute("INSERT INTO documents(documents) VALUES ('optimize')")
        database.execute("COMMIT")
        database.execute("VACUUM")


class Tokens:
    """The tokenizer of an index, without its stemmer."""

    def __init__(self, tokenize: str) -> None:
        """Take a tokenizer as FTS5 spells it.

        Raises:
            InputError: ``missing_fts5`` or ``unsupported_tokenizer``.
        """
        self._database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            _create(self._database, tokenize)
            self._database.execute("CREATE VIRTUAL TABLE tokens USING fts5vocab(documents, instance)")
        except BaseException:
            self._database.close()
            raise

    def of(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the distinct tokens of each text, sorted."""
        found: list[list[str]] = [[] for _ in texts]
        self._database.execute("BEGIN")
        try:
            self._database.executemany(
                "INSERT INTO documents(rowid, text) VALUES (?, ?)",
                ((place, _readable(text)) for place, text in enumerate(texts, 1)),
            )
            for place, token in self._database.execute("SELECT DISTINCT doc, term FROM tokens"):
                found[place - 1].append(token)
        finally:
            self._database.execute("ROLLBACK")
        return [tuple(sorted(tokens)) for tokens in found]

    def close(self) -> None:
        """Let go of it."""
        self._database.close()


class LexicalIndex:
    """An opened index."""

    def __init__(self, path: Path, settings: LexicalSettings) -> None:
        """Open the file read-only and check that it is the index of these settings.

        Raises:
            InputError: ``missing_fts5``, ``unsupported_tokenizer``, ``unreadable_index`` or ``index_mismatch``.
        """
        self._where = str(path)
        with _index_errors(self._where):
            self._database = sqlite3.connect(
                f"{path.resolve().as_uri()}?mode=ro&immutable=1",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            with _index_errors(self._where):
                self.count = self._check(settings)
        except BaseException:
            self._database.close()
            raise

    def search(self, tokens: Sequence[str]) -> Matches:
        """Return every document that has one of the tokens, in order of insertion.

        Raises:
            AdapterError: ``search_failed`` or ``score_not_finite``.
        """
        if not tokens:
            return Matches(np.empty(0, dtype=np.int64), np.empty(0))
        expression = " OR ".join('"' + token.replace('"', '""') + '"' for token in tokens)
        try:
            rows = self._database.execute(_SEARCH, (expression,)).fetchall()
        except sqlite3.Error as error:
            raise AdapterError(f"search failed: {error}", code="search_failed", where=self._where) from error
        table = np.array(rows, dtype=np.float64).reshape(len(rows), 2)
        if not np.isfinite(table).all():
            raise AdapterError("a score is not finite", code="score_not_finite", where=self._where)
        return Matches(table[:, 0].astype(np.int64) - 1, table[:, 1])

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def _check(self, settings: LexicalSettings) -> int:
        """Compare the tables with those of an empty index and return the number of documents."""
        for statement in ("PRAGMA trusted_schema=OFF", "PRAGMA cell_size_check=ON", "PRAGMA query_only=ON"):
            self._database.execute(statement)
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
            _create(empty, settings.tokenize)
            wanted = _schema(empty)
        found = _schema(self._database)
        if found != wanted:
            raise InputError(
                "index is not what its profile says: tables",
                code="index_mismatch",
                got="; ".join(found),
                wanted="; ".join(wanted),
                where=self._where,
            )
        (lowest, highest, count) = self._database.execute(
            "SELECT min(id), max(id), count(*) FROM documents_docsize"
        ).fetchone()
        if count and (lowest, highest) != (1, count):
            raise InputError(
                "index is not what its profile says: row ids",
                code="index_mismatch",
                got=f"{lowest} to {highest}",
                wanted=f"1 to {count}",
                where=self._where,
            )
        return int(count)


def _create(database: sqlite3.Connection, tokenize: str) -> None:
    try:
        database.execute(f"CREATE VIRTUAL TABLE documents USING fts5(text, content='', tokenize='{tokenize}')")
    except sqlite3.OperationalError as error:
        missing = "no such module" in str(error)
        raise InputError(
            "the SQLite library of this Python has no FTS5" if missing else "FTS5 does not take this tokenizer",
            code="missing_fts5" if missing else "unsupported_tokenizer",
            got=f"SQLite {sqlite3.sqlite_version}: {error}",
            wanted="a SQLite library with FTS5" if missing else f"a SQLite library with the tokenizer {tokenize!r}",
        ) from error


def _schema(database: sqlite3.Connection) -> list[str]:
    """Return what is in a database; the SQL of the tables that FTS5 makes differs between versions and is left out."""
    rows = database.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name, type").fetchall()
    return [str(sql) if name == "documents" else f"{kind} {name}" for kind, name, sql in rows]


@contextmanager
def _index_errors(where: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise InputError(f"cannot read the index: {error}", code="unreadable_index", where=where) from error


def _readable(text: str) -> str:
    return text.replace("\0", " ")
