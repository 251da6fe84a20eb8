"""Building a checkpoint directory from records: the log, then the retrieval material, then the manifest.

- The records are the complete memory as it stands. The log of a checkpoint that extends another begins with that
  one's log, byte for byte, and goes on with a PUT for each new or changed record and a DEL for each absent one.
- Operations that are added are in key order (Unicode code points), so the order of the records does not matter.
- In memory there is a table of keys and offsets and what the adapter holds: records are read when they are needed.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, BinaryIO

from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.checkpoint.finish import finish_checkpoint
from witnessmark.checkpoint.formats import open_records
from witnessmark.checkpoint.layout import OPERATIONS
from witnessmark.checkpoint.operations import LogWriter, delete_line, put_line, read_line, same_record
from witnessmark.errors import EvidenceError, InputError
from witnessmark.files import new_directory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from witnessmark.checkpoint.operations import LogSummary
    from witnessmark.models import CheckpointManifest, MemoryRecord, RetrieverProfile
    from witnessmark.ports import CheckpointAdapter

__all__ = ["build_checkpoint"]


def build_checkpoint(
    records: Path,
    *,
    profile: RetrieverProfile,
    adapter_name: str,
    adapter: CheckpointAdapter,
    out: Path,
    extends: Path | None = None,
    record_format: str | None = None,
) -> CheckpointManifest:
    """Build a checkpoint directory and return its manifest; nothing is left behind where that fails.

    The profile is first completed by the adapter; the manifest binds the completed one.

    Args:
        records: file or folder that holds all of the memory.
        profile: the retrieval path; its ``implementation_id`` is ``adapter_name``.
        adapter_name: entry point name that opens the checkpoint again.
        adapter: builds the retrieval material.
        out: directory to make.
        extends: checkpoint directory whose log is continued.
        record_format: entry point name of the format of ``records``; guessed as `format_of` does if left out.

    Raises:
        InputError: the records, the profile, ``out`` or ``extends`` are not usable.
        EvidenceError: ``extends`` is not what its manifest says.
        AdapterError: the adapter failed or broke its contract.
    """
    if profile.implementation_id != adapter_name:
        raise InputError(
            "the profile is for another adapter",
            code="wrong_adapter",
            got=repr(profile.implementation_id),
            wanted=repr(adapter_name),
            where="implementation_id",
        )
    with new_directory(out) as staging:
        base = None if extends is None else Checkpoint.open(extends)
        try:
            log = _write_log(open_records(records, record_format), base, staging)
            return finish_checkpoint(staging, log, profile, adapter_name, adapter)
        except OSError as error:
            raise InputError(
                f"cannot write the checkpoint: {error.strerror or error}", code="unwritable_file", where=str(out)
            ) from error


def _write_log(records: Iterator[MemoryRecord], base: Checkpoint | None, staging: Path) -> LogSummary:
    with tempfile.TemporaryFile(dir=staging) as spool, (staging / OPERATIONS).open("wb") as stream:
        offsets = _spool(records, spool)
        log = LogWriter(stream)
        if base is None:
            for key in sorted(offsets):
                log.put(key, read_line(spool, offsets[key]))
        else:
            _extend(log, base, spool, offsets)
        return log.summary(OPERATIONS)


def _spool(records: Iterator[MemoryRecord], spool: BinaryIO) -> dict[str, int]:
    """Write the PUT line of every record to ``spool`` and return where each one is.

    The records are read once only: their file may be a pipe, and may not change between two readings.
    """
    offsets: dict[str, int] = {}
    end = 0
    for record in records:
        offsets[record.key] = end
        end += spool.write(put_line(record) + b"\n")
    return offsets


def _extend(log: LogWriter, base: Checkpoint, spool: BinaryIO, offsets: dict[str, int]) -> None:
    log.copy(base.lines(), base.live)
    if log.summary(OPERATIONS).entry != base.manifest.operations_file:
        raise EvidenceError(
            "changed since it was opened", code="changed_since_opened", where=str(base.path / OPERATIONS)
        )
    with (base.path / OPERATIONS).open("rb") as stream:
        for key in sorted(base.live.keys() | offsets.keys()):
            if key not in offsets:
                log.delete(key, delete_line(key))
                continue
            line = read_line(spool, offsets[key])
            if key not in base or not same_record(read_line(stream, base.live[key]), line):
                log.put(key, line)
