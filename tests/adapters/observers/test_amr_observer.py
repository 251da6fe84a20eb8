"""Sources that auditable memory records cite."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from witnessmark.errors import InputError
from witnessmark.ports import Sighting, Sought
from witnessmark_adapters.observers.amr import AmrObserver


def observe(folder: Path, ref: str) -> Sighting:
    return AmrObserver().observe(Sought(ref, None, folder))


@pytest.mark.parametrize("ref", ["s/a.md", "s/a"])
def test_a_source_is_found_with_and_without_its_suffix(tmp_path: Path, ref: str) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a.md").write_bytes(b"tea\r\n")

    assert observe(tmp_path, ref) == Sighting(True, digest=hashlib.sha256(b"tea\r\n").hexdigest())


def test_what_is_not_there_is_gone_and_what_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "out.md").write_text("x")
    (folder / "link.md").symlink_to(tmp_path / "out.md")
    (folder / "bytes.md").write_bytes(b"\xff")

    assert observe(folder, "none").exists is False
    assert observe(folder, "link.md") == Sighting(None, note="amr:link.md: leaves the root")
    assert observe(folder, "bytes.md") == Sighting(None, note="amr:bytes.md: is not UTF-8 text")


def test_a_malformed_ref_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^amr:\.\./x: malformed ref: got '\.\./x', wanted ASCII"):
        observe(tmp_path, "../x")
