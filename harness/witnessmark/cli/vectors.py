"""``witnessmark vectors``: reference vectors against this implementation."""

from __future__ import annotations

from pathlib import Path

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import as_json, emit_json, json_option, say, show_table

__all__ = ["command"]


@click.group()
def command() -> None:
    """Run reference vectors."""


@command.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@json_option
def run(path: Path | None, *, json_output: bool) -> Exit:
    """Run the vectors of a folder or a file; PATH is the folder that came with this installation by default.

    Exit 0 when every vector agrees, 1 otherwise.
    """
    from witnessmark.vectors import default_vectors, run_vectors

    outcomes = run_vectors(path or default_vectors())
    differing = [item for item in outcomes if not item.agrees]
    if json_output:
        emit_json(
            {
                "vector_count": len(outcomes),
                "differing_count": len(differing),
                "vectors": [as_json(item) for item in outcomes],
            }
        )
    elif differing:
        show_table(("vector", "difference", "why"), [(i.vector, "\n".join(i.differences), i.why) for i in differing])
    kinds = sorted({item.kind for item in outcomes})
    counts = ", ".join(f"{sum(item.kind == kind for item in outcomes)} {kind}" for kind in kinds)
    say(f"{len(outcomes)} vectors ({counts}): {len(outcomes) - len(differing)} agree, {len(differing)} differ")
    return Exit.FAIL if differing else Exit.OK
