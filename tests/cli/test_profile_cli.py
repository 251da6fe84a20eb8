"""``witnessmark profile`` and ``witnessmark adapters``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from witnessmark.cli.main import main


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(argument) for argument in arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.fixture
def checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    records = tmp_path / "records.jsonl"
    records.write_text('{"key":"a","text":"one"}\n{"key":"b","text":"two"}\n')
    assert run("checkpoint", "build", records, "--profile", "builtin:wordllama-hnsw", "--out", tmp_path / "cp") == 0
    capsys.readouterr()
    return tmp_path / "cp"


def test_pinning_a_checkpoint_gives_the_profile_that_built_it(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "p.profile.json"
    assert run("profile", "pin", "--target", checkpoint, "--out", out, "--portable", "--json") == 0
    captured = capsys.readouterr()
    pin = json.loads(captured.out)
    assert pin["adapter"] == "faiss"
    assert set(pin["packages"]) == {"faiss-cpu", "numpy", "tokenizers", "wordllama"}
    assert captured.err == f"wrote {out} and {tmp_path / 'p.pin.json'}\n"
    assert run("profile", "diff", out, "builtin:wordllama-hnsw") == 0
    assert capsys.readouterr().err == "the profiles are equal\n"


def test_pinning_puts_package_versions_into_the_profile(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "p.profile.json"
    assert run("profile", "pin", "--target", checkpoint, "--out", out) == 0
    assert "package:faiss-cpu" in capsys.readouterr().out
    assert run("profile", "diff", "builtin:wordllama-hnsw", out, "--json") == 1
    differences = json.loads(capsys.readouterr().out)
    assert [line.partition(" ")[0] for line in differences] == [
        f"index_build_config/package:{name}:" for name in ("faiss-cpu", "numpy", "tokenizers", "wordllama")
    ]


def test_showing_a_profile(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("profile", "show", "builtin:wordllama-int8", "--json") == 0
    assert json.loads(capsys.readouterr().out)["quantization"] == "int8"
    assert run("profile", "show", "builtin:wordllama-int8") == 0
    assert "profile digest" in capsys.readouterr().out


def test_invalid_profiles_are_exit_4_and_write_nothing(
    checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.profile.json"
    bad.write_text("{}")
    assert run("profile", "show", bad) == 4
    assert "missing_field" in capsys.readouterr().err
    assert run("profile", "pin", "--target", checkpoint, "--profile", bad, "--out", tmp_path / "o.profile.json") == 4
    assert not (tmp_path / "o.profile.json").exists()
    assert run("profile", "diff", bad) == 2


def test_listing_adapters(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("adapters", "list", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    found = {(row["kind"], row["name"]): row for row in rows}
    for key in (("adapter", "faiss"), ("adapter", "table"), ("embedder", "wordllama")):
        assert found[key]["status"] == "ok"
        assert found[key]["distribution"].startswith("witnessmark ")
    assert run("adapters", "list") == 0
    assert "wordllama" in capsys.readouterr().out
