"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def _folder(variable: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set: this test needs material that is not part of the project")
    path = Path(value)
    if not path.is_dir():
        pytest.fail(f"{variable} names no folder: {path}")
    return path


@pytest.fixture(scope="session")
def specs() -> Path:
    """The folder of public specifications and their vectors."""
    return _folder("WITNESSMARK_SPECS")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real memory data."""
    return _folder("WITNESSMARK_DATA")
