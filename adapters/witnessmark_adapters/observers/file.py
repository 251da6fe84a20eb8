"""Files: ``file:PATH``, relative to the evidence, or ``file:///PATH``."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from urllib.parse import unquote

from witnessmark.errors import InputError
from witnessmark.models import SourceInventory
from witnessmark.ports import Sighting, Sought

__all__ = ["MAX_INVENTORY", "FileObserver", "file_sighting"]

MAX_INVENTORY = 100_000
"""Files that an inventory lists; a folder with more gives an incomplete one."""

_CHUNK = 1 << 20


class FileObserver:
    """Reads regular files; symbolic links are followed."""

    def observe(self, sought: Sought) -> Sighting:
        """Return the SHA-256 of the file's bytes.

        Raises:
            InputError: ``invalid_locator``.
        """
        return file_sighting(_path(sought.reference, sought.folder))

    def inventory(self, namespace: str, argument: str) -> SourceInventory:
        """List the regular files below a folder, with forward slashes.

        Raises:
            InputError: ``unreadable_target``: no such folder.
        """
        root = Path(argument)
        if not root.is_dir():
            raise InputError(
                "no such folder", code="unreadable_target", got=repr(argument), wanted="a folder", where="file:"
            )
        missed: list[object] = []
        found: list[str] = []
        for folder, folders, names in os.walk(root, onerror=missed.append):
            # A linked folder is not entered: it may lead anywhere, also back here.
            missed.extend(name for name in folders if Path(folder, name).is_symlink())
            for name in names:
                path = Path(folder, name)
                sighting = _is_regular(path)
                if sighting:
                    found.append(path.relative_to(root).as_posix())
                elif sighting is None:
                    missed.append(path)
        complete = not missed and len(found) <= MAX_INVENTORY
        return SourceInventory(namespace=namespace, source_ids=tuple(sorted(found)[:MAX_INVENTORY]), complete=complete)


def file_sighting(path: Path) -> Sighting:
    """Return what is at ``path``; something that is no regular file exists and has no digest."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return Sighting(True, note=f"{path} is not a regular file")
        digest = hashlib.sha256()
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except (FileNotFoundError, NotADirectoryError):
        return Sighting(False)
    except OSError as error:
        return Sighting(None, note=f"cannot read {path}: {error.strerror or error}")
    return Sighting(True, digest.hexdigest())


def _is_regular(path: Path) -> bool | None:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return None


def _path(reference: str, folder: Path) -> Path:
    text = reference
    if text.startswith("//"):
        if not text.startswith("///"):
            raise InputError(
                "file locator names a host",
                code="invalid_locator",
                got=repr(f"file:{reference}"),
                wanted="file:PATH or file:///PATH",
            )
        text = unquote(text[2:])
    if not text or "\0" in text:
        raise InputError(
            "file locator names no file",
            code="invalid_locator",
            got=repr(f"file:{reference}"),
            wanted="file:PATH or file:///PATH",
        )
    return folder / text
