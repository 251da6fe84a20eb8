"""What reading a folder of records gathers: problems, up to a bound, and where each key stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.errors import InputError, Problem
from witnessmark.linefiles import MAX_PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from witnessmark.canonical import JsonValue

__all__ = ["Gathering", "null_pointers", "with_nulls"]


class Gathering:
    """Keeps going after a problem; says everything at the end, or when there is too much to say."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._problems: list[Problem] = []
        self._places: dict[str, str] = {}

    @property
    def sound(self) -> bool:
        """Whether nothing was wrong so far."""
        return not self._problems

    def refuse(self, problems: Iterable[Problem]) -> None:
        """Note problems.

        Raises:
            InputError: all of them, where there are `MAX_PROBLEMS`.
        """
        self._problems.extend(problems)
        if len(self._problems) >= MAX_PROBLEMS:
            more = Problem("too_many_problems", f"reading stopped after {MAX_PROBLEMS} problems", where=str(self._path))
            raise InputError.from_problems((*self._problems[:MAX_PROBLEMS], more))

    def place(self, key: str, where: str) -> None:
        """Note that a record stands at ``where``; a key that stands twice is a problem that names both places."""
        first = self._places.setdefault(key, where)
        if first != where:
            got = f"{key!r}, also at {first}"
            self.refuse([Problem("duplicate_key", "key stands twice", got, "one record a key", where)])

    def finish(self) -> None:
        """Raise what was gathered.

        Raises:
            InputError: all problems, or ``no_records``.
        """
        if self._problems:
            raise InputError.from_problems(tuple(self._problems))
        if not self._places:
            raise InputError("no record here", code="no_records", wanted="1 or more", where=str(self._path))


def null_pointers(value: JsonValue, pointer: str = "") -> Iterator[str]:
    """Yield the pointers of members that are null, which the canonical form of a record leaves out."""
    members: Iterable[tuple[object, JsonValue]] = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    for name, child in members:
        inner = f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"
        if child is None and isinstance(value, dict):
            yield inner
        else:
            yield from null_pointers(child, inner)


def with_nulls(kept: Mapping[str, JsonValue], whole: JsonValue) -> dict[str, JsonValue]:
    """Return ``kept`` and, where ``whole`` has members that are null, their pointers under ``nulls``."""
    nulls = list(null_pointers(whole))
    return {**kept, "nulls": nulls} if nulls else dict(kept)
