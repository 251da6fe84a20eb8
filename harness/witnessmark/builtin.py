"""Profiles, purposes and suites by name: shipped ones as ``builtin:NAME``, anything else is a path."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from witnessmark.errors import InputError
from witnessmark.files import read_bytes

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["PREFIX", "Kind", "builtin_names", "read_named"]

Kind: TypeAlias = Literal["profile", "purpose", "suite"]

PREFIX = "builtin:"

# By name: the harness imports no data package.
_PACKAGES: dict[Kind, str] = {
    "profile": "witnessmark_profiles",
    "purpose": "witnessmark_profiles",
    "suite": "witnessmark_probes",
}


def builtin_names(kind: Kind) -> tuple[str, ...]:
    """Return the names that ``builtin:NAME`` knows, sorted."""
    return tuple(sorted(_shipped(kind)))


def read_named(argument: str, kind: Kind) -> tuple[str, bytes]:
    """Return where a profile, purpose or suite comes from, for error messages, and its bytes.

    Raises:
        InputError: ``unknown_builtin``, or ``unreadable_file`` and ``too_large`` for a path.
    """
    if not argument.startswith(PREFIX):
        return argument, read_bytes(Path(argument))
    shipped = _shipped(kind)
    name = argument.removeprefix(PREFIX)
    if name not in shipped:
        known = ", ".join(sorted(shipped)) or "none"
        raise InputError(f"no such {kind}", code="unknown_builtin", got=repr(argument), wanted=f"one of: {known}")
    return argument, shipped[name].read_bytes()


def _shipped(kind: Kind) -> dict[str, Traversable]:
    suffix = f".{kind}.json"
    found = (item for item in files(_PACKAGES[kind]).iterdir() if item.name.endswith(suffix))
    return {item.name.removesuffix(suffix): item for item in found}
