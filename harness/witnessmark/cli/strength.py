"""``witnessmark suite strength``: which planted regressions the suite of a run would have caught."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say, show_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import MemoryRecord, StateReference
    from witnessmark.models.strength import KillCount, MemoryCover, PlantedRegression, SuiteStrengthReport

__all__ = ["command"]

_FILE = click.Path(path_type=Path)
_WHY = {
    "no_required_probe": "no required probe asks that",
    "masked": "a required probe that asks it did not pass before",
    "not_noticed": "the required probes that ask it still pass",
}


@click.command(name="strength")
@click.argument("run", type=_FILE)
@click.option("--baseline", type=_FILE, metavar="DIR", help="Checkpoint of the baseline: its scopes can leak as well.")
@click.option("--candidate", type=_FILE, metavar="DIR", help="Checkpoint of the candidate: says what no probe covers.")
@click.option("--salts", type=_FILE, help="Salt file of a run whose material is withheld.")
@click.option(
    "--fail-under",
    type=click.FloatRange(0.0, 1.0),
    metavar="RATIO",
    help="Exit 1 where fewer than this share of the planted regressions is caught, or none was planted.",
)
@click.option("--survivors", default=20, show_default=True, type=click.IntRange(0), help="Survivors shown.")
@json_option
def command(
    run: Path,
    baseline: Path | None,
    candidate: Path | None,
    salts: Path | None,
    fail_under: float | None,
    survivors: int,
    json_output: bool,
) -> Exit:
    """Show which planted regressions the suite of RUN would have caught.

    The candidate's recorded answers are changed one at a time, as retrieval breaks them, and evaluated again. The run
    is verified before and stays as it is. Nothing here is a verdict on the memory: it is one on the suite.
    """
    from witnessmark.checkpoint.edges import edges_of
    from witnessmark.errors import EvidenceError
    from witnessmark.run.questions import read_questions
    from witnessmark.run.transcript import read_transcript, to_observed
    from witnessmark.rundir import check, read_material
    from witnessmark.strength import Catalogue, cover_of, suite_strength

    checked = check(run, salts=salts)
    if checked.transcript is None:
        raise EvidenceError(
            "nothing says what was observed", code="no_transcript", wanted="a run directory, or --salts", where=str(run)
        )
    suite, profile = read_material(run, salts=salts)
    transcript = read_transcript(checked.transcript).transcript
    header, observed = transcript.header, to_observed(transcript)
    before = () if baseline is None else _records(baseline, header.baseline_state, "baseline")
    after = None if candidate is None else _records(candidate, header.candidate_state, "candidate")
    report = suite_strength(
        checked.assessment,
        suite,
        read_questions(suite, header.baseline_name, header.candidate_name),
        profile,
        observed,
        catalogue=Catalogue(observed, (*before, *(after or ()))),
        edges=[edge for record in after or () for edge in edges_of(record)],
        cover=None if after is None else cover_of(suite, after),
    )
    if json_output:
        emit_json(report)
    else:
        _show(report, survivors)
    return _exit(report.total, fail_under)


def _records(path: Path, wanted: StateReference, state: str) -> tuple[MemoryRecord, ...]:
    """Return the live records of a checkpoint, which has to be the one that the run was about."""
    from witnessmark.checkpoint.directory import Checkpoint
    from witnessmark.errors import InputError

    checkpoint = Checkpoint.open(path)
    found = checkpoint.state_reference().checkpoint_digest
    if found != wanted.checkpoint_digest:
        raise InputError(
            f"not the {state} of the run",
            code="other_checkpoint",
            got=found,
            wanted=wanted.checkpoint_digest,
            where=str(path),
        )
    return tuple(checkpoint.records())


def _exit(total: KillCount, fail_under: float | None) -> Exit:
    if fail_under is None:
        return Exit.OK
    if total.kill_ratio is None:
        say("nothing was planted, so nothing shows that the suite is strong enough")
        return Exit.FAIL
    if total.kill_ratio < fail_under:
        say(f"{total.caught} of {total.planted} caught is less than {fail_under}")
        return Exit.FAIL
    return Exit.OK


def _show(report: SuiteStrengthReport, shown: int) -> None:
    total = report.total
    click.echo(f"{total.caught} of {total.planted} planted regressions caught; the run stays {report.result.value}")
    show_table(
        ["kind", "caught", "unchanged"],
        [[kind.kind.value, f"{kind.caught} of {kind.planted}", str(kind.unchanged)] for kind in report.kinds],
    )
    survived = [item for item in report.regressions if item.survived is not None]
    if survived and shown:
        show_table(
            ["kind", "query", "planted", "why it survived"],
            [_row(item) for item in survived[:shown]],
            title=f"{min(shown, len(survived))} of {len(survived)} survivors",
        )
    if report.cover is not None:
        _show_cover(report.cover)


def _row(item: PlantedRegression) -> list[str]:
    context = f" {dict(sorted(item.request.context.items()))}" if item.request.context else ""
    why = _WHY[item.survived or ""]
    if item.optional_noticed:
        why = f"{why}; noticed by optional {', '.join(item.optional_noticed)}"
    return [item.kind.value, item.request.query + context, item.planted, why]


def _show_cover(cover: MemoryCover) -> None:
    for what, covered, total in (
        ("edges", cover.edges_covered, cover.edges),
        ("anchors", cover.anchors_covered, cover.anchors),
        ("scopes", cover.scopes_covered, cover.scopes),
    ):
        click.echo(f"required probes cover {covered} of {total} {what} of the candidate")
    _show_list(
        "edge",
        [
            f"{edge.item_key} {edge.relation} {edge.target_key}" + ("" if edge.target_live else " (no longer live)")
            for edge in cover.uncovered_edges
        ],
    )
    _show_list("anchor", cover.uncovered_anchors)
    _show_list("scope", cover.uncovered_scopes)


def _show_list(what: str, names: Sequence[str]) -> None:
    for name in names:
        click.echo(f"  uncovered {what}: {name}")
