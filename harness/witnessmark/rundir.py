"""The run directory: what one assessment leaves on disk (docs/formats.md).

- ``assessment.json``, ``suite.json`` and ``profile.json`` are exactly their canonical bytes.
- A directory appears only when it is complete.
- Reading one checks what it can without a retriever; `verify` recomputes everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from witnessmark.artifact import commits_to_transcript, recompute
from witnessmark.canonical import canonical_bytes, canonical_digest, model_bytes, parse_canonical, sha256_digest
from witnessmark.errors import EvidenceError, InputError, WitnessmarkError
from witnessmark.files import new_directory, read_bytes, require_absent, write_bytes
from witnessmark.models import (
    AssessmentGatePolicy,
    MemoryCheckpointAssessment,
    ProbeSuite,
    Record,
    RetrieverProfile,
    TranscriptHeader,
)
from witnessmark.models.verification import Verification, VerificationStatus
from witnessmark.models.withheld import SaltFile
from witnessmark.run.transcript import read_transcript, to_observed
from witnessmark.withhold import RunTexts, restore, withhold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from witnessmark.canonical import JsonValue
    from witnessmark.models.withheld import Material
    from witnessmark.runner import Run

__all__ = [
    "APPLICABILITY",
    "ASSESSMENT",
    "ENVIRONMENT",
    "PROFILE",
    "SUITE",
    "TRANSCRIPT",
    "WITHHELD_SUITE",
    "WITHHELD_TRANSCRIPT",
    "Checked",
    "check",
    "is_withheld",
    "policy_for",
    "read_assessment",
    "read_material",
    "read_salts",
    "restored_texts",
    "verify",
    "write_run",
    "write_withheld",
]

ASSESSMENT = "assessment.json"
TRANSCRIPT = "transcript.jsonl"
SUITE = "suite.json"
PROFILE = "profile.json"
ENVIRONMENT = "environment.json"
APPLICABILITY = "applicability.json"
"""Diagnostics of a run whose suite requires items to be applicable; nothing depends on it."""

MAX_TRANSCRIPT = 4 * 1024**3
"""Largest transcript that is read, in bytes."""

WITHHELD_SUITE = "suite.withheld.json"
WITHHELD_TRANSCRIPT = "transcript.withheld.jsonl"

_HEADER = (
    "baseline_state",
    "candidate_state",
    "probe_suite_digest",
    "retriever_profile_digest",
    "assessed_at",
    "material_access",
)
"""What the transcript's first line and the assessment both say."""

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


def is_withheld(path: Path) -> bool:
    """Return whether a run directory holds digests in place of its material."""
    return path.is_dir() and (path / WITHHELD_TRANSCRIPT).is_file()


class Checked(NamedTuple):
    """What was checked, and the very bytes that it was checked on."""

    verification: Verification
    assessment: MemoryCheckpointAssessment
    artifact: bytes
    """The bytes of ``assessment.json``."""
    transcript: bytes | None
    """The bytes of ``transcript.jsonl``, withheld material put back; None where nothing was recomputed."""


def verify(path: Path, *, salts: Path | None = None) -> Verification:
    """Check a run directory, or an artifact alone; see `check`."""
    return check(path, salts=salts).verification


