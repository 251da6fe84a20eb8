"""Building checkpoint directories."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from witnessmark.canonical import canonical_digest, model_bytes, parse_json
from witnessmark.checkpoint import build as module
from witnessmark.checkpoint.build import build_checkpoint
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.errors import AdapterError, EvidenceError, InputError, WitnessmarkError
from witnessmark.models import CheckpointManifest, RetrieverProfile
from witnessmark.ports import CheckpointAdapter, IndexItem

TEXTS = {"b": "two", "a": "one", "ключ": "ü", "𐀀": "late", "\uffff": "later"}


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def log_of(folder: Path) -> list[tuple[str, str]]:
    lines = (folder / "operations.jsonl").read_bytes().splitlines()
    return [(operation["op"], operation["key"]) for operation in map(json.loads, lines)]


def test_a_build_holds_log_index_profile_and_manifest(build: Callable[..., Path], profile: RetrieverProfile) -> None:
    folder = build("one", TEXTS)
    assert sorted(contents(folder)) == [
        "checkpoint.json",
        "index/count.txt",
        "index/profile.json",
        "index/shards/0.txt",
        "operations.jsonl",
    ]
    manifest = CheckpointManifest.from_bytes((folder / "checkpoint.json").read_bytes())
    completed = RetrieverProfile.from_json({**profile.model_dump(mode="json"), "embedding_model_revision": "known"})
    assert model_bytes(manifest) == (folder / "checkpoint.json").read_bytes()
    assert (folder / "index/profile.json").read_bytes() == model_bytes(completed)
    assert manifest.profile_digest == canonical_digest(completed)
    assert (manifest.operation_count, manifest.item_count, manifest.adapter) == (5, 5, "plain")
    assert manifest.index_settings == {"shards": 1}
    assert manifest.retrieval_state_digest == canonical_digest(
        {
            "adapter": "plain",
            "index_files": [entry.model_dump(mode="json") for entry in manifest.index_files],
            "index_settings": {"shards": 1},
            "profile_digest": manifest.profile_digest,
        }
    )
    assert log_of(folder) == [("PUT", key) for key in ["a", "b", "ключ", "\uffff", "𐀀"]]


def test_the_order_of_records_and_the_hash_seed_do_not_matter(
    tmp_path: Path, build: Callable[..., Path], write_records: Callable[..., Path]
) -> None:
    one = build("one", TEXTS)
    keys = list(TEXTS)
    random.Random(3).shuffle(keys)
    assert contents(build("two", {key: TEXTS[key] for key in keys})) == contents(one)
    records = write_records([{"key": key, "text": TEXTS[key]} for key in keys], "again.jsonl")
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[3]);"
        "from conftest import PROFILE, PlainAdapter;"
        "from witnessmark.checkpoint.build import build_checkpoint; from witnessmark.models import RetrieverProfile;"
        "build_checkpoint(Path(sys.argv[1]), profile=RetrieverProfile.from_json(PROFILE), adapter_name='plain',"
        "adapter=PlainAdapter(), out=Path(sys.argv[2]))"
    )
    for seed in ("0", "1"):
        out = tmp_path / f"seed{seed}"
        subprocess.run(
            [sys.executable, "-c", script, str(records), str(out), str(Path(__file__).parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        assert contents(out) == contents(one)


def test_an_extension_continues_the_log_byte_for_byte(build: Callable[..., Path]) -> None:
    base = build("base", {"a": "one", "b": "two", "d": "four"})
    after = build("after", {"c": "new", "b": "changed", "a": "one"}, extends=base)
    before, extended = (base / "operations.jsonl").read_bytes(), (after / "operations.jsonl").read_bytes()
    assert extended.startswith(before)
    assert log_of(after)[3:] == [("PUT", "b"), ("PUT", "c"), ("DEL", "d")]
    opened = Checkpoint.open(after)
    assert [(record.key, record.text) for record in opened.records()] == [("a", "one"), ("b", "changed"), ("c", "new")]
    assert (opened.manifest.operation_count, opened.manifest.item_count) == (6, 3)
    again = build("again", {"a": "one", "b": "two", "c": "new", "d": "back"}, extends=after)
    assert log_of(again)[6:] == [("PUT", "b"), ("PUT", "d")]


def test_an_extension_without_a_change_has_the_same_log(build: Callable[..., Path]) -> None:
    base = build("base", TEXTS)
    after = build("after", TEXTS, extends=base, top_k=7)
    assert (base / "operations.jsonl").read_bytes() == (after / "operations.jsonl").read_bytes()
    one, two = Checkpoint.open(base).manifest, Checkpoint.open(after).manifest
    assert one.checkpoint_digest == two.checkpoint_digest
    assert one.retrieval_state_digest != two.retrieval_state_digest


def test_texts_are_not_held_in_memory(
    tmp_path: Path, write_records: Callable[..., Path], profile: RetrieverProfile, adapter: CheckpointAdapter
) -> None:
    texts = 20_000_000
    records = write_records({"key": f"k{number:04}", "text": "x" * (texts // 1000)} for number in range(1000))
    base = tmp_path / "base"
    for out, extends in ((base, None), (tmp_path / "after", base)):
        tracemalloc.start()
        build_checkpoint(records, profile=profile, adapter_name="plain", adapter=adapter, out=out, extends=extends)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < texts / 8


def test_records_may_come_through_a_pipe(
    tmp_path: Path, build: Callable[..., Path], profile: RetrieverProfile, adapter: CheckpointAdapter
) -> None:
    read, write = os.pipe()
    os.write(write, b'{"key":"a","text":"one"}\n')
    os.close(write)
    build_checkpoint(
        Path(f"/dev/fd/{read}"),
        profile=profile,
        adapter_name="plain",
        adapter=adapter,
        out=tmp_path / "piped",
    )
    os.close(read)
    assert contents(tmp_path / "piped") == contents(build("file", {"a": "one"}))


class Broken:
    """An adapter that does one thing wrong."""

    def __init__(self, fault: Callable[[list[IndexItem], Path], Mapping[str, JsonValue]]) -> None:
        self._fault = fault

    def complete_profile(self, profile: RetrieverProfile) -> RetrieverProfile:
        return profile

    def build_index(
        self, items: Iterable[IndexItem], count: int, profile: RetrieverProfile, directory: Path
    ) -> Mapping[str, JsonValue]:
        return self._fault(list(items), directory)


def link(items: list[IndexItem], directory: Path) -> Mapping[str, JsonValue]:
    (directory / "link").symlink_to("/etc/passwd")
    return {}


def pipe(items: list[IndexItem], directory: Path) -> Mapping[str, JsonValue]:
    os.mkfifo(directory / "pipe")
    return {}


def own_profile(items: list[IndexItem], directory: Path) -> Mapping[str, JsonValue]:
    (directory / "profile.json").write_text("{}")
    return {}


def crash(items: list[IndexItem], directory: Path) -> Mapping[str, JsonValue]:
    raise ZeroDivisionError("no vectors")


def refuse(items: list[IndexItem], directory: Path) -> Mapping[str, JsonValue]:
    raise InputError("cannot train", code="too_few_items")


@pytest.mark.parametrize(
    ("fault", "kind", "message"),
    [
        (link, EvidenceError, "index/link: symbolic link: wanted a regular file"),
        (pipe, EvidenceError, "index/pipe: not a regular file"),
        (own_profile, AdapterError, "adapter 'plain' wrote a file that is not its own: got index/profile.json"),
        (crash, AdapterError, "adapter 'plain' failed: ZeroDivisionError: no vectors"),
        (refuse, InputError, "cannot train"),
        (
            lambda items, directory: {"x": float("nan")},
            InputError,
            "index settings /x: number is not finite: got nan, wanted a finite number",
        ),
    ],
)
def test_what_an_adapter_does_wrong_leaves_nothing_behind(
    tmp_path: Path,
    write_records: Callable[..., Path],
    profile: RetrieverProfile,
    fault: Callable[[list[IndexItem], Path], Mapping[str, JsonValue]],
    kind: type[WitnessmarkError],
    message: str,
) -> None:
    records = write_records([{"key": "a", "text": "one"}])
    with pytest.raises(kind) as caught:
        build_checkpoint(records, profile=profile, adapter_name="plain", adapter=Broken(fault), out=tmp_path / "out")
    assert str(caught.value).endswith(message)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["records.jsonl"]


def test_an_adapter_that_skips_records_is_refused(
    tmp_path: Path, write_records: Callable[..., Path], profile: RetrieverProfile
) -> None:
    class Skipping(Broken):
        def build_index(
            self, items: Iterable[IndexItem], count: int, profile: RetrieverProfile, directory: Path
        ) -> Mapping[str, JsonValue]:
            next(iter(items))
            return {}

    records = write_records([{"key": "a", "text": "one"}, {"key": "b", "text": "two"}])
    with pytest.raises(AdapterError, match="adapter 'plain' did not index every record: got 1, wanted 2"):
        build_checkpoint(records, profile=profile, adapter_name="plain", adapter=Skipping(link), out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_profile_of_another_adapter_is_refused(
    tmp_path: Path, profile: RetrieverProfile, adapter: CheckpointAdapter
) -> None:
    with pytest.raises(InputError) as caught:
        build_checkpoint(
            tmp_path / "r",
            profile=profile,
            adapter_name="other",
            adapter=adapter,
            out=tmp_path / "out",
        )
    assert str(caught.value) == "implementation_id: the profile is for another adapter: got 'plain', wanted 'other'"


def test_an_output_that_exists_is_refused_and_kept(build: Callable[..., Path]) -> None:
    folder = build("one", {"a": "one"})
    before = contents(folder)
    with pytest.raises(InputError, match="output already exists"):
        build("one", {"a": "two"})
    assert contents(folder) == before


def test_a_baseline_that_was_tampered_with_is_not_extended(tmp_path: Path, build: Callable[..., Path]) -> None:
    base = build("base", {"a": "one"})
    (base / "operations.jsonl").write_bytes((base / "operations.jsonl").read_bytes().replace(b"one", b"two"))
    with pytest.raises(EvidenceError, match=r"operations\.jsonl: file is not the listed one"):
        build("after", {"a": "one"}, extends=base)
    assert not (tmp_path / "after").exists()


def test_a_baseline_that_changes_under_the_build_is_refused(
    build: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = build("base", {"a": "one"})

    def shortened(self: Checkpoint) -> Iterable[bytes]:
        return iter(())

    monkeypatch.setattr(Checkpoint, "lines", shortened)
    with pytest.raises(EvidenceError, match=r"operations\.jsonl: changed since it was opened"):
        build("after", {"a": "one"}, extends=base)


def test_a_full_disk_is_an_input_error(build: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "_write_log", full)
    with pytest.raises(InputError, match="out: cannot write the checkpoint: No space left on device"):
        build("out", {"a": "one"})


@pytest.mark.interop
def test_the_checkpoint_digest_is_the_reference_root(build: Callable[..., Path]) -> None:
    reference = pytest.importorskip("agent_manifest._memory_delta")
    base = build("base", {"a": "one", "b": "ü", "c": "three"})
    after = build("after", {"a": "uno", "b": "ü"}, extends=base)
    for folder in (base, after):
        operations = [parse_json(line) for line in (folder / "operations.jsonl").read_bytes().splitlines()]
        assert Checkpoint.open(folder).manifest.checkpoint_digest == reference.build_memory_tree(operations, "kv")
