"""The operation log: canonical lines out, strict lines in, and the Merkle leaf that each line is.

- A line is exactly the RFC 8785 bytes of ``{op, key, value}`` (no ``value`` for DEL) and a line feed. As in every
  record's canonical form, members that are null are left out.
- Its leaf data is the tag ``am-mem-kv``, a NUL and those bytes, as in agent-manifest's key-value memory.
- A log that was not written like this, or deletes a key that is not there, is refused.
"""

from __future__ import annotations

import hashlib
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from witnessmark.canonical import canonical_bytes, canonical_digest, model_bytes, parse_canonical, parse_json
from witnessmark.checkpoint.merkle import RootBuilder, leaf_hash
from witnessmark.errors import EvidenceError, InputError
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
    "read_line",
    "read_log",
    "read_record",
    "same_record",
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
    return b'{"key":%b,"op":"PUT","value":%b}' % (canonical_bytes(record.key), model_bytes(record))


def delete_line(key: str) -> bytes:
    """Return the log line that deletes ``key``, without the line feed."""
    return canonical_bytes({"key": key, "op": "DEL"})


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

    def copy(self, lines: Iterable[bytes], live: Mapping[str, int]) -> None:
        """Write a whole log that is known already, before anything else."""
        for line in lines:
            self._append(line)
        self._live = dict(live)

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


def read_line(stream: BinaryIO, offset: int) -> bytes:
    """Return the log line that begins at ``offset``, without its line feed."""
    stream.seek(offset)
    return stream.readline()[:-1]


def read_record(stream: BinaryIO, offset: int, *, where: str) -> MemoryRecord:
    """Return the record that the PUT at ``offset`` of a verified log stores.

    Raises:
        EvidenceError: no PUT is there.
    """
    place = f"{where} byte {offset}"
    try:
        value = parse_json(read_line(stream, offset), where=place)
        return MemoryRecord.from_json(value.get("value") if isinstance(value, dict) else None, where=place)
    except InputError as error:
        raise EvidenceError.from_problems(error.problems) from error


def same_record(first: bytes, second: bytes) -> bool:
    """Return whether two PUT lines of verified logs store the same record.

    Equal lines do; so do lines of which only one spells out a default.
    """
    return first == second or _stored_digest(first) == _stored_digest(second)


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
    for key in sorted(live):
        record = read_record(stream, live[key], where=where)
        yield IndexItem(record, canonical_digest(record))


def _stored_digest(line: bytes) -> str:
    return canonical_digest(read_record(BytesIO(line + b"\n"), 0, where="log"))


def _logged(data: bytes, offset: int, where: str) -> LoggedOperation:
    if not data.endswith(b"\n"):
        code = "too_large" if len(data) > MAX_LINE_BYTES else "truncated_log"
        raise EvidenceError("log line does not end", code=code, got=f"{len(data)} bytes", where=where)
    line = data[:-1]
    try:
        operation = MemoryOperation.from_json(parse_canonical(line, where=where), where=where)
        record = None if operation.value is None else MemoryRecord.from_json(operation.value, where=f"{where} /value")
    except InputError as error:
        raise EvidenceError.from_problems(error.problems) from error
    if b"null" in line and model_bytes(operation) != line:
        raise EvidenceError("a member is null, which a canonical record leaves out", code="not_canonical", where=where)
    return LoggedOperation(offset, line, operation, record)
