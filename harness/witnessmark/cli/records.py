"""``witnessmark records``: check auditable memory records (docs/records.md)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models.amr import RecordProblem, RecordsCheck

__all__ = ["command"]

_PATH = click.Path(path_type=Path)
_root_option = click.option(
    "--root",
    type=_PATH,
    metavar="FOLDER",
    help="Where refs begin, and what nothing may lead out of. Default: PATH, or the folder that it is in.",
)


@click.group()
def command() -> None:
    """Check auditable memory records (AMR 0.1): strength, links, citations."""


@command.command()
@click.argument("path", type=_PATH, metavar="PATH")
@click.option(
    "--level",
    type=click.Choice(["1", "2", "3"]),
    default="3",
    show_default=True,
    help="1 Marked, 2 Linked, 3 Cited.",
)
@_root_option
@json_option
def check(path: Path, level: str, root: Path | None, json_output: bool) -> Exit:
    """Check the records in PATH, a folder or a file (*.md with front matter, *.json), against a level of AMR 0.1.

    Exit code 0 where every record conforms, 1 where one does not, 4 where a file cannot be read.
    """
    from witnessmark.amr.check import check_records
    from witnessmark.amr.store import Store

    report = check_records(Store(path, root=root), {"1": 1, "2": 2}.get(level, 3))  # type: ignore[arg-type]
    if json_output:
        emit_json(report)
    else:
        _show_check(report)
    if report.unreadable_count:
        return Exit.INVALID
    return Exit.OK if report.conforming_count == report.record_count else Exit.FAIL


def _show_check(report: RecordsCheck) -> None:
    _show_problems(report.problems)
    counts = report.epistemic
    click.echo(
        f"{report.conforming_count} of {report.record_count} records conform to level {report.level}; "
        f"{report.declared_count} declare themselves, {report.unreadable_count} files cannot be read"
    )
    click.echo(
        f"{counts.fact} fact, {counts.inference} inference, {counts.open_question} open question, "
        f"{counts.unverified} unverified, {counts.unmarked} unmarked (not fact), {counts.invalid} invalid"
    )


def _show_problems(problems: Sequence[RecordProblem]) -> None:
    for problem in problems:
        click.echo(f"{problem.severity}[{problem.code}]: {problem.where}: {problem.message}")
