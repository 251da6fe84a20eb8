"""The present, as far as targets and locators show it.

- Observers come from the registry, by the scheme of a locator or target, once a round.
- What no observer can see is unknown; what an observer doubts never equals what was stored.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.checkpoint.layout import MANIFEST
from witnessmark.errors import AdapterError, InputError
from witnessmark.models import Dimension, EnvironmentBinding
from witnessmark.ports import EnvironmentObserver, InventoryObserver, Sighting, Sought, SourceObserver
from witnessmark.registry import OBSERVERS, find_observer, registered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import SourceInventory

__all__ = ["Surroundings"]

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(.*)", re.DOTALL)


class Surroundings:
    """The present, as far as targets show it: one round of looking."""

    def __init__(self, targets: Sequence[str] = ()) -> None:
        """Split targets ``SCHEME:ARGUMENT``; a directory with a checkpoint in it is one, too.

        Raises:
            InputError: ``unknown_target``.
        """
        self._targets = tuple(_split_target(target) for target in targets)
        self._observers: dict[str, object] = {}
        self._environment: tuple[EnvironmentBinding, frozenset[Dimension], tuple[str, ...]] | None = None

    def sight(
        self,
        locator: str,
        *,
        folder: Path,
        expected_digest: str | None,
        etag: str | None = None,
        last_modified: str | None = None,
    ) -> Sighting:
        """Look for a source.

        Raises:
            InputError: the locator is malformed, or its observer does not load.
            AdapterError: an observer did not give a sighting.
        """
        match = _SCHEME.fullmatch(locator)
        if match is None or match[1] not in _schemes():
            return Sighting(None, note=f"no observer for {locator!r}")
        scheme, reference = match.groups()
        observer = self._observer(scheme)
        if not isinstance(observer, SourceObserver):
            return Sighting(None, note=f"the observer {scheme!r} sees no sources")
        arguments = tuple(argument for name, argument in self._targets if name == scheme)
        sighting = observer.observe(Sought(reference, expected_digest, folder, arguments, etag, last_modified))
        if not isinstance(sighting, Sighting):
            raise AdapterError(
                "observer gave no sighting", code="invalid_sighting", got=type(sighting).__name__, where=f"{scheme}:"
            )
        return sighting

    def environment(self, stored: EnvironmentBinding) -> tuple[EnvironmentBinding, tuple[str, ...]]:
        """Return today's environment as it may be compared with ``stored``, and notes for people.

        A doubtful dimension is left out where evidence bound it, and given where it did not: neither way does it
        help the evidence.

        Raises:
            InputError: a target cannot be read, is no environment, or ``conflicting_targets``.
        """
        if self._environment is None:
            self._environment = self._look_around()
        binding, doubtful, notes = self._environment
        hidden = {item for item in doubtful if getattr(stored, item) is not None}
        values = {item.value: getattr(binding, item) for item in Dimension if item not in hidden}
        return EnvironmentBinding.from_json(values), notes

    def inventory(self, argument: str) -> SourceInventory:
        """List a namespace: ``NAMESPACE=SCHEME:ARGUMENT``.

        Raises:
            InputError: ``invalid_inventory``, or the observer cannot list it.
        """
        namespace, separator, target = argument.partition("=")
        match = _SCHEME.fullmatch(target)
        if not namespace.strip() or not separator or match is None:
            raise InputError(
                "not an inventory", code="invalid_inventory", got=repr(argument), wanted="NAMESPACE=SCHEME:ARGUMENT"
            )
        observer = self._observer(match[1])
        if not isinstance(observer, InventoryObserver):
            raise InputError(f"the observer {match[1]!r} lists nothing", code="invalid_inventory", got=repr(argument))
        return observer.inventory(namespace, match[2])

    def _observer(self, scheme: str) -> object:
        if scheme not in self._observers:
            factory, _ = find_observer(scheme)
            self._observers[scheme] = factory()
        return self._observers[scheme]

    def _look_around(self) -> tuple[EnvironmentBinding, frozenset[Dimension], tuple[str, ...]]:
        values: dict[str, str] = {}
        origins: dict[str, str] = {}
        doubtful: set[Dimension] = set()
        notes: list[str] = []
        for scheme, argument in self._targets:
            target = f"{scheme}:{argument}"
            observer = self._observer(scheme)
            if not isinstance(observer, EnvironmentObserver):
                raise InputError(f"the observer {scheme!r} sees no environment", code="unknown_target", got=target)
            seen = observer.environment(argument)
            doubtful.update(seen.doubtful)
            notes.extend([seen.note] if seen.note else [])
            for name in (item.value for item in Dimension):
                value = getattr(seen.binding, name)
                if value is None:
                    continue
                if values.setdefault(name, value) != value:
                    raise InputError(
                        f"two targets give different values for {name}",
                        code="conflicting_targets",
                        got=f"{values[name]!r} from {origins[name]} and {value!r} from {target}",
                        wanted="one value",
                    )
                origins.setdefault(name, target)
        return EnvironmentBinding.from_json(values), frozenset(doubtful), tuple(notes)


def _schemes() -> frozenset[str]:
    return frozenset(item.name for item in registered(OBSERVERS))


def _split_target(target: str) -> tuple[str, str]:
    match = _SCHEME.fullmatch(target)
    if match is not None and match[1] in _schemes():
        return match[1], match[2]
    if (Path(target) / MANIFEST).is_file():
        return "checkpoint", target
    raise InputError(
        "no such target",
        code="unknown_target",
        got=repr(target),
        wanted=f"a checkpoint directory, or SCHEME:ARGUMENT with one of: {', '.join(sorted(_schemes()))}",
    )
