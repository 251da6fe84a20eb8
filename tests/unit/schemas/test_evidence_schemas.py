"""The schemas of the evidence formats accept what we write and refuse unknown fields."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from evidence_samples import approval, assessment, ended, gate_policy, started
from witnessmark.attest import assessment_statement, emit_vsa
from witnessmark.canonical import model_bytes
from witnessmark.gate import evaluate_gate
from witnessmark.schemas import read_schema

ARTIFACT = assessment()
DOCUMENTS: list[tuple[str, bytes]] = [
    ("AssessmentStatement", assessment_statement(model_bytes(ARTIFACT), b"")),
    (
        "SummaryStatement",
        emit_vsa(
            gate_policy(),
            evaluate_gate(gate_policy(), [ARTIFACT]),
            inputs=[],
            verifier_id="urn:example",
            time_verified=ARTIFACT.assessed_at,
        ),
    ),
    ("LogEntry", model_bytes(started())),
    ("LogEntry", model_bytes(ended(1, ARTIFACT))),
    ("LogEntry", model_bytes(approval(ARTIFACT))),
]


@pytest.mark.parametrize(("name", "data"), DOCUMENTS)
def test_what_we_write_validates_and_an_unknown_field_does_not(name: str, data: bytes) -> None:
    validator = Draft202012Validator(read_schema(name))
    document: dict[str, Any] = json.loads(data)
    validator.validate(document)
    with pytest.raises(ValidationError):
        validator.validate({**document, "approved": True})
