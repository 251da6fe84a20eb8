"""``witnessmark.yaml``: defaults for the options of every command.

- Found in the current folder or the nearest one above it, up to the root of a repository; ``--config`` names another.
- One mapping a command, with its options by their long names; ``trials`` is a section of its own for ``assess``.
- Paths are relative to the file. Unknown commands and options, and values of another type, are errors with their line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from witnessmark.cli.location import Location
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
        section = found.setdefault("assess", {})
        assess = group.get_command(click.Context(group), "assess")
        if isinstance(section, dict) and assess is not None:
            section.update(loader.trials(trials, assess))
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
                else self._command(inner, command, place)
            )
        return found

    def trials(self, value: JsonValue, assess: click.Command) -> dict[str, object]:
        options = _options(assess)
        found: dict[str, object] = {}
        for name, item in self.mapping(value, "/trials").items():
            place, given = f"/trials/{name}", item
            option = options.get(_TRIALS.get(name.replace("-", "_"), ""))
            if option is None or option.name is None:
                raise self.error("unknown_option", place, sorted(_TRIALS))
            if option.name == "axes" and not isinstance(item, str):
                axes = self.mapping(item, place)
                given = ",".join(axis if count is None else f"{axis}:{count}" for axis, count in axes.items())
            found[option.name] = self._value(option, given, place)
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

    def _command(self, value: Mapping[str, JsonValue], command: click.Command, pointer: str) -> dict[str, object]:
        options = _options(command)
        found: dict[str, object] = {}
        for name, item in value.items():
            option = options.get(name.replace("-", "_"))
            if option is None or option.name is None:
                raise self.error("unknown_option", f"{pointer}/{name}", sorted(options))
            found[option.name] = self._value(option, item, f"{pointer}/{name}")
        return found

    def _value(self, option: click.Option, item: JsonValue, pointer: str) -> JsonValue:
        value = self._absolute(option, item)
        try:
            option.type_cast_value(click.Context(click.Command(None)), value)
        except click.UsageError as error:
            raise InputError(
                f"not a value of {option.opts[0]}: {error.message}", code="wrong_type", where=self._where(pointer)
            ) from error
        return value

    def _absolute(self, option: click.Option, value: JsonValue) -> JsonValue:
        if isinstance(value, list):
            return [self._absolute(option, item) for item in value]
        if isinstance(value, str) and isinstance(option.type, click.Path):
            return str(self._path.parent / value)
        if isinstance(value, str) and isinstance(option.type, Location):
            return option.type.below(self._path.parent, value)
        return value

    def _where(self, pointer: str) -> str:
        return f"{self._path}:{line_of(self._lines, pointer)} {pointer}".rstrip()


def _options(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command by their long names, spelled with underscores."""
    return {
        name.removeprefix("--").replace("-", "_"): option
        for option in command.params
        if isinstance(option, click.Option)
        for name in option.opts
        if name.startswith("--")
    }
