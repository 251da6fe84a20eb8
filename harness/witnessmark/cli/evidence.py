"""What the evidence commands share: times, states, assessments and tree heads from arguments."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import MemoryCheckpointAssessment, StateReference
    from witnessmark.models.log import TreeHead

__all__ = ["assessment_file", "read_assessment", "read_digest", "read_heads", "read_state", "read_time"]

_DIGEST = re.compile(r"(?:sha256|shake256):[0-9a-f]{64}\Z")


def read_time(text: str | None) -> datetime:
    """Return a time given on the command line, or now in UTC where there is none.

    Raises:
        InputError: ``invalid_time`` or ``naive_timestamp``.
    """
    if text is None:
        return datetime.now(UTC)
    try:
        value = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            "not a time", code="invalid_time", got=repr(text), wanted="for example 2026-01-31T12:00:00Z"
        ) from error
    if value.utcoffset() is None:
        raise InputError("time names no zone", code="naive_timestamp", got=repr(text), wanted="Z or an offset")
    return value


def read_state(path: Path) -> StateReference:
    """Return the state of a checkpoint directory, or the StateReference in a JSON file.

    Raises:
        WitnessmarkError: neither is there, or it is not intact.
    """
    from witnessmark.files import read_bytes
    from witnessmark.models import StateReference

    if path.is_dir():
        from witnessmark.checkpoint.directory import Checkpoint

        return Checkpoint.open(path).state_reference()
    return StateReference.from_bytes(read_bytes(path), where=str(path))


def assessment_file(path: Path) -> Path:
    """Return the assessment of a run directory, or the file itself."""
    return path / "assessment.json" if path.is_dir() else path


def read_assessment(path: Path) -> tuple[str, MemoryCheckpointAssessment]:
    """Return the digest and the assessment of a run directory or an ``assessment.json``.

    Raises:
        InputError: it cannot be read, or is malformed.
    """
    from witnessmark.canonical import sha256_digest
    from witnessmark.files import read_bytes
    from witnessmark.models import MemoryCheckpointAssessment

    file = assessment_file(path)
    data = read_bytes(file)
    return sha256_digest(data), MemoryCheckpointAssessment.from_bytes(data, where=str(file))


def read_digest(argument: str) -> str:
    """Return a digest as it is given, or the one of the assessment that a path names.

    Raises:
        InputError: the path cannot be read, or holds no assessment.
    """
    return argument if _DIGEST.match(argument) else read_assessment(Path(argument))[0]


def read_heads(paths: Sequence[Path], keys: Sequence[Path], threshold: int | None) -> tuple[TreeHead, ...]:
    """Return kept tree heads: signed ones where keys are given, else plain ones.

    Raises:
        WitnessmarkError: a head is malformed, or its signatures do not verify.
    """
    from witnessmark.files import read_bytes
    from witnessmark.models.log import TreeHead

    if not keys:
        return tuple(TreeHead.from_bytes(read_bytes(path), where=str(path)) for path in paths)
    from witnessmark.attest import load_trusted, open_tree_head

    trusted = load_trusted(keys, threshold=threshold)
    return tuple(open_tree_head(read_bytes(path), trusted, where=str(path)) for path in paths)
