"""``witnessmark audit``: hold the approvals in a log against the evidence."""

from __future__ import annotations

from pathlib import Path

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say, show_table

__all__ = ["command"]

_FILE = click.Path(path_type=Path)


@click.command()
@click.option("--log", "log_file", required=True, type=_FILE, help="The log.")
@click.option("--evidence", multiple=True, type=_FILE, metavar="RUN", help="Run or assessment.json; repeat.")
@click.option("--state", type=_FILE, help="What serves today: checkpoint directory, or a StateReference in JSON.")
@click.option("--policy", "policy_file", type=_FILE, help="The policy that was agreed on beforehand.")
@click.option("--head", "heads", multiple=True, type=_FILE, help="Kept tree head that the log has to extend; repeat.")
@click.option("--key", "keys", multiple=True, type=_FILE, help="Public key of signed heads, PEM; repeat.")
@json_option
def command(
    log_file: Path,
    evidence: tuple[Path, ...],
    state: Path | None,
    policy_file: Path | None,
    heads: tuple[Path, ...],
    keys: tuple[Path, ...],
    json_output: bool,
) -> Exit:
    """List the approvals in a log that went against the evidence.

    Exit 0 if there are none, 1 if there are.

    Nothing is rewritten: an outcome stays what it was, and so does an approval.
    """
    from witnessmark.audit import audit
    from witnessmark.cli.evidence import read_gate_policy, read_heads, read_presented, read_state
    from witnessmark.log import read_log

    if keys and not heads:
        raise click.UsageError("--key is for --head")
    read = read_log(log_file, kept=read_heads(heads, keys, None))
    report = audit(
        read.entries,
        head=read.check.head,
        artifacts=dict(read_presented(path) for path in evidence),
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
    say(f"{report.approvals} approvals, {len(report.violations)} violations in log {report.head.origin!r}")
    return Exit.OK if report.clean else Exit.FAIL
