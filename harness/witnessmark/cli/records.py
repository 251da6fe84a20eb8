"""``witnessmark records``: check auditable memory records (docs/records.md)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say, show_table
from witnessmark.cli.records_coverage import coverage
from witnessmark.cli.records_format import check_format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models.amr import RecordProblem, RecordsCheck, RecordsStamp, RecordsVerification, RelationsReport

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
    """Check memory records (AMR 0.1, atproto): strength, links, citations, how much can be verified."""


command.add_command(coverage)


@command.command()
@click.argument("path", type=_PATH, metavar="PATH")
@click.option(
    "--level",
    type=click.Choice(["1", "2", "3"]),
    default="3",
    show_default=True,
    help="1 Marked, 2 Linked, 3 Cited.",
)
@click.option(
    "--format",
    "record_format",
    default="amr",
    show_default=True,
    metavar="NAME",
    help="Format of the records; --level and --root are for amr only.",
)
@_root_option
@json_option
def check(path: Path, level: str, record_format: str, root: Path | None, json_output: bool) -> Exit:
    """Check the records in PATH, a folder or a file (*.md with front matter, *.json), against a level of AMR 0.1.

    Records of another format are checked against the rules of that format. Exit code 0 where every record conforms, 1
    where one does not, 4 where a file cannot be read.
    """
    if record_format != "amr":
        return check_format(path, record_format, json_output)
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


@command.command()
@click.argument("path", type=_PATH, metavar="PATH")
@click.option("--of", metavar="REF", help="The relations of one record; REF with or without .md.")
@_root_option
@json_option
def relations(path: Path, of: str | None, root: Path | None, json_output: bool) -> Exit:
    """Show what the records in PATH declare to be backed by and to contradict, in both directions, as exact sets.

    Nothing is ranked and nothing is resolved. Exit code 1 where a link is malformed, 4 where a file cannot be read.
    """
    from witnessmark.amr.relations import relations_of
    from witnessmark.amr.store import Store

    report = relations_of(Store(path, root=root), of)
    if json_output:
        emit_json(report)
    else:
        _show_relations(report)
    return _exit(report.problems)


@command.command()
@click.argument("path", type=_PATH, metavar="PATH")
@_root_option
@json_option
def verify(path: Path, root: Path | None, json_output: bool) -> Exit:
    """Compare every citation and claim in PATH with its own hash and with its source.

    Four outcomes: ok, anchor_tampered, source_drifted, source_missing. Exit code 1 where one is tampered or drifted or
    malformed or a claim's id is wrong, 3 where a source is missing or nothing is cited, 4 where a file cannot be read.
    """
    from witnessmark.amr.store import Store
    from witnessmark.amr.verify import verify_records

    report = verify_records(Store(path, root=root))
    if json_output:
        emit_json(report)
    else:
        _show_verification(report)
    found = _exit(report.problems)
    outcomes = report.outcomes
    if found is Exit.OK and (outcomes.anchor_tampered or outcomes.source_drifted or report.claim_id_mismatch_count):
        return Exit.FAIL
    if found is Exit.OK and (outcomes.source_missing or not report.citations):
        return Exit.INDETERMINATE
    return found


@command.command()
@click.argument("path", type=_PATH, metavar="PATH")
@click.option("--out", type=_PATH, metavar="FOLDER", help="Write the stamped files here, and leave PATH as it is.")
@_root_option
@json_option
def stamp(path: Path, out: Path | None, root: Path | None, json_output: bool) -> Exit:
    """Add the declaration and the missing hashes of quotes to the records in PATH, and change nothing else.

    A record that would not conform afterwards is left alone. Exit code 1 where one is, 4 where a file cannot be read.
    """
    from witnessmark.amr.stamp import stamp_records
    from witnessmark.amr.store import Store
    from witnessmark.files import new_directory, write_bytes

    store = Store(path, root=root)
    if out is None:
        report = stamp_records(store, lambda file, data: write_bytes(file, data, mode=file.stat().st_mode & 0o777))
    else:
        with new_directory(out) as staging:
            report = stamp_records(store, lambda file, data: write_bytes(staging / file.relative_to(store.root), data))
    if json_output:
        emit_json(report)
    else:
        _show_stamp(report)
    return _exit(report.problems)


def _exit(problems: Sequence[RecordProblem]) -> Exit:
    found = {problem.severity for problem in problems}
    if "unreadable" in found:
        return Exit.INVALID
    return Exit.FAIL if found - {"warning"} else Exit.OK


def _show_relations(report: RelationsReport) -> None:
    _show_problems(report.problems)
    show_table(
        ["record", "backed by", "backs", "contradicts", "contradicted by"],
        [
            [
                item.record if item.present else f"{item.record} (not here)",
                *("\n".join(refs) for refs in (item.backed_by, item.backs, item.contradicts, item.contradicted_by)),
            ]
            for item in report.records
        ],
    )
    for link in report.one_sided:
        click.echo(f"one-sided: {link.record} contradicts {link.contradicts}, which does not say so")
    click.echo(f"{report.record_count} records read; contradictions resolve nothing")


def _show_verification(report: RecordsVerification) -> None:
    _show_problems(report.problems)
    for item in report.citations:
        partial = " (partial)" if item.partial else ""
        wrong_id = f"; claim_id is not {item.claim_id}" if item.claim_id_status == "mismatch" else ""
        click.echo(f"{item.status}{partial}: {item.where}: {item.kind} of {item.ref}: {item.detail}{wrong_id}")
    for ref in report.uncited:
        click.echo(f"uncited: {ref}")
    counts = report.outcomes
    click.echo(
        f"{len(report.citations)} citations and claims in {report.record_count} records: {counts.ok} ok, "
        f"{counts.anchor_tampered} anchor tampered, {counts.source_drifted} source drifted, "
        f"{counts.source_missing} source missing; {report.partial_count} partial"
    )


def _show_stamp(report: RecordsStamp) -> None:
    _show_problems(report.problems)
    for item in report.stamped:
        click.echo(f"stamped: {item.where}: {', '.join(item.added)}")
    say(
        f"{len(report.stamped)} of {report.record_count} records stamped, {report.unchanged_count} lacked nothing, "
        f"{report.refused_count} left alone"
    )


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
