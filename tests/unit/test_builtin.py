"""Profiles and suites by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from witnessmark import builtin
from witnessmark.builtin import builtin_names, read_named
from witnessmark.errors import InputError


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data package of two profiles, under a name of its own."""
    package = tmp_path / f"shipped_{tmp_path.name}"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "b.profile.json").write_bytes(b"{}")
    (package / "a-1.profile.json").write_bytes(b'{"a":1}')
    (package / "c.suite.json").write_bytes(b"{}")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(builtin._PACKAGES, "profile", package.name)
    return package


def test_a_builtin_is_found_by_name(shipped: Path) -> None:
    assert builtin_names("profile") == ("a-1", "b")
    assert read_named("builtin:a-1", "profile") == ("builtin:a-1", b'{"a":1}')


@pytest.mark.parametrize("name", ["c", "", "b.profile.json", "../b", "__init__"])
def test_an_unknown_builtin_names_the_known_ones(shipped: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        read_named(f"builtin:{name}", "profile")
    assert caught.value.code == "unknown_builtin"
    assert str(caught.value) == f"no such profile: got 'builtin:{name}', wanted one of: a-1, b"


def test_a_kind_without_data_says_so(shipped: Path) -> None:
    for item in shipped.glob("*.profile.json"):
        item.unlink()
    with pytest.raises(InputError, match="wanted one of: none"):
        read_named("builtin:b", "profile")


def test_anything_else_is_a_path(tmp_path: Path) -> None:
    path = tmp_path / "p.profile.json"
    path.write_bytes(b"x")
    assert read_named(str(path), "profile") == (str(path), b"x")
    with pytest.raises(InputError, match="cannot read file"):
        read_named(str(tmp_path / "none"), "suite")


def test_the_shipped_data_packages_are_there() -> None:
    assert isinstance(builtin_names("profile"), tuple)
    assert isinstance(builtin_names("suite"), tuple)
    assert "witnessmark_profiles" in sys.modules
