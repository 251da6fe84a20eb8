"""The retrievers without or beside vectors, through the whole command line."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from witnessmark.cli.main import main

MEMORY = files("witnessmark_probes") / "demo"


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as caught:
        main([str(argument) for argument in arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.mark.parametrize("name", ["fts5-unicode61", "hybrid-wordllama-fts5"])
def test_build_pin_assess_and_verify(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for state in ("baseline", "candidate"):
        source = Path(str(MEMORY / f"{state}.records.jsonl"))
        built = ("checkpoint", "build", source, "--profile", f"builtin:{name}", "--out", tmp_path / state)
        assert run(*built) == 0, capsys.readouterr().err
    pinned = tmp_path / "own.profile.json"
    assert run("profile", "pin", "--target", tmp_path / "baseline", "--out", pinned) == 0
    assert "package:sqlite" in pinned.read_text()
    capsys.readouterr()
    states = ("--baseline", tmp_path / "baseline", "--candidate", tmp_path / "candidate")
    done = run(
        "assess", *states, "--suite", "builtin:demo", "--profile", pinned, "--out", tmp_path / "run", "--json"
    )  # fmt: skip
    captured = capsys.readouterr()
    assert done == 1, captured.err
    assessment = json.loads((tmp_path / "run" / "assessment.json").read_bytes())
    assert run("verify", tmp_path / "run") == 0, capsys.readouterr().err
    # A record that lost its label is a leak whatever finds it.
    leaked = [item for item in assessment["probe_results"] if item["probe_id"] == "isolation/larkfield-contract"]
    assert [item["result"] for item in leaked] == ["fail"]
