"""Items of a suite that have to be applicable today, and what asking again of them gave."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from witnessmark.models.applicability import ApplicabilityCheck
from witnessmark.models.base import Many, Record, Text, unique

__all__ = ["ItemFinding", "ItemFindings", "ItemRequirement", "ItemRequirements"]


class ItemRequirement(Record):
    """One item, and the evidence document that says what it is bound to."""

    item_key: Text
    evidence: Text
    """Path of a ``*.evidence.json`` file, relative to the document that names it."""


class ItemRequirements(Record):
    """``*.requirements.yaml``: which decisive items of a suite have to be applicable. Beside the suite, never in it."""

    format: Literal["witnessmark.item-requirements/0.1"] = "witnessmark.item-requirements/0.1"
    purpose: Text = "builtin:current-state"
    """Which dimensions count: ``builtin:NAME``, or a path relative to this document."""
    items: Annotated[Many[ItemRequirement], Field(min_length=1)]

    @model_validator(mode="after")
    def _items_are_unique(self) -> ItemRequirements:
        unique([item.item_key for item in self.items], "item")
        return self


class ItemFinding(Record):
    """What asking again of one item gave."""

    item_key: Text
    probes: Many[Text]
    """Probes that the item decides, in the order of the suite."""
    check: ApplicabilityCheck


class ItemFindings(Record):
    """``applicability.json`` of a run: diagnostics beside the assessment. No verdict depends on it."""

    format: Literal["witnessmark.item-findings/0.1"] = "witnessmark.item-findings/0.1"
    findings: Many[ItemFinding]
