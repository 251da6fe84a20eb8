"""``witnessmark moved``: what moved between the answers of baseline and candidate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, show_table

if TYPE_CHECKING:
    from witnessmark.models import RetrievalRequest
    from witnessmark.models.moved import MovedReport, RequestMoves
    from witnessmark.models.quality import QualityReport

__all__ = ["command"]

_FILE = click.Path(path_type=Path)


@click.command(name="moved")
@click.argument("run", type=_FILE)
@click.option("--worst", default=20, show_default=True, type=click.IntRange(0), help="Requests shown, worst first.")
@click.option(
    "--qrels",
    type=_FILE,
    help="Relevance judgements: TREC qrels (id 0 key relevance), or JSONL where the name ends in .jsonl.",
)
@click.option(
    "--k", type=click.IntRange(1), help="Depth of nDCG, recall and MRR, at most top_k, which it is if left out."
)
@click.option("--salts", type=_FILE, help="Salt file of a run whose material is withheld.")
@json_option
def command(run: Path, worst: int, qrels: Path | None, k: int | None, salts: Path | None, json_output: bool) -> Exit:
    """Show what moved between the answers of baseline and candidate in RUN.

    Per request the overlap and the rank-biased overlap of the two answers and the moves of named items, the worst
    request first. The run is verified before. With --qrels also nDCG, recall and MRR of both states. Nothing here is a
    verdict: a request that moved a lot may be better off.
    """
    from witnessmark.errors import EvidenceError
    from witnessmark.judgements import read_judgements
    from witnessmark.moved import what_moved
    from witnessmark.quality import measure_run
    from witnessmark.run.questions import probe_requests
    from witnessmark.run.transcript import read_transcript
    from witnessmark.rundir import check, read_material

    if k is not None and qrels is None:
        raise click.UsageError("--k is for --qrels")
    judgements = None if qrels is None else read_judgements(qrels)
    checked = check(run, salts=salts)
    if checked.transcript is None:
        raise EvidenceError(
            "nothing says what was observed", code="no_transcript", wanted="a run directory, or --salts", where=str(run)
        )
    suite, profile = read_material(run, salts=salts)
    if k is not None and k > profile.top_k:
        raise click.UsageError(f"--k: got {k}, wanted at most top_k of the profile, {profile.top_k}")
    transcript = read_transcript(checked.transcript).transcript
    quality = None
    if judgements is not None:
        quality = measure_run(transcript, judgements, probe_requests(suite), k=k or profile.top_k)
    report = what_moved(
        transcript,
        suite,
        top_k=profile.top_k,
        assessment_digest=checked.verification.assessment_digest,
        quality=quality,
    )
    if json_output:
        emit_json(report)
    else:
        _show(report, worst)
        if quality is not None:
            _show_quality(quality, worst)
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


def _show_quality(report: QualityReport, worst: int) -> None:
    click.echo(
        f"{report.judged} judged requests at depth {report.k}, {report.unjudged} without a relevant item, "
        f"{len(report.not_asked)} judged but not asked of both states"
    )
    if report.baseline is None or report.candidate is None or report.change is None:
        return
    for name, label in (("ndcg", "nDCG"), ("recall", "recall"), ("reciprocal_rank", "MRR")):
        before, after, change = (getattr(part, name) for part in (report.baseline, report.candidate, report.change))
        click.echo(f"mean {label}@{report.k} {before:.3f} to {after:.3f} ({change:+.3f})")
    shown = [item for item in report.requests if any(item.change.model_dump().values())][:worst]
    if shown:
        show_table(
            ["query", "relevant", *(f"{name}@{report.k}" for name in ("nDCG", "recall", "RR"))],
            [
                [
                    _asked(item.request),
                    str(item.relevant),
                    *(
                        f"{getattr(item.baseline, name):.3f} to {getattr(item.candidate, name):.3f}"
                        for name in ("ndcg", "recall", "reciprocal_rank")
                    ),
                ]
                for item in shown
            ],
        )


def _row(item: RequestMoves) -> list[str]:
    moves = [f"{move.item_key}: {_rank(move.baseline_rank)} to {_rank(move.candidate_rank)}" for move in item.moves]
    return [
        _asked(item.request),
        f"{item.overlap:.2f}",
        f"{item.rank_biased_overlap:.3f}",
        "\n".join(moves),
        str(len(item.lost)),
        str(len(item.gained)),
    ]


def _asked(request: RetrievalRequest) -> str:
    context = f" {dict(sorted(request.context.items()))}" if request.context else ""
    return request.query + context


def _rank(rank: int | None) -> str:
    return "none" if rank is None else str(rank)
