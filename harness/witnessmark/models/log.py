"""The entries of a log, one record a kind, and its tree head (docs/evidence.md).

An entry's canonical bytes are the leaf; nothing else of it is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field

from witnessmark.canonical import JsonValue, model_bytes, parse_json
from witnessmark.errors import EvidenceError
from witnessmark.models.approval import ControlResult
from witnessmark.models.assessment import BehavioralResult
from witnessmark.models.base import Count, HashValue, Many, Positive, Record, Text, Timestamp, Whole
from witnessmark.models.gate import AssessmentGateEvaluation, AssessmentGatePolicy
from witnessmark.models.state import StateReference
from witnessmark.models.transcript import TrialGroup

__all__ = [
    "Approval",
    "ConsistencyProof",
    "EngineChanged",
    "GateEvaluated",
    "InclusionProof",
    "LogCreated",
    "LogEntry",
    "RunAbandoned",
    "RunEnded",
    "RunPlan",
    "RunStarted",
    "TreeHead",
    "parse_entry",
    "read_entry",
]


class LogCreated(Record):
    """The first entry: what log this is."""

    entry: Literal["log_created"] = "log_created"
    format: Literal["witnessmark.log/0.1"] = "witnessmark.log/0.1"
    origin: Annotated[Text, Field(min_length=1)]
    """Name of the log, chosen by who keeps it; part of every tree head."""
    engine: Text
    """Database library and version; verification compares the file's bytes under the same one."""


class EngineChanged(Record):
    """From here on another version of the database library wrote the file."""

    entry: Literal["engine_changed"] = "engine_changed"
    engine: Text


class RunPlan(Record):
    """How often and along which axes a run is going to ask."""

    trials: Many[TrialGroup]
    seed: Whole


class RunStarted(Record):
    """A run is about to make its first trial; what comes of it is entered later, or never."""

    entry: Literal["run_started"] = "run_started"
    started_at: Timestamp
    baseline_state: StateReference
    candidate_state: StateReference
    probe_suite_digest: HashValue
    retriever_profile_digest: HashValue
    plan: RunPlan


class RunEnded(Record):
    """A run left an assessment behind."""

    entry: Literal["run_ended"] = "run_ended"
    start: Count
    """Index of the run's start entry."""
    assessment_digest: HashValue
    """SHA-256 over the bytes of ``assessment.json``."""
    transcript_digest: HashValue
    """SHA-256 over the bytes of ``transcript.jsonl``."""
    assessed_at: Timestamp
    result: BehavioralResult


class RunAbandoned(Record):
    """A run ended without an assessment."""

    entry: Literal["run_abandoned"] = "run_abandoned"
    start: Count
    """Index of the run's start entry."""
    reason: Text


class GateEvaluated(Record):
    """A gate was evaluated over presented assessments."""

    entry: Literal["gate_evaluation"] = "gate_evaluation"
    evaluated_at: Timestamp
    policy_digest: HashValue
    """Canonical digest of the embedded AssessmentGatePolicy/0.1."""
    presented: Many[HashValue] = ()
    """Digests of the assessments that were presented."""
    evaluation: AssessmentGateEvaluation
    controls: Many[ControlResult] = ()
    """Results of the controls of an approval policy, where one was evaluated."""

    @property
    def satisfied(self) -> bool:
        """Whether the gate and every control were satisfied."""
        return self.evaluation.satisfied and all(item.satisfied for item in self.controls)


class Approval(Record):
    """Somebody approved a candidate, elsewhere. This entry records it and approves nothing."""

    entry: Literal["approval"] = "approval"
    approved_at: Timestamp
    approver: Annotated[Text, Field(min_length=1)]
    """Who approved, as the approver's organisation names them."""
    policy: AssessmentGatePolicy
    """The policy that the approval claims to satisfy."""
    candidate_state: StateReference
    """The candidate as it was when it was approved."""
    assessments: Many[HashValue] = ()
    """Digests of the assessments that the approval rests on."""
    reason: Text = ""


LogEntry: TypeAlias = LogCreated | EngineChanged | RunStarted | RunEnded | RunAbandoned | GateEvaluated | Approval

_KINDS: dict[str, type[LogEntry]] = {kind.model_fields["entry"].default: kind for kind in get_args(LogEntry)}


class TreeHead(Record):
    """What a log was at one size: payload of a signed tree head."""

    format: Literal["witnessmark.tree-head/0.1"] = "witnessmark.tree-head/0.1"
    origin: Annotated[Text, Field(min_length=1)]
    size: Positive
    """Entries."""
    root: HashValue
    """RFC 9162 root over the entries' bytes."""


class InclusionProof(Record):
    """That an entry is in a log (RFC 9162 §2.1.3)."""

    format: Literal["witnessmark.inclusion-proof/0.1"] = "witnessmark.inclusion-proof/0.1"
    head: TreeHead
    index: Count
    leaf: HashValue
    """Leaf hash: SHA-256 over a zero byte and the entry's bytes."""
    path: Many[HashValue]
    """Sibling hashes, lowest first."""


class ConsistencyProof(Record):
    """That a log extends what it was before (RFC 9162 §2.1.4)."""

    format: Literal["witnessmark.consistency-proof/0.1"] = "witnessmark.consistency-proof/0.1"
    first: TreeHead
    second: TreeHead
    path: Many[HashValue]


def read_entry(data: bytes, *, where: str | None = None) -> LogEntry:
    """Read an entry in any spelling of its JSON.

    Raises:
        CanonicalError: not strict JSON.
        InputError: not an entry.
        EvidenceError: ``unknown_entry``.
    """
    return _from_json(parse_json(data, where=where), where)


def parse_entry(data: bytes, *, where: str | None = None) -> LogEntry:
    """Parse the bytes of an entry, which must be the ones that this log writes.

    Raises:
        CanonicalError: not strict JSON.
        InputError: not an entry.
        EvidenceError: ``unknown_entry``, or ``not_canonical``: another spelling of the entry.
    """
    entry = _from_json(parse_json(data, where=where), where)
    if model_bytes(entry) != data:
        raise EvidenceError("entry is not in the form this log writes", code="not_canonical", where=where)
    return entry


def _from_json(value: JsonValue, where: str | None) -> LogEntry:
    kind = value.get("entry") if isinstance(value, Mapping) else None
    model = _KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise EvidenceError(
            "no such kind of entry", code="unknown_entry", got=ascii(kind), wanted=", ".join(_KINDS), where=where
        )
    return model.from_json(value, where=where)
