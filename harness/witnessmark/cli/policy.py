"""``witnessmark policy``: make a gate policy from a run."""

from __future__ import annotations

from pathlib import Path

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say

__all__ = ["command"]


@click.group(name="policy")
def command() -> None:
    """Make gate policies."""


@command.command(name="make")
@click.option("--run", "run_path", required=True, type=click.Path(path_type=Path), help="Run directory to be about.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the policy here instead of to stdout.")
@click.option("--logical", is_flag=True, help="Pin the checkpoints only, not their retrieval states.")
@click.option("--not-before", help="Earliest assessment time that counts, with its zone; included.")
@click.option("--not-after", help="Latest assessment time that counts, with its zone; included.")
@json_option
def make(
    run_path: Path, out: Path | None, logical: bool, not_before: str | None, not_after: str | None, json_output: bool
) -> int:
    """Write the policy that asks for evidence about what a run was about.

    It pins both states, the suite and the profile. It says nothing about the run's outcome: read it, and adopt it, as
    your own.
    """
    from witnessmark.canonical import model_bytes
    from witnessmark.files import write_bytes
    from witnessmark.rundir import policy_for, read_assessment

    policy = policy_for(read_assessment(run_path), logical=logical, not_before=not_before, not_after=not_after)
    if out is not None:
        write_bytes(out, model_bytes(policy) + b"\n")
        say(f"wrote {out}")
    if out is None or json_output:
        emit_json(policy)
    return Exit.OK
