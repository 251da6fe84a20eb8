"""Data on stdout, talk on stderr."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click
from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.canonical import JsonValue

__all__ = ["as_json", "emit_json", "json_option", "say", "show_table"]

json_option = click.option("--json", "json_output", is_flag=True, help="Print the result as one JSON document.")


def as_json(value: BaseModel | JsonValue) -> JsonValue:
    """Return a model as plain JSON data, absent fields left out."""
    if isinstance(value, BaseModel):
        dumped: JsonValue = value.model_dump(mode="json", exclude_none=True)
        return dumped
    return value


def emit_json(value: BaseModel | JsonValue) -> None:
    """Print one JSON document on stdout."""
    click.echo(json.dumps(as_json(value), ensure_ascii=False, indent=2))


def say(message: str) -> None:
    """Print a line for people on stderr."""
    click.echo(message, err=True)


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, title: str | None = None) -> None:
    """Print a table on stdout; plain text that keeps its columns when it is not a terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*[Text(cell) for cell in row])
    console = Console(file=sys.stdout, highlight=False)
    if not console.is_terminal:
        console = Console(file=sys.stdout, highlight=False, width=160)
    console.print(table)
