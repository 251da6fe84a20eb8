"""Building a checkpoint directory from records: the log, then the retrieval material, then the manifest.

- The records are the complete memory as it stands. The log of a checkpoint that extends another begins with that
  one's log, byte for byte, and goes on with a PUT for each new or changed record and a DEL for each absent one.
- Operations that are added are in key order (Unicode code points), so the order of the records does not matter.
- In memory there is a table of keys and offsets and what the adapter holds: records are read when they are needed.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, BinaryIO

from witnessmark.canonical import canonical_bytes, canonical_digest, model_bytes, parse_json
from witnessmark.checkpoint.directory import Checkpoint, retrieval_state_digest
from witnessmark.checkpoint.formats import open_records
from witnessmark.checkpoint.layout import INDEX, MANIFEST, OPERATIONS, PROFILE, index_entries
from witnessmark.checkpoint.operations import LogWriter, delete_line, live_items, put_line, read_line, same_record
from witnessmark.errors import AdapterError, EvidenceError, InputError, WitnessmarkError
from witnessmark.files import new_directory, write_bytes
from witnessmark.models import CheckpointManifest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import JsonValue

    from witnessmark.checkpoint.operations import LogSummary
    from witnessmark.models import MemoryRecord, RetrieverProfile
    from witnessmark.ports import CheckpointAdapter, IndexItem

__all__ = ["build_checkpoint", "finish_checkpoint"]


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


def finish_checkpoint(
    staging: Path, log: LogSummary, profile: RetrieverProfile, adapter_name: str, adapter: CheckpointAdapter
) -> CheckpointManifest:
    """Build the index of the log in ``staging`` and write the manifest.

    Raises:
        InputError: the profile is not usable.
        AdapterError: the adapter failed or broke its contract.
    """
    index = staging / INDEX
    index.mkdir()
    completed, settings = _build_index(staging, log, profile, adapter_name, adapter)
    if (staging / PROFILE).exists():
        raise AdapterError(
            f"adapter {adapter_name!r} wrote a file that is not its own", code="reserved_file", got=PROFILE
        )
    write_bytes(staging / PROFILE, model_bytes(completed))
    entries, profile_digest = index_entries(staging), canonical_digest(completed)
    manifest = CheckpointManifest.from_json(
        {
            "operation_count": log.operation_count,
            "item_count": len(log.live),
            "checkpoint_digest": f"sha256:{log.root.hex()}",
            "retrieval_state_digest": retrieval_state_digest(entries, profile_digest, adapter_name, settings),
            "adapter": adapter_name,
            "profile_digest": profile_digest,
            "index_settings": settings,
            "operations_file": log.entry.model_dump(mode="json"),
            "index_files": [entry.model_dump(mode="json") for entry in entries],
        }
    )
    written = model_bytes(manifest)
    write_bytes(staging / MANIFEST, written)
    return CheckpointManifest.from_bytes(written, where=MANIFEST)


def _build_index(
    staging: Path, log: LogSummary, profile: RetrieverProfile, adapter_name: str, adapter: CheckpointAdapter
) -> tuple[RetrieverProfile, dict[str, JsonValue]]:
    read = 0

    def counted(items: Iterator[IndexItem]) -> Iterator[IndexItem]:
        nonlocal read
        for item in items:
            read += 1
            yield item

    path = staging / OPERATIONS
    with path.open("rb") as stream:
        try:
            completed = adapter.complete_profile(profile)
            items = counted(live_items(stream, log.live, where=str(path)))
            settings = adapter.build_index(items, len(log.live), completed, staging / INDEX)
            kept = parse_json(canonical_bytes(dict(settings), where="index settings"), where="index settings")
        except WitnessmarkError:
            raise
        except Exception as error:
            raise AdapterError(
                f"adapter {adapter_name!r} failed: {type(error).__name__}: {error}", code="adapter_failed"
            ) from error
    if read != len(log.live):
        raise AdapterError(
            f"adapter {adapter_name!r} did not index every record",
            code="records_not_indexed",
            got=str(read),
            wanted=str(len(log.live)),
        )
    return completed, kept  # type: ignore[return-value]
