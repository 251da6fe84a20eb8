"""Witnessmark: what does this memory checkpoint still retrieve?

Everything public is here, loaded on first use. ``assess`` runs a suite over two memory states, ``evaluate_gate`` asks
whether assessments satisfy a policy, ``canonical_digest`` binds a record. Nothing here approves anything.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from witnessmark.artifact import recompute
    from witnessmark.canonical import canonical_bytes, canonical_digest, parse_json
    from witnessmark.errors import (
        AdapterError,
        CanonicalError,
        EvidenceError,
        InputError,
        ProfileMismatch,
        StateChanged,
        WitnessmarkError,
    )
    from witnessmark.gate import evaluate_gate
    from witnessmark.models import (
        AdapterCapability,
        AnchorPreservationProbe,
        ApplicabilityMismatch,
        AssessmentGateEvaluation,
        AssessmentGatePolicy,
        BehavioralResult,
        CorrectionPrecedenceProbe,
        Coverage,
        GateFailureReason,
        IndeterminateReason,
        InvocationEvidence,
        ItemReference,
        MaterialAccess,
        MemoryCheckpointAssessment,
        ObservedStatus,
        Probe,
        ProbeResult,
        ProbeSuite,
        RepeatabilityEvidence,
        RequiredIn,
        RetrievalRequest,
        RetrievedItem,
        RetrieverProfile,
        RuntimeObservation,
        ScopeIsolationProbe,
        SecurityFlags,
        SeverityClass,
        StateConditionedDifferentiationProbe,
        StateReference,
        Transcript,
    )
    from witnessmark.models.base import HashValue
    from witnessmark.ports import RetrieverAdapter
    from witnessmark.runner import Run, assess

__all__ = [
    "AdapterCapability",
    "AdapterError",
    "AnchorPreservationProbe",
    "ApplicabilityMismatch",
    "AssessmentGateEvaluation",
    "AssessmentGatePolicy",
    "BehavioralResult",
    "CanonicalError",
    "CorrectionPrecedenceProbe",
    "Coverage",
    "EvidenceError",
    "GateFailureReason",
    "HashValue",
    "IndeterminateReason",
    "InputError",
    "InvocationEvidence",
    "ItemReference",
    "MaterialAccess",
    "MemoryCheckpointAssessment",
    "ObservedStatus",
    "Probe",
    "ProbeResult",
    "ProbeSuite",
    "ProfileMismatch",
    "RepeatabilityEvidence",
    "RequiredIn",
    "RetrievalRequest",
    "RetrievedItem",
    "RetrieverAdapter",
    "RetrieverProfile",
    "Run",
    "RuntimeObservation",
    "ScopeIsolationProbe",
    "SecurityFlags",
    "SeverityClass",
    "StateChanged",
    "StateConditionedDifferentiationProbe",
    "StateReference",
    "Transcript",
    "WitnessmarkError",
    "assess",
    "canonical_bytes",
    "canonical_digest",
    "evaluate_gate",
    "parse_json",
    "recompute",
]

_HOMES = {
    "witnessmark.artifact": ("recompute",),
    "witnessmark.runner": ("Run", "assess"),
    "witnessmark.canonical": ("canonical_bytes", "canonical_digest", "parse_json"),
    "witnessmark.errors": (
        "AdapterError",
        "CanonicalError",
        "EvidenceError",
        "InputError",
        "ProfileMismatch",
        "StateChanged",
        "WitnessmarkError",
    ),
    "witnessmark.gate": ("evaluate_gate",),
    "witnessmark.models.base": ("HashValue",),
    "witnessmark.ports": ("RetrieverAdapter",),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'witnessmark' has no attribute {name!r}")
    home = next((home for home, names in _HOMES.items() if name in names), "witnessmark.models")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
