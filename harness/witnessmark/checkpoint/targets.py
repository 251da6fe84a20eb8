"""Targets on the command line: a checkpoint directory, or a ``*.target.yaml`` file for anything else.

- The file has the keys ``adapter`` and ``options``, no other.
- An option named ``path``, or with a name that ends in ``_path``, is a path: relative to the file, absolute from here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.checkpoint.directory import read_manifest
from witnessmark.errors import InputError
from witnessmark.files import read_bytes
from witnessmark.models import Target
from witnessmark.sources import parse_source

if TYPE_CHECKING:
    from witnessmark.canonical import JsonValue

__all__ = ["SUFFIX", "read_target", "resolve_target"]

SUFFIX = ".target.yaml"


def resolve_target(argument: str | Path) -> Target:
    """Return the target that an argument names.

    A checkpoint directory is not verified here, but when its adapter opens it.

    Raises:
        InputError: ``unknown_target``, or what is wrong with the file.
        EvidenceError: the checkpoint's manifest is malformed.
    """
    path = Path(argument)
    if path.is_dir():
        folder = path.resolve()
        return Target(adapter=read_manifest(folder).adapter, options={"path": str(folder)})
    if path.name.endswith(SUFFIX):
        return read_target(path)
    raise InputError(
        "no such target",
        code="unknown_target",
        got=repr(str(argument)),
        wanted=f"a checkpoint directory or a *{SUFFIX} file",
    )


def read_target(path: Path) -> Target:
    """Read a ``*.target.yaml`` file.

    Raises:
        InputError: the file is missing or malformed; the message names file and line.
    """
    target = parse_source(Target, read_bytes(path), str(path))
    folder = path.resolve().parent
    options = {name: _absolute(name, value, folder) for name, value in target.options.items()}
    return Target.from_json({"adapter": target.adapter, "options": options})


def _absolute(name: str, value: JsonValue, folder: Path) -> JsonValue:
    if isinstance(value, str) and (name == "path" or name.endswith("_path")):
        return str((folder / value).resolve())
    if isinstance(value, dict):
        return {inner: _absolute(inner, item, folder) for inner, item in value.items()}
    if isinstance(value, list):
        return [_absolute(name, item, folder) for item in value]
    return value
