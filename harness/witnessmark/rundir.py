"""The run directory: what one assessment leaves on disk (docs/formats.md).

- ``assessment.json``, ``suite.json`` and ``profile.json`` are exactly their canonical bytes.
- A directory appears only when it is complete.
- Reading one checks what it can without a retriever; `verify` recomputes everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from witnessmark.artifact import commits_to_transcript, recompute
from witnessmark.canonical import canonical_bytes, canonical_digest, model_bytes, parse_canonical, sha256_digest
from witnessmark.errors import EvidenceError, WitnessmarkError
from witnessmark.files import new_directory, read_bytes, write_bytes
from witnessmark.models import AssessmentGatePolicy, MemoryCheckpointAssessment, ProbeSuite, Record, RetrieverProfile
from witnessmark.models.verification import Verification, VerificationStatus
from witnessmark.run.transcript import read_transcript

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from witnessmark.canonical import JsonValue
    from witnessmark.runner import Run

__all__ = [
    "ASSESSMENT",
    "ENVIRONMENT",
    "PROFILE",
    "SUITE",
    "TRANSCRIPT",
    "policy_for",
    "read_assessment",
    "verify",
    "write_run",
]

ASSESSMENT = "assessment.json"
TRANSCRIPT = "transcript.jsonl"
SUITE = "suite.json"
PROFILE = "profile.json"
ENVIRONMENT = "environment.json"

MAX_TRANSCRIPT = 4 * 1024**3
"""Largest transcript that is read, in bytes."""

R = TypeVar("R", bound=Record)


def write_run(out: Path, run: Run, environment: Mapping[str, JsonValue]) -> None:
    """Write a run directory.

    Raises:
        InputError: ``output_exists`` or ``unwritable_file``.
    """
    with new_directory(out) as staging:
        write_bytes(staging / TRANSCRIPT, run.transcript_bytes)
        write_bytes(staging / SUITE, model_bytes(run.suite))
        write_bytes(staging / PROFILE, model_bytes(run.profile))
        write_bytes(staging / ENVIRONMENT, canonical_bytes(dict(environment)))
        write_bytes(staging / ASSESSMENT, model_bytes(run.assessment))


def read_assessment(path: Path) -> MemoryCheckpointAssessment:
    """Read an artifact, or the one of a run directory.

    The artifact has to be its own canonical bytes: its file digest is then its canonical digest.

    Raises:
        EvidenceError: it is malformed, contradicts itself, or is not canonical.
        InputError: the file cannot be read.
    """
    return _read(MemoryCheckpointAssessment, path / ASSESSMENT if path.is_dir() else path)


def verify(path: Path) -> Verification:
    """Check a run directory, or an artifact alone.

    Raises:
        EvidenceError: something is malformed, or is not what the rest gives.
        InputError: a file cannot be read.
    """
    folder = path if path.is_dir() else path.parent
    assessment = read_assessment(path)
    checks = ["assessment is canonical and agrees with itself"]
    suite = _beside(ProbeSuite, folder / SUITE, assessment.probe_suite_digest, path.is_dir())
    profile = _beside(RetrieverProfile, folder / PROFILE, assessment.retriever_profile_digest, path.is_dir())
    checks.extend(
        f"{name} beside it has the digest that the assessment names"
        for name, record in ((SUITE, suite), (PROFILE, profile))
        if record is not None
    )
    status = VerificationStatus.consistent
    transcript = folder / TRANSCRIPT
    if suite is not None and profile is not None and transcript.is_file():
        status = _recompute(assessment, suite, profile, transcript)
        checks.append("every probe result, count and flag follows from the transcript, byte for byte")
        if status is VerificationStatus.verified:
            checks.append("the assessment commits to the transcript")
    return Verification(
        status=status,
        assessment_digest=canonical_digest(assessment),
        material_access=assessment.material_access,
        checks=tuple(checks),
    )


def policy_for(
    assessment: MemoryCheckpointAssessment,
    *,
    logical: bool = False,
    not_before: str | None = None,
    not_after: str | None = None,
) -> AssessmentGatePolicy:
    """Return the policy that asks for evidence about exactly what ``assessment`` is about.

    Args:
        assessment: says which states, suite and profile.
        logical: pin the checkpoints only, so that another build of the same index applies as well.
        not_before: earliest time of assessment that counts, RFC 3339 with its zone.
        not_after: latest time of assessment that counts.

    Raises:
        InputError: a time is malformed, naive, or the window is empty.
    """
    baseline, candidate = assessment.baseline_state, assessment.candidate_state
    members: dict[str, JsonValue] = {
        "baseline_checkpoint_digest": baseline.checkpoint_digest,
        "candidate_checkpoint_digest": candidate.checkpoint_digest,
        "probe_suite_digest": assessment.probe_suite_digest,
        "retriever_profile_digest": assessment.retriever_profile_digest,
        "baseline_retrieval_state_digest": None if logical else baseline.retrieval_state_digest,
        "candidate_retrieval_state_digest": None if logical else candidate.retrieval_state_digest,
        "assessed_not_before": not_before,
        "assessed_not_after": not_after,
    }
    return AssessmentGatePolicy.from_json(
        {name: value for name, value in members.items() if value is not None}, where="policy"
    )


def _recompute(
    assessment: MemoryCheckpointAssessment, suite: ProbeSuite, profile: RetrieverProfile, transcript: Path
) -> VerificationStatus:
    data = read_bytes(transcript, max_bytes=MAX_TRANSCRIPT)
    expected = recompute(suite, profile, data).assessment
    if model_bytes(expected) != model_bytes(assessment):
        raise EvidenceError(
            "the assessment is not what its transcript gives",
            code="inconsistent_result",
            got=", ".join(_differences(assessment, expected)),
            wanted=f"assessment {canonical_digest(expected)}",
            where=str(transcript.parent / ASSESSMENT),
        )
    committed = commits_to_transcript(assessment, read_transcript(data).transcript.header)
    return VerificationStatus.verified if committed else VerificationStatus.recomputed


def _differences(got: MemoryCheckpointAssessment, wanted: MemoryCheckpointAssessment) -> list[str]:
    fields = [name for name in type(got).model_fields if getattr(got, name) != getattr(wanted, name)]
    results = {item.probe_id: item for item in wanted.probe_results}
    probes = [item.probe_id for item in got.probe_results if results.get(item.probe_id) != item]
    return [*(f"another {name}" for name in fields), *(f"probe {name!r}" for name in probes)]


def _beside(record_type: type[R], path: Path, digest: str, wanted: bool) -> R | None:
    if not path.is_file():
        if wanted:
            raise EvidenceError("run directory is incomplete", code="incomplete_run", wanted=path.name, where=str(path))
        return None
    record = _read(record_type, path)
    if canonical_digest(record) != digest:
        if not wanted:
            return None
        raise EvidenceError(
            "not the one that the assessment names",
            code="digest_mismatch",
            got=canonical_digest(record),
            wanted=digest,
            where=str(path),
        )
    return record


def _read(record_type: type[R], path: Path) -> R:
    data = read_bytes(path)
    try:
        record = record_type.from_json(parse_canonical(data, where=str(path)), where=str(path))
    except WitnessmarkError as error:
        raise EvidenceError.from_problems(error.problems) from error
    if model_bytes(record) != data:
        raise EvidenceError(
            "not the bytes that its own content gives",
            code="not_canonical",
            got=sha256_digest(data),
            wanted=canonical_digest(record),
            where=str(path),
        )
    return record
