"""``witnessmark checkpoint`` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from witnessmark import registry
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.checkpoint.targets import resolve_target
from witnessmark.cli.main import main
from witnessmark.models import RetrieverProfile
from witnessmark.ports import IndexItem
from witnessmark.registry import Registered

Run = Callable[..., tuple[int, str, str]]

PROFILE = {
    "implementation_id": "plain",
    "implementation_version": "1",
    "adapter_version": "1",
    "adapter_capability": "unsupported_or_unknown",
    "distance_metric": "none",
    "index_implementation": "list",
    "top_k": 3,
    "truncation_rule": "none",
}


class PlainAdapter:
    """Fills in one field of the profile and writes the keys."""

    def complete_profile(self, profile: RetrieverProfile) -> RetrieverProfile:
        return RetrieverProfile.from_json({**profile.model_dump(mode="json"), "quantization": "float32"})

    def build_index(
        self, items: Iterable[IndexItem], count: int, profile: RetrieverProfile, directory: Path
    ) -> Mapping[str, JsonValue]:
        (directory / "keys.txt").write_text("\n".join(item.record.key for item in items), encoding="utf-8")
        return {}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["checkpoint", *map(str, arguments)])
        shown = capsys.readouterr()
        return int(ended.value.code or 0), shown.out, shown.err

    return call


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def find(name: str) -> tuple[object, Registered]:
        provider = PlainAdapter() if name == "plain" else object()
        return provider, Registered(name, "tests 1", "tests:ADAPTER")

    monkeypatch.setattr(registry, "find_adapter", find)
    path = tmp_path / "p.profile.json"
    path.write_text(json.dumps(PROFILE))
    return path


def records(tmp_path: Path, texts: Mapping[str, str], name: str = "r.jsonl") -> Path:
    path = tmp_path / name
    path.write_text("".join(json.dumps({"key": key, "text": text}) + "\n" for key, text in texts.items()))
    return path


def test_build_show_and_diff(tmp_path: Path, profile: Path, run: Run) -> None:
    base, after = tmp_path / "base", tmp_path / "after"
    first = records(tmp_path, {"a": "one", "b": "two"})
    code, out, err = run("build", first, "--profile", profile, "--out", base)
    assert code == 0
    assert err == f"profile quantization: given None, built with 'float32'\nbuilt {base}\n"
    assert "live items" in out
    second = records(tmp_path, {"a": "one", "b": "TWO", "c": "three"})
    code, out, err = run("build", second, "--profile", profile, "--out", after, "--extends", base, "--json")
    assert code == 0
    assert json.loads(out)["operation_count"] == 4
    assert json.loads(out) == json.loads((after / "checkpoint.json").read_bytes())

    code, out, err = run("show", after)
    assert (code, err) == (0, "")
    assert "checkpoint digest" in out
    code, out, err = run("show", after, "--json")
    assert json.loads(out)["item_count"] == 3

    code, out, err = run("diff", base, after)
    assert (code, err) == (0, "")
    assert "yes, proven with" in out
    assert "1: b" in out
    code, out, err = run("diff", base, after, "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["append_only"], found["added"], found["changed"], found["deleted"]) == (True, ["c"], ["b"], [])

    code, out, err = run("diff", after, base)
    assert code == 1
    assert "NO, operation 2 differs or is missing" in out
    code, out, err = run("diff", after, base, "--json")
    assert code == 1
    assert (json.loads(out)["append_only"], json.loads(out)["first_difference"]) == (False, 2)


def test_long_key_lists_are_cut_for_people_only(tmp_path: Path, profile: Path, run: Run) -> None:
    base, after = tmp_path / "base", tmp_path / "after"
    run("build", records(tmp_path, {"a": "one"}), "--profile", profile, "--out", base)
    many = {"a": "one", **{f"k{number:02}": "t" for number in range(25)}}
    run("build", records(tmp_path, many), "--profile", profile, "--out", after, "--extends", base)
    assert "k19 … and 5 more" in run("diff", base, after)[1].replace("\n", " ")
    assert len(json.loads(run("diff", base, after, "--json")[1])["added"]) == 25


def test_bad_records_are_exit_4_and_leave_nothing(tmp_path: Path, profile: Path, run: Run) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"key":"a","text":"one"}\n{"key":"a","text":"one"}\n{"key":1}\n')
    code, out, err = run("build", path, "--profile", profile, "--out", tmp_path / "out")
    assert (code, out) == (4, "")
    assert err == (
        f"error[duplicate_key]: {path}:2: key stands twice: got 'a', also on line 1, wanted one record a key\n"
        f"error[wrong_type]: {path}:3 /key: input should be a valid string: got 1\n"
        f"error[missing_field]: {path}:3 /text: field required\n"
    )
    assert sorted(item.name for item in tmp_path.iterdir()) == ["p.profile.json", "r.jsonl"]


def test_a_tampered_byte_is_exit_4(tmp_path: Path, profile: Path, run: Run) -> None:
    base = tmp_path / "base"
    run("build", records(tmp_path, {"a": "one"}), "--profile", profile, "--out", base)
    good = (base / "operations.jsonl").read_bytes()
    (base / "operations.jsonl").write_bytes(good.replace(b"one", b"two"))
    for arguments in (["show", base], ["diff", base, base]):
        code, out, err = run(*arguments)
        assert (code, out) == (4, "")
        assert err.startswith(
            f"error[digest_mismatch]: {base}/operations.jsonl: file is not the listed one: got sha256:"
        )


def test_an_adapter_without_checkpoints_is_exit_4(tmp_path: Path, profile: Path, run: Run) -> None:
    profile.write_text(json.dumps({**PROFILE, "implementation_id": "server"}))
    code, out, err = run("build", records(tmp_path, {"a": "one"}), "--profile", profile, "--out", tmp_path / "out")
    assert (code, out) == (4, "")
    assert err == (
        f"error[not_a_checkpoint_adapter]: {profile} /implementation_id: the profile's adapter builds no checkpoints: "
        "got 'server' of tests 1\n"
    )


def test_a_missing_profile_and_an_unknown_name_are_exit_4(tmp_path: Path, run: Run) -> None:
    path = records(tmp_path, {"a": "one"})
    code, _, err = run("build", path, "--profile", tmp_path / "none", "--out", tmp_path / "out")
    assert (code, err.partition(":")[0]) == (4, "error[unreadable_file]")
    code, _, err = run("build", path, "--profile", "builtin:none", "--out", tmp_path / "out")
    assert (code, err.partition(":")[0]) == (4, "error[unknown_builtin]")


def test_a_missing_option_is_a_usage_error(tmp_path: Path, run: Run) -> None:
    code, _, err = run("build", tmp_path / "r.jsonl")
    assert code == 2
    assert "Missing option '--profile'" in err


def test_the_shipped_retriever_builds_what_it_opens_again(tmp_path: Path, run: Run) -> None:
    first = records(tmp_path, {"a": "the deploy window is on friday", "b": "the backup runs at night"})
    second = records(tmp_path, {"a": "the deploy window is on monday", "c": "the printer is broken"}, "s.jsonl")
    shipped = "builtin:wordllama-flat-ip"
    for out, source, more in [
        ("base", first, ()),
        ("after", second, ("--extends", tmp_path / "base")),
        ("again", second, ("--extends", tmp_path / "base")),
    ]:
        code, _, err = run("build", source, "--profile", shipped, "--out", tmp_path / out, *more)
        assert (code, err) == (0, f"built {tmp_path / out}\n")
    files = [path.relative_to(tmp_path / "after") for path in (tmp_path / "after").rglob("*") if path.is_file()]
    assert len(files) >= 4
    for name in files:
        assert (tmp_path / "after" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    code, out, _ = run("diff", tmp_path / "base", tmp_path / "after", "--json")
    found = json.loads(out)
    assert (code, found["added"], found["changed"], found["deleted"]) == (0, ["c"], ["a"], ["b"])

    target = resolve_target(tmp_path / "after")
    assert target.adapter == "faiss"
    adapter, _ = registry.find_adapter(target.adapter)
    retriever = adapter.open({"candidate": target}, None)
    reference = Checkpoint.open(tmp_path / "after").state_reference()
    assert retriever.state_reference("candidate") == reference
    assert [retriever.contains_item_key("candidate", key) for key in "abc"] == [True, False, True]
