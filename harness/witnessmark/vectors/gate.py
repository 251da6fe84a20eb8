"""Vectors for the gate: a policy, presented assessments, and the evaluation."""

from __future__ import annotations

from typing import Literal

from witnessmark.gate import evaluate_gate
from witnessmark.models import AssessmentGateEvaluation, AssessmentGatePolicy, MemoryCheckpointAssessment
from witnessmark.models.base import Many, Record, Text
from witnessmark.vectors.outcome import VectorOutcome, agree

__all__ = ["GateVector", "run_gate"]


class GateVector(Record):
    """What one set of presented assessments says to one policy."""

    format: Literal["witnessmark.vectors.gate/0.1"]
    why: Text
    policy: AssessmentGatePolicy
    assessments: Many[MemoryCheckpointAssessment]
    expected: AssessmentGateEvaluation


def run_gate(name: str, vector: GateVector) -> VectorOutcome:
    """Run one vector."""
    evaluation = evaluate_gate(vector.policy, vector.assessments)
    return agree(name, "gate", vector.why, vector.expected.model_dump(mode="json"), evaluation.model_dump(mode="json"))
