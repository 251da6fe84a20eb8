"""The files of a checkpoint directory: their names, which of them are there, and whether they were touched.

- Only regular files are read: a symbolic link, wherever it leads, is refused.
"""

from __future__ import annotations

from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, TypeAlias

from witnessmark.errors import EvidenceError
from witnessmark.files import file_digest
from witnessmark.models import FileEntry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "INDEX",
    "MANIFEST",
    "OPERATIONS",
    "PROFILE",
    "Signature",
    "files_below",
    "index_entries",
    "require_regular",
    "signature",
]

MANIFEST = "checkpoint.json"
OPERATIONS = "operations.jsonl"
INDEX = "index"
PROFILE = f"{INDEX}/profile.json"
"""The profile under which ``index/`` was built, as its canonical bytes."""

Signature: TypeAlias = tuple[tuple[str, int, int, int, int, int], ...]
"""Name, device, inode, size, and the times of modification and of change, a file or folder."""


def index_entries(folder: Path) -> tuple[FileEntry, ...]:
    """Return an entry for every file below ``index/``, sorted by path.

    Raises:
        EvidenceError: ``symbolic_link`` or ``not_a_regular_file``.
        InputError: ``unreadable_file``.
    """
    entries: list[FileEntry] = []
    for path in files_below(folder, INDEX):
        size, digest = file_digest(folder / path)
        entries.append(FileEntry(path=path, size=size, sha256=digest))
    return tuple(entries)


def require_regular(path: Path) -> None:
    """Raise unless ``path`` is a regular file and no link.

    Raises:
        EvidenceError: ``missing_file``, ``symbolic_link`` or ``not_a_regular_file``.
    """
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        raise EvidenceError("file is missing", code="missing_file", wanted="a file", where=str(path)) from error
    if path.is_symlink():
        raise EvidenceError("symbolic link", code="symbolic_link", wanted="a regular file", where=str(path))
    if not S_ISREG(mode):
        raise EvidenceError("not a regular file", code="not_a_regular_file", where=str(path))


def files_below(folder: Path, name: str) -> Iterator[str]:
    """Yield the files below a folder, sorted by path, relative to ``folder`` with forward slashes."""
    path = folder / name
    if path.is_symlink():
        raise EvidenceError("symbolic link", code="symbolic_link", wanted="a folder", where=str(path))
    if not path.is_dir():
        raise EvidenceError("folder is missing", code="missing_file", wanted="a folder", where=str(path))
    found: list[str] = []
    pending = [name]
    while pending:
        below = pending.pop()
        for item in (folder / below).iterdir():
            relative = f"{below}/{item.name}"
            if item.is_dir() and not item.is_symlink():
                pending.append(relative)
            else:
                require_regular(item)
                found.append(relative)
    yield from sorted(found)


def signature(folder: Path) -> Signature:
    """Return what ``lstat`` says of the manifest, the log, ``index/`` and everything below it."""
    entries: list[tuple[str, int, int, int, int, int]] = []
    pending = [MANIFEST, OPERATIONS, INDEX]
    while pending:
        name = pending.pop()
        try:
            found = (folder / name).lstat()
            if S_ISDIR(found.st_mode):
                pending.extend(f"{name}/{item.name}" for item in (folder / name).iterdir())
        except OSError:
            # A file that is gone has no entry; the verification that follows says which.
            continue
        entries.append((name, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns))
    return tuple(sorted(entries))
