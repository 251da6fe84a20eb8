"""``witnessmark moved``: what moved between the answers of baseline and candidate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, show_table

if TYPE_CHECKING:
    from witnessmark.models.moved import MovedReport, RequestMoves

__all__ = ["command"]

_FILE = click.Path(path_type=Path)


@click.command(name="moved")
@click.argument("run", type=_FILE)
@click.option("--worst", default=20, show_default=True, type=click.IntRange(0), help="Requests shown, worst first.")
@click.option("--salts", type=_FILE, help="Salt file of a run whose material is withheld.")
@json_option
def command(run: Path, worst: int, salts: Path | None, json_output: bool) -> Exit:
    """Show what moved between the answers of baseline and candidate in RUN.

    Per request the overlap and the rank-biased overlap of the two answers and the moves of named items, the worst
    request first. The run is verified before. Nothing here is a verdict: a request that moved a lot may be better off.
    """
    from witnessmark.errors import EvidenceError
    from witnessmark.moved import what_moved
    from witnessmark.run.transcript import read_transcript
    from witnessmark.rundir import check, read_material

    checked = check(run, salts=salts)
    if checked.transcript is None:
        raise EvidenceError(
            "nothing says what was observed", code="no_transcript", wanted="a run directory, or --salts", where=str(run)
        )
    suite, profile = read_material(run, salts=salts)
    report = what_moved(
        read_transcript(checked.transcript).transcript,
        suite,
        top_k=profile.top_k,
        assessment_digest=checked.verification.assessment_digest,
    )
    if json_output:
        emit_json(report)
    else:
        _show(report, worst)
    return Exit.OK


def _show(report: MovedReport, worst: int) -> None:
    summary = report.summary
    click.echo(
        f"{summary.requests} requests asked of both states, {summary.unchanged} answered alike; "
        f"{summary.named_items_moved} named items moved, {summary.named_items_unreachable} no longer in the answer"
    )
    if summary.mean_overlap is None or summary.mean_rank_biased_overlap is None:
        return
    click.echo(
        f"mean overlap@{report.top_k} {summary.mean_overlap:.3f}, "
        f"mean rank-biased overlap {summary.mean_rank_biased_overlap:.3f}"
    )
    shown = [item for item in report.requests if item.rank_biased_overlap < 1.0][:worst]
    if shown:
        show_table(
            ["query", f"overlap@{report.top_k}", "rank-biased", "named items", "lost", "gained"],
            [_row(item) for item in shown],
        )


def _row(item: RequestMoves) -> list[str]:
    context = f" {dict(sorted(item.request.context.items()))}" if item.request.context else ""
    moves = [f"{move.item_key}: {_rank(move.baseline_rank)} to {_rank(move.candidate_rank)}" for move in item.moves]
    return [
        item.request.query + context,
        f"{item.overlap:.2f}",
        f"{item.rank_biased_overlap:.3f}",
        "\n".join(moves),
        str(len(item.lost)),
        str(len(item.gained)),
    ]


def _rank(rank: int | None) -> str:
    return "none" if rank is None else str(rank)
