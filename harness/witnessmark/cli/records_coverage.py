"""``witnessmark records coverage``: how much of what records say of their origin can be verified."""

from __future__ import annotations

from pathlib import Path

import click

from witnessmark.cli.coverage import inventory_option, purpose_option, show_coverage, target_option
from witnessmark.cli.exits import Exit
from witnessmark.cli.output import json_option
from witnessmark.cli.record_format import format_option

__all__ = ["coverage"]


@click.command()
@click.argument("path", type=click.Path(path_type=Path), metavar="PATH")
@format_option
@purpose_option
@target_option
@inventory_option
@json_option
def coverage(
    path: Path,
    record_format: str | None,
    purpose: str,
    targets: tuple[str, ...],
    inventories: tuple[str, ...],
    json_output: bool,
) -> Exit:
    """Report how much of the provenance of the records in PATH can be verified, each share apart.

    Every source that says it can be fetched again is looked for once, over the network where its locator says so.
    It judges nothing: the exit code is 0.
    """
    from witnessmark.checkpoint.formats import open_records
    from witnessmark.reobserve import Surroundings, cover, load_purpose, record_evidence

    folder = (path if path.is_dir() else path.parent).resolve()
    evidence = record_evidence(open_records(path, record_format), folder)
    show_coverage(cover(evidence, load_purpose(purpose), Surroundings(targets), inventories), json_output)
    return Exit.OK
