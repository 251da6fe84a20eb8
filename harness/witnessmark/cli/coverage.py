"""What the commands share that report how much of something can be verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from witnessmark.cli.location import LOCATION
from witnessmark.cli.output import emit_json, show_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import CoverageMetric, CoverageReport

__all__ = ["inventory_option", "purpose_option", "show_coverage", "target_option"]

DEFAULT_PURPOSE = "builtin:current-state"

purpose_option = click.option(
    "--purpose",
    type=LOCATION,
    default=DEFAULT_PURPOSE,
    show_default=True,
    metavar="PURPOSE",
    help="Which dimensions count: a *.purpose.yaml or *.purpose.json file, or builtin:NAME.",
)
target_option = click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="SCHEME:ARGUMENT",
    help="Where the present is: git:PATH, checkpoint:DIRECTORY, assessment:RUN, env:DIMENSION=VARIABLE,… Repeatable.",
)
inventory_option = click.option(
    "--inventory",
    "inventories",
    multiple=True,
    metavar="NAMESPACE=SCHEME:ARGUMENT",
    help="List the sources of a namespace: file:FOLDER, git:PATH, checkpoint:DIRECTORY. Repeatable.",
)


def show_coverage(report: CoverageReport, json_output: bool) -> None:
    """Print a report, as JSON or as a table."""
    if json_output:
        # Nulls are the point here: a share of nothing is null, not absent.
        emit_json(report.model_dump(mode="json"))
        return
    show_table(["metric", "share", "of", "value"], [_row(metric) for metric in report.metrics])
    found = report.reconciliation
    _show_list("orphan", found.orphans)
    _show_list("unindexed", found.unindexed)
    _show_list("incomplete namespace", found.incomplete_namespaces)
    for record, gaps in report.lineage_gaps.items():
        _show_list(f"lineage gap of {record}", gaps)


def _show_list(noun: str, items: Sequence[str]) -> None:
    for item in items:
        click.echo(f"{noun}: {item}")


def _row(metric: CoverageMetric) -> list[str]:
    counts = ["-" if count is None else str(count) for count in (metric.numerator, metric.denominator)]
    value = f"null ({metric.undefined_reason})" if metric.value is None else f"{metric.value:.3f}"
    return [metric.name, *counts, value]
