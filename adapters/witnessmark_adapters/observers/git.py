"""Git: ``git:REPOSITORY@COMMIT:PATH`` is a file as it was reviewed; what counts now is the head and the working tree.

- ``REPOSITORY`` is a path, relative to the evidence, or the repository name of a ``git:`` target.
- ``COMMIT`` has to be known to the repository; otherwise nothing can be said.
- A file with uncommitted changes is read from the working tree, any other from the head.
- A working tree with uncommitted changes is not what its head says: ``commit_sha`` is doubtful then.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.errors import InputError
from witnessmark.models import Dimension, EnvironmentBinding, SourceInventory
from witnessmark.ports import ObservedEnvironment, Sighting
from witnessmark_adapters.observers.file import file_sighting
from witnessmark_adapters.observers.gitcommand import GitError, Repository

if TYPE_CHECKING:
    from witnessmark.ports import Sought

__all__ = ["GitObserver"]

_LOCATOR = re.compile(r"(?P<repository>.+)@(?P<commit>[0-9a-f]{40}):(?P<path>[^\0]+)", re.DOTALL)


class GitObserver:
    """Asks the git command."""

    def observe(self, sought: Sought) -> Sighting:
        """Return the SHA-256 of the file's contents as they are now.

        Raises:
            InputError: ``invalid_locator``.
        """
        match = _LOCATOR.fullmatch(sought.reference)
        if match is None or not _is_inside(match["path"]):
            raise InputError(
                "not a git locator",
                code="invalid_locator",
                got=repr(f"git:{sought.reference}"),
                wanted="git:REPOSITORY@COMMIT:PATH, 40 digits of commit and a relative path",
            )
        try:
            return _look(Repository(_place(match["repository"], sought)), match["commit"], match["path"])
        except GitError as error:
            return Sighting(None, note=str(error))

    def environment(self, argument: str) -> ObservedEnvironment:
        """Return repository (URL of ``origin``, or else the path), branch and commit.

        Raises:
            InputError: ``unreadable_target``.
        """
        repository = Repository(Path(argument))
        try:
            top, head, branch = repository.top(), repository.head(), repository.branch()
            dirty = top is not None and repository.is_dirty()
            name = _name(repository, Path(argument))
        except GitError as error:
            raise _unreadable(argument, error) from error
        binding = EnvironmentBinding.from_json(
            {"repository": name, "branch": branch, "commit_sha": head}, where=f"git:{argument}"
        )
        if not dirty:
            return ObservedEnvironment(binding)
        return ObservedEnvironment(binding, (Dimension.commit_sha,), f"{top} has uncommitted changes")

    def inventory(self, namespace: str, argument: str) -> SourceInventory:
        """List the files of the head; complete while the working tree has no changes.

        Raises:
            InputError: ``unreadable_target``.
        """
        repository = Repository(Path(argument))
        try:
            dirty = repository.top() is not None and repository.is_dirty()
            paths = sorted(entry.path for entry in repository.entries(repository.head()))
        except GitError as error:
            raise _unreadable(argument, error) from error
        return SourceInventory(namespace=namespace, source_ids=tuple(paths), complete=not dirty)


def _look(repository: Repository, commit: str, path: str) -> Sighting:
    top, head = repository.top(), repository.head()
    if not repository.knows(commit):
        return Sighting(None, note=f"commit {commit} is not in the repository")
    if top is not None and Repository(top).is_dirty(path):
        return _look_at_working_tree(top, path)
    entries = repository.entries(head, path)
    if not entries:
        return Sighting(False)
    (entry,) = entries
    if entry.kind != "blob":
        return Sighting(True, note=f"{path} is no file but a {entry.kind}")
    return Sighting(True, repository.blob_digest(entry.object_id))


def _look_at_working_tree(top: Path, path: str) -> Sighting:
    place = top / path
    if not place.parent.resolve().is_relative_to(top.resolve()):
        return Sighting(None, note=f"{path} leads out of the working tree")
    if place.is_symlink():
        # What git stores of a link is where it points, not what is there.
        return Sighting(True, hashlib.sha256(bytes(place.readlink())).hexdigest())
    return file_sighting(place)._replace(note=f"{path} has uncommitted changes")


def _place(name: str, sought: Sought) -> Path:
    for target in sought.targets:
        if _name(Repository(Path(target)), Path(target)) == name:
            return Path(target)
    return sought.folder / name


def _name(repository: Repository, path: Path) -> str:
    return repository.origin() or str(repository.top() or path.resolve())


def _is_inside(path: str) -> bool:
    return not any(part in {"", ".", ".."} for part in path.split("/"))


def _unreadable(argument: str, error: GitError) -> InputError:
    return InputError(f"cannot read repository: {error}", code="unreadable_target", where=f"git:{argument}")
