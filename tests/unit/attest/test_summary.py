"""A verification summary says that a policy was evaluated, and claims no SLSA level."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from evidence_samples import T0, assessment, assessment_digest, gate_policy, policy_digest
from witnessmark.attest import emit_vsa
from witnessmark.errors import InputError
from witnessmark.gate import evaluate_gate


def _summary(*results: str, **changes: Any) -> dict[str, Any]:
    artifacts = [assessment(result) for result in results]
    arguments: dict[str, Any] = {
        "inputs": [assessment_digest(item) for item in artifacts],
        "verifier_id": "https://ci.example/gate",
        "time_verified": T0,
        **changes,
    }
    document: dict[str, Any] = json.loads(emit_vsa(gate_policy(), evaluate_gate(gate_policy(), artifacts), **arguments))
    return document


@pytest.mark.parametrize(
    ("results", "outcome", "levels"),
    [
        (("pass",), "PASSED", ["WITNESSMARK_MEMORY_GATE_V0"]),
        (("pass", "fail"), "FAILED", ["FAILED"]),
        (("indeterminate",), "FAILED", ["FAILED"]),
        ((), "FAILED", ["FAILED"]),
    ],
)
def test_result_and_levels(results: tuple[str, ...], outcome: str, levels: list[str]) -> None:
    predicate = _summary(*results)["predicate"]
    assert (predicate["verificationResult"], predicate["verifiedLevels"]) == (outcome, levels)
    assert not any(level.startswith("SLSA_") for level in predicate["verifiedLevels"])


def test_the_summary_binds_policy_inputs_and_subject() -> None:
    statement = _summary("pass")
    candidate = gate_policy().candidate_checkpoint_digest
    assert statement["predicateType"] == "https://slsa.dev/verification_summary/v1"
    assert statement["subject"] == [
        {"name": "candidate-checkpoint", "digest": {"memoryCheckpointSha256": candidate[7:]}}
    ]
    predicate = statement["predicate"]
    assert predicate["policy"] == {"digest": {"sha256": policy_digest()[7:]}}
    assert predicate["inputAttestations"] == [{"digest": {"sha256": assessment_digest(assessment())[7:]}}]
    assert predicate["resourceUri"] == f"urn:witnessmark:memory-checkpoint:{candidate}"
    assert predicate["timeVerified"] == "2026-03-01T12:00:00Z"
    assert predicate["verifier"]["id"] == "https://ci.example/gate"


def test_naive_timestamp() -> None:
    with pytest.raises(InputError, match="time names no zone"):
        _summary("pass", time_verified=datetime(2026, 3, 1))


def test_invalid_verifier() -> None:
    with pytest.raises(InputError, match="a verifier is named by a URI: got 'me'"):
        _summary("pass", verifier_id="me")


@pytest.mark.interop
def test_in_toto_attestation_accepts_the_summary() -> None:
    from google.protobuf import json_format
    from in_toto_attestation.predicates.vsa.v1 import vsa_pb2
    from in_toto_attestation.v1 import statement_pb2
    from in_toto_attestation.v1.statement import Statement

    document = _summary("pass")
    message = json_format.Parse(json.dumps(document), statement_pb2.Statement())
    Statement.copy_from_pb(message).validate()
    # The package's message holds one string where the SLSA page has an array of them.
    (level,) = document["predicate"]["verifiedLevels"]
    predicate = json_format.ParseDict({**document["predicate"], "verifiedLevels": level}, vsa_pb2.VerificationSummary())
    assert predicate.verification_result == "PASSED"
    assert predicate.input_attestations[0].digest["sha256"] == assessment_digest(assessment())[7:]