def check(path: Path, *, salts: Path | None = None) -> Checked:
    """Check a run directory, or an artifact alone, and return what was read.

    Args:
        path: run directory or ``assessment.json``.
        salts: salt file of a run whose material is withheld; without it such a run is consistent at best.

    Raises:
        EvidenceError: something is malformed, or is not what the rest gives.
        InputError: a file cannot be read.
    """
    folder = path if path.is_dir() else path.parent
    file = path / ASSESSMENT if path.is_dir() else path
    artifact = read_bytes(file)
    assessment = _parsed(MemoryCheckpointAssessment, artifact, str(file))
    checks = ["assessment is canonical and agrees with itself"]
    wanted = path.is_dir()
    profile = _beside(RetrieverProfile, folder / PROFILE, assessment.retriever_profile_digest, wanted)
    if is_withheld(path):
        suite, transcript = None, None
        if salts is None:
            checks.append(_check_withheld(assessment, path / WITHHELD_TRANSCRIPT))
        else:
            restored = restored_texts(path, salts)
            suite = _parsed(ProbeSuite, restored.suite, SUITE)
            _require_digest(suite, assessment.probe_suite_digest, path / WITHHELD_SUITE)
            transcript = restored.transcript
            checks.append("the salts account for every withheld text")
    elif salts is not None:
        raise InputError("nothing is withheld here", code="nothing_withheld", got=str(salts), where=str(path))
    else:
        suite = _beside(ProbeSuite, folder / SUITE, assessment.probe_suite_digest, wanted)
        lines = folder / TRANSCRIPT
        transcript = read_bytes(lines, max_bytes=MAX_TRANSCRIPT) if lines.is_file() else None
    checks.extend(
        f"{name} beside it has the digest that the assessment names"
        for name, record in ((SUITE, suite), (PROFILE, profile))
        if record is not None
    )
    status = VerificationStatus.consistent
    if suite is not None and profile is not None and transcript is not None:
        status = _recompute(assessment, suite, profile, transcript, folder / ASSESSMENT)
        checks.append("every probe result, count and flag follows from the transcript, byte for byte")
        if status is VerificationStatus.verified:
            checks.append("the assessment commits to the transcript")
    verification = Verification(
        status=status,
        assessment_digest=sha256_digest(artifact),
        material_access=assessment.material_access,
        checks=tuple(checks),
    )
    recomputed = status is not VerificationStatus.consistent
    return Checked(verification, assessment, artifact, transcript if recomputed else None)


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


def read_material(path: Path, *, salts: Path | None = None) -> tuple[ProbeSuite, RetrieverProfile]:
    """Return suite and profile of a run directory that `check` has looked at.

    Raises:
        EvidenceError: one of them is malformed.
        InputError: a file cannot be read.
    """
    profile = _read(RetrieverProfile, path / PROFILE)
    if salts is not None:
        return _parsed(ProbeSuite, restored_texts(path, salts).suite, SUITE), profile
    return _read(ProbeSuite, path / SUITE), profile


def read_salts(path: Path) -> SaltFile:
    """Read a salt file.

    Raises:
        EvidenceError: it is malformed.
        InputError: it cannot be read.
    """
    data = read_bytes(path, max_bytes=MAX_TRANSCRIPT)
    try:
        return SaltFile.from_bytes(data, where=str(path), max_bytes=MAX_TRANSCRIPT)
    except InputError as error:
        raise EvidenceError.from_problems(error.problems) from error


def restored_texts(path: Path, salts: Path) -> RunTexts:
    """Return suite and transcript of a run whose material is withheld, with the material put back.

    Raises:
        EvidenceError: the salts are of another run, or do not account for all of it.
        InputError: a file cannot be read.
    """
    opened = read_salts(salts)
    digest = canonical_digest(read_assessment(path))
    if opened.assessment_digest != digest:
        raise EvidenceError(
            "the salts are of another run",
            code="digest_mismatch",
            got=opened.assessment_digest,
            wanted=digest,
            where=str(salts),
        )
    texts = RunTexts(
        read_bytes(path / WITHHELD_SUITE), read_bytes(path / WITHHELD_TRANSCRIPT, max_bytes=MAX_TRANSCRIPT)
    )
    return restore(texts, opened)


