"""``witnessmark adapters``: what is installed."""

from __future__ import annotations

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, show_table

__all__ = ["command"]


@click.group()
def command() -> None:
    """Look at the adapters, embedders and record formats that are installed."""


@command.command(name="list")
@json_option
def list_(json_output: bool) -> Exit:
    """List adapters, embedders and record formats with the distributions that provide them, broken ones too."""
    from witnessmark.errors import InputError
    from witnessmark.plugins import ADAPTERS, EMBEDDERS, RECORD_FORMATS, load_plugin, registered

    rows: list[dict[str, str]] = []
    for group, noun in ((ADAPTERS, "adapter"), (EMBEDDERS, "embedder"), (RECORD_FORMATS, "record_format")):
        for item in registered(group):
            try:
                load_plugin(group, item.name, noun)
                status = "ok"
            except InputError as error:
                status = f"{error.code}: {error}"
            rows.append(
                {
                    "kind": noun,
                    "name": item.name,
                    "distribution": item.distribution,
                    "value": item.value,
                    "status": status,
                }
            )
    if json_output:
        emit_json(rows)
    else:
        show_table(
            ["kind", "name", "distribution", "status"],
            [[row["kind"], row["name"], row["distribution"], row["status"]] for row in rows],
        )
    return Exit.OK
