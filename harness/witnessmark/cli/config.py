"""``witnessmark.yaml``: defaults for the options of every command.

- Found in the current folder or the nearest one above it, up to the root of a repository; ``--config`` names another.
- One mapping a command, with its options by their long names; ``trials`` is a section of its own for ``assess``.
- Paths are relative to the file. Unknown commands, options and sections are errors that name the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from witnessmark.errors import InputError
from witnessmark.files import read_bytes
from witnessmark.yamlsource import line_of, load_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from witnessmark.canonical import JsonValue

__all__ = ["FILE_NAME", "find_config", "load_defaults"]

FILE_NAME = "witnessmark.yaml"

_TRIALS = {
    "total": "trials",
    "axes": "axes",
    "seed": "seed",
    "workers": "workers",
    "dask": "dask",
    "timeout": "timeout",
    "retries": "retries",
    "self_check": "self_check",
}
"""Keys of the section ``trials``, and the options of ``assess`` that they set."""
_NAMES = frozenset({"baseline", "candidate", "suite_name", "profile_name", "target"})
"""Options that take a path or ``builtin:NAME``, though click sees plain text."""


def find_config(start: Path) -> Path | None:
    """Return the configuration file that applies in ``start``, or None."""
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder / FILE_NAME
        if (folder / ".git").exists():
            return None
    return None


def load_defaults(path: Path, group: click.Group) -> dict[str, object]:
    """Return click's default map for what a configuration file says.

    Raises:
        InputError: the file is malformed, or names something that no command has.
    """
    value, lines = load_yaml(read_bytes(path), str(path))
    if value is None:
        return {}
    loader = _Loader(path, lines)
    sections = dict(loader.mapping(value, ""))
    trials = sections.pop("trials", None)
    found = loader.group(sections, group, "")
    if trials is not None:
        assess = group.get_command(click.Context(group), "assess")
        given = loader.mapping(trials, "/trials")
        unknown = [name for name in given if name not in _TRIALS]
        if unknown or assess is None:
            raise loader.error("unknown_option", f"/trials/{unknown[0]}", sorted(_TRIALS))
        axes = given.get("axes")
        flat = {_TRIALS[name]: item for name, item in given.items()}
        if axes is not None and not isinstance(axes, str):
            flat["axes"] = ",".join(
                name if count is None else f"{name}:{count}"
                for name, count in loader.mapping(axes, "/trials/axes").items()
            )
        section = found.setdefault("assess", {})
        if isinstance(section, dict):
            section.update(flat)
    return found


class _Loader:
    def __init__(self, path: Path, lines: Mapping[str, int]) -> None:
        self._path = path
        self._lines = lines

    def mapping(self, value: JsonValue, pointer: str) -> Mapping[str, JsonValue]:
        if isinstance(value, dict):
            return value
        raise InputError(
            "not a mapping", code="wrong_type", got=repr(value), wanted="name: value", where=self._where(pointer)
        )

    def group(self, value: Mapping[str, JsonValue], group: click.Group, pointer: str) -> dict[str, object]:
        context = click.Context(group)
        found: dict[str, object] = {}
        for name, section in value.items():
            place = f"{pointer}/{name}"
            command = group.get_command(context, name)
            if command is None:
                raise self.error(
                    "unknown_command", place, [*group.list_commands(context), *([] if pointer else ["trials"])]
                )
            inner = self.mapping(section, place)
            found[name] = (
                self.group(inner, command, place)
                if isinstance(command, click.Group)
                else self._options(inner, command, place)
            )
        return found

    def error(self, code: str, pointer: str, known: list[str]) -> InputError:
        name = pointer.rpartition("/")[2]
        return InputError(
            code.replace("_", " "),
            code=code,
            got=repr(name),
            wanted=f"one of: {', '.join(known)}",
            where=self._where(pointer),
        )

    def _options(self, value: Mapping[str, JsonValue], command: click.Command, pointer: str) -> dict[str, object]:
        options = {
            name.removeprefix("--").replace("-", "_"): option
            for option in command.params
            if isinstance(option, click.Option)
            for name in option.opts
            if name.startswith("--")
        }
        found: dict[str, object] = {}
        for name, item in value.items():
            option = options.get(name.replace("-", "_"))
            if option is None or option.name is None:
                raise self.error("unknown_option", f"{pointer}/{name}", sorted(options))
            found[option.name] = self._absolute(option, item)
        return found

    def _absolute(self, option: click.Option, value: JsonValue) -> object:
        is_path = isinstance(option.type, click.Path) or option.name in _NAMES
        if is_path and isinstance(value, str) and not value.startswith("builtin:"):
            return str(self._path.parent / value)
        return value

    def _where(self, pointer: str) -> str:
        return f"{self._path}:{line_of(self._lines, pointer)} {pointer}".rstrip()
