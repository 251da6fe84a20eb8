"""The git command, run so that a repository cannot decide what runs.

- No shell; every value is one argument, and references are resolved before anything else is done with them.
- ``LC_ALL=C``, no ``GIT_*`` variable of the caller, no prompts, no hooks, no file system monitor, a time limit.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TIMEOUT", "Entry", "GitError", "Repository"]

TIMEOUT = 20.0
"""Seconds that one call of git may take."""

_SETTINGS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "core.quotePath=false")


class GitError(Exception):
    """Git is not there, failed or took too long. The message is for people."""


class Entry(NamedTuple):
    """An entry of a tree."""

    kind: str
    """``blob``, ``tree`` or ``commit`` (a submodule)."""
    object_id: str
    path: str


class Repository:
    """One repository, at the place that a path names."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def top(self) -> Path | None:
        """Return the top of the working tree, or None for a bare repository.

        Raises:
            GitError: no repository here.
        """
        if self._text("rev-parse", "--is-bare-repository") == "true":
            return None
        return type(self._path)(self._text("rev-parse", "--show-toplevel"))

    def head(self) -> str:
        """Return the commit that HEAD names.

        Raises:
            GitError: no repository, or no commit yet.
        """
        return self._text("rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}")

    def branch(self) -> str | None:
        """Return the name of the branch, or None where HEAD is detached."""
        return self._optional("symbolic-ref", "--quiet", "--short", "HEAD")

    def origin(self) -> str | None:
        """Return the URL of the remote ``origin`` as it is configured, or None."""
        return self._optional("config", "--local", "--get", "remote.origin.url")

    def knows(self, commit: str) -> bool:
        """Tell whether a commit, by its full id, is in the repository."""
        return self._run("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0

    def is_dirty(self, path: str | None = None) -> bool:
        """Tell whether the working tree differs from HEAD, untracked files included; or that of one path.

        Raises:
            GitError: git failed.
        """
        scope = () if path is None else ("--", path)
        return bool(self._check("status", "--porcelain=v1", "-z", "--untracked-files=all", *scope))

    def entries(self, commit: str, path: str | None = None) -> tuple[Entry, ...]:
        """Return all files of a commit, or the entry of one path, if there is one.

        Raises:
            GitError: git failed.
        """
        selection = ("-r", commit) if path is None else (commit, "--", path)
        lines = self._check("ls-tree", "-z", "--full-tree", *selection).split(b"\0")
        return tuple(_entry(line) for line in lines if line)

    def blob_digest(self, object_id: str) -> str:
        """Return the SHA-256 of a blob's contents.

        Raises:
            GitError: git failed.
        """
        return hashlib.sha256(self._check("cat-file", "blob", object_id)).hexdigest()

    def _text(self, *arguments: str) -> str:
        return os.fsdecode(self._check(*arguments).removesuffix(b"\n"))

    def _optional(self, *arguments: str) -> str | None:
        found = self._run(*arguments)
        return os.fsdecode(found.stdout.removesuffix(b"\n")) or None if found.returncode == 0 else None

    def _check(self, *arguments: str) -> bytes:
        found = self._run(*arguments)
        if found.returncode != 0:
            said = found.stderr.decode("utf-8", "replace").strip() or f"exit code {found.returncode}"
            raise GitError(f"git {arguments[0]} in {self._path}: {said}")
        return found.stdout

    def _run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = ["git", "-C", str(self._path), *_SETTINGS, *arguments]
        try:
            return subprocess.run(
                command, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=TIMEOUT, env=_environment()
            )
        except subprocess.TimeoutExpired as error:
            raise GitError(f"git {arguments[0]} in {self._path} took more than {TIMEOUT:g} s") from error
        except OSError as error:
            raise GitError(f"cannot run git: {error.strerror or error}") from error


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {
        **kept,
        "LC_ALL": "C",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
    }


def _entry(line: bytes) -> Entry:
    description, _, path = line.partition(b"\t")
    _, kind, object_id = description.split(b" ")
    return Entry(kind.decode(), object_id.decode(), os.fsdecode(path))
