"""``witnessmark rerun``: does a run come out the same again?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.location import LOCATION
from witnessmark.cli.output import as_json, emit_json, json_option, say

if TYPE_CHECKING:
    from witnessmark.models import StateReference
    from witnessmark.models.rerun import RerunReport

__all__ = ["command"]


@click.command(name="rerun")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--baseline", required=True, type=LOCATION, help="Checkpoint directory or *.target.yaml of the baseline.")
@click.option(
    "--candidate", required=True, type=LOCATION, help="Checkpoint directory or *.target.yaml of the candidate."
)
@click.option("--out", type=click.Path(path_type=Path), help="Run directory to write; nothing is written without it.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1), help="Processes that share a trial.")
@click.option("--timeout", default=300.0, show_default=True, help="Seconds that one call may take; 0 is no bound.")
@click.option("--retries", default=2, show_default=True, help="Repeats of a call after an error that may pass.")
@json_option
def command(
    run: Path,
    baseline: str,
    candidate: str,
    out: Path | None,
    workers: int,
    timeout: float,
    retries: int,
    json_output: bool,
) -> Exit:
    """Run RUN again and say what was reproduced.

    Suite, profile, trials, axes and seed are those of the run directory RUN. Exit 0 if every answer and every result
    came again from the same states, else 1. What differs in the environment is listed; it decides nothing.
    """
    from witnessmark.checkpoint.targets import resolve_target
    from witnessmark.cli.progress import TrialProgress
    from witnessmark.environment import describe_environment
    from witnessmark.files import require_absent
    from witnessmark.rerun import rerun
    from witnessmark.run.patience import Patience
    from witnessmark.rundir import write_run
    from witnessmark.runner import Workforce

    if out is not None:
        require_absent(out)
    workforce = Workforce(workers=workers, patience=Patience(timeout=timeout, retries=retries))
    with TrialProgress() as progress:
        found = rerun(run, resolve_target(baseline), resolve_target(candidate), workforce=workforce, on_trial=progress)
    if out is not None:
        write_run(out, found.run, describe_environment())
        say(f"wrote {out}")
    if json_output:
        emit_json(found.report)
    else:
        _show(found.report)
    return Exit.OK if found.report.reproduced else Exit.FAIL


def _show(report: RerunReport) -> None:
    counts = Counter((item.axis.value, item.status.value) for item in report.answers)
    for axis in dict.fromkeys(item.axis.value for item in report.answers):
        reproduced, diverged = counts[axis, "reproduced"], counts[axis, "diverged"]
        click.echo(f"axis {axis}: {reproduced} answers reproduced, {diverged} diverged")
    for item in report.answers:
        if item.first_difference is not None:
            click.echo(
                f"diverged: {item.request_digest} on {item.state_name!r}, axis {item.axis.value}, "
                f"from rank {item.first_difference}: {item.recorded} orderings then, {item.observed} now"
            )
    for state in report.states:
        click.echo(f"state {state.state_name!r}: {_plain(state.recorded)} then, {_plain(state.observed)} now")
    for result in report.results:
        click.echo(f"probe {result.probe_id!r}: {result.recorded.value} then, {result.observed.value} now")
    for change in report.environment:
        say(f"environment {change.where}: {json.dumps(change.recorded)} then, {json.dumps(change.observed)} now")
    click.echo("reproduced" if report.reproduced else "diverged")


def _plain(state: StateReference) -> str:
    return json.dumps(as_json(state), sort_keys=True)
