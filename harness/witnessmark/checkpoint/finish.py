"""Finishing a checkpoint directory whose log is written: the retrieval material, then the manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.canonical import canonical_bytes, canonical_digest, model_bytes, parse_json
from witnessmark.checkpoint.directory import retrieval_state_digest
from witnessmark.checkpoint.layout import INDEX, MANIFEST, OPERATIONS, PROFILE, index_entries
from witnessmark.checkpoint.operations import live_items
from witnessmark.errors import AdapterError, WitnessmarkError
from witnessmark.files import write_bytes
from witnessmark.models import CheckpointManifest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pydantic import JsonValue

    from witnessmark.checkpoint.operations import LogSummary
    from witnessmark.models import RetrieverProfile
    from witnessmark.ports import CheckpointAdapter, IndexItem

__all__ = ["finish_checkpoint"]


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
