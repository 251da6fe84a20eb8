"""``witnessmark assess``: run a suite on a baseline and a candidate."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import INTERRUPTED, Exit, exit_for
from witnessmark.cli.location import LOCATION
from witnessmark.cli.output import emit_json, json_option, say, show_table
from witnessmark.errors import WitnessmarkError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from witnessmark.models import ProbeResult, ProbeSuite, RetrieverProfile, Target
    from witnessmark.models.requirements import ItemFindings
    from witnessmark.models.session import SessionInputs
    from witnessmark.run.source import TargetSource
    from witnessmark.runner import Run, Workforce

__all__ = ["command", "parse_time", "show_run"]


@click.command(name="assess")
@click.option("--baseline", type=LOCATION, help="Checkpoint directory or *.target.yaml of the state that is live.")
@click.option("--candidate", type=LOCATION, help="Checkpoint directory or *.target.yaml of the state to be promoted.")
@click.option("--suite", "suite_name", type=LOCATION, help="*.suite.json, *.suite.yaml or builtin:NAME.")
@click.option("--profile", "profile_name", type=LOCATION, help="*.profile.json or builtin:NAME.")
@click.option("--out", type=click.Path(path_type=Path), help="Run directory to write; must not exist.")
@click.option("--resume", type=click.Path(path_type=Path), metavar="RUN", help="Go on with the unfinished run RUN.")
@click.option("--log", "log_file", type=click.Path(path_type=Path), help="Log that the run is entered in.")
@click.option("--trials", default=20, show_default=True, help="Deciding trials in all, 20 or more.")
@click.option(
    "--axes",
    metavar="AXIS[:N],...",
    help="What trials change: sweep, batch, process, rebuild, each with its number of trials or a share. "
    "[default: sweep,process:2]",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the order of questions in each trial.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1), help="Processes that share a trial.")
@click.option("--dask", metavar="ADDRESS", help="Scheduler of a Dask cluster that shares each trial (extra: dask).")
@click.option(
    "--timeout",
    default=300.0,
    show_default=True,
    type=click.FloatRange(0),
    help="Seconds that one call may take; 0 is no bound.",
)
@click.option(
    "--retries",
    default=2,
    show_default=True,
    type=click.IntRange(0),
    help="Repeats of a call after an error that may pass.",
)
@click.option("--self-check", is_flag=True, help="Compare the baseline with itself first and report the noise.")
@click.option(
    "--material-access",
    default="public",
    show_default=True,
    type=click.Choice(["public", "restricted", "unavailable_to_verifier"]),
    help="What of the assessed material a verifier can get at.",
)
@click.option("--withhold", help="Material to withhold from the run directory: some of queries, keys, labels.")
@click.option("--salts", type=click.Path(path_type=Path), help="Salt file to write; goes with --withhold.")
@click.option(
    "--require-applicable",
    "requirements",
    type=click.Path(path_type=Path),
    help="*.requirements.yaml: items of the suite that have to be applicable today; reported, decides nothing.",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="SCHEME:ARGUMENT",
    help="Where the present is, for --require-applicable: a checkpoint directory, git:PATH, … Repeatable.",
)
@click.option("--assessed-at", help="Time of the assessment, RFC 3339 with its zone; now if left out.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever the outcome; errors keep their codes.")
@json_option
def command(
    baseline: str | None,
    candidate: str | None,
    suite_name: str | None,
    profile_name: str | None,
    out: Path | None,
    resume: Path | None,
    log_file: Path | None,
    trials: int,
    axes: str | None,
    seed: int,
    workers: int,
    dask: str | None,
    timeout: float,
    retries: int,
    self_check: bool,
    material_access: str,
    withhold: str | None,
    salts: Path | None,
    requirements: Path | None,
    targets: tuple[str, ...],
    assessed_at: str | None,
    exit_zero: bool,
    json_output: bool,
) -> int:
    """Assess a candidate checkpoint against a baseline.

    Asks every question of the suite in every trial, evaluates the probes and leaves a run directory that others can
    recompute. Exit 0 pass, 1 fail, 3 indeterminate; a pass approves nothing. A run that was killed or interrupted goes
    on with --resume RUN. With --log the run is entered before its first trial, so that one that is abandoned or
    withheld stays visible.
    """
    from witnessmark.cli.progress import TrialProgress
    from witnessmark.models import MaterialAccess
    from witnessmark.models.session import SessionInputs
    from witnessmark.run.plan import make_plan, parse_axes
    from witnessmark.session import begin, discard_unstarted, proceed, require_log
    from witnessmark.withhold import parse_material

    if (withhold is None) != (salts is None):
        raise click.UsageError("--withhold and --salts go together")
    if targets and requirements is None:
        raise click.UsageError("--target is for --require-applicable")
    if resume is None:
        named = {
            "--baseline": baseline,
            "--candidate": candidate,
            "--suite": suite_name,
            "--profile": profile_name,
            "--out": out,
        }
        missing = [name for name, value in named.items() if value is None]
        if missing:
            raise click.UsageError(f"missing {', '.join(missing)} (or --resume RUN)")
        wanted = {} if axes is None else parse_axes(axes)
        make_plan(trials, seed, wanted or None)
        target = Path(str(out))
        session = SessionInputs(
            baseline=_target(str(baseline)),
            candidate=_target(str(candidate)),
            suite=_suite(str(suite_name)),
            profile=_profile(str(profile_name)),
            trials=trials,
            seed=seed,
            axes={axis: count or 0 for axis, count in wanted.items()},
            material_access=MaterialAccess(material_access),
            assessed_at=parse_time(assessed_at),
            withhold=() if withhold is None else tuple(sorted(parse_material(withhold))),
            salts=None if salts is None else str(salts.absolute()),
        )
    else:
        if log_file is not None:
            require_log(resume, log_file)
        target, session = resume, None
    findings: list[ItemFindings] = []

    def before(inputs: SessionInputs, source: TargetSource) -> None:
        # Before the first trial, so that what cannot be read stops the run and not its report.
        if requirements is not None:
            findings.append(_ask_items_again(requirements, targets, inputs.suite))
        if self_check:
            _report_noise(workforce, inputs)

    with ExitStack() as stack:
        workforce = stack.enter_context(_workforce(workers, dask, timeout, retries))
        if session is not None:
            begin(target, session, log=log_file)
        progress = stack.enter_context(TrialProgress())
        try:
            run = proceed(
                target,
                workforce=workforce,
                on_trial=progress,
                before=before,
                on_open=_advise_on_blas,
            )
        except KeyboardInterrupt:
            say(f"interrupted: {_how_to_go_on(target)}")
            return INTERRUPTED
        except WitnessmarkError as error:
            if not discard_unstarted(target, f"{error.code}: {error.problems[0].what}"):
                say(f"stopped: {_how_to_go_on(target)}")
            raise
    if json_output:
        emit_json(run.assessment)
    else:
        show_run(run)
    for found in findings:
        _report_items(found, target)
    say(f"wrote {target}")
    return Exit.OK if exit_zero else exit_for(run.assessment.result)


def _advise_on_blas() -> None:
    from witnessmark.environment import blas_advice

    if advice := blas_advice():
        say(f"warning: {advice}")


def _how_to_go_on(out: Path) -> str:
    from witnessmark.session import partial_path

    return f"{partial_path(out)} keeps the finished trials; go on with: witnessmark assess --resume {out}"


def _target(name: str) -> Target:
    from witnessmark.checkpoint.targets import resolve_target

    return resolve_target(name)


def _suite(name: str) -> ProbeSuite:
    from witnessmark.suites import load_suite

    return load_suite(name)


def _profile(name: str) -> RetrieverProfile:
    from witnessmark.builtin import read_named
    from witnessmark.models import RetrieverProfile

    where, data = read_named(name, "profile")
    return RetrieverProfile.from_bytes(data, where=where)


@contextmanager
def _workforce(workers: int, dask: str | None, timeout: float, retries: int) -> Iterator[Workforce]:
    from witnessmark.run.patience import Patience
    from witnessmark.runner import Workforce

    patience = Patience(timeout=timeout, retries=retries)
    if dask is None:
        yield Workforce(workers=workers, patience=patience)
        return
    from witnessmark.run.cluster import dask_workers

    with dask_workers(dask) as (executor, size):
        yield Workforce(workers=max(workers, size), executor=executor, patience=patience)


def _ask_items_again(requirements: Path, targets: tuple[str, ...], suite: ProbeSuite) -> ItemFindings:
    from datetime import UTC, datetime

    from witnessmark.reobserve import Surroundings, check_items, read_requirements

    return check_items(read_requirements(requirements, suite), Surroundings(targets), datetime.now(UTC))


def _report_items(found: ItemFindings, out: Path) -> None:
    """Write beside the assessment which decisive items are applicable today, and say which are not."""
    from witnessmark.canonical import model_bytes
    from witnessmark.files import write_bytes
    from witnessmark.rundir import APPLICABILITY

    write_bytes(out / APPLICABILITY, model_bytes(found))
    for item in found.findings:
        if not item.check.may_influence_action:
            why = ", ".join((item.check.status.value, *item.check.reasons))
            say(f"not applicable today: item {item.item_key!r} of {', '.join(item.probes)}: {why}")


def _report_noise(workforce: Workforce, inputs: SessionInputs) -> None:
    from witnessmark.noise import measure_noise

    noise = measure_noise(inputs, workforce=workforce)
    if noise.silent:
        say(f"self-check: the baseline does not differ from itself ({noise.questions} requests)")
    else:
        say(
            f"self-check: NOISE: of {noise.questions} requests to the baseline, {noise.unstable} got more than one "
            f"ordering and {noise.differing} differ between two openings; a comparison inherits this"
        )


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
