"""``witnessmark demo``: the whole way once, on shipped memory with four planted regressions."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say, show_table

if TYPE_CHECKING:
    from datetime import datetime

    from witnessmark.canonical import JsonValue
    from witnessmark.models import AssessmentGateEvaluation, ProbeSuite, RetrieverProfile
    from witnessmark.runner import Run

__all__ = ["PLANTED", "command"]

PLANTED = (
    "correction/backup-time",
    "anchor/payment-restart",
    "isolation/larkfield-contract",
    "context/retention",
)
"""The probes that the candidate fails, one a kind: a reworded correction, an anchor crowded out by near-duplicates, a
record that lost its tenant, and two projects that lost their labels."""

_PROFILE = "builtin:wordllama-flat-ip"
_SUITE = "builtin:demo"
_STATES = ("baseline", "candidate", "repaired")
_ASSESSED = ("candidate", "repaired")


@dataclass(frozen=True)
class _Outcome:
    """One candidate: its run, and what a gate says of it."""

    run: Run
    gate: AssessmentGateEvaluation


@click.command(name="demo")
@click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Directory to make.")
@click.option("--assessed-at", help="Time of the assessments, RFC 3339 with its zone; now if left out.")
@json_option
def command(out: Path, assessed_at: str | None, json_output: bool) -> Exit:
    """Build, pin, assess and gate shipped memory with four planted regressions.

    Three checkpoints of an operations agent's memory are built, two are assessed, a gate is asked about both. The
    candidate carries four planted regressions, one a probe kind; the repaired candidate carries none. Exit 0 if exactly
    these four are found in the one and nothing is in the other.
    """
    from witnessmark.builtin import read_named
    from witnessmark.cli.assess import parse_time
    from witnessmark.files import new_directory
    from witnessmark.suites import load_suite

    when = parse_time(assessed_at)
    suite = load_suite(_SUITE)
    with new_directory(out) as staging:
        (staging / "demo.suite.json").write_bytes(read_named(_SUITE, "suite")[1])
        profile = _build(staging)
        outcomes = {name: _assess(staging, name, suite, profile, when) for name in _ASSESSED}
    following = _commands(out)
    if json_output:
        emit_json(_as_data(outcomes, following))
    else:
        _show(outcomes)
        click.echo("Try next:")
        for line in following:
            click.echo(f"  {line}")
    say(f"wrote {out}")
    _require_promise(outcomes)
    return Exit.OK


def _build(folder: Path) -> RetrieverProfile:
    """Write the records, build the three checkpoints, pin the retriever; return the pinned profile."""
    from witnessmark.builtin import read_named
    from witnessmark.checkpoint.build import build_checkpoint
    from witnessmark.checkpoint.targets import resolve_target
    from witnessmark.models import RetrieverProfile
    from witnessmark.pin import pin_target, write_pin
    from witnessmark.ports import CheckpointAdapter
    from witnessmark.registry import find_adapter

    where, data = read_named(_PROFILE, "profile")
    profile = RetrieverProfile.from_bytes(data, where=where)
    adapter, source = find_adapter(profile.implementation_id)
    if not isinstance(adapter, CheckpointAdapter):
        raise TypeError(f"{source.value} builds no checkpoints")
    with as_file(files("witnessmark_probes") / "demo") as shipped:
        for name in _STATES:
            records = folder / f"{name}.records.jsonl"
            records.write_bytes((shipped / records.name).read_bytes())
            build_checkpoint(
                records,
                profile=profile,
                adapter_name=source.name,
                adapter=adapter,
                out=folder / name,
                extends=None if name == "baseline" else folder / "baseline",
            )
    pinned = pin_target(resolve_target(folder / "baseline"))
    write_pin(pinned, folder / "demo.profile.json")
    return pinned.profile


def _assess(folder: Path, name: str, suite: ProbeSuite, profile: RetrieverProfile, when: datetime | None) -> _Outcome:
    """Assess one candidate, leave its run and its policy in ``folder``, and ask the gate."""
    from witnessmark.canonical import model_bytes
    from witnessmark.checkpoint.targets import resolve_target
    from witnessmark.environment import describe_environment
    from witnessmark.files import write_bytes
    from witnessmark.gate import evaluate_gate
    from witnessmark.opening import open_states
    from witnessmark.rundir import policy_for, read_assessment, verify, write_run
    from witnessmark.runner import assess

    states = {"baseline": resolve_target(folder / "baseline"), "candidate": resolve_target(folder / name)}
    with open_states(states, profile) as retriever:
        run = assess(retriever, suite, assessed_at=when)
    path = folder / f"{name}-run"
    write_run(path, run, describe_environment())
    verify(path)
    evidence = read_assessment(path)
    policy = policy_for(evidence)
    write_bytes(folder / f"{name}.policy.json", model_bytes(policy) + b"\n")
    return _Outcome(run, evaluate_gate(policy, [evidence]))


def _failed(run: Run) -> tuple[str, ...]:
    from witnessmark.models import BehavioralResult

    results = run.assessment.probe_results
    return tuple(item.probe_id for item in results if item.result is not BehavioralResult.pass_)


def _require_promise(outcomes: dict[str, _Outcome]) -> None:
    found = {name: (_failed(item.run), item.gate.satisfied) for name, item in outcomes.items()}
    if found != {"candidate": (PLANTED, False), "repaired": ((), True)}:
        raise RuntimeError(f"the demo does not show what it promises: {found}")


def _show(outcomes: dict[str, _Outcome]) -> None:
    for name, outcome in outcomes.items():
        assessment = outcome.run.assessment
        coverage = assessment.coverage
        leak = ", with a confidentiality failure" if assessment.security_flags.contains_confidentiality_failure else ""
        click.echo(
            f"{name}, {assessment.candidate_state.indexed_item_count} memories: {assessment.result.value}, "
            f"{coverage.passed} of {coverage.required_probe_count} probes pass{leak}"
        )
        rows = [
            [item.probe_id, probe.kind, item.result.value, "; ".join(item.violations)]
            for probe, item in zip(outcome.run.suite.probes, assessment.probe_results, strict=True)
            if item.probe_id in _failed(outcome.run)
        ]
        if rows:
            show_table(["probe", "kind", "result", "why"], rows)
        reasons = ", ".join(reason.value for reason in outcome.gate.reasons)
        said = "satisfied, which approves nothing" if outcome.gate.satisfied else f"not satisfied: {reasons}"
        click.echo(f"gate: {said}\n")


def _as_data(outcomes: dict[str, _Outcome], following: list[str]) -> dict[str, JsonValue]:
    from witnessmark.canonical import canonical_digest

    return {
        "candidates": {
            name: {
                "assessment_digest": canonical_digest(outcome.run.assessment),
                "result": outcome.run.assessment.result.value,
                "not_passed": list(_failed(outcome.run)),
                "gate_satisfied": outcome.gate.satisfied,
            }
            for name, outcome in outcomes.items()
        },
        "next": list(following),
    }


def _commands(out: Path) -> list[str]:
    """Return three commands to go on with, ready to be pasted."""
    baseline, candidate, profile, again, run = (
        shlex.quote(str(out / name))
        for name in ("baseline", "candidate", "demo.profile.json", "again", "candidate-run")
    )
    return [
        f"witnessmark checkpoint diff {baseline} {candidate}",
        f"witnessmark assess --baseline {baseline} --candidate {candidate} --suite {_SUITE} "
        f"--profile {profile} --out {again}",
        f"witnessmark verify {run}",
    ]
