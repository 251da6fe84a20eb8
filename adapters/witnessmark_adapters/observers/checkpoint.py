"""Memory: ``checkpoint:DIRECTORY#KEY`` is an item, ``checkpoint:DIRECTORY`` a whole state.

- A target takes the place of the directory in the locator: there the memory of today lies.
- An item's digest is its version digest, a state's the digest of its reference.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from witnessmark.canonical import canonical_digest
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.checkpoint.edges import edges_of
from witnessmark.errors import InputError, WitnessmarkError
from witnessmark.models import EnvironmentBinding, LineageState, SourceInventory
from witnessmark.models.applicability import state_digest
from witnessmark.ports import ObservedEnvironment, Sighting

if TYPE_CHECKING:
    from witnessmark.ports import Sought

__all__ = ["CheckpointObserver"]


class CheckpointObserver:
    """Opens each checkpoint once a round, which verifies all of it."""

    def __init__(self) -> None:
        self._opened: dict[Path, _Contents] = {}

    def observe(self, sought: Sought) -> Sighting:
        """Return an item by key, or a state.

        Raises:
            InputError: ``invalid_locator``.
        """
        directory, separator, key = sought.reference.partition("#")
        if separator and not key:
            _malformed(sought, "checkpoint:DIRECTORY#KEY")
        folder = _folder(sought, directory)
        try:
            contents = self._open(folder)
            return contents.item(key) if separator else contents.state()
        except WitnessmarkError as error:
            return Sighting(None, note=str(error))

    def environment(self, argument: str) -> ObservedEnvironment:
        """Return ``target_state_digest`` of a checkpoint directory.

        Raises:
            InputError: ``unreadable_target``: it is no checkpoint, or not what its manifest says.
        """
        try:
            reference = self._open(Path(argument)).checkpoint.state_reference()
        except WitnessmarkError as error:
            raise InputError(
                f"cannot read checkpoint: {error}", code="unreadable_target", where=f"checkpoint:{argument}"
            ) from error
        return ObservedEnvironment(EnvironmentBinding(target_state_digest=state_digest(reference)))

    def inventory(self, namespace: str, argument: str) -> SourceInventory:
        """List the keys of the live items; always complete.

        Raises:
            InputError: as `environment`.
        """
        self.environment(argument)
        return SourceInventory(
            namespace=namespace, source_ids=tuple(sorted(self._open(Path(argument)).checkpoint.live)), complete=True
        )

    def _open(self, folder: Path) -> _Contents:
        path = folder.resolve()
        if path not in self._opened:
            self._opened[path] = _Contents(Checkpoint.open(path))
        return self._opened[path]


class _Contents:
    """A checkpoint, and what its records say of one another once somebody asks."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self._digests: dict[str, str] | None = None
        self._superseded: set[str] = set()

    def state(self) -> Sighting:
        return Sighting(True, state_digest(self.checkpoint.state_reference()))

    def item(self, key: str) -> Sighting:
        if self._digests is None:
            records = list(self.checkpoint.records())
            self._digests = {record.key: canonical_digest(record).removeprefix("sha256:") for record in records}
            self._superseded = {
                edge.target_key for record in records for edge in edges_of(record) if edge.relation == "supersedes"
            }
        digest = self._digests.get(key)
        if digest is not None:
            superseded = key in self._superseded
            return Sighting(True, digest, LineageState.superseded if superseded else LineageState.active)
        deleted = any(item.key == key for item in self.checkpoint.operations())
        # A deleted item is still in the log: it was taken out of use, not out of history.
        return Sighting(False, state=LineageState.retired if deleted else None)


def _folder(sought: Sought, directory: str) -> Path:
    if len(sought.targets) == 1:
        return Path(sought.targets[0])
    if sought.targets:
        raise InputError(
            "several checkpoints are targets", code="ambiguous_target", got=", ".join(sought.targets), wanted="one"
        )
    if not directory:
        _malformed(sought, "a checkpoint target, or checkpoint:DIRECTORY#KEY")
    return sought.folder / directory


def _malformed(sought: Sought, wanted: str) -> NoReturn:
    raise InputError(
        "not a checkpoint locator", code="invalid_locator", got=repr(f"checkpoint:{sought.reference}"), wanted=wanted
    )
