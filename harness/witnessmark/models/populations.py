"""Populations of stored evidence, what inventories list, and how much of it can be verified (facts §5)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.applicability import EnvironmentBinding, HexDigest, Label
from witnessmark.models.base import Count, Flag, Many, Record, Text, unique

__all__ = [
    "CoverageMetric",
    "CoverageReport",
    "EvidenceState",
    "LineageRecord",
    "LineageSighting",
    "Reconciliation",
    "SourceInventory",
    "SourceRecord",
]


class SourceRecord(Record):
    """The source of one piece of evidence, as it was declared and as it was seen. Digests have no fixed format."""

    memory_id: Label
    source_label: Text | None = None
    """A name for people; says nothing about provenance."""
    source_namespace: Label | None = None
    """Names the inventory that should list the source."""
    source_id: Label | None = None
    """Of the source in that inventory."""
    locator: Label | None = None
    refetchable: Flag = False
    exists: Flag | None = None
    """Null: not known."""
    expected_digest: Label | None = None
    observed_digest: Label | None = None

    @model_validator(mode="after")
    def _can_be_visited(self) -> SourceRecord:
        if self.refetchable and self.locator is None:
            raise PydanticCustomError("contradicts_itself", "A refetchable source should have a locator")
        return self


class SourceInventory(Record):
    """The sources that a namespace has."""

    namespace: Label
    source_ids: Many[Label]
    complete: Flag
    """Whether there are no others. An incomplete inventory supports no claim about what is missing."""

    @model_validator(mode="after")
    def _lists_once(self) -> SourceInventory:
        unique(self.source_ids, "source id")
        return self


class LineageSighting(Record):
    """A dependency as it was seen; unlike in an evaluation, what was not seen may be left open here."""

    dependency_id: Label
    state: Label | None = None
    """Null: not observed. A state that the specification does not have is a gap, not an error."""
    expected_digest: HexDigest | None = None
    observed_digest: HexDigest | None = None


class LineageRecord(Record):
    """A record and what it was derived from."""

    record_id: Label
    is_derived: Flag
    dependencies: Many[LineageSighting] = ()


class CoverageMetric(Record):
    """A share of a population. Metrics are reported apart, never merged."""

    name: Text
    numerator: Count | None
    """Null where nothing says what would count."""
    denominator: Count | None
    """Null where the population cannot be counted."""
    value: Annotated[float, Strict(), Field(ge=0.0, le=1.0)] | None
    """Null where the population is empty or cannot be counted; never 0.0 instead."""
    undefined_reason: Text | None = None
    """Present exactly where ``value`` is null."""

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> CoverageMetric:
        if (self.value is None) != (self.undefined_reason is not None):
            raise PydanticCustomError("contradicts_itself", "undefined_reason should come with a null value, only")
        return self


class Reconciliation(Record):
    """Declared sources against inventories. Only complete inventories support orphans and unindexed sources."""

    orphans: Many[Text]
    """``NAMESPACE:ID`` that evidence names and the inventory does not have, sorted."""
    unindexed: Many[Text]
    """``NAMESPACE:ID`` that the inventory has and no evidence names, sorted."""
    incomplete_namespaces: Many[Text]
    clean: Flag
    """Nothing orphaned, unindexed or incomplete."""


class EvidenceState(Record):
    """One piece of evidence, as the metrics see it."""

    source: SourceRecord
    environment: EnvironmentBinding
    """What was stored."""
    lineage: LineageRecord


class CoverageReport(Record):
    """The metrics of a set of evidence, the reconciliation and the gaps in lineages."""

    purpose: Text
    evidence_count: Count
    metrics: Many[CoverageMetric]
    reconciliation: Reconciliation
    lineage_gaps: dict[Text, Many[Text]]
    """Derived records whose lineage is not verified, by id, and why."""
