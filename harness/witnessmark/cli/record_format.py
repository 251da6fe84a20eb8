"""The option that names the format of memory records."""

from __future__ import annotations

import click

__all__ = ["format_option"]

format_option = click.option(
    "--format",
    "record_format",
    metavar="NAME",
    help="Format of the records: jsonl, amr, atproto, or what is installed. A file is jsonl if left out.",
)
