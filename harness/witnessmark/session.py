"""An assessment from its inputs to its run directory, which a kill does not lose.

- While it runs, ``RUN.partial/`` holds the inputs and the journal of finished trials. It goes when ``RUN`` is complete.
- Going on reads the inputs from there; nothing has to be said again.
- A run that is for a log is entered there before its first trial, and with its end before ``RUN`` appears.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from functools import partial as partial_function
from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.canonical import canonical_digest, model_bytes, sha256_digest
from witnessmark.environment import describe_environment
from witnessmark.errors import EvidenceError, InputError
from witnessmark.files import read_bytes, require_absent, write_bytes
from witnessmark.log import Registration
from witnessmark.models.log import RunPlan, RunStarted
from witnessmark.models.session import SessionInputs
from witnessmark.opening import open_states
from witnessmark.run.rebuilt import RebuiltSource
from witnessmark.run.source import TargetSource
from witnessmark.rundir import write_run, write_withheld
from witnessmark.runner import Workforce, assess

if TYPE_CHECKING:
    from collections.abc import Callable

    from witnessmark.models import TranscriptHeader
    from witnessmark.run.trials import Progress
    from witnessmark.runner import Run

__all__ = ["begin", "discard_unstarted", "partial_path", "proceed", "require_log"]

_INPUTS = "inputs.json"
_JOURNAL = "journal.jsonl"
_LOG = "log.json"
_WHOLE = "whole"


def partial_path(out: Path) -> Path:
    """Return where an unfinished run of ``out`` is kept."""
    return out.with_name(f"{out.name}.partial")


def begin(out: Path, inputs: SessionInputs, *, log: Path | None = None) -> None:
    """Write down what is going to be run, and in which log it is to be entered.

    Raises:
        InputError: ``output_exists``, ``unfinished_run``, ``unreadable_file`` (no such log) or ``unwritable_file``.
        EvidenceError: ``log`` is not a log.
    """
    require_absent(out)
    if inputs.salts is not None:
        require_absent(Path(inputs.salts))
    partial = partial_path(out)
    if partial.exists():
        raise InputError(
            "an unfinished run is there",
            code="unfinished_run",
            wanted=f"go on with it (--resume {out}) or delete it",
            where=str(partial),
        )
    if log is not None:
        Registration.plan(partial / _LOG, log)
    write_bytes(partial / _INPUTS, model_bytes(inputs))


def proceed(
    out: Path,
    *,
    workforce: Workforce = Workforce(),  # noqa: B008 - immutable
    on_trial: Callable[[Progress], None] | None = None,
    before: Callable[[SessionInputs, TargetSource], None] | None = None,
    on_open: Callable[[], None] | None = None,
) -> Run:
    """Run, or go on with, what `begin` wrote down, and write the run directory.

    Args:
        out: run directory to make.
        workforce: who runs the trials; a resumed run may have another.
        on_trial: called after each trial.
        before: called before the first trial, with the inputs and what opens the states.
        on_open: called when the states are open and their libraries loaded.

    Raises:
        InputError: there is nothing to go on with, or an input is not usable.
        AdapterError: the retriever failed or broke its contract; the finished trials are kept.
        EvidenceError: the inputs, the journal or the log are damaged.
    """
    partial = partial_path(out)
    inputs = _read_inputs(partial, out)
    registration = Registration.find(partial / _LOG)
    source = TargetSource({"baseline": inputs.baseline, "candidate": inputs.candidate}, inputs.profile)
    if before is not None:
        before(inputs, source)
    with open_states(source.states, source.profile) as retriever:
        if on_open is not None:
            on_open()
        run = assess(
            retriever,
            inputs.suite,
            trials=inputs.trials,
            seed=inputs.seed,
            axes=inputs.chosen_axes(),
            material_access=inputs.material_access,
            assessed_at=inputs.assessed_at,
            source=source,
            rebuild=RebuiltSource(source),
            workforce=workforce,
            journal=partial / _JOURNAL,
            on_start=None if registration is None else partial_function(_enter, registration),
            on_trial=on_trial,
        )
    if registration is not None:
        registration.end(run.assessment, canonical_digest(run.assessment), sha256_digest(run.transcript_bytes))
    if inputs.salts is None:
        write_run(out, run, describe_environment())
    else:
        # The material stays in the partial folder, also where a kill comes in between.
        shutil.rmtree(partial / _WHOLE, ignore_errors=True)
        write_run(partial / _WHOLE, run, describe_environment())
        write_withheld(partial / _WHOLE, out, Path(inputs.salts), inputs.withhold)
    shutil.rmtree(partial)
    return run


def require_log(out: Path, log: Path) -> None:
    """Refuse to go on with a run in another log than it began in.

    Raises:
        InputError: ``other_log``.
        EvidenceError: what was written down is damaged.
    """
    registration = Registration.find(partial_path(out) / _LOG)
    began = None if registration is None else registration.log
    if began != log.absolute():
        raise InputError(
            "the run did not begin in that log",
            code="other_log",
            got=str(log),
            wanted="no log" if began is None else str(began),
            where=str(out),
        )


def discard_unstarted(out: Path, reason: str) -> bool:
    """Remove what `begin` wrote where no trial was finished: nothing is lost, and nothing half-written stays.

    Where a log has the start of the run, it is told why there will be no end.

    Returns:
        Whether nothing is left to go on with.
    """
    partial = partial_path(out)
    journal = partial / _JOURNAL
    if journal.is_file() and journal.read_bytes().count(b"\n") > 1:
        return False
    if (partial / _INPUTS).is_file():
        registration = Registration.find(partial / _LOG)
        shutil.rmtree(partial)
        if registration is not None:
            registration.abandon(reason)
    return True


def _enter(registration: Registration, header: TranscriptHeader) -> None:
    registration.start(
        RunStarted(
            started_at=datetime.now(UTC),
            baseline_state=header.baseline_state,
            candidate_state=header.candidate_state,
            probe_suite_digest=header.probe_suite_digest,
            retriever_profile_digest=header.retriever_profile_digest,
            plan=RunPlan(trials=header.trials, seed=header.seed),
        )
    )


def _read_inputs(partial: Path, out: Path) -> SessionInputs:
    path = partial / _INPUTS
    if not path.is_file():
        raise InputError("there is no unfinished run", code="nothing_to_resume", got=str(out), where=str(partial))
    try:
        return SessionInputs.from_bytes(read_bytes(path), where=str(path))
    except InputError as error:
        raise EvidenceError.from_problems(error.problems) from error
