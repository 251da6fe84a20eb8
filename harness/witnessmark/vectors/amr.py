"""Vectors for Auditable Memory Records: normalization, stored hashes, claim ids, whole records with their sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.amr.citations import citations_of
from witnessmark.amr.fields import check_fields
from witnessmark.amr.hashes import claim_id, parse_quote_hash, quote_hash
from witnessmark.amr.normalize import normalize
from witnessmark.amr.store import Source
from witnessmark.amr.verify import verify_citation
from witnessmark.errors import InputError
from witnessmark.models.amr import AnchorState, CitationStatus, ClaimIdStatus, SourceState
from witnessmark.models.base import Flag, HashValue, Many, Record, Text, TextMap
from witnessmark.vectors.outcome import VectorOutcome, agree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from witnessmark.amr.findings import Finding

__all__ = [
    "ClaimIdVector",
    "ExpectedCitation",
    "ExpectedFinding",
    "HashVector",
    "NormalizeVector",
    "RecordVector",
    "run_claim_id",
    "run_hash",
    "run_normalize",
    "run_record",
]


class NormalizeVector(Record):
    """A text, what it is compared and hashed as, and the hash that is written."""

    format: Literal["witnessmark.vectors.amr-normalize/0.1"]
    why: Text
    text: Text
    normalized: Text
    quote_hash: HashValue


class HashVector(Record):
    """A stored hash, and what it is read as or the code under which it is refused."""

    format: Literal["witnessmark.vectors.amr-hash/0.1"]
    why: Text
    stored: Text
    quote: Text = ""
    algorithm: Literal["sha256", "md5"] | None = None
    prefixed: Flag | None = None
    agrees: Flag | None = None
    """Whether it is the hash of ``quote``."""
    error: Text | None = None

    @model_validator(mode="after")
    def _is_one_case(self) -> HashVector:
        if (self.algorithm is None) == (self.error is None):
            raise PydanticCustomError("contradicts_itself", "a vector expects an algorithm or an error")
        return self


class ClaimIdVector(Record):
    """A claim's words in a record, and its id."""

    format: Literal["witnessmark.vectors.amr-claim-id/0.1"]
    why: Text
    record_ref: Text
    text: Text
    claim_id: Text


class ExpectedFinding(Record):
    """One thing that a check at level 3 finds."""

    severity: Literal["invalid", "not_conforming", "warning"]
    code: Text
    pointer: Text


class ExpectedCitation(Record):
    """What becomes of one citation or claim."""

    pointer: Text
    kind: Literal["citation", "claim"]
    ref: Text
    status: CitationStatus
    partial: Flag
    anchor: AnchorState
    source: SourceState
    claim_id_status: ClaimIdStatus | None = None


class RecordVector(Record):
    """A record under its ref, the texts of sources, and what checking and verifying it say."""

    format: Literal["witnessmark.vectors.amr-record/0.1"]
    why: Text
    ref: Text
    fields: dict[str, JsonValue]
    sources: TextMap = Field(default_factory=dict)
    """Texts by ref; every other source is missing."""
    findings: Many[ExpectedFinding] = ()
    """Of a check at level 3, in the order of severity, code and pointer."""
    citations: Many[ExpectedCitation] = ()
    """In the order of the record, ``sources`` first; a malformed citation has no outcome and is not among them."""


def run_normalize(name: str, vector: NormalizeVector, normalizer: Callable[[str], str] = normalize) -> VectorOutcome:
    """Run one vector; another normalizer than ours can be put to the same test."""
    expected: dict[str, object] = {
        "normalized": vector.normalized,
        "normalized again": vector.normalized,
        "quote_hash": vector.quote_hash,
    }
    got: dict[str, object] = {
        "normalized": normalizer(vector.text),
        "normalized again": normalizer(vector.normalized),
        "quote_hash": quote_hash(vector.text),
    }
    return agree(name, "amr-normalize", vector.why, expected, got)


def run_hash(name: str, vector: HashVector) -> VectorOutcome:
    """Run one vector."""
    expected: dict[str, object] = {
        "algorithm": vector.algorithm,
        "prefixed": vector.prefixed,
        "agrees": vector.agrees,
        "error": vector.error,
    }
    got: dict[str, object]
    try:
        read = parse_quote_hash(vector.stored)
    except InputError as error:
        got = {"algorithm": None, "prefixed": None, "agrees": None, "error": error.code}
    else:
        got = {
            "algorithm": read.algorithm,
            "prefixed": read.prefixed,
            "agrees": read.agrees_with(vector.quote),
            "error": None,
        }
    return agree(name, "amr-hash", vector.why, expected, got)


def run_claim_id(name: str, vector: ClaimIdVector) -> VectorOutcome:
    """Run one vector."""
    got: dict[str, object] = {"claim_id": claim_id(vector.record_ref, vector.text)}
    return agree(name, "amr-claim-id", vector.why, {"claim_id": vector.claim_id}, got)


def run_record(name: str, vector: RecordVector) -> VectorOutcome:
    """Run one vector."""
    citations, _ = citations_of(vector.fields, vector.ref)
    verdicts = [
        verify_citation(item, Source(vector.sources.get(item.ref), "is not given"), vector.ref, item.pointer)
        for item in citations
    ]
    expected: dict[str, object] = {
        "findings": _sorted(vector.findings),
        "citations": [item.model_dump() for item in vector.citations],
    }
    got: dict[str, object] = {
        "findings": _sorted(map(_found, check_fields(vector.fields, vector.ref))),
        "citations": [
            ExpectedCitation(
                pointer=item.where,
                kind=item.kind,
                ref=item.ref,
                status=item.status,
                partial=item.partial,
                anchor=item.anchor,
                source=item.source,
                claim_id_status=item.claim_id_status,
            ).model_dump()
            for item in verdicts
        ],
    }
    return agree(name, "amr-record", vector.why, expected, got)


def _found(finding: Finding) -> ExpectedFinding:
    return ExpectedFinding(severity=finding.severity, code=finding.problem.code, pointer=finding.pointer)


def _sorted(findings: Iterable[ExpectedFinding]) -> list[tuple[str, str, str]]:
    return sorted((item.severity, item.code, item.pointer) for item in findings)
