"""Entry points of a group, by name: the one loader that the registry and the adapters share.

- An entry point is loaded only when its name is asked for.
- A name that two distributions register, and a provider that does not import, are errors that name both.
- The distribution and its version are part of what is returned, so that they can go into the evidence.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from witnessmark.errors import InputError

__all__ = ["ADAPTERS", "EMBEDDERS", "OBSERVERS", "RECORD_FORMATS", "Registered", "load_plugin", "registered"]

ADAPTERS = "witnessmark.adapters"
EMBEDDERS = "witnessmark.embedders"
OBSERVERS = "witnessmark.observers"
RECORD_FORMATS = "witnessmark.record_formats"


class Registered(NamedTuple):
    """One entry point and where it comes from."""

    name: str
    distribution: str
    """Name and version, as in ``witnessmark 0.1.0``."""
    value: str
    """Module and attribute."""


def registered(group: str) -> tuple[Registered, ...]:
    """Return what is registered in ``group``, sorted by name; nothing is imported."""
    found = {(point.name, _distribution(point), point.value) for point in entry_points(group=group)}
    return tuple(Registered(*item) for item in sorted(found))


def load_plugin(group: str, name: str, noun: str) -> tuple[Any, Registered]:
    """Import what ``name`` stands for in ``group``.

    Raises:
        InputError: ``unknown_<noun>``, ``ambiguous_<noun>`` or ``broken_<noun>``.
    """
    candidates = [item for item in registered(group) if item.name == name]
    if not candidates:
        known = ", ".join(sorted({item.name for item in registered(group)})) or "none"
        raise InputError(f"no such {_spoken(noun)}", code=f"unknown_{noun}", got=repr(name), wanted=f"one of: {known}")
    if len(candidates) > 1:
        both = " and ".join(f"{item.value} of {item.distribution}" for item in candidates)
        raise InputError(f"{_spoken(noun)} {name!r} is registered twice", code=f"ambiguous_{noun}", got=both)
    (source,) = candidates
    point = EntryPoint(name=source.name, value=source.value, group=group)
    try:
        return point.load(), source
    except Exception as error:
        raise InputError(
            f"{_spoken(noun)} {name!r} of {source.distribution} does not load: {type(error).__name__}: {error}",
            code=f"broken_{noun}",
            where=source.value,
        ) from error


def _spoken(noun: str) -> str:
    return noun.replace("_", " ")


def _distribution(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "an unknown distribution"
