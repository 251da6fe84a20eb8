"""``witnessmark records check --format NAME``: the rules of any record format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json

if TYPE_CHECKING:
    from pathlib import Path

    from witnessmark.models.record_check import FormatCheck

__all__ = ["check_format"]

_UNREADABLE = frozenset(
    {"byte_order_mark", "duplicate_key", "invalid_json", "invalid_utf8", "leaves_root", "too_large", "unreadable_file"}
)
"""Codes that say that a file could not be read, not that a record breaks a rule."""


def check_format(path: Path, record_format: str, json_output: bool) -> Exit:
    """Read every record and print what is wrong, and what is masked."""
    report = _report(path, record_format)
    if json_output:
        emit_json(report)
    else:
        for problem in report.problems:
            click.echo(f"invalid[{problem.code}]: {problem.where}: {problem.message}")
        for key, masks in report.masked.items():
            click.echo(f"masked: {key} by {', '.join(masks)}")
        click.echo(
            f"{len(report.problems)} problems"
            if report.record_count is None
            else f"{report.record_count} records, {len(report.masked)} masked"
        )
    if not report.problems:
        return Exit.OK
    return Exit.INVALID if any(problem.code in _UNREADABLE for problem in report.problems) else Exit.FAIL


def _report(path: Path, record_format: str) -> FormatCheck:
    from witnessmark.checkpoint.formats import open_records
    from witnessmark.errors import InputError
    from witnessmark.models.record_check import FormatCheck, FormatProblem
    from witnessmark.registry import find_record_format

    find_record_format(record_format)
    count = 0
    masked: dict[str, tuple[str, ...]] = {}
    try:
        for record in open_records(path, record_format):
            count += 1
            masks = (record.model_extra or {}).get("masked_by")
            if isinstance(masks, list):
                masked[record.key] = tuple(map(str, masks))
    except InputError as error:
        problems = tuple(
            FormatProblem(code=item.code, where=item.where, message=str(item._replace(where=None)))
            for item in error.problems
        )
        return FormatCheck(record_format=record_format, problems=problems)
    return FormatCheck(record_format=record_format, record_count=count, masked=masked)
