"""The in-toto statement about one run: build it from the run's bytes, read it, compare it with files.

- A statement is read from the verified payload and from nothing else.
- A statement fits files only when it is, field by field, the one that we would make of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.attest.envelope import STATEMENT_PAYLOAD, open_envelope
from witnessmark.canonical import model_bytes, parse_json, sha256_digest
from witnessmark.errors import EvidenceError
from witnessmark.models.assessment import MemoryCheckpointAssessment
from witnessmark.models.statement import (
    ASSESSMENT_PREDICATE,
    STATEMENT_TYPE,
    AssessmentPredicate,
    AssessmentStatement,
    DigestSet,
    ResourceDescriptor,
    StateDescriptor,
)

if TYPE_CHECKING:
    from witnessmark.attest.keys import TrustedKeys
    from witnessmark.models.state import StateReference

__all__ = [
    "VerifiedRun",
    "assessment_statement",
    "check_statement",
    "checkpoint_digest_set",
    "parse_statement",
    "verify_run",
]

_DIGEST_KEYS = {"sha256": "memoryCheckpointSha256", "shake256": "memoryCheckpointShake256"}


class VerifiedRun(NamedTuple):
    """A statement whose signatures and subjects were verified."""

    statement: AssessmentStatement
    key_ids: tuple[str, ...]
    """Trusted keys that signed it, sorted."""


def checkpoint_digest_set(digest: str) -> dict[str, str]:
    """Return the in-toto digest set of a checkpoint digest (docs/predicates)."""
    algorithm, _, value = digest.partition(":")
    return {_DIGEST_KEYS[algorithm]: value}


def assessment_statement(assessment: bytes, transcript: bytes) -> bytes:
    """Return the canonical bytes of the statement about a run.

    Args:
        assessment: the bytes of ``assessment.json``.
        transcript: the bytes of ``transcript.jsonl``.

    Raises:
        InputError: the assessment is malformed.
    """
    return model_bytes(_statement(assessment, _file_digest(transcript)))


def parse_statement(payload: bytes, *, where: str = "payload") -> AssessmentStatement:
    """Read a verified payload.

    Raises:
        CanonicalError: not strict JSON.
        EvidenceError: ``unknown_statement_type`` or ``unknown_predicate_type``.
        InputError: not such a statement.
    """
    value = parse_json(payload, where=where)
    if isinstance(value, dict):
        for field, wanted, code in (
            ("_type", STATEMENT_TYPE, "unknown_statement_type"),
            ("predicateType", ASSESSMENT_PREDICATE, "unknown_predicate_type"),
        ):
            if value.get(field) != wanted:
                raise EvidenceError(
                    code.replace("_", " "),
                    code=code,
                    got=ascii(value.get(field)),
                    wanted=wanted,
                    where=f"{where} /{field}",
                )
    return AssessmentStatement.from_json(value, where=where)


def check_statement(statement: AssessmentStatement, assessment: bytes, transcript: bytes | None) -> None:
    """Compare a statement with the files that it should be about.

    Args:
        statement: what was signed.
        assessment: the bytes of ``assessment.json``.
        transcript: the bytes of ``transcript.jsonl``; None where nobody has it: any transcript may be named then.

    Raises:
        EvidenceError: ``subject_mismatch``, with one problem a subject, or ``predicate_mismatch``.
        InputError: the assessment is malformed.
    """
    named = _file_digest(transcript or b"")
    if transcript is None and len(statement.subject) > 2:
        named = statement.subject[2].digest
    wanted = _statement(assessment, named)
    if statement == wanted:
        return
    for index, (got, expected) in enumerate(zip(statement.subject, wanted.subject, strict=False)):
        if got != expected:
            raise EvidenceError(
                "the signed statement is about another file",
                code="subject_mismatch",
                got=f"{got.name} {_shown(got)}",
                wanted=f"{expected.name} {_shown(expected)}",
                where=f"/subject/{index}",
            )
    if len(statement.subject) != len(wanted.subject):
        raise EvidenceError(
            "the signed statement has other subjects",
            code="subject_mismatch",
            got=str(len(statement.subject)),
            wanted=str(len(wanted.subject)),
            where="/subject",
        )
    raise EvidenceError(
        "the signed statement says something else than the assessment", code="predicate_mismatch", where="/predicate"
    )


def verify_run(
    envelope: bytes, trusted: TrustedKeys, *, assessment: bytes, transcript: bytes | None, where: str = "envelope"
) -> VerifiedRun:
    """Verify an envelope over a run and compare what was signed with the run's files.

    Raises:
        CanonicalError, InputError, EvidenceError: as `open_envelope`, `parse_statement` and `check_statement`.
    """
    opened = open_envelope(envelope, trusted, payload_type=STATEMENT_PAYLOAD, where=where)
    statement = parse_statement(opened.payload, where=f"{where} payload")
    check_statement(statement, assessment, transcript)
    return VerifiedRun(statement, opened.key_ids)


def _statement(assessment: bytes, transcript: DigestSet) -> AssessmentStatement:
    read = MemoryCheckpointAssessment.from_bytes(assessment, where="assessment.json")
    coverage = read.coverage
    return AssessmentStatement(
        _type=STATEMENT_TYPE,
        subject=(
            ResourceDescriptor(
                name="candidate-checkpoint", digest=checkpoint_digest_set(read.candidate_state.checkpoint_digest)
            ),
            ResourceDescriptor(name="assessment.json", digest=_file_digest(assessment)),
            ResourceDescriptor(name="transcript.jsonl", digest=transcript),
        ),
        predicateType=ASSESSMENT_PREDICATE,
        predicate=AssessmentPredicate(
            baseline=_state(read.baseline_state),
            candidate=_state(read.candidate_state),
            probeSuiteDigest=read.probe_suite_digest,
            retrieverProfileDigest=read.retriever_profile_digest,
            assessedAt=read.assessed_at,
            materialAccess=read.material_access,
            result=read.result,
            requiredProbeCount=coverage.required_probe_count,
            passed=coverage.passed,
            failed=coverage.failed,
            indeterminate=coverage.indeterminate,
            containsConfidentialityFailure=read.security_flags.contains_confidentiality_failure,
        ),
    )


def _state(reference: StateReference) -> StateDescriptor:
    return StateDescriptor(
        checkpointDigest=reference.checkpoint_digest, retrievalStateDigest=reference.retrieval_state_digest
    )


def _file_digest(data: bytes) -> dict[str, str]:
    return {"sha256": sha256_digest(data).removeprefix("sha256:")}


def _shown(descriptor: ResourceDescriptor) -> str:
    return ", ".join(f"{name}:{value}" for name, value in sorted(descriptor.digest.items()))
