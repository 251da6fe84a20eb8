"""Ask again: observe what stored evidence is bound to, and say whether it is applicable now."""

from __future__ import annotations

from witnessmark.reobserve.assessments import Today, check_assessment, check_unseen
from witnessmark.reobserve.documents import Evidence, load_purpose, read_evidence
from witnessmark.reobserve.items import RequiredItems, check_items, read_requirements
from witnessmark.reobserve.look import check, cover
from witnessmark.reobserve.records import record_evidence
from witnessmark.reobserve.surroundings import Surroundings

__all__ = [
    "Evidence",
    "RequiredItems",
    "Surroundings",
    "Today",
    "check",
    "check_assessment",
    "check_items",
    "check_unseen",
    "cover",
    "load_purpose",
    "read_evidence",
    "read_requirements",
    "record_evidence",
]
