"""What the evidence commands share: times, states, policies, assessments and tree heads from arguments."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.cli.output import say
from witnessmark.errors import EvidenceError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import AssessmentGatePolicy, MemoryCheckpointAssessment, StateReference
    from witnessmark.models.approval import ApprovalPolicy
    from witnessmark.models.log import TreeHead

__all__ = [
    "gate_policy_of",
    "read_digest",
    "read_gate_policy",
    "read_heads",
    "read_policy",
    "read_presented",
    "read_state",
    "read_time",
]

_DIGEST = re.compile(r"(?:sha256|shake256):[0-9a-f]{64}\Z")


def read_time(text: str | None, option: str) -> datetime:
    """Return the time given with an option, or now in UTC where there is none.

    Raises:
        InputError: ``wrong_type`` or ``naive_timestamp``.
    """
    if text is None:
        return datetime.now(UTC)
    from pydantic import TypeAdapter, ValidationError

    from witnessmark.models.base import Timestamp, validation_problems

    adapter: TypeAdapter[datetime] = TypeAdapter(Timestamp)
    try:
        return adapter.validate_python(text)
    except ValidationError as error:
        raise InputError.from_problems(validation_problems(error, where=option)) from error


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


def read_policy(path: Path) -> AssessmentGatePolicy | ApprovalPolicy:
    """Return the gate policy or the approval policy in a file; only the latter names a format.

    Raises:
        InputError: it cannot be read, or is neither.
    """
    from witnessmark.canonical import parse_json
    from witnessmark.files import read_bytes
    from witnessmark.models import AssessmentGatePolicy
    from witnessmark.models.approval import ApprovalPolicy

    value = parse_json(read_bytes(path), where=str(path))
    if isinstance(value, dict) and "format" in value:
        return ApprovalPolicy.from_json(value, where=str(path))
    return AssessmentGatePolicy.from_json(value, where=str(path))


def read_gate_policy(path: Path) -> AssessmentGatePolicy:
    """Return the gate policy in a file, or the one that an approval policy embeds.

    Raises:
        InputError: as `read_policy`.
    """
    return gate_policy_of(read_policy(path))


def gate_policy_of(policy: AssessmentGatePolicy | ApprovalPolicy) -> AssessmentGatePolicy:
    """Return a gate policy as it is, or the one that an approval policy embeds."""
    from witnessmark.models.approval import ApprovalPolicy

    return policy.assessment_policy if isinstance(policy, ApprovalPolicy) else policy


def read_digest(argument: str) -> str:
    """Return a digest as it is given, or the one of the assessment that a path names.

    Raises:
        InputError: the path cannot be read.
        EvidenceError: it holds no valid assessment.
    """
    from witnessmark.canonical import canonical_digest
    from witnessmark.rundir import read_assessment

    return argument if _DIGEST.match(argument) else canonical_digest(read_assessment(Path(argument)))


def read_presented(path: Path) -> tuple[str, MemoryCheckpointAssessment | None]:
    """Return digest and assessment of a run directory or an artifact, ``None`` where the bytes are no valid one.

    Raises:
        InputError: it cannot be read.
    """
    from witnessmark.canonical import sha256_digest
    from witnessmark.files import read_bytes
    from witnessmark.rundir import ASSESSMENT, read_assessment

    digest = sha256_digest(read_bytes(path / ASSESSMENT if path.is_dir() else path))
    try:
        return digest, read_assessment(path)
    except EvidenceError as error:
        # Malformed evidence is a finding where an approval rests on it, no reason to stop an audit.
        say(f"not a valid assessment: {error}")
        return digest, None


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
