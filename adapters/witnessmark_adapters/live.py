"""What is installed, and the refusal of a profile that says otherwise: shared by the adapters that open checkpoints."""

from __future__ import annotations

import sqlite3
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from witnessmark.errors import InputError, Problem, ProfileMismatch
from witnessmark.models import profile_differences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from witnessmark.models import FieldDifference, RetrieverProfile

__all__ = [
    "PACKAGE_PREFIX",
    "SQLITE",
    "TIE_POLICY",
    "complete",
    "installed_version",
    "mismatch",
    "one_profile",
    "shown",
]

PACKAGE_PREFIX = "package:"
"""Keys of ``index_build_config`` that pin the version of an installed package."""
TIE_POLICY = "score_desc_item_key_asc"
"""Equal scores by ascending key, then the cut: what every adapter here applies."""
SQLITE = "sqlite"
"""Name under which a profile pins the SQLite library, which no distribution brings."""


def installed_version(package: str) -> str:
    """Return the installed version of a package, or ``not installed``; ``sqlite`` is the library that Python uses."""
    if package == SQLITE:
        return sqlite3.sqlite_version
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def one_profile(profiles: Mapping[str, RetrieverProfile]) -> RetrieverProfile:
    """Return the profile that all of some states, by name, are searched under.

    Raises:
        ProfileMismatch: the states are not searched by one and the same retriever.
    """
    (first, profile), *others = profiles.items()
    for name, other in others:
        differences = profile_differences(profile, other)
        if differences:
            raise mismatch(differences, f"state {first!r}", f"state {name!r}")
    return profile


def complete(profile: RetrieverProfile, live: RetrieverProfile) -> RetrieverProfile:
    """Return ``live`` where ``profile`` agrees with it in everything that it says.

    Raises:
        ProfileMismatch: one problem a field that is stated otherwise.
    """
    stated = [item for item in profile_differences(profile, live) if item.first not in (None, "")]
    if stated:
        raise mismatch(stated, "profile", "this installation")
    return live


def mismatch(differences: Sequence[FieldDifference], first: str, second: str) -> InputError:
    """Return the error that shows each difference, with the names of the two sides."""
    return ProfileMismatch.from_problems(  # type: ignore[return-value]
        tuple(
            Problem(
                "profile_mismatch",
                f"{first} and {second} differ",
                f"{second}: {shown(item.second)}",
                f"{first}: {shown(item.first)}",
                item.field,
            )
            for item in differences
        )
    )


def shown(value: object) -> str:
    """Return a field's value as a reader sees it."""
    return "absent" if value is None else repr(value) if isinstance(value, str) else str(value)
