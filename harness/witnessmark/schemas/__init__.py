"""JSON Schemas (2020-12) of every format, generated from the models and shipped as ``NAME.schema.json``.

A schema says which fields there are and of which types. What spans fields (unique ids, counts that agree, a tie policy
for deterministic profiles) only the models check.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, cast

from pydantic import TypeAdapter

from witnessmark.errors import InputError
from witnessmark.models import (
    ApplicabilityCheck,
    AssessmentGateEvaluation,
    AssessmentGatePolicy,
    CheckpointDiff,
    CheckpointManifest,
    CoverageReport,
    EvidenceDocument,
    ItemPresence,
    MemoryCheckpointAssessment,
    MemoryOperation,
    MemoryRecord,
    Observation,
    ProbeDiagnosis,
    ProbeSuite,
    Purpose,
    Record,
    RetrievalRequest,
    RetrieverPin,
    RetrieverProfile,
    Target,
    TranscriptHeader,
)
from witnessmark.models.amr import RecordsCheck, RecordsStamp, RecordsVerification, RelationsReport
from witnessmark.models.approval import AdvanceClaim, ApprovalEvaluation, ApprovalPolicy
from witnessmark.models.audit import AuditReport
from witnessmark.models.log import ConsistencyProof, InclusionProof, LogEntry, TreeHead
from witnessmark.models.moved import MovedReport
from witnessmark.models.record_check import FormatCheck
from witnessmark.models.requirements import ItemFindings, ItemRequirements
from witnessmark.models.rerun import RerunReport
from witnessmark.models.statement import AssessmentStatement, SummaryStatement
from witnessmark.models.strength import SuiteStrengthReport
from witnessmark.models.withheld import SaltFile

if TYPE_CHECKING:
    from types import UnionType

    from witnessmark.canonical import JsonValue

__all__ = ["DIALECT", "FORMATS", "build_schema", "read_schema", "schema_id", "schema_text"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
VERSION = "0.1"

FORMATS: dict[str, type[Record] | UnionType] = {
    "AdvanceClaim": AdvanceClaim,
    "ApplicabilityCheck": ApplicabilityCheck,
    "ApprovalEvaluation": ApprovalEvaluation,
    "ApprovalPolicy": ApprovalPolicy,
    "AssessmentGateEvaluation": AssessmentGateEvaluation,
    "AssessmentGatePolicy": AssessmentGatePolicy,
    "AssessmentStatement": AssessmentStatement,
    "AuditReport": AuditReport,
    "CheckpointDiff": CheckpointDiff,
    "CheckpointManifest": CheckpointManifest,
    "ConsistencyProof": ConsistencyProof,
    "CoverageReport": CoverageReport,
    "EvidenceDocument": EvidenceDocument,
    "InclusionProof": InclusionProof,
    "ItemFindings": ItemFindings,
    "ItemRequirements": ItemRequirements,
    "LogEntry": LogEntry,
    "MemoryCheckpointAssessment": MemoryCheckpointAssessment,
    "MemoryOperation": MemoryOperation,
    "MemoryRecord": MemoryRecord,
    "MovedReport": MovedReport,
    "ProbeSuite": ProbeSuite,
    "Purpose": Purpose,
    "FormatCheck": FormatCheck,
    "RecordsCheck": RecordsCheck,
    "RecordsStamp": RecordsStamp,
    "RecordsVerification": RecordsVerification,
    "RelationsReport": RelationsReport,
    "RerunReport": RerunReport,
    "RetrievalRequest": RetrievalRequest,
    "RetrieverPin": RetrieverPin,
    "RetrieverProfile": RetrieverProfile,
    "SaltFile": SaltFile,
    "SuiteStrengthReport": SuiteStrengthReport,
    "SummaryStatement": SummaryStatement,
    "Target": Target,
    "TranscriptLine": TranscriptHeader | ItemPresence | Observation | ProbeDiagnosis,
    "TreeHead": TreeHead,
}
"""What a schema describes, by the schema's name."""


def schema_id(name: str) -> str:
    """Return the ``$id`` of a schema: a URN, since no host serves it."""
    return f"urn:witnessmark:schema:{name}:{VERSION}"


def build_schema(name: str) -> dict[str, JsonValue]:
    """Generate the schema of a format from its model.

    Raises:
        InputError: ``unknown_format``.
    """
    if name not in FORMATS:
        raise InputError(
            "no such format", code="unknown_format", got=repr(name), wanted=f"one of: {', '.join(FORMATS)}"
        )
    body = TypeAdapter[object](cast("type[object]", FORMATS[name])).json_schema()
    return {"$schema": DIALECT, "$id": schema_id(name), **body, "title": name}


def schema_text(name: str) -> str:
    """Return the schema of a format as it is shipped: indented JSON, sorted keys, a final newline.

    Raises:
        InputError: ``unknown_format``.
    """
    return json.dumps(build_schema(name), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def read_schema(name: str) -> dict[str, JsonValue]:
    """Return the shipped schema of a format.

    Raises:
        InputError: ``unknown_format``.
    """
    resource = files(__name__) / f"{name}.schema.json"
    if name not in FORMATS or not resource.is_file():
        raise InputError(
            "no such format", code="unknown_format", got=repr(name), wanted=f"one of: {', '.join(FORMATS)}"
        )
    schema: dict[str, JsonValue] = json.loads(resource.read_text(encoding="utf-8"))
    return schema
