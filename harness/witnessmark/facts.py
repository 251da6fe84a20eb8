"""Establish the facts that an approval policy is evaluated over: read, recompute, verify.

- Only what was verified becomes a fact. What is not presented stays absent, and absent facts satisfy nothing.
- Evidence that is malformed, altered or signed badly raises; it is never left out.
- An envelope has to be about one of the presented runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.attest import STATEMENT_PAYLOAD, TrustedKeys, check_statement, open_envelope, parse_statement
from witnessmark.canonical import canonical_digest, sha256_digest
from witnessmark.checkpoint.diff import compare, verify_append_only
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.errors import EvidenceError
from witnessmark.files import read_bytes
from witnessmark.log import logged_runs, read_log
from witnessmark.models import TranscriptHeader
from witnessmark.models.approval import (
    AdvanceFacts,
    ApprovalFacts,
    CurrentStateFacts,
    EvidenceFacts,
    LogFacts,
    Recomputation,
)
from witnessmark.models.log import RunEnded
from witnessmark.reobserve import check_assessment
from witnessmark.rundir import ASSESSMENT, check, is_withheld, read_assessment, read_salts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from witnessmark.log import ReadLog
    from witnessmark.models import MemoryCheckpointAssessment, TrialGroup
    from witnessmark.models.approval import AdvanceClaim
    from witnessmark.models.log import TreeHead
    from witnessmark.reobserve import Today

__all__ = ["establish_advance", "establish_facts"]

_BOUND = ("baseline_state", "candidate_state", "probe_suite_digest", "retriever_profile_digest")


class _Presented(NamedTuple):
    path: Path
    """The artifact itself."""
    assessment: MemoryCheckpointAssessment
    digest: str
    assessment_bytes: bytes
    transcript: bytes | None
    recomputation: Recomputation
    trials: tuple[TrialGroup, ...] | None


def establish_facts(
    evidence: Sequence[Path],
    *,
    envelopes: Sequence[Path] = (),
    trusted: TrustedKeys | None = None,
    log: Path | None = None,
    kept: Sequence[TreeHead] = (),
    advance: AdvanceFacts | None = None,
    today: Today | None = None,
    salts: Sequence[Path] = (),
) -> ApprovalFacts:
    """Read and verify everything that is presented.

    Args:
        evidence: run directories or ``assessment.json`` files.
        envelopes: DSSE envelopes over some of the runs.
        trusted: keys that count; their threshold is the policy's business and not asked here.
        log: a log file.
        kept: tree heads kept elsewhere, which the log has to extend.
        advance: what `establish_advance` gave.
        today: asks every assessment again, where it is given.
        salts: salt files of presented runs whose material is withheld.

    Raises:
        EvidenceError: evidence, an envelope, salts or the log are not what they say they are; ``unrelated_envelope``.
        InputError: a file cannot be read, or is malformed.
    """
    opened = {read_salts(path).assessment_digest: path for path in salts}
    presented = [_present(path, opened) for path in evidence]
    signed_by: dict[str, set[str]] = {item.digest: set() for item in presented}
    for path in envelopes:
        digest, key_ids = _signatures(path, trusted, presented)
        signed_by[digest].update(key_ids)
    read = None if log is None else read_log(log, kept=kept)
    ends = {} if read is None else _ends(read)
    return ApprovalFacts(
        evidence=tuple(
            EvidenceFacts(
                assessment=item.assessment,
                assessment_digest=item.digest,
                signed_by=tuple(sorted(signed_by[item.digest])),
                trials=item.trials,
                recomputation=item.recomputation,
                log_entry=None if read is None else _logged(item, read, ends),
                current_state=None if today is None else _current(item, today),
            )
            for item in presented
        ),
        log=None
        if read is None
        else LogFacts(
            origin=read.check.head.origin,
            size=read.check.head.size,
            root=read.check.head.root,
            extends=read.check.extends,
            runs=logged_runs(enumerate(read.entries)),
        ),
        advance=advance,
    )


def establish_advance(claim: AdvanceClaim, *, baseline: Path, candidate: Path) -> AdvanceFacts:
    """Verify two checkpoint directories and the consistency proof between their logs.

    Args:
        claim: what who issued the checkpoints says of them: sequence numbers and time.
        baseline: checkpoint directory that is live.
        candidate: checkpoint directory to be promoted.

    Raises:
        EvidenceError: a directory is not what its manifest says.
        InputError: a directory cannot be read.
    """
    diff = compare(Checkpoint.open(baseline), Checkpoint.open(candidate))
    return AdvanceFacts(
        baseline_checkpoint_digest=diff.baseline.checkpoint_digest,
        candidate_checkpoint_digest=diff.candidate.checkpoint_digest,
        append_only=verify_append_only(diff),
        baseline_operations=diff.baseline.operation_count,
        candidate_operations=diff.candidate.operation_count,
        baseline_sequence=claim.baseline_sequence,
        candidate_sequence=claim.candidate_sequence,
        issued_at=claim.issued_at,
    )


def _present(path: Path, salts: Mapping[str, Path]) -> _Presented:
    needed = salts.get(canonical_digest(read_assessment(path))) if salts and is_withheld(path) else None
    checked = check(path, salts=needed)
    transcript = checked.transcript
    return _Presented(
        path=path / ASSESSMENT if path.is_dir() else path,
        assessment=checked.assessment,
        digest=checked.verification.assessment_digest,
        assessment_bytes=checked.artifact,
        transcript=transcript,
        recomputation=Recomputation.not_recomputable if transcript is None else Recomputation.recomputed,
        trials=None if transcript is None else _trials(transcript),
    )


def _trials(transcript: bytes) -> tuple[TrialGroup, ...]:
    return TranscriptHeader.from_bytes(transcript.partition(b"\n")[0]).trials


def _signatures(
    path: Path, trusted: TrustedKeys | None, presented: Sequence[_Presented]
) -> tuple[str, tuple[str, ...]]:
    if trusted is None:
        raise EvidenceError(
            "no trusted key to verify the envelope with", code="no_key", wanted="public keys", where=str(path)
        )
    opened = open_envelope(
        read_bytes(path), TrustedKeys(trusted.keys, 1), payload_type=STATEMENT_PAYLOAD, where=str(path)
    )
    statement = parse_statement(opened.payload, where=f"{path} payload")
    named = {f"sha256:{subject.digest.get('sha256')}" for subject in statement.subject}
    for item in presented:
        if item.digest in named and item.transcript is not None:
            check_statement(statement, item.assessment_bytes, item.transcript)
            return item.digest, opened.key_ids
    raise EvidenceError(
        "envelope is about no presented run",
        code="unrelated_envelope",
        wanted="a run with its transcript",
        where=str(path),
    )


def _ends(read: ReadLog) -> dict[str, tuple[int, RunEnded]]:
    """Return the first entry that says of each assessment that a run left it, with its index."""
    found: dict[str, tuple[int, RunEnded]] = {}
    for index, entry in enumerate(read.entries):
        if isinstance(entry, RunEnded):
            found.setdefault(entry.assessment_digest, (index, entry))
    return found


def _current(item: _Presented, today: Today) -> CurrentStateFacts:
    checked = check_assessment(item.assessment, item.path, today)
    return CurrentStateFacts(purpose=today.purpose, status=checked.status, reasons=checked.reasons)


def _logged(item: _Presented, read: ReadLog, ends: Mapping[str, tuple[int, RunEnded]]) -> int | None:
    if item.digest not in ends:
        return None
    index, entry = ends[item.digest]
    start = read.entries[entry.start]
    claimed = [getattr(start, name, None) for name in _BOUND]
    if claimed != [getattr(item.assessment, name) for name in _BOUND] or entry.result is not item.assessment.result:
        raise EvidenceError(
            "the log says something else of this assessment",
            code="contradicted_log",
            got=f"entries {entry.start} and {index}",
            where=str(item.path),
        )
    if item.transcript is not None and entry.transcript_digest != sha256_digest(item.transcript):
        raise EvidenceError(
            "the log has another transcript for this assessment",
            code="digest_mismatch",
            got=sha256_digest(item.transcript),
            wanted=entry.transcript_digest,
            where=str(item.path),
        )
    return index
