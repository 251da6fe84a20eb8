"""Current-State Applicability 0.1: what was stored, what is seen now, and the verdict (docs/applicability.md)."""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, Strict, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.canonical import canonical_digest
from witnessmark.models.base import Flag, HashValue, Many, Record, Text, unique

if TYPE_CHECKING:
    from witnessmark.models.state import StateReference

__all__ = [
    "CURRENT_STATE",
    "ApplicabilityCheck",
    "ApplicabilityStatus",
    "ApplicabilityVerdict",
    "Dimension",
    "EnvironmentBinding",
    "EvidenceDocument",
    "LineageDependency",
    "LineageState",
    "Purpose",
    "SourceObservation",
    "StoredDependency",
    "StoredSource",
    "parse_instant",
    "state_digest",
]

_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?Z")


@lru_cache(maxsize=1024)
def parse_instant(text: str) -> datetime:
    """Return the time that an instant names.

    Raises:
        ValueError: not ``YYYY-MM-DDThh:mm:ssZ``, with no fraction or with exactly three digits of one.
    """
    if _INSTANT.fullmatch(text) is None:
        raise ValueError("not an RFC 3339 time in UTC, with Z and no fraction or exactly three digits of one")
    return datetime.fromisoformat(text)


def _instant(text: str) -> str:
    try:
        parse_instant(text)
    except ValueError as error:
        raise PydanticCustomError("invalid_instant", "Input should be YYYY-MM-DDThh:mm:ss[.sss]Z") from error
    return text


# A pattern, not a function: it is part of the JSON Schema, and it costs a tenth.
Label = Annotated[str, Strict(), Field(pattern=r"\S")]
"""A string that is not blank; compared as it is."""
HexDigest = Annotated[str, Strict(), Field(pattern=r"^[0-9a-f]{64}$")]
"""64 lowercase hexadecimal digits, without the name of an algorithm."""
CommitId = Annotated[str, Strict(), Field(pattern=r"^[0-9a-f]{40}$")]
"""40 lowercase hexadecimal digits."""
Instant = Annotated[str, Strict(), AfterValidator(_instant)]
"""RFC 3339 in UTC, kept as it is written: ``Z``, and no fraction or exactly three digits of one."""


class ApplicabilityStatus(StrEnum):
    """The six outcomes (facts §1), worst first."""

    REJECT = "REJECT"
    UNRESOLVABLE = "UNRESOLVABLE"
    ORPHAN = "ORPHAN"
    DRIFT = "DRIFT"
    REVALIDATE = "REVALIDATE"
    MATCH = "MATCH"


class Dimension(StrEnum):
    """The dimensions of an environment that are compared, in the order of the specification."""

    repository = "repository"
    branch = "branch"
    commit_sha = "commit_sha"
    workspace = "workspace"
    actor = "actor"
    tenant = "tenant"
    policy_digest = "policy_digest"
    target_state_digest = "target_state_digest"
    api_version = "api_version"
    model_version = "model_version"


class LineageState(StrEnum):
    """What became of a record that another one was derived from."""

    active = "active"
    superseded = "superseded"
    retired = "retired"
    erased = "erased"


class SourceObservation(Record):
    """What a trusted observer saw of the origin, beside the digest that was stored."""

    locator: Label | None = None
    """Where the origin is; null where there is none."""
    refetchable: Flag
    """Whether the locator names an origin that can be visited again; ``agent:scholar`` names a writer."""
    exists: Flag | None
    """Null: the observer does not know."""
    expected_digest: HexDigest | None = None
    """The stored digest."""
    observed_digest: HexDigest | None = None
    """The digest seen now."""


class EnvironmentBinding(Record):
    """The environment that evidence was made in, or the one of today. Null: not bound, or not known."""

    repository: Label | None = None
    branch: Label | None = None
    commit_sha: CommitId | None = None
    workspace: Label | None = None
    actor: Label | None = None
    tenant: Label | None = None
    policy_digest: HexDigest | None = None
    target_state_digest: HexDigest | None = None
    """For a memory state: `state_digest` of its reference."""
    api_version: Label | None = None
    model_version: Label | None = None
    observed_at: Instant | None = None
    valid_until: Instant | None = None
    """The first instant at which the binding no longer holds. Only the stored one counts."""

    @model_validator(mode="after")
    def _ends_after_it_began(self) -> EnvironmentBinding:
        began, ends = self.observed_at, self.valid_until
        if began is not None and ends is not None and parse_instant(ends) <= parse_instant(began):
            raise PydanticCustomError("contradicts_itself", "valid_until should be after observed_at")
        return self


