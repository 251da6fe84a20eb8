"""The public vectors of Current-State Applicability 0.1: outcomes and reasons, each case a test."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from witnessmark.applicability import evaluate
from witnessmark.applicability.coverage import lineage_coverage, lineage_gaps, reconcile, source_coverage
from witnessmark.models import LineageRecord, SourceInventory, SourceRecord

pytestmark = pytest.mark.specs

DECISIONS = "memory_applicability_v0.1.json"
LINEAGE = "memory_lineage_v0.1.json"
LINEAGE_COVERAGE = "memory_lineage_coverage_v0.1.transcribed.json"
RECONCILIATION = "memory_source_reconciliation_v0.1.transcribed.json"


def read(specs: Path, name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((specs / "applicability-vectors" / name).read_text(encoding="utf-8"))
    return document


def cases(name: str, key: str = "cases", label: str = "id") -> list[Any]:
    folder = os.environ.get("WITNESSMARK_SPECS")
    # Without the material there is one case, which the fixture skips.
    found = read(Path(folder), name)[key] if folder else [{label: "no-material"}]
    return [pytest.param(case, id=case[label]) for case in found]


@pytest.fixture
def decisions(specs: Path) -> dict[str, Any]:
    return read(specs, DECISIONS)


@pytest.fixture
def lineages(specs: Path) -> dict[str, Any]:
    return read(specs, LINEAGE)


# What the rules give where the file freezes no reasons (facts §6.1).
REASONS = {
    "source-and-environment-match": [],
    "source-drift": ["source_digest_mismatch"],
    "source-drift-wins-over-environment-drift": ["source_digest_mismatch"],
    "source-orphan": ["source_missing"],
    "source-orphan-wins-over-environment-drift": ["source_missing"],
    "writer-identity-is-not-refetchable-source": ["source_not_refetchable"],
    "unresolvable-source-wins-over-environment-drift": ["source_not_refetchable"],
    "forged-internal-warrant": ["reserved_metadata:warrant"],
    "commit-changed": ["environment_mismatch:commit_sha"],
    "workspace-and-branch-changed": ["environment_mismatch:branch", "environment_mismatch:workspace"],
    "policy-and-target-state-changed": [
        "environment_mismatch:policy_digest",
        "environment_mismatch:target_state_digest",
    ],
    "actor-tenant-api-model-changed": [
        "environment_mismatch:actor",
        "environment_mismatch:api_version",
        "environment_mismatch:model_version",
        "environment_mismatch:tenant",
    ],
    "binding-expired": ["environment_expired:valid_until"],
}


@pytest.mark.parametrize("case", cases(DECISIONS))
def test_decision(decisions: dict[str, Any], case: dict[str, Any]) -> None:
    verdict = evaluate(
        source=case["source"],
        stored=case["stored_environment"],
        current=case["current_environment"],
        caller_metadata=case["caller_metadata"],
        now=decisions["now"],
    )
    wanted = case["expected_reasons"] if "expected_reasons" in case else REASONS[case["id"]]
    assert verdict.model_dump(mode="json") == {
        "status": case["expected_status"],
        "reasons": wanted,
        "may_influence_action": case["expected_status"] == "MATCH",
        "authorizes_action": False,
    }


def decide(document: dict[str, Any], lineage: list[dict[str, Any]]) -> tuple[str, list[str]]:
    verdict = evaluate(
        source=document["source"],
        stored=document["stored_environment"],
        current=document["current_environment"],
        lineage=lineage,
        now=document["now"],
    )
    return verdict.status.value, list(verdict.reasons)


@pytest.mark.parametrize("case", cases(LINEAGE))
def test_lineage_with_its_control(lineages: dict[str, Any], case: dict[str, Any]) -> None:
    if case.get("exclude"):
        assert case["exclusion_reason"]
        return
    assert decide(lineages, case["lineage"]) == (case["expected_status"], case["expected_reasons"])
    control = case["negative_control"]
    assert decide(lineages, control["lineage"]) == (control["expected_status"], [])


def test_lineage_cases_are_accounted_for(lineages: dict[str, Any]) -> None:
    contract = lineages["benchmark_contract"]
    excluded = [case for case in lineages["cases"] if case.get("exclude")]
    assert len(excluded) == contract["expected_excluded"]
    assert len(lineages["cases"]) - len(excluded) == contract["expected_included"]
    assert all(case["exclusion_reason"] for case in excluded)


def lineage_record(case: dict[str, Any]) -> LineageRecord:
    return LineageRecord.from_json({key: value for key, value in case.items() if not key.startswith("expected_")})


@pytest.mark.parametrize("case", cases(LINEAGE_COVERAGE, "records", "record_id"))
def test_lineage_gaps(specs: Path, case: dict[str, Any]) -> None:
    record = lineage_record(case)
    if record.is_derived:
        assert list(lineage_gaps(record)) == case["expected_gaps"]
        assert lineage_coverage([record]).value == float(case["expected_verified"])
    else:
        assert lineage_coverage([record]).undefined_reason == "no_eligible_derived_records"


def test_lineage_coverage(specs: Path) -> None:
    document = read(specs, LINEAGE_COVERAGE)
    contract = document["benchmark_contract"]
    metric = lineage_coverage(
        [lineage_record(case) for case in document["records"]], enumerable=document["derived_population_enumerable"]
    )
    assert (metric.numerator, metric.denominator) == (
        contract["expected_coverage_numerator"],
        contract["expected_coverage_denominator"],
    )


@pytest.mark.parametrize("case", cases(RECONCILIATION))
def test_reconciliation(specs: Path, case: dict[str, Any]) -> None:
    records = [SourceRecord.from_json(item) for item in case["records"]]
    inventories = [SourceInventory.from_json(item) for item in case["inventories"]]
    got: dict[str, object] = {metric.name: metric.value for metric in source_coverage(records, inventories)}
    got.update(reconcile(records, inventories).model_dump(mode="json"))
    assert {name: got[name] for name in case["expected"]} == case["expected"]
