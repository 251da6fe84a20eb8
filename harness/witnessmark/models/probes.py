"""The four probe kinds and ProbeSuite/0.1 (wire contract §1)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.base import Flag, Many, Positive, Record, Text, TextMap, unique

__all__ = [
    "AnchorPreservationProbe",
    "CorrectionPrecedenceProbe",
    "ItemReference",
    "Probe",
    "ProbeSuite",
    "RequiredIn",
    "ScopeIsolationProbe",
    "SeverityClass",
    "StateConditionedDifferentiationProbe",
]


class RequiredIn(StrEnum):
    """The states in which an item must exist by its key."""

    baseline = "baseline"
    candidate = "candidate"
    both = "both"


class SeverityClass(StrEnum):
    """How bad a failure is."""

    behavioral = "behavioral"
    confidentiality = "confidentiality"


class ItemReference(Record):
    """An item by stable key, and where it has to exist."""

    key: Text
    required_in: RequiredIn


class _ProbeCommon(Record):
    probe_id: Text
    required: Flag = True
    """Whether the probe counts for the aggregate result."""


class CorrectionPrecedenceProbe(_ProbeCommon):
    """A correction is retrieved, and above the item that it supersedes."""

    kind: Literal["correction_precedence"] = "correction_precedence"
    query: Text
    context: TextMap = Field(default_factory=dict)
    superseded: ItemReference
    correction: ItemReference
    severity: SeverityClass = SeverityClass.behavioral


class AnchorPreservationProbe(_ProbeCommon):
    """An anchor that the baseline retrieves within ``max_rank`` still is within it."""

    kind: Literal["anchor_preservation"] = "anchor_preservation"
    query: Text
    context: TextMap = Field(default_factory=dict)
    anchor: ItemReference
    max_rank: Positive
    severity: SeverityClass = SeverityClass.behavioral


class ScopeIsolationProbe(_ProbeCommon):
    """Nothing with a forbidden key or scope label is retrieved."""

    kind: Literal["scope_isolation"] = "scope_isolation"
    query: Text
    context: TextMap = Field(default_factory=dict)
    forbidden_item_keys: Many[Text] = ()
    forbidden_scope_labels: Many[Text] = ()
    severity: SeverityClass = SeverityClass.confidentiality

    @model_validator(mode="after")
    def _forbids_something(self) -> ScopeIsolationProbe:
        if not self.forbidden_item_keys and not self.forbidden_scope_labels:
            raise PydanticCustomError(
                "nothing_to_check", "An isolation probe should forbid at least one item key or scope label"
            )
        return self


class StateConditionedDifferentiationProbe(_ProbeCommon):
    """The same query in two contexts is answered differently, as required of each."""

    kind: Literal["state_conditioned_differentiation"] = "state_conditioned_differentiation"
    query: Text
    context_a: TextMap
    context_b: TextMap
    a_required_keys: Many[Text] = ()
    a_forbidden_keys: Many[Text] = ()
    b_required_keys: Many[Text] = ()
    b_forbidden_keys: Many[Text] = ()
    require_distinct_ordering: Flag = True
    severity: SeverityClass = SeverityClass.behavioral

    @model_validator(mode="after")
    def _expects_something(self) -> StateConditionedDifferentiationProbe:
        if self.context_a == self.context_b:
            raise PydanticCustomError("nothing_to_check", "context_a and context_b should differ")
        named = self.a_required_keys or self.a_forbidden_keys or self.b_required_keys or self.b_forbidden_keys
        if not named and not self.require_distinct_ordering:
            raise PydanticCustomError("nothing_to_check", "A differentiation probe should expect something")
        return self


Probe = Annotated[
    CorrectionPrecedenceProbe | AnchorPreservationProbe | ScopeIsolationProbe | StateConditionedDifferentiationProbe,
    Field(discriminator="kind"),
]


class ProbeSuite(Record):
    """The probes of one assessment, in order; at least one is required."""

    version: Literal["0.1"] = "0.1"
    probes: Annotated[Many[Probe], Field(min_length=1)]

    @model_validator(mode="after")
    def _gates_on_something(self) -> ProbeSuite:
        unique([probe.probe_id for probe in self.probes], "probe_id")
        if not any(probe.required for probe in self.probes):
            raise PydanticCustomError("nothing_required", "A suite should have at least one required probe")
        return self
