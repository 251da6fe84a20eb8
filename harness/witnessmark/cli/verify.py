"""``witnessmark verify``: check evidence without a retriever."""

from __future__ import annotations

from pathlib import Path

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option

__all__ = ["command"]


@click.command(name="verify")
@click.argument("evidence", type=click.Path(path_type=Path))
@json_option
def command(evidence: Path, json_output: bool) -> int:
    """Check a run directory or an artifact, and recompute it.

    EVIDENCE is a run directory or an assessment.json. Exit 0 means that the evidence is what it says it is, never that
    the outcome is a pass; altered or malformed evidence is exit 4. An artifact without its transcript is consistent at
    best: nobody can recompute it.
    """
    from witnessmark.rundir import read_assessment, verify

    found = verify(evidence)
    if json_output:
        emit_json(found)
        return Exit.OK
    for check in found.checks:
        click.echo(f"ok  {check}")
    click.echo(f"{found.status.value}: {found.assessment_digest}")
    click.echo(f"outcome stated: {read_assessment(evidence).result.value} (verifying evidence does not change it)")
    return Exit.OK
