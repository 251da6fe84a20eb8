"""Opening a checkpoint verifies all of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from witnessmark.canonical import canonical_bytes, canonical_digest, sha256_digest
from witnessmark.checkpoint import directory as module
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.checkpoint.layout import signature
from witnessmark.errors import EvidenceError, InputError

TEXTS = {"a": "one", "b": "two"}
FILES = ["checkpoint.json", "index/count.txt", "index/profile.json", "index/shards/0.txt", "operations.jsonl"]


@pytest.fixture
def folder(build: Callable[..., Path]) -> Path:
    return build("cp", TEXTS)


def refusal(folder: Path) -> str:
    with pytest.raises((EvidenceError, InputError)) as caught:
        Checkpoint.open(folder)
    return f"[{caught.value.code}] {caught.value}".replace(f"{folder}", "cp")


def edit(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "checkpoint.json"
    manifest = json.loads(path.read_bytes())
    change(manifest)
    path.write_bytes(canonical_bytes(manifest))


def reseal(folder: Path) -> None:
    """Make the manifest agree with the files again, as a forger would, but not with what they mean."""

    def change(manifest: dict[str, Any]) -> None:
        for entry in (*manifest["index_files"], manifest["operations_file"]):
            data = (folder / entry["path"]).read_bytes()
            entry.update(size=len(data), sha256=sha256_digest(data))
        bound = {name: manifest[name] for name in ("adapter", "index_files", "index_settings", "profile_digest")}
        manifest["retrieval_state_digest"] = canonical_digest(bound)

    edit(folder, change)


def test_an_opened_checkpoint_gives_what_was_built(folder: Path) -> None:
    checkpoint = Checkpoint.open(str(folder))
    assert checkpoint.path == folder
    assert checkpoint.index_directory == folder / "index"
    assert checkpoint.profile.implementation_id == "plain"
    assert [operation.key for operation in checkpoint.operations()] == ["a", "b"]
    assert [record.text for record in checkpoint.records()] == ["one", "two"]
    assert [item.version_digest for item in checkpoint.items()] == [
        canonical_digest(record) for record in checkpoint.records()
    ]
    assert "a" in checkpoint
    assert "c" not in checkpoint
    reference = checkpoint.state_reference()
    assert reference.checkpoint_digest == checkpoint.manifest.checkpoint_digest
    assert reference.retrieval_state_digest == checkpoint.manifest.retrieval_state_digest
    assert reference.indexed_item_count == 2


def test_a_link_to_a_checkpoint_opens_what_it_points_at(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "current").symlink_to(folder)
    assert Checkpoint.open(tmp_path / "current").path == folder


@pytest.mark.parametrize("name", FILES)
def test_any_changed_byte_of_any_file_is_refused(folder: Path, name: str) -> None:
    path = folder / name
    good = path.read_bytes()
    for place in range(len(good)):
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        with pytest.raises(EvidenceError):
            Checkpoint.open(folder)
    path.write_bytes(good)
    assert Checkpoint.open(folder).manifest.item_count == 2


@pytest.mark.parametrize("name", FILES[1:])
def test_a_longer_a_shorter_and_a_missing_file_are_named(folder: Path, name: str) -> None:
    path = folder / name
    good = path.read_bytes()
    path.write_bytes(good + b" ")
    assert refusal(folder) == (
        f"[size_mismatch] cp/{name}: file size is not the listed one: got {len(good) + 1} bytes, "
        f"wanted {len(good)} bytes"
    )
    path.write_bytes(good[:-1])
    assert refusal(folder).startswith(f"[size_mismatch] cp/{name}: ")
    path.write_bytes(good[:-1] + b"\x00")
    assert refusal(folder).startswith(f"[digest_mismatch] cp/{name}: file is not the listed one: got sha256:")
    path.unlink()
    assert refusal(folder) == f"[missing_file] cp/{name}: file is missing: wanted a file"


def test_an_unlisted_file_in_the_index_is_refused(folder: Path) -> None:
    (folder / "notes.txt").write_text("beside the index there may be more")
    assert Checkpoint.open(folder).manifest.item_count == 2
    (folder / "index" / "shards" / "1.txt").write_text("")
    assert (
        refusal(folder)
        == "[unlisted_file] cp/index/shards/1.txt: file is not in the manifest: wanted only listed files"
    )


@pytest.mark.parametrize("name", FILES)
def test_a_symbolic_link_is_refused_even_to_the_same_bytes(tmp_path: Path, folder: Path, name: str) -> None:
    (folder / name).rename(tmp_path / "moved")
    (folder / name).symlink_to(tmp_path / "moved")
    assert refusal(folder) == f"[symbolic_link] cp/{name}: symbolic link: wanted a regular file"


@pytest.mark.parametrize("name", ["index", "index/shards"])
def test_a_linked_folder_is_refused(tmp_path: Path, folder: Path, name: str) -> None:
    (folder / name).rename(tmp_path / "moved")
    (folder / name).symlink_to(tmp_path / "moved")
    assert refusal(folder).startswith(f"[symbolic_link] cp/{name}: symbolic link")


def test_a_missing_index_is_refused(tmp_path: Path, folder: Path) -> None:
    (folder / "index").rename(tmp_path / "moved")
    assert refusal(folder) == "[missing_file] cp/index: folder is missing: wanted a folder"


def test_a_folder_without_a_manifest_is_no_checkpoint(tmp_path: Path, folder: Path) -> None:
    (folder / "checkpoint.json").unlink()
    assert refusal(folder) == "[not_a_checkpoint] cp: not a checkpoint directory: wanted a folder with checkpoint.json"
    assert refusal(tmp_path / "none").startswith("[not_a_checkpoint] ")


def test_a_manifest_that_is_spelled_otherwise_is_refused(folder: Path) -> None:
    path = folder / "checkpoint.json"
    path.write_bytes(path.read_bytes() + b"\n")
    assert refusal(folder).startswith("[not_canonical] cp/checkpoint.json: not in canonical form")


@pytest.mark.parametrize(
    "path",
    ["index/../operations.jsonl", "/etc/passwd", "operations.jsonl", "index", "index//x", "index/./x", "../index/x"],
)
def test_a_path_that_leads_elsewhere_is_refused(folder: Path, path: str) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["index_files"] = [{**manifest["index_files"][0], "path": path}]

    edit(folder, change)
    assert refusal(folder) == (
        f"[unsafe_path] cp/checkpoint.json /index_files/0/path: not a path below index/: got {path!r}"
    )


@pytest.mark.parametrize("change", [lambda files: files.reverse(), lambda files: files.insert(1, files[0])])
def test_entries_out_of_order_or_twice_are_refused(folder: Path, change: Callable[[list[Any]], None]) -> None:
    edit(folder, lambda manifest: change(manifest["index_files"]))
    assert refusal(folder) == (
        "[unsorted_entries] cp/checkpoint.json /index_files: index_files are not sorted by path, or name a file twice"
    )


ZERO = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("checkpoint_digest", ZERO),
        ("retrieval_state_digest", ZERO),
        ("operation_count", 3),
        ("item_count", 1),
    ],
)
def test_a_claim_that_the_files_do_not_bear_out_is_refused(folder: Path, field: str, value: object) -> None:
    edit(folder, lambda manifest: manifest.update({field: value}))
    assert refusal(folder).startswith(
        f"[{field}_mismatch] cp/checkpoint.json /{field}: {field} is not what the files give: got {value}, wanted "
    )


@pytest.mark.parametrize(("field", "value"), [("profile_digest", ZERO), ("adapter", "other")])
def test_a_claim_that_the_profile_does_not_bear_out_is_refused(folder: Path, field: str, value: object) -> None:
    edit(folder, lambda manifest: manifest.update({field: value}))
    assert refusal(folder).startswith("[retrieval_state_digest_mismatch] ")
    reseal(folder)
    assert refusal(folder).startswith(f"[{field}_mismatch] cp/checkpoint.json /{field}: ")


def test_settings_are_bound(folder: Path) -> None:
    edit(folder, lambda manifest: manifest["index_settings"].update(shards=2))
    assert refusal(folder).startswith("[retrieval_state_digest_mismatch] ")


def test_a_log_elsewhere_is_refused(folder: Path) -> None:
    edit(folder, lambda manifest: manifest["operations_file"].update(path="../operations.jsonl"))
    assert refusal(folder).startswith("[operations_file_mismatch] cp/checkpoint.json /operations_file/path: ")


def test_a_resealed_log_still_has_to_have_the_root(folder: Path) -> None:
    path = folder / "operations.jsonl"
    path.write_bytes(path.read_bytes().replace(b"one", b"ONE"))
    reseal(folder)
    assert refusal(folder).startswith("[checkpoint_digest_mismatch] ")


def test_a_resealed_log_still_has_to_be_canonical(folder: Path) -> None:
    path = folder / "operations.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"op":', b'"op": '))
    reseal(folder)
    assert refusal(folder).startswith("[not_canonical] cp/operations.jsonl:1: not in canonical form")


def test_a_resealed_profile_still_has_to_be_one(folder: Path) -> None:
    (folder / "index/profile.json").write_bytes(b"{}")
    reseal(folder)
    assert refusal(folder).startswith("[missing_field] cp/index/profile.json /implementation_id: field required")


def test_a_resealed_index_still_has_to_have_a_profile(folder: Path) -> None:
    (folder / "index/profile.json").unlink()
    edit(folder, lambda manifest: manifest["index_files"].pop(1))
    reseal(folder)
    assert refusal(folder) == "[missing_file] cp/checkpoint.json: no profile in the index: wanted index/profile.json"


def test_a_change_during_opening_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter(range(10))
    monkeypatch.setattr(module, "signature", lambda path: ((str(next(counts)), 0, 0, 0, 0, 0),))
    assert refusal(folder) == "[changed_while_reading] cp: changed while it was being read"


def opening_is_counted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    opened: list[Path] = []
    real = module.read_manifest

    def counted(folder: Path) -> Any:
        opened.append(folder)
        return real(folder)

    monkeypatch.setattr(module, "read_manifest", counted)
    return opened


def test_an_untouched_state_is_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = Checkpoint.open(folder)
    opened = opening_is_counted(monkeypatch)
    assert checkpoint.state_reference() == checkpoint.state_reference()
    assert opened == []


def test_a_touched_state_is_read_once_and_keeps_its_reference(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = Checkpoint.open(folder)
    before = checkpoint.state_reference()
    opened = opening_is_counted(monkeypatch)
    os.utime(folder / "index" / "count.txt", ns=(1, 1))
    assert checkpoint.state_reference() == before
    assert checkpoint.state_reference() == before
    assert opened == [folder]
    assert [record.key for record in checkpoint.records()] == ["a", "b"]


def wait_for_the_file_clock(scratch: Path, after: int) -> None:
    """File times move in ticks of some milliseconds; a change within one tick would have the same time."""
    scratch.touch()
    while scratch.stat().st_ctime_ns <= after:
        scratch.touch()


@pytest.mark.parametrize("name", FILES)
def test_a_change_behind_an_equal_size_and_time_is_seen(folder: Path, name: str) -> None:
    checkpoint = Checkpoint.open(folder)
    path = folder / name
    found, data = path.stat(), path.read_bytes()
    wait_for_the_file_clock(folder.parent / "clock", found.st_ctime_ns)
    path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    with pytest.raises(EvidenceError):
        checkpoint.state_reference()


def test_a_file_that_comes_or_goes_is_seen(folder: Path) -> None:
    checkpoint = Checkpoint.open(folder)
    (folder / "index" / "shards" / "new").write_text("")
    with pytest.raises(EvidenceError, match="index/shards/new: file is not in the manifest"):
        checkpoint.state_reference()
    (folder / "index" / "shards" / "new").unlink()
    assert checkpoint.state_reference().indexed_item_count == 2
    (folder / "index" / "shards" / "0.txt").unlink()
    with pytest.raises(EvidenceError, match=r"index/shards/0\.txt: file is missing"):
        checkpoint.state_reference()


def test_another_checkpoint_in_its_place_has_its_own_reference(
    tmp_path: Path, folder: Path, build: Callable[..., Path]
) -> None:
    checkpoint = Checkpoint.open(folder)
    before = checkpoint.state_reference()
    other = build("other", {"z": "zed"})
    folder.rename(tmp_path / "away")
    other.rename(folder)
    assert checkpoint.state_reference() != before
    with pytest.raises(EvidenceError, match="cp: changed since it was opened"):
        list(checkpoint.records())
    with pytest.raises(EvidenceError, match="cp: changed since it was opened"):
        list(checkpoint.operations())
    folder.rename(other)
    (tmp_path / "away").rename(folder)
    assert checkpoint.state_reference() == before


def test_a_signature_covers_every_file_and_folder(folder: Path) -> None:
    assert [entry[0] for entry in signature(folder)] == sorted([*FILES, "index", "index/shards"])
