"""Coverage: metrics apart, nothing out of nothing is null, incomplete inventories claim nothing."""

from __future__ import annotations

import pytest

from witnessmark.applicability.coverage import (
    cover_evidence,
    environment_coverage,
    lineage_coverage,
    lineage_gaps,
    reconcile,
    source_coverage,
)
from witnessmark.errors import InputError
from witnessmark.models import (
    CoverageMetric,
    EnvironmentBinding,
    EvidenceState,
    LineageRecord,
    Purpose,
    SourceInventory,
    SourceRecord,
)

A = "a" * 64
PURPOSE = Purpose.from_json({"name": "p", "version": "1", "dimensions": ["tenant", "branch"], "strict": ["tenant"]})
LOOSE = Purpose.from_json({"name": "p", "version": "1", "dimensions": ["tenant"]})


def record(**fields: object) -> SourceRecord:
    return SourceRecord.from_json({"memory_id": "m", **fields})  # type: ignore[dict-item]


def lineage(*dependencies: dict[str, object], derived: bool = True, name: str = "r") -> LineageRecord:
    return LineageRecord.from_json({"record_id": name, "is_derived": derived, "dependencies": list(dependencies)})  # type: ignore[dict-item]


def test_every_metric_over_nothing_is_null_with_its_reason() -> None:
    report = cover_evidence([], [], PURPOSE)
    assert {item.name: (item.value, item.undefined_reason) for item in report.metrics} == {
        "source_field_coverage": (None, "no_records"),
        "locator_coverage": (None, "no_records"),
        "refetchable_coverage": (None, "no_records"),
        "refetch_verification_coverage": (None, "no_records"),
        "source_enumeration_coverage": (None, "no_records"),
        "environment_binding_coverage": (None, "no_records"),
        "lineage_verification_coverage": (None, "no_eligible_derived_records"),
    }


@pytest.mark.parametrize(
    ("exists", "expected", "observed", "verified"),
    [
        (True, A, A, 1),
        (True, A, "b" * 64, 1),
        (True, A, None, 0),
        (True, None, A, 0),
        (False, None, None, 1),
        (None, A, A, 0),
    ],
)
def test_verified_means_decided_not_equal(
    exists: bool | None, expected: str | None, observed: str | None, verified: int
) -> None:
    item = record(locator="x:y", refetchable=True, exists=exists, expected_digest=expected, observed_digest=observed)
    metrics = {metric.name: metric for metric in source_coverage([item], [])}
    assert metrics["refetch_verification_coverage"].numerator == verified
    assert metrics["refetchable_coverage"].numerator == 1


def test_what_cannot_be_fetched_again_is_never_verified() -> None:
    item = record(locator="x:y", exists=True, expected_digest=A, observed_digest=A)
    assert {metric.name: metric.numerator for metric in source_coverage([item], [])} == {
        "source_field_coverage": 0,
        "locator_coverage": 1,
        "refetchable_coverage": 0,
        "refetch_verification_coverage": 0,
        "source_enumeration_coverage": 0,
    }


def test_refetchable_without_locator_is_an_error() -> None:
    with pytest.raises(InputError, match="a refetchable source should have a locator"):
        record(refetchable=True)


def test_environment_coverage_counts_who_binds_all_that_is_strict() -> None:
    metric = environment_coverage(
        [EnvironmentBinding(tenant="a"), EnvironmentBinding(branch="main"), EnvironmentBinding()], PURPOSE
    )
    assert (metric.numerator, metric.denominator, metric.value) == (1, 3, 1 / 3)


def test_environment_coverage_of_a_purpose_without_strict_dimensions_is_null() -> None:
    metric = environment_coverage([EnvironmentBinding(tenant="a")], LOOSE)
    assert (metric.value, metric.undefined_reason, metric.numerator, metric.denominator) == (
        None,
        "no_strict_dimensions",
        None,
        1,
    )


def test_an_unenumerable_population_has_no_lineage_coverage() -> None:
    metric = lineage_coverage([lineage()], enumerable=False)
    assert (metric.value, metric.undefined_reason) == (None, "derived_population_unenumerable")


@pytest.mark.parametrize("enumerable", [True, False])
def test_a_record_that_stands_twice_is_an_error(enumerable: bool) -> None:
    with pytest.raises(InputError, match=r"record stands twice: got 'r', wanted one"):
        lineage_coverage([lineage(), lineage()], enumerable=enumerable)


@pytest.mark.parametrize(
    ("dependency", "gaps"),
    [
        ({"state": None}, ["lineage_state_unobserved:d"]),
        ({"state": "revoked"}, ["lineage_state_unknown:d:revoked"]),
        ({"state": "Active"}, ["lineage_state_unknown:d:Active"]),
        ({"state": "erased"}, []),
        ({"state": "superseded"}, []),
        (
            {"state": "active"},
            ["lineage_expected_digest_unverifiable:d", "lineage_observed_digest_unverifiable:d"],
        ),
        ({"state": "active", "observed_digest": A}, ["lineage_expected_digest_unverifiable:d"]),
    ],
)
def test_gaps_of_one_dependency(dependency: dict[str, object], gaps: list[str]) -> None:
    assert list(lineage_gaps(lineage({"dependency_id": "d", **dependency}))) == gaps


def test_orphans_and_unindexed_sources_of_complete_namespaces_only() -> None:
    records = [
        record(source_namespace="docs", source_id="gone.md"),
        record(source_namespace="docs", source_id="kept.md"),
        record(source_namespace="web", source_id="gone"),
        record(source_namespace="docs"),
    ]
    inventories = [
        SourceInventory(namespace="web", source_ids=("new",), complete=False),
        SourceInventory(namespace="docs", source_ids=("new.md", "kept.md"), complete=True),
    ]
    found = reconcile(records, inventories)
    assert found.orphans == ("docs:gone.md",)
    assert found.unindexed == ("docs:new.md",)
    assert found.incomplete_namespaces == ("web",)
    assert not found.clean


def test_two_inventories_of_one_namespace_are_an_error() -> None:
    twice = [SourceInventory(namespace="docs", source_ids=(), complete=True)] * 2
    with pytest.raises(InputError, match=r"inventory of namespace stands twice: got 'docs', wanted one"):
        reconcile([], twice)
    with pytest.raises(InputError, match="stands twice"):
        source_coverage([], twice)


def test_an_inventory_that_lists_a_source_twice_is_an_error() -> None:
    with pytest.raises(InputError) as caught:
        SourceInventory.from_json({"namespace": "docs", "source_ids": ["a", "a"], "complete": True})
    assert caught.value.code == "duplicate_id"


def test_a_report_names_the_gaps_of_derived_records_only() -> None:
    evidence = [
        EvidenceState(source=record(), environment=EnvironmentBinding(), lineage=lineage(name="z")),
        EvidenceState(source=record(), environment=EnvironmentBinding(), lineage=lineage(derived=False, name="a")),
        EvidenceState(
            source=record(),
            environment=EnvironmentBinding(tenant="t"),
            lineage=lineage({"dependency_id": "d", "state": "erased"}, name="m"),
        ),
    ]
    report = cover_evidence(evidence, [], PURPOSE)
    assert report.lineage_gaps == {"z": ("lineage_undeclared",)}
    assert report.metrics[-1] == CoverageMetric(
        name="lineage_verification_coverage", numerator=1, denominator=2, value=0.5
    )
    assert report.reconciliation.clean


def test_a_null_without_a_reason_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        CoverageMetric.from_json({"name": "x", "numerator": 0, "denominator": 0, "value": None})
    assert caught.value.code == "contradicts_itself"
