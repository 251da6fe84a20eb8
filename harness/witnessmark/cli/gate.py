"""``witnessmark gate``: does presented evidence satisfy a policy?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from witnessmark.attest import TrustedKeys
    from witnessmark.models import AssessmentGateEvaluation, AssessmentGatePolicy
    from witnessmark.models.approval import AdvanceFacts, ApprovalEvaluation, ApprovalPolicy, ControlResult
    from witnessmark.reobserve import Today

__all__ = ["command"]

_FILE = click.Path(path_type=Path)


@click.command(name="gate")
@click.argument("evidence", nargs=-1, type=_FILE)
@click.option("--policy", "policy_path", required=True, type=_FILE, help="The *.policy.json: gate or approval policy.")
@click.option("--envelope", "envelopes", multiple=True, type=_FILE, help="Signatures over presented runs; repeat.")
@click.option("--key", "keys", multiple=True, type=_FILE, help="Public key that envelopes are verified with; repeat.")
@click.option("--salts", multiple=True, type=_FILE, help="Salt file of a run whose material is withheld; repeat.")
@click.option("--log", "log_file", type=_FILE, help="Log that runs have to be in.")
@click.option("--head", "heads", multiple=True, type=_FILE, help="Kept tree head that the log has to extend; repeat.")
@click.option("--head-key", "head_keys", multiple=True, type=_FILE, help="Public key of signed heads; repeat.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="SCHEME:ARGUMENT",
    help="Where the present is, for current_state: a checkpoint directory, git:PATH, … Repeatable.",
)
@click.option("--advance", "claim", type=_FILE, help="Sequence numbers and time of issue, for checkpoint_advance.")
@click.option("--baseline", type=_FILE, help="Checkpoint directory that is live; goes with --advance.")
@click.option("--candidate", type=_FILE, help="Checkpoint directory to be promoted; goes with --advance.")
@click.option("--now", metavar="TIME", help="Decide as of this time, RFC 3339 with its zone; now by default.")
@click.option("--record", is_flag=True, help="Enter the evaluation in the log, whatever it is.")
@click.option("--emit-vsa", "summary", type=_FILE, help="Write a SLSA Verification Summary of the evaluation.")
@click.option("--sign-key", "sign_keys", multiple=True, type=_FILE, help="Private key to sign it with; repeat.")
@click.option("--verifier", metavar="URI", default="urn:witnessmark:gate", show_default=True, help="Who evaluates.")
@json_option
def command(
    evidence: tuple[Path, ...],
    policy_path: Path,
    envelopes: tuple[Path, ...],
    keys: tuple[Path, ...],
    salts: tuple[Path, ...],
    log_file: Path | None,
    heads: tuple[Path, ...],
    head_keys: tuple[Path, ...],
    targets: tuple[str, ...],
    claim: Path | None,
    baseline: Path | None,
    candidate: Path | None,
    now: str | None,
    record: bool,
    summary: Path | None,
    sign_keys: tuple[Path, ...],
    verifier: str,
    json_output: bool,
) -> int:
    """Say whether assessments satisfy a policy.

    EVIDENCE are run directories or assessment.json files. Exit 0 if at least one applies, every one that applies is
    pass, and every control of an approval policy holds, else 1; malformed or altered evidence is exit 4, never a
    refusal. A satisfied gate approves nothing.
    """
    from witnessmark.approval import evaluate_approval
    from witnessmark.canonical import sha256_digest
    from witnessmark.cli.evidence import read_heads, read_policy, read_time
    from witnessmark.errors import InputError
    from witnessmark.facts import establish_facts
    from witnessmark.files import read_bytes
    from witnessmark.gate import evaluate_gate
    from witnessmark.models.approval import ApprovalPolicy

    for given, needed, message in (
        (heads, log_file, "--head is for --log"),
        (head_keys, heads, "--head-key is for --head"),
        (record, log_file, "--record is for --log"),
        (sign_keys, summary, "--sign-key is for --emit-vsa"),
        (
            claim or baseline or candidate,
            claim and baseline and candidate,
            "--advance, --baseline and --candidate go together",
        ),
    ):
        if given and not needed:
            raise click.UsageError(message)
    if summary is not None and summary.exists():
        raise InputError("output already exists", code="output_exists", wanted="a new path", where=str(summary))
    policy = read_policy(policy_path)
    when = read_time(now, "--now")
    facts = establish_facts(
        evidence,
        envelopes=envelopes,
        trusted=_trusted(keys),
        log=log_file,
        kept=read_heads(heads, head_keys, None),
        advance=_advance(claim, baseline, candidate),
        today=_today(policy, targets, when),
        salts=salts,
    )
    evaluation: AssessmentGateEvaluation | ApprovalEvaluation
    if isinstance(policy, ApprovalPolicy):
        evaluation = evaluate_approval(policy, facts, now=when)
    else:
        evaluation = evaluate_gate(policy, [item.assessment for item in facts.evidence])
    presented = tuple(item.assessment_digest for item in facts.evidence)
    if summary is not None:
        inputs = (*presented, *(sha256_digest(read_bytes(path)) for path in envelopes))
        _write_summary(summary, sign_keys, policy, evaluation, inputs, verifier, when)
    if record and log_file is not None:
        _record(log_file, policy, evaluation, presented, when)
    if json_output:
        emit_json(evaluation)
    else:
        _show(policy, evaluation)
    return Exit.OK if evaluation.satisfied else Exit.FAIL


def _trusted(keys: Sequence[Path]) -> TrustedKeys | None:
    if not keys:
        return None
    from witnessmark.attest import load_trusted

    # How many of them have to have signed is for the policy to say.
    return load_trusted(keys, threshold=1)


def _advance(claim: Path | None, baseline: Path | None, candidate: Path | None) -> AdvanceFacts | None:
    if claim is None or baseline is None or candidate is None:
        return None
    from witnessmark.facts import establish_advance
    from witnessmark.files import read_bytes
    from witnessmark.models.approval import AdvanceClaim

    said = AdvanceClaim.from_bytes(read_bytes(claim), where=str(claim))
    return establish_advance(said, baseline=baseline, candidate=candidate)


def _today(policy: AssessmentGatePolicy | ApprovalPolicy, targets: Sequence[str], when: datetime) -> Today | None:
    """Return what assessments are held against, where the policy asks."""
    from witnessmark.models.approval import ApprovalPolicy, CurrentState
    from witnessmark.reobserve import Surroundings, Today

    controls = policy.controls if isinstance(policy, ApprovalPolicy) else ()
    asked = next((control for control in controls if isinstance(control, CurrentState)), None)
    if asked is None:
        if targets:
            raise click.UsageError("--target is for a policy with the control current_state")
        return None
    return Today(asked.purpose, Surroundings(targets), when)


def _write_summary(
    out: Path,
    keys: Sequence[Path],
    policy: AssessmentGatePolicy | ApprovalPolicy,
    evaluation: AssessmentGateEvaluation | ApprovalEvaluation,
    inputs: Sequence[str],
    verifier: str,
    when: datetime,
) -> None:
    from witnessmark.attest import STATEMENT_PAYLOAD, emit_vsa, load_signers, sign_payload
    from witnessmark.files import write_bytes

    data = emit_vsa(policy, evaluation, inputs=inputs, verifier_id=verifier, time_verified=when)
    if keys:
        data = sign_payload(data, STATEMENT_PAYLOAD, load_signers(keys))
    write_bytes(out, data)
    say(f"wrote {out}: {'signed' if keys else 'not signed'}")


def _record(
    log: Path,
    policy: AssessmentGatePolicy | ApprovalPolicy,
    evaluation: AssessmentGateEvaluation | ApprovalEvaluation,
    presented: tuple[str, ...],
    when: datetime,
) -> None:
    from witnessmark.canonical import canonical_digest
    from witnessmark.cli.evidence import gate_policy_of
    from witnessmark.log import Log
    from witnessmark.models.log import GateEvaluated

    entry = GateEvaluated(
        evaluated_at=when,
        policy_digest=canonical_digest(gate_policy_of(policy)),
        presented=presented,
        evaluation=_gate(evaluation),
        controls=_controls(evaluation),
    )
    with Log.open(log) as opened:
        say(f"entered in {log}: entry {opened.append(entry)}")


def _show(
    policy: AssessmentGatePolicy | ApprovalPolicy, evaluation: AssessmentGateEvaluation | ApprovalEvaluation
) -> None:
    from witnessmark.cli.evidence import gate_policy_of

    gate, controls = _gate(evaluation), _controls(evaluation)
    click.echo(f"gate: {_word(gate.satisfied)}")
    click.echo(
        f"presented {gate.presented_assessment_count}, applicable {gate.applicable_assessment_count}: "
        f"{', '.join(item.value for item in gate.applicable_results) or 'none'}"
    )
    if gate.non_applicable_mismatches:
        click.echo(f"not applicable because of: {', '.join(item.value for item in gate.non_applicable_mismatches)}")
    if gate.reasons:
        click.echo(f"reasons: {', '.join(item.value for item in gate.reasons)}")
    if controls:
        _show_controls(controls)
        click.echo(f"policy: {_word(evaluation.satisfied)}")
    if gate_policy_of(policy).candidate_retrieval_state_digest is None:
        say("note: the policy pins the logical candidate only, not its index: another build of it applies as well")
    say("note: a satisfied gate approves nothing, and evidence presented is not all evidence made")


def _gate(evaluation: AssessmentGateEvaluation | ApprovalEvaluation) -> AssessmentGateEvaluation:
    from witnessmark.models.approval import ApprovalEvaluation

    return evaluation.gate if isinstance(evaluation, ApprovalEvaluation) else evaluation


def _controls(evaluation: AssessmentGateEvaluation | ApprovalEvaluation) -> tuple[ControlResult, ...]:
    from witnessmark.models.approval import ApprovalEvaluation

    return evaluation.controls if isinstance(evaluation, ApprovalEvaluation) else ()


def _show_controls(controls: Sequence[ControlResult]) -> None:
    # No table: a subject is long, and is not to be folded where somebody searches for it.
    for control in controls:
        click.echo(f"control {control.control}: {_word(control.satisfied)}")
        for finding in control.findings:
            click.echo(f"  {finding.reason.value}: {finding.subject}")


def _word(satisfied: bool) -> str:
    return "satisfied" if satisfied else "not satisfied"
