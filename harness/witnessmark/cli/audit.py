"""``witnessmark audit``: hold the approvals in a log against the evidence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.location import LOCATION
from witnessmark.cli.output import emit_json, json_option, say, show_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from witnessmark.log import ReadLog
    from witnessmark.models import ApplicabilityCheck, MemoryCheckpointAssessment
    from witnessmark.reobserve import Today

__all__ = ["command"]

_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--log", "log_file", required=True, type=_FILE, help="The log.")
@click.option("--evidence", multiple=True, type=_FILE, metavar="RUN", help="Run or assessment.json; repeat.")
@click.option("--state", type=_FILE, help="What serves today: checkpoint directory, or a StateReference in JSON.")
@click.option("--policy", "policy_file", type=_FILE, help="The policy that was agreed on beforehand.")
@click.option("--head", "heads", multiple=True, type=_FILE, help="Kept tree head that the log has to extend; repeat.")
@click.option("--key", "keys", multiple=True, type=_FILE, help="Public key of signed heads, PEM; repeat.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="SCHEME:ARGUMENT",
    help="Where the present is; asks whether evidence still applies today. A checkpoint directory, git:PATH, … Repeat.",
)
@click.option(
    "--purpose",
    type=LOCATION,
    default="builtin:current-state",
    show_default=True,
    help="Which dimensions count for that.",
)
@click.option("--now", metavar="TIME", help="Today, RFC 3339 with its zone; now by default.")
@json_option
def command(
    log_file: Path,
    evidence: tuple[Path, ...],
    state: Path | None,
    policy_file: Path | None,
    heads: tuple[Path, ...],
    keys: tuple[Path, ...],
    targets: tuple[str, ...],
    purpose: str,
    now: str | None,
    json_output: bool,
) -> Exit:
    """List the approvals in a log that went against the evidence.

    Exit 0 if there are none, 1 if there are.

    Nothing is rewritten: an outcome stays what it was, and so does an approval. With --target, evidence that no longer
    applies today is listed beside it; that makes no violation of an approval that was right when it was given.
    """
    from witnessmark.audit import audit
    from witnessmark.cli.evidence import read_gate_policy, read_heads, read_presented, read_state, read_time
    from witnessmark.log import read_log
    from witnessmark.reobserve import Surroundings, Today, load_purpose

    if keys and not heads:
        raise click.UsageError("--key is for --head")
    read = read_log(log_file, kept=read_heads(heads, keys, None))
    presented = [read_presented(path) for path in evidence]
    today = None
    if targets:
        asked = Today(load_purpose(purpose), Surroundings(targets), read_time(now, "--now"))
        today = _ask_again(read, evidence, presented, asked)
    report = audit(
        read.entries,
        head=read.check.head,
        artifacts=dict(presented),
        today=today,
        current_state=None if state is None else read_state(state),
        policy=None if policy_file is None else read_gate_policy(policy_file),
    )
    if json_output:
        emit_json(report)
    elif report.violations:
        show_table(
            ("approval", "violation", "about"),
            [(f"entry {item.approval}", item.kind.value, item.subject) for item in report.violations],
        )
    if not json_output:
        for item in report.not_applicable_today:
            why = ", ".join((item.status.value, *item.reasons))
            click.echo(f"approval in entry {item.approval} stands; today its {item.assessment_digest} is {why}")
    say(f"{report.approvals} approvals, {len(report.violations)} violations in log {report.head.origin!r}")
    return Exit.OK if report.clean else Exit.FAIL


def _ask_again(
    read: ReadLog,
    evidence: Sequence[Path],
    presented: Sequence[tuple[str, MemoryCheckpointAssessment | None]],
    today: Today,
) -> Mapping[str, ApplicabilityCheck]:
    """Ask every assessment again that an approval in the log rests on, presented or not."""
    from witnessmark.log import logged_runs
    from witnessmark.models.log import Approval
    from witnessmark.reobserve import check_assessment, check_unseen
    from witnessmark.rundir import ASSESSMENT

    shown = {digest: (artifact, path) for path, (digest, artifact) in zip(evidence, presented, strict=True)}
    states = {run.assessment_digest: run.candidate_state for run in logged_runs(enumerate(read.entries))}
    found: dict[str, ApplicabilityCheck] = {}
    for digest in (item for entry in read.entries if isinstance(entry, Approval) for item in entry.assessments):
        artifact, path = shown.get(digest, (None, None))
        if digest in found:
            continue
        if artifact is None or path is None:
            found[digest] = check_unseen(digest, states.get(digest), today)
        else:
            found[digest] = check_assessment(artifact, path / ASSESSMENT if path.is_dir() else path, today)
    return found
