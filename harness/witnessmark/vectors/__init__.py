"""Reference vectors: run every file of a folder and compare what it expects with what this implementation does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.canonical import parse_json
from witnessmark.errors import InputError
from witnessmark.files import read_bytes
from witnessmark.vectors.amr import (
    ClaimIdVector,
    HashVector,
    NormalizeVector,
    RecordVector,
    run_claim_id,
    run_hash,
    run_normalize,
    run_record,
)
from witnessmark.vectors.applicability import ApplicabilityVector, run_applicability
from witnessmark.vectors.assessment import AssessmentVector, run_assessment
from witnessmark.vectors.audit import AuditVector, run_audit
from witnessmark.vectors.gate import GateVector, run_gate
from witnessmark.vectors.lexicon import LexiconVector, MasksVector, run_lexicon, run_masks
from witnessmark.vectors.model import ModelVector, run_model
from witnessmark.vectors.outcome import VectorOutcome
from witnessmark.vectors.public import PublicVectors, run_public
from witnessmark.vectors.text import CanonicalVector, run_canonical

if TYPE_CHECKING:
    from collections.abc import Callable

    from witnessmark.canonical import JsonValue

__all__ = ["VectorOutcome", "default_vectors", "run_file", "run_vectors", "vector_files"]

_RUNNERS: dict[str, Callable[[str, JsonValue, str], tuple[VectorOutcome, ...]]] = {
    "witnessmark.vectors.canonical/0.1": lambda name, value, where: (
        run_canonical(name, CanonicalVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.model/0.1": lambda name, value, where: (
        run_model(name, ModelVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.assessment/0.1": lambda name, value, where: (
        run_assessment(name, AssessmentVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.gate/0.1": lambda name, value, where: (
        run_gate(name, GateVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.applicability/0.1": lambda name, value, where: (
        run_applicability(name, ApplicabilityVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.audit/0.1": lambda name, value, where: (
        run_audit(name, AuditVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.amr-normalize/0.1": lambda name, value, where: (
        run_normalize(name, NormalizeVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.amr-hash/0.1": lambda name, value, where: (
        run_hash(name, HashVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.amr-claim-id/0.1": lambda name, value, where: (
        run_claim_id(name, ClaimIdVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.amr-record/0.1": lambda name, value, where: (
        run_record(name, RecordVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.lexicon/0.1": lambda name, value, where: (
        run_lexicon(name, LexiconVector.from_json(value, where=where)),
    ),
    "witnessmark.vectors.lexicon-masks/0.1": lambda name, value, where: (
        run_masks(name, MasksVector.from_json(value, where=where)),
    ),
    "MemoryCheckpointAssessmentReferenceVectors/0.1": lambda name, value, where: run_public(
        name, PublicVectors.from_json(value, where=where)
    ),
}


def default_vectors() -> Path:
    """Return the folder of vectors that came with this installation, or the project's own.

    Raises:
        InputError: ``no_vectors``.
    """
    package = Path(__file__).parent.parent
    for folder in (package / "reference_vectors", package.parent.parent / "vectors"):
        if folder.is_dir():
            return folder
    raise InputError("this installation holds no vectors", code="no_vectors", wanted="a path")


def vector_files(path: Path) -> tuple[Path, ...]:
    """Return the vector files of a folder, at any depth and in path order; a file is itself.

    Raises:
        InputError: ``no_vectors``.
    """
    files = (path,) if path.is_file() else tuple(sorted(path.rglob("*.json")))
    if not files:
        raise InputError("no vectors here", code="no_vectors", wanted="a folder with JSON files", where=str(path))
    return files


def run_file(path: Path, *, name: str | None = None) -> tuple[VectorOutcome, ...]:
    """Run the vectors of one file, under ``name`` (its file name by default).

    Raises:
        InputError: the file is not readable, not strict JSON or no vector of a known format.
    """
    value = parse_json(read_bytes(path), where=str(path))
    kind = value.get("format") if isinstance(value, dict) else None
    runner = _RUNNERS.get(kind) if isinstance(kind, str) else None
    if runner is None:
        known = ", ".join(_RUNNERS)
        raise InputError(
            "no vector of a known format", code="unknown_format", got=repr(kind), wanted=known, where=str(path)
        )
    return runner(name or path.name, value, str(path))


def run_vectors(path: Path) -> tuple[VectorOutcome, ...]:
    """Run every vector of a folder (or one file), found by listing.

    Raises:
        InputError: as `run_file`, or ``no_vectors``.
    """
    return tuple(
        outcome
        for file in vector_files(path)
        for outcome in run_file(file, name=file.name if file == path else file.relative_to(path).as_posix())
    )
