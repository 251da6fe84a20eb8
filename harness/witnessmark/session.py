"""An assessment from its inputs to its run directory, which a kill does not lose.

- While it runs, ``RUN.partial/`` holds the inputs and the journal of finished trials. It goes when ``RUN`` is complete.
- Going on reads the inputs from there; nothing has to be said again.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from witnessmark.canonical import model_bytes
from witnessmark.environment import describe_environment
from witnessmark.errors import EvidenceError, InputError
from witnessmark.files import read_bytes, require_absent, write_bytes
from witnessmark.models.session import SessionInputs
from witnessmark.opening import open_states
from witnessmark.run.rebuilt import RebuiltSource
from witnessmark.run.source import TargetSource
from witnessmark.rundir import write_run
from witnessmark.runner import Workforce, assess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from witnessmark.run.trials import Progress
    from witnessmark.runner import Run

__all__ = ["begin", "discard_unstarted", "partial_path", "proceed"]

_INPUTS = "inputs.json"
_JOURNAL = "journal.jsonl"


def partial_path(out: Path) -> Path:
    """Return where an unfinished run of ``out`` is kept."""
    return out.with_name(f"{out.name}.partial")


def begin(out: Path, inputs: SessionInputs) -> None:
    """Write down what is going to be run.

    Raises:
        InputError: ``output_exists``, ``unfinished_run`` or ``unwritable_file``.
    """
    require_absent(out)
    partial = partial_path(out)
    if partial.exists():
        raise InputError(
            "an unfinished run is there",
            code="unfinished_run",
            wanted=f"go on with it (--resume {out}) or delete it",
            where=str(partial),
        )
    write_bytes(partial / _INPUTS, model_bytes(inputs))


def proceed(
    out: Path,
    *,
    workforce: Workforce = Workforce(),  # noqa: B008 - immutable
    on_trial: Callable[[Progress], None] | None = None,
    before: Callable[[SessionInputs, TargetSource], None] | None = None,
) -> Run:
    """Run, or go on with, what `begin` wrote down, and write the run directory.

    Args:
        out: run directory to make.
        workforce: who runs the trials; a resumed run may have another.
        on_trial: called after each trial.
        before: called before the first trial, with the inputs and what opens the states.

    Raises:
        InputError: there is nothing to go on with, or an input is not usable.
        AdapterError: the retriever failed or broke its contract; the finished trials are kept.
        EvidenceError: the inputs or the journal are damaged.
    """
    partial = partial_path(out)
    inputs = _read_inputs(partial, out)
    source = TargetSource({"baseline": inputs.baseline, "candidate": inputs.candidate}, inputs.profile)
    if before is not None:
        before(inputs, source)
    with open_states(source.states, source.profile) as retriever:
        run = assess(
            retriever,
            inputs.suite,
            trials=inputs.trials,
            seed=inputs.seed,
            axes={axis: count or None for axis, count in inputs.axes.items()} or None,
            material_access=inputs.material_access,
            assessed_at=inputs.assessed_at,
            source=source,
            rebuild=RebuiltSource(source),
            workforce=workforce,
            journal=partial / _JOURNAL,
            on_trial=on_trial,
        )
    write_run(out, run, describe_environment())
    shutil.rmtree(partial)
    return run


def discard_unstarted(out: Path) -> None:
    """Remove what `begin` wrote where no trial was finished: nothing is lost, and nothing half-written stays."""
    partial = partial_path(out)
    journal = partial / _JOURNAL
    if (partial / _INPUTS).is_file() and not (journal.is_file() and journal.read_bytes().count(b"\n") > 1):
        shutil.rmtree(partial)


def _read_inputs(partial: Path, out: Path) -> SessionInputs:
    path = partial / _INPUTS
    if not path.is_file():
        raise InputError("there is no unfinished run", code="nothing_to_resume", got=str(out), where=str(partial))
    try:
        return SessionInputs.from_bytes(read_bytes(path), where=str(path))
    except InputError as error:
        raise EvidenceError.from_problems(error.problems) from error
