"""Decisive items of a suite asked again: is what they say still applicable today?

A wire suite has no room for the question, and an assessment none for the answer: requirements stand beside the suite,
findings beside the assessment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.builtin import PREFIX
from witnessmark.errors import InputError
from witnessmark.files import read_bytes
from witnessmark.models import (
    AnchorPreservationProbe,
    CorrectionPrecedenceProbe,
    ScopeIsolationProbe,
    StateConditionedDifferentiationProbe,
)
from witnessmark.models.requirements import ItemFinding, ItemFindings, ItemRequirements
from witnessmark.reobserve.documents import load_purpose, read_evidence
from witnessmark.reobserve.look import check
from witnessmark.sources import parse_source

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from witnessmark.models import Probe, ProbeSuite, Purpose
    from witnessmark.reobserve.documents import Evidence
    from witnessmark.reobserve.surroundings import Surroundings

__all__ = ["RequiredItem", "RequiredItems", "check_items", "read_requirements"]


class RequiredItem(NamedTuple):
    """One item that has to be applicable."""

    item_key: str
    probes: tuple[str, ...]
    """Probes that it decides."""
    evidence: Evidence


class RequiredItems(NamedTuple):
    """Requirements, read in full."""

    purpose: Purpose
    items: tuple[RequiredItem, ...]


def read_requirements(path: Path, suite: ProbeSuite) -> RequiredItems:
    """Read a ``*.requirements.yaml`` or ``.json`` file and everything that it names.

    Raises:
        InputError: something is missing or malformed, or ``unknown_item``: no probe of ``suite`` hangs on an item.
    """
    document = parse_source(ItemRequirements, read_bytes(path), str(path))
    purpose = document.purpose if document.purpose.startswith(PREFIX) else str(path.parent / document.purpose)
    deciding: dict[str, list[str]] = {}
    for probe in suite.probes:
        for key in _decisive(probe):
            deciding.setdefault(key, []).append(probe.probe_id)
    for index, item in enumerate(document.items):
        if item.item_key not in deciding:
            raise InputError(
                "no probe of the suite hangs on that item",
                code="unknown_item",
                got=repr(item.item_key),
                wanted="a key that a probe names",
                where=f"{path} /items/{index}/item_key",
            )
    return RequiredItems(
        load_purpose(purpose),
        tuple(
            RequiredItem(item.item_key, tuple(deciding[item.item_key]), read_evidence(path.parent / item.evidence))
            for item in document.items
        ),
    )


def check_items(required: RequiredItems, surroundings: Surroundings, now: datetime) -> ItemFindings:
    """Ask every required item again.

    Raises:
        InputError: a locator or a target is malformed, or a target cannot be read.
        AdapterError: an observer broke its contract.
    """
    return ItemFindings(
        findings=tuple(
            ItemFinding(
                item_key=item.item_key,
                probes=item.probes,
                check=check(item.evidence, required.purpose, surroundings, now),
            )
            for item in required.items
        )
    )


def _decisive(probe: Probe) -> tuple[str, ...]:
    """Return the keys that a probe names, each once."""
    keys: tuple[str, ...]
    if isinstance(probe, CorrectionPrecedenceProbe):
        keys = (probe.superseded.key, probe.correction.key)
    elif isinstance(probe, AnchorPreservationProbe):
        keys = (probe.anchor.key,)
    elif isinstance(probe, ScopeIsolationProbe):
        keys = probe.forbidden_item_keys
    elif isinstance(probe, StateConditionedDifferentiationProbe):
        keys = (*probe.a_required_keys, *probe.a_forbidden_keys, *probe.b_required_keys, *probe.b_forbidden_keys)
    else:
        raise TypeError(f"no such probe: {type(probe).__name__}")
    return tuple(dict.fromkeys(keys))
