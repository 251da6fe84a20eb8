"""A folder of records, read file by file; the one module here that touches the disk.

- Read are ``*.md`` files that begin with front matter, and ``*.json`` files; other Markdown is a document that records
  may cite. Names that begin with a dot are left out.
- A record's ref is its path below the root, without ``.md``; in JSON it is the field ``ref``, or the path without
  ``.json``.
- Nothing outside the root is read: a symbolic link that leaves it is a problem, one that stays inside names what is
  read anyway. A ref to a source is followed to its real path, which has to lie below the root's.
- What is wrong with one file is reported with it, and reading goes on.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.amr.frontmatter import has_front_matter, parse_json_records, parse_markdown
from witnessmark.amr.refs import canonical_ref, ref_problem
from witnessmark.errors import InputError, Problem
from witnessmark.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from witnessmark.amr.frontmatter import AmrDocument

__all__ = ["MAX_FILE_BYTES", "Entry", "Source", "Store", "StoredFile"]

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Largest file that is read, record or source."""
_SUFFIXES = (".json", ".md")


class Entry(NamedTuple):
    """One record of a folder, or why a file is none that can be read."""

    path: Path
    ref: str
    """The record's; the file's path below the root where it cannot be read."""
    document: AmrDocument | None
    problems: tuple[Problem, ...] = ()
    """Why ``document`` is absent."""


class StoredFile(NamedTuple):
    """One file with the records in it."""

    path: Path
    data: bytes
    """Empty where the file cannot be read."""
    entries: tuple[Entry, ...]


class Source(NamedTuple):
    """The text that a ref names, or why there is none."""

    text: str | None
    why: str | None = None


class Store:
    """The records at a path: a folder, or one file in a folder."""

    def __init__(self, path: Path, *, root: Path | None = None) -> None:
        """Look at ``path``; ``root`` is where refs begin: the folder, or the one that the file is in, if left out.

        Raises:
            InputError: ``unreadable_file`` where there is nothing, ``outside_root`` where path is not below root.
        """
        if not path.exists():
            raise InputError("no such file or folder", code="unreadable_file", where=str(path))
        self.root = root if root is not None else path if path.is_dir() else path.parent
        self._real_root = self.root.resolve()
        real = path.resolve()
        if not real.is_relative_to(self._real_root):
            raise InputError(
                "path is not below the root", code="outside_root", got=str(path), wanted=str(self.root), where=str(path)
            )
        self.path = self.root / real.relative_to(self._real_root)
        """What is read, spelled from the root on."""
        self.documents = 0
        """Markdown files without front matter, once `entries` has been read to its end."""

    def entries(self) -> Iterator[Entry]:
        """Yield the records in the order of their paths, one file in memory at a time."""
        for file in self.files():
            yield from file.entries

    def files(self) -> Iterator[StoredFile]:
        """Yield the files with records, and those that cannot be read, in the order of their paths."""
        self.documents = 0
        found = self._files(self.path) if self.path.is_dir() else iter([self.path])
        for path in found:
            file = StoredFile(path.path, b"", (path,)) if isinstance(path, Entry) else self._read(path)
            if file is not None:
                yield file

    def source(self, ref: str) -> Source:
        """Return the text of the source that ``ref`` names: the file of that name, or with ``.md`` added.

        A ref whose real path is not below the root, a folder, and bytes that are no UTF-8 give no text.
        """
        if ref_problem(ref) is not None:
            return Source(None, "ref is malformed")
        for name in (ref, f"{ref}.md"):
            path = self.root / name
            try:
                real = path.resolve()
                if not real.is_relative_to(self._real_root):
                    return Source(None, "leaves the root")
                if not real.is_file():
                    continue
                return Source(read_bytes(real, max_bytes=MAX_FILE_BYTES).decode("utf-8"))
            except InputError as error:
                return Source(None, error.problems[0].what)
            except UnicodeDecodeError:
                return Source(None, "is not UTF-8 text")
            except OSError as error:  # a name that is too long, a loop of links
                return Source(None, error.strerror or str(error))
        return Source(None, "no such file")

    def _files(self, folder: Path) -> Iterator[Path | Entry]:
        # A directory after the files before it in the order of whole paths, so that a list of refs is sorted.
        try:
            with os.scandir(folder) as found:
                items = sorted(found, key=lambda item: item.name + ("/" if item.is_dir(follow_symlinks=False) else ""))
        except OSError as error:
            yield self._refused(folder, Problem("unreadable_file", f"cannot read folder: {error.strerror or error}"))
            return
        for item in items:
            if item.name.startswith("."):
                continue
            path = folder / item.name
            if item.is_symlink():
                if not path.resolve().is_relative_to(self._real_root):
                    problem = Problem("leaves_root", "symbolic link leaves the root", wanted="files below it")
                    yield self._refused(path, problem)
            elif item.is_dir():
                yield from self._files(path)
            elif item.is_file() and path.suffix in _SUFFIXES:
                yield path

    def _read(self, path: Path) -> StoredFile | None:
        where = str(path)
        ref = self._path_ref(path)
        try:
            data = read_bytes(path, max_bytes=MAX_FILE_BYTES)
            if path.suffix == ".json":
                documents = parse_json_records(data, where)
            elif has_front_matter(data):
                documents = (parse_markdown(data, where),)
            else:
                self.documents += 1
                return None
        except InputError as error:
            return StoredFile(path, b"", (Entry(path, ref, None, error.problems),))
        refs = [document.fields.get("ref") if path.suffix == ".json" else None for document in documents]
        return StoredFile(
            path,
            data,
            tuple(
                Entry(path, canonical_ref(named) if isinstance(named, str) else ref, document)
                for named, document in zip(refs, documents, strict=True)
            ),
        )

    def _refused(self, path: Path, problem: Problem) -> Entry:
        return Entry(path, self._path_ref(path), None, (problem._replace(where=str(path)),))

    def _path_ref(self, path: Path) -> str:
        relative = path.relative_to(self.root).as_posix()
        return canonical_ref(relative).removesuffix(".json")
