"""The artifact of a run, assembled from what was observed, and recomputed from a transcript.

- `assemble` is the only place where an assessment is made; `recompute` calls it again on a transcript.
- The artifact commits to the observed part of the transcript through
  ``runtime_observation.fingerprint_probe_digest``, unless the adapter fills that field itself.
- No I/O, no clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_digest
from witnessmark.diagnose import diagnose
from witnessmark.errors import EvidenceError
from witnessmark.evaluate import evaluate
from witnessmark.models import (
    InvocationEvidence,
    MemoryCheckpointAssessment,
    ObservedStatus,
    RepeatabilityEvidence,
    RuntimeObservation,
    SecurityFlags,
)
from witnessmark.models.assessment import aggregate_result, confidentiality_failed, cover
from witnessmark.run.observed import tie_events
from witnessmark.run.questions import read_questions
from witnessmark.run.transcript import diagnosis_lines, observed_digest, observed_lines, read_transcript, to_observed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import ProbeDiagnosis, ProbeSuite, RetrieverProfile, TranscriptHeader
    from witnessmark.run.observed import Observed, SeenOrdering
    from witnessmark.run.questions import SuiteQuestions

__all__ = ["Assembled", "assemble", "commits_to_transcript", "recompute"]


class Assembled(NamedTuple):
    """An assessment, and the transcript that it was made from."""

    assessment: MemoryCheckpointAssessment
    transcript: bytes
    diagnoses: tuple[ProbeDiagnosis, ...]


def assemble(
    suite: ProbeSuite,
    questions: SuiteQuestions,
    profile: RetrieverProfile,
    header: TranscriptHeader,
    observed: Observed,
) -> Assembled:
    """Evaluate, aggregate and commit.

    Raises:
        KeyError: ``observed`` lacks an answer that a probe of ``suite`` needs.
    """
    results = evaluate(suite, questions, observed, profile.adapter_capability)
    diagnoses = diagnose(suite, questions, results, observed)
    lines = list(observed_lines(header, questions.requests, observed))
    coverage = cover(results)
    assessment = MemoryCheckpointAssessment(
        baseline_state=header.baseline_state,
        candidate_state=header.candidate_state,
        probe_suite_digest=header.probe_suite_digest,
        retriever_profile_digest=header.retriever_profile_digest,
        assessed_at=header.assessed_at,
        material_access=header.material_access,
        runtime_observation=_committed(header.runtime_observation, observed_digest(lines)),
        invocation_evidence=_invocations(observed),
        probe_results=results,
        coverage=coverage,
        security_flags=SecurityFlags(contains_confidentiality_failure=confidentiality_failed(results)),
        result=aggregate_result(coverage),
    )
    return Assembled(assessment, b"".join((*lines, *diagnosis_lines(diagnoses))), diagnoses)


def commits_to_transcript(assessment: MemoryCheckpointAssessment, header: TranscriptHeader) -> bool:
    """Return whether the fingerprint in the artifact is the harness's commitment, not a value of the adapter's."""
    own = header.runtime_observation
    return assessment.runtime_observation is not None and (own is None or own.fingerprint_probe_digest is None)


def recompute(suite: ProbeSuite, profile: RetrieverProfile, transcript: bytes) -> Assembled:
    """Rebuild the assessment from a transcript, its suite and its profile alone.

    Raises:
        EvidenceError: the transcript is malformed, about another suite or profile, lacks an answer that a probe needs,
            or is not what these observations give.
    """
    read = read_transcript(transcript)
    header = read.transcript.header
    for name, wanted, got in (
        ("probe_suite_digest", canonical_digest(suite), header.probe_suite_digest),
        ("retriever_profile_digest", canonical_digest(profile), header.retriever_profile_digest),
    ):
        if wanted != got:
            raise EvidenceError(
                f"the transcript is about another {name}", code="digest_mismatch", got=got, wanted=wanted
            )
    try:
        questions = read_questions(suite, header.baseline_name, header.candidate_name)
        assembled = assemble(suite, questions, profile, header, to_observed(read.transcript))
    except KeyError as error:
        raise EvidenceError(
            "the transcript lacks an answer that a probe needs", code="incomplete_transcript", got=repr(error.args[0])
        ) from error
    if assembled.transcript != transcript:
        raise EvidenceError(
            "the transcript is not what its own observations give", code="transcript_mismatch", where="transcript.jsonl"
        )
    return assembled


def _committed(reported: RuntimeObservation | None, digest: str) -> RuntimeObservation:
    if reported is None:
        return RuntimeObservation(fingerprint_probe_digest=digest)
    if reported.fingerprint_probe_digest is not None:
        return reported
    return RuntimeObservation.model_validate({**reported.model_dump(), "fingerprint_probe_digest": digest})


def _invocations(observed: Observed) -> tuple[InvocationEvidence, ...]:
    same: dict[tuple[int, int | None], RepeatabilityEvidence] = {}
    found = []
    for asked, orderings in observed.answers.items():
        shape = (len(orderings), tie_events(orderings))
        evidence = same.get(shape)
        if evidence is None:
            evidence = same[shape] = _repeatability(orderings, observed.trials)
        found.append(
            InvocationEvidence(state_name=asked.state_name, request_digest=asked.request_digest, repeatability=evidence)
        )
    return tuple(found)


def _repeatability(orderings: Sequence[SeenOrdering], trials: int) -> RepeatabilityEvidence:
    if not orderings:
        return RepeatabilityEvidence(trials=0, distinct_orderings_observed=0, observed_status=ObservedStatus.not_run)
    return RepeatabilityEvidence(
        trials=trials,
        distinct_orderings_observed=len(orderings),
        observed_status=ObservedStatus.stable if len(orderings) == 1 else ObservedStatus.unstable,
        tie_events_observed=tie_events(orderings),
    )
