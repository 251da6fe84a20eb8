"""Rebuilding a checkpoint's index from its own log, in another insertion order: the same memory, found anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.checkpoint.finish import finish_checkpoint
from witnessmark.checkpoint.layout import OPERATIONS
from witnessmark.checkpoint.operations import LogWriter
from witnessmark.files import new_directory
from witnessmark.models import RetrieverProfile

if TYPE_CHECKING:
    from pathlib import Path

    from witnessmark.models import CheckpointManifest
    from witnessmark.ports import CheckpointAdapter

__all__ = ["INSERTION_SEED", "rebuild_checkpoint", "with_insertion_seed"]

INSERTION_SEED = "insertion_seed"
"""Key of ``index_build_config`` by which an adapter takes another insertion order."""


def rebuild_checkpoint(source: Path, adapter: CheckpointAdapter, out: Path, *, order: int) -> CheckpointManifest:
    """Write a checkpoint with the log of ``source`` and an index that was filled in another order.

    Args:
        source: checkpoint directory.
        adapter: builds the retrieval material; has to know the setting ``insertion_seed``.
        out: directory to make.
        order: seeds the insertion order, 1 or more.

    Raises:
        InputError: the adapter knows no insertion order, or ``out`` is taken.
        EvidenceError: ``source`` is not what its manifest says.
        AdapterError: the adapter failed.
    """
    base = Checkpoint.open(source)
    with new_directory(out) as staging:
        with (staging / OPERATIONS).open("wb") as stream:
            log = LogWriter(stream)
            log.copy(base.lines(), base.live)
            summary = log.summary(OPERATIONS)
        profile = with_insertion_seed(base.profile, order)
        return finish_checkpoint(staging, summary, profile, base.manifest.adapter, adapter)


def with_insertion_seed(profile: RetrieverProfile, order: int) -> RetrieverProfile:
    """Return ``profile`` with another insertion order."""
    value = profile.model_dump(mode="json", exclude_none=True)
    return RetrieverProfile.from_json(
        {**value, "index_build_config": {**profile.index_build_config, INSERTION_SEED: order}}
    )
