"""``witnessmark assess``: run a suite on a baseline and a candidate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit, exit_for
from witnessmark.cli.output import emit_json, json_option, say, show_table

if TYPE_CHECKING:
    from datetime import datetime

    from witnessmark.models import ProbeResult
    from witnessmark.runner import Run

__all__ = ["command", "parse_time", "show_run"]


@click.command(name="assess")
@click.option("--baseline", required=True, help="Checkpoint directory or *.target.yaml of the state that is live.")
@click.option("--candidate", required=True, help="Checkpoint directory or *.target.yaml of the state to be promoted.")
@click.option("--suite", "suite_name", required=True, help="*.suite.json, *.suite.yaml or builtin:NAME.")
@click.option("--profile", "profile_name", required=True, help="*.profile.json or builtin:NAME.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Run directory to write; must not exist.")
@click.option("--trials", default=20, show_default=True, help="Sweeps over all questions, 20 or more.")
@click.option("--seed", default=0, show_default=True, help="Seed of the order of questions in each sweep.")
@click.option(
    "--material-access",
    default="public",
    show_default=True,
    type=click.Choice(["public", "restricted", "unavailable_to_verifier"]),
    help="What of the assessed material a verifier can get at.",
)
@click.option("--assessed-at", help="Time of the assessment, RFC 3339 with its zone; now if left out.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever the outcome; errors keep their codes.")
@json_option
def command(
    baseline: str,
    candidate: str,
    suite_name: str,
    profile_name: str,
    out: Path,
    trials: int,
    seed: int,
    material_access: str,
    assessed_at: str | None,
    exit_zero: bool,
    json_output: bool,
) -> int:
    """Assess a candidate checkpoint against a baseline.

    Asks every question of the suite in seeded sweeps, evaluates the probes and leaves a run directory that others can
    recompute. Exit 0 pass, 1 fail, 3 indeterminate; a pass approves nothing.
    """
    from witnessmark.builtin import read_named
    from witnessmark.checkpoint.targets import resolve_target
    from witnessmark.environment import describe_environment
    from witnessmark.models import RetrieverProfile
    from witnessmark.opening import open_states
    from witnessmark.rundir import write_run
    from witnessmark.runner import assess
    from witnessmark.suites import load_suite

    suite = load_suite(suite_name)
    where, data = read_named(profile_name, "profile")
    profile = RetrieverProfile.from_bytes(data, where=where)
    states = {"baseline": resolve_target(baseline), "candidate": resolve_target(candidate)}
    with open_states(states, profile) as retriever:
        run = assess(
            retriever,
            suite,
            trials=trials,
            seed=seed,
            material_access=material_access,
            assessed_at=parse_time(assessed_at),
        )
    write_run(out, run, describe_environment())
    if json_output:
        emit_json(run.assessment)
    else:
        show_run(run)
    say(f"wrote {out}")
    return Exit.OK if exit_zero else exit_for(run.assessment.result)


def parse_time(text: str | None) -> datetime | None:
    """Return the time that ``text`` names, or None for None.

    Raises:
        InputError: ``naive_timestamp`` or ``wrong_type``.
    """
    if text is None:
        return None
    from pydantic import TypeAdapter, ValidationError

    from witnessmark.errors import InputError
    from witnessmark.models.base import Timestamp, validation_problems

    adapter: TypeAdapter[datetime] = TypeAdapter(Timestamp)
    try:
        return adapter.validate_python(text)
    except ValidationError as error:
        raise InputError.from_problems(validation_problems(error, where="--assessed-at")) from error


def show_run(run: Run) -> None:
    """Print the probes of a run, and the five questions that must never become one."""
    notes = {item.probe_id: item.notes for item in run.diagnoses}
    show_table(
        ("probe", "kind", "result", "why"),
        [
            (
                item.probe_id if item.required else f"{item.probe_id} (not required)",
                probe.kind,
                item.result.value,
                _why(item, notes.get(item.probe_id, ())),
            )
            for probe, item in zip(run.suite.probes, run.assessment.probe_results, strict=True)
        ],
    )
    assessment = run.assessment
    coverage = assessment.coverage
    click.echo(
        f"evidence validity   valid: agrees with itself and follows from its transcript\n"
        f"behavioral outcome  {assessment.result.value}: of {coverage.required_probe_count} required probes "
        f"{coverage.passed} pass, {coverage.failed} fail, {coverage.indeterminate} indeterminate"
        f"{'; with a confidentiality failure' if assessment.security_flags.contains_confidentiality_failure else ''}\n"
        f"applicability       not asked here: a policy says what evidence has to be about\n"
        f"gate                not asked here: witnessmark gate --policy ... decides on presented evidence\n"
        f"audit history       nothing recorded here: an assessment approves nothing"
    )


def _why(result: ProbeResult, notes: tuple[str, ...]) -> str:
    parts = [*(reason.value for reason in result.reasons), *result.violations]
    parts.extend(note for note in notes if not note.startswith(("relation held", "ties unobservable")) or not parts)
    return "; ".join(parts)
