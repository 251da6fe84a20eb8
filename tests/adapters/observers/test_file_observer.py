"""Files."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from witnessmark.errors import InputError
from witnessmark.ports import Sighting
from witnessmark_adapters.observers import file as module
from witnessmark_adapters.observers.file import FileObserver

from .conftest import Seek

HELLO = hashlib.sha256(b"hello").hexdigest()


def test_the_bytes_of_a_file_relative_to_the_evidence_or_absolute(tmp_path: Path, seek: Seek) -> None:
    (tmp_path / "a b.txt").write_bytes(b"hello")
    observer = FileObserver()
    assert observer.observe(seek("a b.txt")) == Sighting(True, HELLO)
    assert observer.observe(seek((tmp_path / "a b.txt").as_uri().removeprefix("file:"))) == Sighting(True, HELLO)


def test_a_missing_file_is_gone(tmp_path: Path, seek: Seek) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert FileObserver().observe(seek("nothing")) == Sighting(False)
    assert FileObserver().observe(seek("file/below")) == Sighting(False)


def test_a_folder_exists_without_a_digest(tmp_path: Path, seek: Seek) -> None:
    assert FileObserver().observe(seek(".")) == Sighting(True, note=f"{tmp_path} is not a regular file")


def test_a_pipe_does_not_block(tmp_path: Path, seek: Seek) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert FileObserver().observe(seek("pipe")).digest is None


def test_a_link_in_a_circle_is_unknown(tmp_path: Path, seek: Seek) -> None:
    (tmp_path / "loop").symlink_to("loop")
    sighting = FileObserver().observe(seek("loop"))
    assert (sighting.exists, sighting.digest) == (None, None)
    assert sighting.note is not None
    assert sighting.note.startswith("cannot read")


@pytest.mark.parametrize("reference", ["", "//host/share", "a\0b", "//"])
def test_invalid_locator(seek: Seek, reference: str) -> None:
    with pytest.raises(InputError) as caught:
        FileObserver().observe(seek(reference))
    assert caught.value.code == "invalid_locator"


def test_an_inventory_lists_files_at_any_depth(tmp_path: Path) -> None:
    (tmp_path / "b" / "c").mkdir(parents=True)
    for name in ("z", "b/y", "b/c/x"):
        (tmp_path / name).write_bytes(b"")
    inventory = FileObserver().inventory("docs", str(tmp_path))
    assert (inventory.namespace, inventory.source_ids, inventory.complete) == ("docs", ("b/c/x", "b/y", "z"), True)


def test_an_inventory_that_leaves_something_out_is_not_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a").write_bytes(b"")
    (tmp_path / "here" / "b").write_bytes(b"")
    whole = FileObserver().inventory("docs", str(tmp_path / "here"))
    assert whole.complete
    (tmp_path / "here" / "linked").symlink_to(tmp_path)
    assert not FileObserver().inventory("docs", str(tmp_path / "here")).complete
    (tmp_path / "here" / "linked").unlink()
    (tmp_path / "here" / "dangling").symlink_to("nowhere")
    assert not FileObserver().inventory("docs", str(tmp_path / "here")).complete
    (tmp_path / "here" / "dangling").unlink()
    monkeypatch.setattr(module, "MAX_INVENTORY", 1)
    cut = FileObserver().inventory("docs", str(tmp_path / "here"))
    assert (cut.source_ids, cut.complete) == (("a",), False)


def test_an_inventory_of_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        FileObserver().inventory("docs", str(tmp_path / "nothing"))
    assert caught.value.code == "unreadable_target"
