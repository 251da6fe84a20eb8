"""``witnessmark suite``: check probe suites, and say how strong they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, say, show_table
from witnessmark.cli.record_format import format_option
from witnessmark.cli.strength import command as strength

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.canonical import JsonValue
    from witnessmark.models import ProbeSuite
    from witnessmark.suite_advice import Advice

__all__ = ["command"]

_SHOWN_KEYS = 2


@click.group()
def command() -> None:
    """Check probe suites, and say how strong they are."""


command.add_command(strength)


@command.command()
@click.argument("suite", metavar="SUITE")
@click.option(
    "--records",
    type=click.Path(path_type=Path),
    metavar="RECORDS",
    help="File or folder of records that the suite is about: compares keys and queries with them.",
)
@format_option
@json_option
def check(suite: str, records: Path | None, record_format: str | None, json_output: bool) -> Exit:
    """Check SUITE (a *.suite.json or *.suite.yaml file, or builtin:NAME) and print its digest and probes.

    Warnings change no exit code: they are about suites that are valid and still prove little.
    """
    from witnessmark.suite_advice import advise
    from witnessmark.suites import load_suite

    loaded = load_suite(suite)
    advice = advise(loaded, None if records is None else _texts(records, record_format))
    if json_output:
        emit_json(_as_data(loaded, advice))
    else:
        _show(loaded)
        for item in advice:
            say(f"warning[{item.code}]: {item.probe_id or 'suite'}: {item.message}")
    return Exit.OK


def _texts(path: Path, record_format: str | None) -> dict[str, str]:
    from witnessmark.checkpoint.formats import open_records

    return {record.key: record.text for record in open_records(path, record_format)}


def _as_data(suite: ProbeSuite, advice: Sequence[Advice]) -> dict[str, JsonValue]:
    from witnessmark.canonical import canonical_digest

    return {
        "probe_suite_digest": canonical_digest(suite),
        "probes": [
            {
                "probe_id": probe.probe_id,
                "kind": probe.kind,
                "required": probe.required,
                "severity": probe.severity.value,
            }
            for probe in suite.probes
        ],
        "warnings": [
            {"code": item.code, "message": item.message, **({"probe_id": item.probe_id} if item.probe_id else {})}
            for item in advice
        ],
    }


def _short(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - _SHOWN_KEYS} more" if len(keys) > _SHOWN_KEYS else ""
    return ", ".join(keys[:_SHOWN_KEYS]) + more


def _show(suite: ProbeSuite) -> None:
    from witnessmark.canonical import canonical_digest
    from witnessmark.suite_advice import item_keys

    rows = [
        [
            probe.probe_id,
            probe.kind,
            "yes" if probe.required else "no",
            probe.severity.value,
            probe.query,
            _short(item_keys(probe)),
        ]
        for probe in suite.probes
    ]
    show_table(["probe", "kind", "required", "severity", "query", "items"], rows)
    click.echo(f"{len(suite.probes)} probes, {sum(probe.required for probe in suite.probes)} required")
    click.echo(f"probe suite digest {canonical_digest(suite)}")
