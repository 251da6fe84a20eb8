"""in-toto Statement v1 and the two predicates that we write (docs/predicates).

- The records are closed: a field that we do not know is refused, where a general in-toto consumer would ignore it.
- Field names are spelled as in the documents, camelCase.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, Strict
from pydantic.alias_generators import to_camel

from witnessmark.models.assessment import BehavioralResult, MaterialAccess
from witnessmark.models.base import Count, Flag, HashValue, Many, Record, Text, Timestamp

__all__ = [
    "ASSESSMENT_PREDICATE",
    "STATEMENT_TYPE",
    "SUMMARY_PREDICATE",
    "AssessmentPredicate",
    "AssessmentStatement",
    "DigestSet",
    "ResourceDescriptor",
    "StateDescriptor",
    "SummaryPolicy",
    "SummaryPredicate",
    "SummaryStatement",
    "SummaryVerifier",
]

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
ASSESSMENT_PREDICATE = "urn:witnessmark:memory-checkpoint-assessment:v0"
SUMMARY_PREDICATE = "https://slsa.dev/verification_summary/v1"

DigestSet = Annotated[dict[Text, Annotated[str, Strict(), Field(pattern=r"^[0-9a-f]{64}$")]], Field(min_length=1)]
"""Algorithm name to lowercase hexadecimal digest."""


class _Document(Record):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        alias_generator=to_camel,
        serialize_by_alias=True,
    )


class ResourceDescriptor(_Document):
    """An artifact by name, place or digest (in-toto ResourceDescriptor v1)."""

    name: Text | None = None
    uri: Text | None = None
    digest: DigestSet


class StateDescriptor(_Document):
    """A memory state as the assessment binds it."""

    checkpoint_digest: HashValue
    retrieval_state_digest: HashValue | None = None


class AssessmentPredicate(_Document):
    """What the signed assessment says, repeated so that a policy engine need not fetch it."""

    baseline: StateDescriptor
    candidate: StateDescriptor
    probe_suite_digest: HashValue
    retriever_profile_digest: HashValue
    assessed_at: Timestamp
    material_access: MaterialAccess
    result: BehavioralResult
    required_probe_count: Count
    passed: Count
    failed: Count
    indeterminate: Count
    contains_confidentiality_failure: Flag


class AssessmentStatement(_Document):
    """in-toto Statement v1 about one run."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: Annotated[Many[ResourceDescriptor], Field(min_length=1)]
    predicate_type: Literal["urn:witnessmark:memory-checkpoint-assessment:v0"]
    predicate: AssessmentPredicate


class SummaryVerifier(_Document):
    """Who evaluated the gate."""

    id: Text
    """A URI."""


class SummaryPolicy(_Document):
    """The policy that was evaluated."""

    uri: Text | None = None
    digest: DigestSet


class SummaryPredicate(_Document):
    """SLSA Verification Summary v1, as far as we write it."""

    verifier: SummaryVerifier
    time_verified: Timestamp
    resource_uri: Text
    policy: SummaryPolicy
    input_attestations: Many[ResourceDescriptor]
    verification_result: Literal["PASSED", "FAILED"]
    verified_levels: Annotated[Many[Text], Field(min_length=1)]


class SummaryStatement(_Document):
    """in-toto Statement v1 about one evaluation of a gate."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: Annotated[Many[ResourceDescriptor], Field(min_length=1)]
    predicate_type: Literal["https://slsa.dev/verification_summary/v1"]
    predicate: SummaryPredicate
