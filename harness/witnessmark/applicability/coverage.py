"""How much of a set of evidence can be verified: metrics, gaps and reconciliation with inventories (facts §5).

- Metrics stay apart; there is no total.
- A share of nothing is null with a reason, in every metric.
- An incomplete inventory covers nothing and claims nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.errors import InputError
from witnessmark.models import (
    CoverageMetric,
    CoverageReport,
    LineageState,
    Reconciliation,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from witnessmark.models import (
        EnvironmentBinding,
        EvidenceState,
        LineageRecord,
        LineageSighting,
        Purpose,
        SourceInventory,
        SourceRecord,
    )

__all__ = [
    "cover_evidence",
    "environment_coverage",
    "lineage_coverage",
    "lineage_gaps",
    "reconcile",
    "source_coverage",
]

_KNOWN = frozenset(state.value for state in LineageState)


def cover_evidence(
    evidence: Sequence[EvidenceState], inventories: Sequence[SourceInventory], purpose: Purpose
) -> CoverageReport:
    """Return everything that can be said of a set of evidence.

    Raises:
        InputError: ``duplicate_id``: two pieces of evidence share an id, or two inventories a namespace.
    """
    lineages = [item.lineage for item in evidence]
    return CoverageReport(
        purpose=purpose.name,
        evidence_count=len(evidence),
        metrics=(
            *source_coverage([item.source for item in evidence], inventories),
            environment_coverage([item.environment for item in evidence], purpose),
            lineage_coverage(lineages),
        ),
        reconciliation=reconcile([item.source for item in evidence], inventories),
        lineage_gaps={
            record.record_id: gaps
            for record in sorted(lineages, key=lambda item: item.record_id)
            if record.is_derived and (gaps := lineage_gaps(record))
        },
    )


def source_coverage(
    records: Sequence[SourceRecord], inventories: Sequence[SourceInventory]
) -> tuple[CoverageMetric, ...]:
    """Return the five metrics over sources.

    Raises:
        InputError: ``duplicate_id``: two inventories share a namespace.
    """
    complete = {name for name, inventory in _by_namespace(inventories).items() if inventory.complete}
    counts = {
        "source_field_coverage": sum(bool(item.source_label) for item in records),
        "locator_coverage": sum(item.locator is not None for item in records),
        "refetchable_coverage": sum(item.refetchable for item in records),
        "refetch_verification_coverage": sum(map(_is_verified, records)),
        "source_enumeration_coverage": sum(
            item.source_id is not None and item.source_namespace in complete for item in records
        ),
    }
    return tuple(_metric(name, count, len(records), "no_records") for name, count in counts.items())


def environment_coverage(bindings: Sequence[EnvironmentBinding], purpose: Purpose) -> CoverageMetric:
    """Return the share of evidence that binds every strict dimension of ``purpose``.

    The specification leaves open what is enough; what a purpose is strict about is what evidence cannot do without.
    """
    name = "environment_binding_coverage"
    if not purpose.strict:
        return _undefined(name, "no_strict_dimensions", None, len(bindings))
    bound = sum(all(getattr(item, dimension) is not None for dimension in purpose.strict) for item in bindings)
    return _metric(name, bound, len(bindings), "no_records")


def lineage_coverage(records: Sequence[LineageRecord], *, enumerable: bool = True) -> CoverageMetric:
    """Return the share of derived records whose every dependency was decided; a mismatch found is decided, too.

    Args:
        records: the population; records that are not derived do not count.
        enumerable: whether ``records`` is known to be all of it.

    Raises:
        InputError: ``duplicate_id``: two records share an id.
    """
    name = "lineage_verification_coverage"
    _unique((item.record_id for item in records), "record")
    if not enumerable:
        return _undefined(name, "derived_population_unenumerable", None, None)
    derived = [item for item in records if item.is_derived]
    verified = sum(not lineage_gaps(item) for item in derived)
    return _metric(name, verified, len(derived), "no_eligible_derived_records")


def lineage_gaps(record: LineageRecord) -> tuple[str, ...]:
    """Return why a derived record's lineage is not verified, in the order of its dependencies; empty where it is."""
    if not record.dependencies:
        return ("lineage_undeclared",)
    gaps: list[str] = []
    seen: set[str] = set()
    for dependency in record.dependencies:
        if dependency.dependency_id in seen:
            gaps.append(f"lineage_duplicate:{dependency.dependency_id}")
        else:
            gaps.extend(_dependency_gaps(dependency))
        seen.add(dependency.dependency_id)
    return tuple(gaps)


def reconcile(records: Sequence[SourceRecord], inventories: Sequence[SourceInventory]) -> Reconciliation:
    """Compare declared sources with what complete inventories list.

    Raises:
        InputError: ``duplicate_id``: two inventories share a namespace.
    """
    orphans: list[str] = []
    unindexed: list[str] = []
    incomplete: list[str] = []
    for namespace, inventory in _by_namespace(inventories).items():
        if not inventory.complete:
            incomplete.append(namespace)
            continue
        listed = set(inventory.source_ids)
        indexed = {
            item.source_id for item in records if item.source_namespace == namespace and item.source_id is not None
        }
        orphans.extend(f"{namespace}:{item}" for item in indexed - listed)
        unindexed.extend(f"{namespace}:{item}" for item in listed - indexed)
    return Reconciliation(
        orphans=tuple(sorted(orphans)),
        unindexed=tuple(sorted(unindexed)),
        incomplete_namespaces=tuple(sorted(incomplete)),
        clean=not (orphans or unindexed or incomplete),
    )


def _is_verified(record: SourceRecord) -> bool:
    both = record.expected_digest is not None and record.observed_digest is not None
    return record.refetchable and record.exists is not None and (not record.exists or both)


def _dependency_gaps(dependency: LineageSighting) -> list[str]:
    name, state = dependency.dependency_id, dependency.state
    if state is None:
        return [f"lineage_state_unobserved:{name}"]
    if state not in _KNOWN:
        return [f"lineage_state_unknown:{name}:{state}"]
    if state != LineageState.active:
        return []
    sides = (("expected", dependency.expected_digest), ("observed", dependency.observed_digest))
    return [f"lineage_{side}_digest_unverifiable:{name}" for side, digest in sides if digest is None]


def _by_namespace(inventories: Sequence[SourceInventory]) -> dict[str, SourceInventory]:
    _unique((item.namespace for item in inventories), "inventory of namespace")
    return {item.namespace: item for item in inventories}


def _unique(names: Iterable[str], noun: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"{noun} stands twice", code="duplicate_id", got=repr(name), wanted="one")
        seen.add(name)


def _metric(name: str, numerator: int, denominator: int, empty: str) -> CoverageMetric:
    if not denominator:
        return _undefined(name, empty, 0, 0)
    return CoverageMetric(name=name, numerator=numerator, denominator=denominator, value=numerator / denominator)


def _undefined(name: str, reason: str, numerator: int | None, denominator: int | None) -> CoverageMetric:
    return CoverageMetric(name=name, numerator=numerator, denominator=denominator, value=None, undefined_reason=reason)
