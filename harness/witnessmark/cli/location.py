"""Options that name a file or a directory, or something that is no path: ``builtin:NAME``, or a digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LOCATION", "Location"]

_NAMED = ("builtin:", "sha256:", "shake256:")


class Location(click.types.StringParamType):
    """Text; where it is a path in a configuration file, it is relative to that file."""

    def below(self, folder: Path, value: str) -> str:
        """Return the value as it reads from ``folder``."""
        return value if value.startswith(_NAMED) else str(folder / value)


LOCATION = Location()
