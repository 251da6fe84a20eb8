"""``witnessmark gate``: does presented evidence satisfy a policy?"""

from __future__ import annotations

from pathlib import Path

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say

__all__ = ["command"]


@click.command(name="gate")
@click.argument("evidence", nargs=-1, type=click.Path(path_type=Path))
@click.option("--policy", "policy_path", required=True, type=click.Path(path_type=Path), help="The *.policy.json.")
@json_option
def command(evidence: tuple[Path, ...], policy_path: Path, json_output: bool) -> int:
    """Say whether assessments satisfy a policy.

    EVIDENCE are run directories or assessment.json files. Exit 0 if at least one applies and every one that applies is
    pass, else 1; malformed or altered evidence is exit 4, never a refusal. A satisfied gate approves nothing.
    """
    from witnessmark.files import read_bytes
    from witnessmark.gate import evaluate_gate
    from witnessmark.models import AssessmentGatePolicy
    from witnessmark.rundir import read_assessment, verify

    policy = AssessmentGatePolicy.from_bytes(read_bytes(policy_path), where=str(policy_path))
    for path in evidence:
        if path.is_dir():
            verify(path)
    evaluation = evaluate_gate(policy, [read_assessment(path) for path in evidence])
    if json_output:
        emit_json(evaluation)
    else:
        click.echo(f"gate: {'satisfied' if evaluation.satisfied else 'not satisfied'}")
        click.echo(
            f"presented {evaluation.presented_assessment_count}, applicable {evaluation.applicable_assessment_count}: "
            f"{', '.join(item.value for item in evaluation.applicable_results) or 'none'}"
        )
        if evaluation.non_applicable_mismatches:
            names = ", ".join(item.value for item in evaluation.non_applicable_mismatches)
            click.echo(f"not applicable because of: {names}")
        if evaluation.reasons:
            click.echo(f"reasons: {', '.join(item.value for item in evaluation.reasons)}")
        if policy.candidate_retrieval_state_digest is None:
            say("note: the policy pins the logical candidate only, not its index: another build of it applies as well")
        say("note: a satisfied gate approves nothing, and evidence presented is not all evidence made")
    return Exit.OK if evaluation.satisfied else Exit.FAIL
