"""``witnessmark withhold``: a run without its material, and the salts apart."""

from __future__ import annotations

from pathlib import Path

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say

__all__ = ["command"]

_FILE = click.Path(path_type=Path)


@click.command(name="withhold")
@click.argument("run", type=_FILE)
@click.option(
    "--withhold",
    "materials",
    default="queries,keys,labels",
    show_default=True,
    help="What to withhold: some of queries, keys, labels.",
)
@click.option("--out", required=True, type=_FILE, help="Run directory to write, without the material.")
@click.option("--salts", required=True, type=_FILE, help="Salt file to write; whoever has it has the material.")
@json_option
def command(run: Path, materials: str, out: Path, salts: Path, json_output: bool) -> Exit:
    """Withhold the material of the run directory RUN.

    Salted digests take its place in suite and transcript. The assessment stays as it is, with its signatures and its
    place in logs: its request digests are not salted, and what failed is named in it. Who has the salt file can
    recompute everything: witnessmark verify OUT --salts SALTS.
    """
    from witnessmark.rundir import write_withheld
    from witnessmark.withhold import parse_material

    wanted = parse_material(materials)
    write_withheld(run, out, salts, wanted)
    if json_output:
        emit_json({"run": str(out), "salts": str(salts), "withheld": sorted(item.value for item in wanted)})
    say(f"wrote {out}, and {salts}: keep the latter apart")
    return Exit.OK
