"""Every record of Witnessmark, one module a noun."""

from __future__ import annotations

from witnessmark.models.assessment import (
    MIN_TRIALS,
    BehavioralResult,
    Coverage,
    IndeterminateReason,
    InvocationEvidence,
    MaterialAccess,
    MemoryCheckpointAssessment,
    ObservedStatus,
    ProbeResult,
    RepeatabilityEvidence,
    SecurityFlags,
)
from witnessmark.models.base import Record
from witnessmark.models.checkpoint_diff import CheckpointDiff, CheckpointSide
from witnessmark.models.gate import (
    ApplicabilityMismatch,
    AssessmentGateEvaluation,
    AssessmentGatePolicy,
    GateFailureReason,
)
from witnessmark.models.memory import CheckpointManifest, FileEntry, MemoryOperation, MemoryRecord
from witnessmark.models.probes import (
    AnchorPreservationProbe,
    CorrectionPrecedenceProbe,
    ItemReference,
    Probe,
    ProbeSuite,
    RequiredIn,
    ScopeIsolationProbe,
    SeverityClass,
    StateConditionedDifferentiationProbe,
)
from witnessmark.models.profile import AdapterCapability, FieldDifference, RetrieverProfile, profile_differences
from witnessmark.models.retrieval import RetrievalRequest, RetrievedItem
from witnessmark.models.state import RuntimeObservation, StateReference
from witnessmark.models.target import RetrieverPin, Target
from witnessmark.models.transcript import (
    Axis,
    ItemPresence,
    Observation,
    ObservedItem,
    ObservedOrdering,
    ProbeDiagnosis,
    Transcript,
    TranscriptHeader,
    TrialGroup,
)

__all__ = [
    "MIN_TRIALS",
    "AdapterCapability",
    "AnchorPreservationProbe",
    "ApplicabilityMismatch",
    "AssessmentGateEvaluation",
    "AssessmentGatePolicy",
    "Axis",
    "BehavioralResult",
    "CheckpointDiff",
    "CheckpointManifest",
    "CheckpointSide",
    "CorrectionPrecedenceProbe",
    "Coverage",
    "FieldDifference",
    "FileEntry",
    "GateFailureReason",
    "IndeterminateReason",
    "InvocationEvidence",
    "ItemPresence",
    "ItemReference",
    "MaterialAccess",
    "MemoryCheckpointAssessment",
    "MemoryOperation",
    "MemoryRecord",
    "Observation",
    "ObservedItem",
    "ObservedOrdering",
    "ObservedStatus",
    "Probe",
    "ProbeDiagnosis",
    "ProbeResult",
    "ProbeSuite",
    "Record",
    "RepeatabilityEvidence",
    "RequiredIn",
    "RetrievalRequest",
    "RetrievedItem",
    "RetrieverPin",
    "RetrieverProfile",
    "RuntimeObservation",
    "ScopeIsolationProbe",
    "SecurityFlags",
    "SeverityClass",
    "StateConditionedDifferentiationProbe",
    "StateReference",
    "Target",
    "Transcript",
    "TranscriptHeader",
    "TrialGroup",
    "profile_differences",
]
