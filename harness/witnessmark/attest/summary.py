"""A SLSA Verification Summary v1 of one evaluation of the gate.

It says that a policy was evaluated and what came out. It claims no SLSA level: ``verifiedLevels`` names our own gate,
or ``FAILED``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.attest.statement import checkpoint_digest_set
from witnessmark.canonical import canonical_digest, model_bytes
from witnessmark.errors import InputError
from witnessmark.models.approval import ApprovalPolicy
from witnessmark.models.statement import (
    STATEMENT_TYPE,
    SUMMARY_PREDICATE,
    ResourceDescriptor,
    SummaryPolicy,
    SummaryPredicate,
    SummaryStatement,
    SummaryVerifier,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from witnessmark.models.approval import ApprovalEvaluation
    from witnessmark.models.gate import AssessmentGateEvaluation, AssessmentGatePolicy

__all__ = ["SATISFIED_LEVEL", "emit_vsa"]

SATISFIED_LEVEL = "WITNESSMARK_MEMORY_GATE_V0"
"""The only level that is ever claimed: the evaluated policy was satisfied."""


def emit_vsa(
    policy: AssessmentGatePolicy | ApprovalPolicy,
    evaluation: AssessmentGateEvaluation | ApprovalEvaluation,
    *,
    inputs: Sequence[str],
    verifier_id: str,
    time_verified: datetime,
    resource_uri: str | None = None,
    policy_uri: str | None = None,
) -> bytes:
    """Return the canonical bytes of the summary statement; sign them with `sign_payload`.

    Args:
        policy: what was evaluated; its canonical digest goes into the summary.
        evaluation: what came out.
        inputs: ``sha256:`` digests of the presented assessments or envelopes, as presented.
        verifier_id: URI of who evaluated.
        time_verified: when, with its zone.
        resource_uri: where the candidate is; a URN of its checkpoint digest where it is None.
        policy_uri: where the policy can be had.

    Raises:
        InputError: ``invalid_verifier`` or ``naive_timestamp``.
    """
    if ":" not in verifier_id:
        raise InputError("a verifier is named by a URI", code="invalid_verifier", got=repr(verifier_id))
    if time_verified.utcoffset() is None:
        raise InputError("time names no zone", code="naive_timestamp", got=time_verified.isoformat())
    gate_policy = policy.assessment_policy if isinstance(policy, ApprovalPolicy) else policy
    candidate = gate_policy.candidate_checkpoint_digest
    statement = SummaryStatement(
        _type=STATEMENT_TYPE,
        subject=(ResourceDescriptor(name="candidate-checkpoint", digest=checkpoint_digest_set(candidate)),),
        predicateType=SUMMARY_PREDICATE,
        predicate=SummaryPredicate(
            verifier=SummaryVerifier(id=verifier_id),
            timeVerified=time_verified,
            resourceUri=resource_uri or f"urn:witnessmark:memory-checkpoint:{candidate}",
            policy=SummaryPolicy(uri=policy_uri, digest=_digest_set(canonical_digest(policy))),
            inputAttestations=tuple(ResourceDescriptor(digest=_digest_set(digest)) for digest in inputs),
            verificationResult="PASSED" if evaluation.satisfied else "FAILED",
            verifiedLevels=(SATISFIED_LEVEL if evaluation.satisfied else "FAILED",),
        ),
    )
    return model_bytes(statement)


def _digest_set(digest: str) -> dict[str, str]:
    algorithm, _, value = digest.partition(":")
    return {algorithm: value}
