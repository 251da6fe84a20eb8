"""Pinning a retriever: what it really is, written down; and the comparison of a pinned profile with a live one.

- Every field is compared, except that a ``package:*`` key of ``index_build_config`` counts only where the pinned
  profile has it: a profile without them is portable.
- What a pinned profile does not have, and the live one does, is a difference too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_digest, model_bytes
from witnessmark.errors import InputError, Problem, ProfileMismatch
from witnessmark.files import write_bytes
from witnessmark.models import RetrieverPin, RetrieverProfile, profile_differences
from witnessmark.ports import Closeable, ObservableRetriever
from witnessmark.registry import find_adapter

if TYPE_CHECKING:
    from pathlib import Path

    from witnessmark.models import FieldDifference, Target

__all__ = [
    "PACKAGE_PREFIX",
    "SUFFIX",
    "PinnedRetriever",
    "compare_profiles",
    "diff_profiles",
    "pin_target",
    "require_profile",
    "write_pin",
]

SUFFIX = ".profile.json"
PIN_SUFFIX = ".pin.json"
PACKAGE_PREFIX = "package:"
_PACKAGE_FIELD = f"index_build_config/{PACKAGE_PREFIX}"
_STATE = "pinned"


class PinnedRetriever(NamedTuple):
    """A profile, and what was observed when it was pinned."""

    profile: RetrieverProfile
    pin: RetrieverPin


def pin_target(target: Target, *, profile: RetrieverProfile | None = None, portable: bool = False) -> PinnedRetriever:
    """Open a target and return what its retriever really is.

    Args:
        target: what to open.
        profile: open it under this profile; None means as the target itself says.
        portable: leave the versions of packages out of the profile; the pin has them all the same.

    Raises:
        InputError: the target cannot be opened.
        AdapterError: the adapter broke its contract.
    """
    adapter, source = find_adapter(target.adapter)
    retriever = adapter.open({_STATE: target}, profile)
    try:
        live = retriever.profile
        packages: dict[str, str] = {}
        fingerprints: dict[str, str] = {}
        if isinstance(retriever, ObservableRetriever):
            packages = dict(sorted(retriever.package_versions().items()))
            fingerprints = dict(sorted(retriever.fingerprints().items()))
    finally:
        if isinstance(retriever, Closeable):
            retriever.close()
    pinned = _with_packages(live, {} if portable else packages)
    return PinnedRetriever(
        pinned,
        RetrieverPin(
            profile_digest=canonical_digest(pinned),
            adapter=target.adapter,
            distribution=source.distribution,
            packages=packages,
            fingerprints=fingerprints,
        ),
    )


def write_pin(pinned: PinnedRetriever, path: Path) -> Path:
    """Write the profile to ``path`` and the pin beside it; return the path of the pin.

    Raises:
        InputError: ``wrong_suffix`` or ``unwritable_file``.
    """
    if not path.name.endswith(SUFFIX) or path.name == SUFFIX:
        raise InputError("not a name for a profile", code="wrong_suffix", got=path.name, wanted=f"NAME{SUFFIX}")
    beside = path.with_name(path.name.removesuffix(SUFFIX) + PIN_SUFFIX)
    write_bytes(beside, model_bytes(pinned.pin))
    write_bytes(path, model_bytes(pinned.profile))
    return beside


def compare_profiles(pinned: RetrieverProfile, live: RetrieverProfile) -> tuple[Problem, ...]:
    """Return one problem for each field in which a live retriever is not what was pinned."""
    return tuple(
        Problem(
            "profile_mismatch",
            "the live retriever is not the pinned one",
            f"live {_shown(item.second)}",
            f"pinned {_shown(item.first)}",
            f"profile /{item.field}",
        )
        for item in profile_differences(pinned, live)
        if not _unpinned_package(item, pinned)
    )


def require_profile(pinned: RetrieverProfile, live: RetrieverProfile) -> None:
    """Refuse a live retriever that is not the pinned one.

    Raises:
        ProfileMismatch: one problem a field, with the pinned and the live value.
    """
    problems = compare_profiles(pinned, live)
    if problems:
        raise ProfileMismatch.from_problems(problems)


def diff_profiles(first: RetrieverProfile, second: RetrieverProfile) -> tuple[str, ...]:
    """Return every difference in words, in field order."""
    return tuple(
        f"{item.field}: {_shown(item.first)} → {_shown(item.second)}" for item in profile_differences(first, second)
    )


def _unpinned_package(item: FieldDifference, pinned: RetrieverProfile) -> bool:
    if not item.field.startswith(_PACKAGE_FIELD):
        return False
    return item.field.removeprefix("index_build_config/") not in pinned.index_build_config


def _with_packages(profile: RetrieverProfile, packages: dict[str, str]) -> RetrieverProfile:
    value = profile.model_dump(mode="json", exclude_none=True)
    config = {key: item for key, item in profile.index_build_config.items() if not key.startswith(PACKAGE_PREFIX)}
    value["index_build_config"] = config | {f"{PACKAGE_PREFIX}{name}": item for name, item in packages.items()}
    return RetrieverProfile.from_json(value)


def _shown(value: object) -> str:
    if value is None:
        return "absent"
    return repr(value) if isinstance(value, str) else str(value)