class LineageDependency(Record):
    """A record that the evidence was derived from, as it is now."""

    dependency_id: Label
    state: LineageState
    expected_digest: HexDigest | None = None
    observed_digest: HexDigest | None = None


class ApplicabilityVerdict(Record):
    """Whether stored evidence may still influence an action. It never authorizes one."""

    status: ApplicabilityStatus
    reasons: Many[Text] = ()
    """Sorted; empty exactly for MATCH."""
    may_influence_action: Flag
    """True exactly for MATCH: the evidence may go on to the next guard."""
    authorizes_action: Literal[False] = False

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> ApplicabilityVerdict:
        match = self.status is ApplicabilityStatus.MATCH
        if self.may_influence_action is not match or match is bool(self.reasons):
            raise PydanticCustomError(
                "contradicts_itself", "MATCH, no reasons and may_influence_action should come together"
            )
        return self


class Purpose(Record):
    """A named use of evidence: which dimensions count for it, and which of them have to be bound.

    Our extension of the specification, which compares all ten dimensions and is strict about two.
    """

    format: Literal["witnessmark.purpose/0.1"] = "witnessmark.purpose/0.1"
    name: Label
    version: Label
    """Changes whenever the lists below do: it is part of every fingerprint."""
    dimensions: Many[Dimension]
    """What is compared; at least one. The order has no meaning."""
    strict: Many[Dimension] = ()
    """Those of ``dimensions`` that evidence has to have bound wherever today's environment has them."""

    @model_validator(mode="after")
    def _selects_something(self) -> Purpose:
        if not self.dimensions:
            raise PydanticCustomError("nothing_to_check", "A purpose should select at least one dimension")
        unique([item.value for item in self.dimensions], "dimension")
        unique([item.value for item in self.strict], "strict dimension")
        if not set(self.strict) <= set(self.dimensions):
            raise PydanticCustomError("contradicts_itself", "A strict dimension should be one of the dimensions")
        return self


CURRENT_STATE = Purpose(
    name="current-state",
    version="0.1",
    dimensions=tuple(Dimension),
    strict=(Dimension.repository, Dimension.commit_sha),
)
"""The specification: all ten dimensions, strict about two; shipped as ``builtin:current-state``."""


class StoredSource(Record):
    """Where evidence came from, as it was written down."""

    locator: Label | None = None
    """``SCHEME:REST``; the scheme names the observer."""
    refetchable: Flag
    expected_digest: HexDigest | None = None
    """SHA-256 of what was there."""
    etag: Label | None = None
    """Strong entity tag that came with those bytes, for conditional HTTP requests."""
    last_modified: Label | None = None
    """``Last-Modified`` that came with those bytes, as it was sent."""
    source_label: Label | None = None
    """A name for people; says nothing about provenance."""
    source_namespace: Label | None = None
    """Namespace of the inventory that lists the source."""
    source_id: Label | None = None
    """The source's id in that inventory."""

    @model_validator(mode="after")
    def _can_be_visited(self) -> StoredSource:
        if self.refetchable and self.locator is None:
            raise PydanticCustomError("contradicts_itself", "A refetchable source should have a locator")
        return self


class StoredDependency(Record):
    """A record that the evidence was derived from, as it was written down."""

    dependency_id: Label
    locator: Label | None = None
    """Where to look for it; without one its state today is not known."""
    expected_digest: HexDigest | None = None


class EvidenceDocument(Record):
    """``*.evidence.json``: everything that is stored of one piece of evidence (docs/applicability.md)."""

    format: Literal["witnessmark.evidence/0.1"] = "witnessmark.evidence/0.1"
    evidence_id: Label
    source: StoredSource
    environment: EnvironmentBinding = Field(default_factory=EnvironmentBinding)
    derived: Flag = False
    """Whether it was derived from other records; then ``lineage`` should name them."""
    lineage: Many[StoredDependency] = ()
    caller_metadata: dict[Text, JsonValue] = Field(default_factory=dict)
    """Whatever a caller attached. Untrusted: a reserved key rejects the evidence."""


class ApplicabilityCheck(Record):
    """What a check of one piece of evidence found."""

    evidence_id: Text
    purpose: Text
    purpose_version: Text
    status: ApplicabilityStatus
    reasons: Many[Text]
    may_influence_action: Flag
    authorizes_action: Literal[False] = False
    stored_fingerprint: HashValue
    """Of the environment that was stored, for the purpose."""
    current_fingerprint: HashValue
    """Of today's environment, for the purpose."""
    notes: Many[Text] = ()
    """What observers could not find out and why, for people. Decides nothing."""


def state_digest(reference: StateReference) -> str:
    """Return the ``target_state_digest`` of a memory state: 64 digits over the canonical form of its reference."""
    return canonical_digest(reference).removeprefix("sha256:")
