"""``rerun``: what came again, what did not, and what else is different."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from witnessmark.canonical import canonical_bytes
from witnessmark.cli.main import main
from witnessmark.rundir import verify

PROFILE = "builtin:wordllama-flat-ip"
SUITE = """\
probes:
  - kind: anchor_preservation
    probe_id: rule
    query: How many approvals does an invoice need?
    anchor: {key: rule, required_in: both}
    max_rank: 1
"""
LIVE = {"rule": "Invoices need two approvals.", "tea": "Tea is at four."}
MOVED = {"rule": "Two.", "tea": "Tea is at four, and how many approvals does an invoice need?"}


def _main(*parts: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(part) for part in parts])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two checkpoints, a suite and a run of the first against itself."""
    folder = tmp_path_factory.mktemp("states")
    for name, records in (("live", LIVE), ("moved", MOVED)):
        lines = [json.dumps({"key": key, "text": text}) + "\n" for key, text in records.items()]
        (folder / f"{name}.jsonl").write_text("".join(lines))
        build = ("checkpoint", "build", folder / f"{name}.jsonl", "--profile", PROFILE, "--out", folder / name)
        assert _main(*build) == 0
    (folder / "rule.suite.yaml").write_text(SUITE)
    named = ("--baseline", folder / "live", "--candidate", folder / "live", "--suite", folder / "rule.suite.yaml")
    axes = ("--axes", "sweep,process:1,rebuild:1")
    assert _main("assess", *named, "--profile", PROFILE, "--out", folder / "run", *axes) == 0
    return folder


def rerun(states: Path, candidate: str, *more: object) -> int:
    """Run the run again with another candidate."""
    return _main("rerun", states / "run", "--baseline", states / "live", "--candidate", states / candidate, *more)


def report(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the report that was printed."""
    return json.loads(capsys.readouterr().out)


def test_the_same_states_reproduce_every_answer(
    states: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rerun(states, "live", "--out", tmp_path / "again", "--json") == 0
    found = report(capsys)
    assert found["reproduced"] is True
    assert [(item["state_name"], item["axis"], item["status"]) for item in found["answers"]] == [
        (state, axis, "reproduced") for state in ("baseline", "candidate") for axis in ("sweep", "process", "rebuild")
    ]
    for name in ("assessment.json", "transcript.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (states / "run" / name).read_bytes()
    assert verify(tmp_path / "again") == verify(states / "run")


def test_another_state_diverges_where_it_answers_otherwise(states: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rerun(states, "moved", "--json") == 1
    found = report(capsys)
    assert found["reproduced"] is False
    assert [item["state_name"] for item in found["states"]] == ["candidate"]
    assert found["results"] == [{"probe_id": "rule", "recorded": "pass", "observed": "fail"}]
    diverged = [(item["state_name"], item["axis"]) for item in found["answers"] if item["status"] == "diverged"]
    assert diverged == [("candidate", axis) for axis in ("sweep", "process", "rebuild")]
    assert {item.get("first_difference") for item in found["answers"]} == {None, 1}
    assert rerun(states, "moved") == 1
    out = capsys.readouterr().out.splitlines()
    assert out[:3] == [f"axis {axis}: 1 answers reproduced, 1 diverged" for axis in ("sweep", "process", "rebuild")]
    assert "probe 'rule': pass then, fail now" in out
    assert out[-1] == "diverged"


def test_the_environment_explains_and_excuses_nothing(
    states: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "run"
    copy.mkdir()
    for path in (states / "run").iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    environment = json.loads((copy / "environment.json").read_bytes())
    environment["packages"]["numpy"] = "0.1"
    environment["packages"]["elsewhere/only"] = "1"
    (copy / "environment.json").write_bytes(canonical_bytes(environment))
    named = ("--baseline", states / "live", "--candidate", states / "live")
    assert _main("rerun", copy, *named, "--json") == 0
    changes = {item["where"]: item.get("recorded") for item in report(capsys)["environment"]}
    assert changes["/packages/numpy"] == "0.1"
    assert changes["/packages/elsewhere~1only"] == "1"
    assert _main("rerun", copy, *named) == 0
    captured = capsys.readouterr()
    assert 'environment /packages/elsewhere~1only: "1" then, null now\n' in captured.err
    assert captured.out.endswith("reproduced\n")


def test_there_is_nothing_to_compare_an_artifact_with(
    states: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tmp_path / "run"
    alone.mkdir()
    for name in ("assessment.json", "suite.json", "profile.json"):
        (alone / name).write_bytes((states / "run" / name).read_bytes())
    assert _main("rerun", alone, "--baseline", states / "live", "--candidate", states / "live") == 4
    assert capsys.readouterr().err == (
        f"error[not_recomputable]: {alone}: nothing to compare with: wanted a run with its transcript\n"
    )


def test_an_altered_run_is_not_run_again(states: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    altered = tmp_path / "run"
    altered.mkdir()
    for path in (states / "run").iterdir():
        (altered / path.name).write_bytes(path.read_bytes().replace(b'"rule"', b'"rude"'))
    assert _main("rerun", altered, "--baseline", states / "live", "--candidate", states / "live") == 4
    assert capsys.readouterr().err.startswith("error[")
