"""Files in and out: bounded reads, atomic writes, directories that appear only when they are complete."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.canonical import MAX_BYTES
from witnessmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["file_digest", "new_directory", "read_bytes", "require_absent", "write_bytes"]

_CHUNK = 1 << 20


def read_bytes(path: Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        InputError: ``unreadable_file`` (missing, a directory, no permission) or ``too_large``.
    """
    try:
        with path.open("rb") as stream:
            # In pieces: a single read sets aside all of the limit, however small the file.
            data = bytearray()
            while len(data) <= max_bytes and (piece := stream.read(min(_CHUNK, max_bytes + 1 - len(data)))):
                data += piece
    except OSError as error:
        raise InputError(
            f"cannot read file: {error.strerror or error}", code="unreadable_file", where=str(path)
        ) from error
    if len(data) > max_bytes:
        raise InputError("file is too large", code="too_large", wanted=f"at most {max_bytes} bytes", where=str(path))
    return bytes(data)


def file_digest(path: Path) -> tuple[int, str]:
    """Return size in bytes and ``sha256:`` digest of a file, read in pieces.

    Raises:
        InputError: ``unreadable_file``.
    """
    digest, size = hashlib.sha256(), 0
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        raise InputError(
            f"cannot read file: {error.strerror or error}", code="unreadable_file", where=str(path)
        ) from error
    return size, f"sha256:{digest.hexdigest()}"


def write_bytes(path: Path, data: bytes, *, mode: int | None = None) -> None:
    """Write a file so that a reader sees the old bytes or the new ones, never a part.

    ``mode`` is the permission bits that it gets; those of any new file if left out.

    Raises:
        InputError: ``unwritable_file``.
    """
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(0o666 & ~_umask() if mode is None else mode)
        Path(temporary).replace(path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise InputError(
            f"cannot write file: {error.strerror or error}", code="unwritable_file", where=str(path)
        ) from error


def require_absent(path: Path) -> None:
    """Refuse an output path that is taken; an empty directory is fine.

    Raises:
        InputError: ``output_exists``.
    """
    if path.is_symlink() or (path.exists() and not (path.is_dir() and not any(path.iterdir()))):
        raise InputError("output already exists", code="output_exists", wanted="a new path", where=str(path))


@contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """Yield a temporary sibling of ``path`` that becomes ``path`` when the block ends without an error.

    Raises:
        InputError: ``output_exists`` (an empty directory is fine) or ``unwritable_file``.
    """
    require_absent(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
        staging.chmod(0o777 & ~_umask())
    except OSError as error:
        raise InputError(
            f"cannot write directory: {error.strerror or error}", code="unwritable_file", where=str(path)
        ) from error
    try:
        yield staging
        staging.replace(path)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
