"""``witnessmark applicability``: may stored evidence still influence an action today?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.coverage import inventory_option, purpose_option, show_coverage, target_option
from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say

if TYPE_CHECKING:
    from witnessmark.models import ApplicabilityCheck

__all__ = ["command"]


@click.group()
def command() -> None:
    """Ask whether stored evidence is still applicable.

    The answer never authorizes an action.
    """


@command.command()
@click.argument("evidence", type=click.Path(path_type=Path), metavar="EVIDENCE")
@purpose_option
@target_option
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
@purpose_option
@target_option
@inventory_option
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
    show_coverage(report, json_output)
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
