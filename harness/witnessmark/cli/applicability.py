"""``witnessmark applicability``: may stored evidence still influence an action today?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.location import LOCATION
from witnessmark.cli.output import emit_json, json_option, say, show_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import ApplicabilityCheck, CoverageMetric, CoverageReport

__all__ = ["command"]

DEFAULT_PURPOSE = "builtin:current-state"

_purpose_option = click.option(
    "--purpose",
    type=LOCATION,
    default=DEFAULT_PURPOSE,
    show_default=True,
    metavar="PURPOSE",
    help="Which dimensions count: a *.purpose.yaml or *.purpose.json file, or builtin:NAME.",
)
_target_option = click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="SCHEME:ARGUMENT",
    help="Where the present is: git:PATH, checkpoint:DIRECTORY, assessment:RUN, env:DIMENSION=VARIABLE,… Repeatable.",
)


@click.group()
def command() -> None:
    """Ask whether stored evidence is still applicable.

    The answer never authorizes an action.
    """


@command.command()
@click.argument("evidence", type=click.Path(path_type=Path), metavar="EVIDENCE")
@_purpose_option
@_target_option
@click.option("--now", metavar="INSTANT", help="Decide as of this time, as in 2026-08-11T12:00:00Z. Default: now.")
@json_option
def check(evidence: Path, purpose: str, targets: tuple[str, ...], now: str | None, json_output: bool) -> Exit:
    """Look at everything that EVIDENCE (a *.evidence.json file) is bound to, and print the outcome and its reasons.

    Exit code 0 only for MATCH, 1 for every other outcome.
    """
    from datetime import UTC, datetime

    from witnessmark.reobserve import Surroundings, load_purpose, read_evidence
    from witnessmark.reobserve import check as check_evidence

    result = check_evidence(
        read_evidence(evidence), load_purpose(purpose), Surroundings(targets), datetime.now(UTC) if now is None else now
    )
    if json_output:
        emit_json(result)
    else:
        _show_check(result)
    return Exit.OK if result.may_influence_action else Exit.FAIL


@command.command()
@click.argument("evidence", type=click.Path(path_type=Path), metavar="EVIDENCE…", nargs=-1, required=True)
@_purpose_option
@_target_option
@click.option(
    "--inventory",
    "inventories",
    multiple=True,
    metavar="NAMESPACE=SCHEME:ARGUMENT",
    help="List the sources of a namespace: file:FOLDER, git:PATH, checkpoint:DIRECTORY. Repeatable.",
)
@json_option
def coverage(
    evidence: tuple[Path, ...],
    purpose: str,
    targets: tuple[str, ...],
    inventories: tuple[str, ...],
    json_output: bool,
) -> Exit:
    """Report how much of a set of EVIDENCE can be verified. It judges nothing: the exit code is 0."""
    from witnessmark.reobserve import Surroundings, cover, load_purpose, read_evidence

    report = cover(
        [read_evidence(path) for path in evidence], load_purpose(purpose), Surroundings(targets), inventories
    )
    if json_output:
        # Nulls are the point here: a share of nothing is null, not absent.
        emit_json(report.model_dump(mode="json"))
    else:
        _show_coverage(report)
    return Exit.OK


def _show_check(result: ApplicabilityCheck) -> None:
    click.echo(f"{result.status} {result.evidence_id} for {result.purpose} {result.purpose_version}")
    for reason in result.reasons:
        click.echo(f"  {reason}")
    click.echo(f"may influence an action: {'yes' if result.may_influence_action else 'no'}; authorizes an action: no")
    click.echo(f"stored fingerprint  {result.stored_fingerprint}")
    click.echo(f"current fingerprint {result.current_fingerprint}")
    for note in result.notes:
        say(f"note: {note}")


def _show_coverage(report: CoverageReport) -> None:
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
