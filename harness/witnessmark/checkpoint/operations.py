"""The operation log: canonical lines out, strict lines in, and the Merkle leaf that each line is.

- A line is exactly the RFC 8785 bytes of ``{op, key, value}`` (no ``value`` for DEL) and a line feed.
- Its leaf data is the tag ``am-mem-kv``, a NUL and those bytes, as in agent-manifest's key-value memory.
- A log that was not written like this, or deletes a key that is not there, is refused.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from witnessmark.canonical import canonical_digest, model_bytes, parse_canonical
from witnessmark.checkpoint.merkle import RootBuilder, leaf_hash
from witnessmark.errors import CanonicalError, EvidenceError, InputError
from witnessmark.models import FileEntry, MemoryOperation, MemoryRecord
from witnessmark.ports import IndexItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "MAX_LINE_BYTES",
    "LogSummary",
    "LogWriter",
    "LoggedOperation",
    "delete_line",
    "live_items",
    "operation_leaf",
    "put_line",
    "read_log",
    "read_operation",
    "summarize_log",
]

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Longest line of a log or of a records file, in bytes without its line feed."""

_LEAF_TAG = b"am-mem-kv\x00"


class LoggedOperation(NamedTuple):
    """One operation, where it stands and how it is written."""

    offset: int
    """Of the line's first byte in the log."""
    line: bytes
    """Canonical bytes without the line feed."""
    operation: MemoryOperation
    record: MemoryRecord | None
    """What a PUT stores; None for DEL."""


class LogSummary(NamedTuple):
    """What a whole log amounts to."""

    entry: FileEntry
    operation_count: int
    root: bytes
    """RFC 9162 root over the log, 32 bytes."""
    live: Mapping[str, int]
    """Keys that are there after the last operation, with the offset of the PUT that says so."""


def put_line(record: MemoryRecord) -> bytes:
    """Return the log line that stores ``record``, without the line feed."""
    value = record.model_dump(mode="json")
    return model_bytes(MemoryOperation(op="PUT", key=record.key, value=value))


def delete_line(key: str) -> bytes:
    """Return the log line that deletes ``key``, without the line feed."""
    return model_bytes(MemoryOperation(op="DEL", key=key))


def operation_leaf(line: bytes) -> bytes:
    """Return the Merkle leaf hash of a log line, 32 bytes; the line feed is not part of it."""
    return leaf_hash(_LEAF_TAG + line)


class LogWriter:
    """Writes a log, operation by operation, and sums it up."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self._tree = RootBuilder()
        self._size = 0
        self._live: dict[str, int] = {}

    def put(self, key: str, line: bytes) -> None:
        """Append a line that stores ``key``."""
        self._live[key] = self._size
        self._append(line)

    def delete(self, key: str, line: bytes) -> None:
        """Append a line that deletes ``key``.

        Raises:
            KeyError: the log holds no such key.
        """
        del self._live[key]
        self._append(line)

    def summary(self, path: str) -> LogSummary:
        """Return what was written so far, as the file ``path`` of a checkpoint."""
        entry = FileEntry(path=path, size=self._size, sha256=f"sha256:{self._digest.hexdigest()}")
        return LogSummary(entry, self._tree.size, self._tree.root(), self._live)

    def _append(self, line: bytes) -> None:
        data = line + b"\n"
        self._stream.write(data)
        self._digest.update(data)
        self._tree.append(operation_leaf(line))
        self._size += len(data)


def read_log(stream: BinaryIO, *, where: str) -> Iterator[LoggedOperation]:
    """Yield every operation of a log, from where the stream stands.

    Raises:
        EvidenceError: a line is not the canonical form of an operation, is cut off, or is longer than the limit.
    """
    offset, number = stream.tell(), 0
    while data := stream.readline(MAX_LINE_BYTES + 2):
        number += 1
        yield _logged(data, offset, f"{where}:{number}")
        offset += len(data)


def read_operation(stream: BinaryIO, offset: int, *, where: str) -> LoggedOperation:
    """Return the operation whose line begins at ``offset``.

    Raises:
        EvidenceError: no such line is there.
    """
    stream.seek(offset)
    return _logged(stream.readline(MAX_LINE_BYTES + 2), offset, f"{where} byte {offset}")


def summarize_log(stream: BinaryIO, path: str, *, where: str) -> LogSummary:
    """Read a whole log, checking every line, and sum it up as the file ``path`` of a checkpoint.

    Raises:
        EvidenceError: as `read_log`, or ``delete_of_absent_key``.
    """
    digest, tree, size, live = hashlib.sha256(), RootBuilder(), 0, dict[str, int]()
    for logged in read_log(stream, where=where):
        key = logged.operation.key
        if logged.record is not None:
            live[key] = logged.offset
        elif live.pop(key, None) is None:
            raise EvidenceError(
                "deletes a key that is not there",
                code="delete_of_absent_key",
                got=repr(key),
                where=f"{where}:{tree.size + 1}",
            )
        digest.update(logged.line)
        digest.update(b"\n")
        tree.append(operation_leaf(logged.line))
        size += len(logged.line) + 1
    entry = FileEntry(path=path, size=size, sha256=f"sha256:{digest.hexdigest()}")
    return LogSummary(entry, tree.size, tree.root(), live)


def live_items(stream: BinaryIO, live: Mapping[str, int], *, where: str) -> Iterator[IndexItem]:
    """Yield the live records of a log in key order (Unicode code points), read one by one.

    Raises:
        EvidenceError: an offset of ``live`` is not that of a PUT.
    """
    yield from _items((read_operation(stream, live[key], where=where) for key in sorted(live)), where)


def _items(found: Iterable[LoggedOperation], where: str) -> Iterator[IndexItem]:
    for logged in found:
        if logged.record is None:
            raise EvidenceError("not a PUT", code="invalid_log", where=f"{where} byte {logged.offset}")
        yield IndexItem(logged.record, canonical_digest(logged.record))


def _logged(data: bytes, offset: int, where: str) -> LoggedOperation:
    if not data.endswith(b"\n"):
        code = "too_large" if len(data) > MAX_LINE_BYTES else "truncated_log"
        raise EvidenceError("log line does not end", code=code, got=f"{len(data)} bytes", where=where)
    line = data[:-1]
    try:
        operation = MemoryOperation.from_json(parse_canonical(line, where=where), where=where)
        record = None if operation.value is None else MemoryRecord.from_json(operation.value, where=f"{where} /value")
    except CanonicalError as error:
        raise EvidenceError.from_problems(error.problems) from error
    except InputError as error:
        raise EvidenceError.from_problems(error.problems) from error
    return LoggedOperation(offset, line, operation, record)
