"""What the observers look at."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from witnessmark.ports import Sought

Seek = Callable[..., Sought]


class Work:
    """A git repository to work in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self("init", "-q", "-b", "main")

    def __call__(self, *arguments: str) -> str:
        identity = {f"GIT_{role}_{field}": "someone" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env={**kept, **identity, "GIT_CONFIG_GLOBAL": os.devnull},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def commit(self, **files: str) -> str:
        for name, text in files.items():
            (self.path / name).write_text(text)
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", "work")
        return self("rev-parse", "HEAD")


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "repo")


@pytest.fixture
def seek(tmp_path: Path) -> Seek:
    def sought(reference: str, *, targets: tuple[str, ...] = (), **fields: str) -> Sought:
        return Sought(reference, fields.pop("expected", None), tmp_path, targets, **fields)

    return sought