def write_withheld(path: Path, out: Path, salts: Path, materials: Iterable[Material]) -> None:
    """Write a run directory without its material, and the salts apart.

    Raises:
        EvidenceError: the run is not what it says it is, or cannot be recomputed.
        InputError: ``output_exists`` or ``unwritable_file``.
    """
    if is_withheld(path) or verify(path).status is VerificationStatus.consistent:
        raise EvidenceError(
            "nothing to withhold from", code="not_recomputable", wanted="a run with its transcript", where=str(path)
        )
    require_absent(out)
    require_absent(salts)
    texts = RunTexts(read_bytes(path / SUITE), read_bytes(path / TRANSCRIPT, max_bytes=MAX_TRANSCRIPT))
    withheld = withhold(texts, canonical_digest(read_assessment(path)), materials)
    with new_directory(out) as staging:
        write_bytes(staging / WITHHELD_TRANSCRIPT, withheld.texts.transcript)
        write_bytes(staging / WITHHELD_SUITE, withheld.texts.suite)
        for name in (PROFILE, ENVIRONMENT, ASSESSMENT):
            if (path / name).is_file():
                write_bytes(staging / name, read_bytes(path / name))
        # First of the two that appear: a run whose salts are lost can be checked by nobody.
        write_bytes(salts, model_bytes(withheld.salts))
        salts.chmod(0o600)


def _check_withheld(assessment: MemoryCheckpointAssessment, path: Path) -> str:
    """Compare what a transcript without its material still says with the assessment."""
    read = read_transcript(read_bytes(path, max_bytes=MAX_TRANSCRIPT), where=str(path), withheld=True)
    observed = to_observed(read.transcript, where=str(path))
    same = all(getattr(read.transcript.header, name) == getattr(assessment, name) for name in _HEADER)
    evidence = [
        (
            item.state_name,
            item.request_digest,
            item.repeatability.trials,
            item.repeatability.distinct_orderings_observed,
        )
        for item in assessment.invocation_evidence
    ]
    found = [
        (*asked, sum(ordering.count for ordering in orderings), len(orderings))
        for asked, orderings in observed.answers.items()
    ]
    if not same or evidence != found:
        raise EvidenceError(
            "the transcript is about something else than the assessment",
            code="inconsistent_result",
            wanted="its inputs, its questions, and their trials and orderings",
            where=str(path),
        )
    return (
        f"material is withheld: inputs, {len(evidence)} questions, their trials and how many orderings they got agree "
        "with the assessment; texts, ranks and results can be checked with the salts only"
    )


def _recompute(
    assessment: MemoryCheckpointAssessment,
    suite: ProbeSuite,
    profile: RetrieverProfile,
    data: bytes,
    where: Path,
) -> VerificationStatus:
    expected = recompute(suite, profile, data).assessment
    if model_bytes(expected) != model_bytes(assessment):
        raise EvidenceError(
            "the assessment is not what its transcript gives",
            code="inconsistent_result",
            got=", ".join(_differences(assessment, expected)),
            wanted=f"assessment {canonical_digest(expected)}",
            where=str(where),
        )
    header = TranscriptHeader.from_bytes(data.partition(b"\n")[0], where=str(where))
    committed = commits_to_transcript(assessment, header)
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
    if not wanted and canonical_digest(record) != digest:
        return None
    _require_digest(record, digest, path)
    return record


def _require_digest(record: Record, digest: str, path: Path) -> None:
    if canonical_digest(record) != digest:
        raise EvidenceError(
            "not the one that the assessment names",
            code="digest_mismatch",
            got=canonical_digest(record),
            wanted=digest,
            where=str(path),
        )


def _read(record_type: type[R], path: Path) -> R:
    return _parsed(record_type, read_bytes(path), str(path))


def _parsed(record_type: type[R], data: bytes, where: str) -> R:
    try:
        value = parse_canonical(data, where=where)
        record = record_type.from_json(value, where=where)
    except WitnessmarkError as error:
        raise EvidenceError.from_problems(error.problems) from error
    # Comparing values first: it says the same where they are equal, and spares making the bytes once more.
    if record.model_dump(mode="json", exclude_none=True) != value and model_bytes(record) != data:
        raise EvidenceError(
            "not the bytes that its own content gives",
            code="not_canonical",
            got=sha256_digest(data),
            wanted=canonical_digest(record),
            where=where,
        )
    return record
