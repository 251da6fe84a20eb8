"""``witnessmark demo``: what it promises, in bytes that do not change."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from witnessmark.cli import demo
from witnessmark.cli.main import main
from witnessmark.models import BehavioralResult, MemoryCheckpointAssessment, ProbeSuite

AT = "2026-03-25T12:00:00Z"


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    assert isinstance(caught.value.code, int)
    return caught.value.code


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def results(folder: Path, name: str) -> dict[str, BehavioralResult]:
    data = (folder / f"{name}-run" / "assessment.json").read_bytes()
    return {item.probe_id: item.result for item in MemoryCheckpointAssessment.from_bytes(data).probe_results}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("demo") / "out"
    assert run("demo", "--out", str(out), "--assessed-at", AT) == 0
    return out


def test_exactly_the_four_planted_regressions_fail_one_a_kind(folder: Path) -> None:
    suite = ProbeSuite.from_bytes((folder / "demo.suite.json").read_bytes())
    kinds = {probe.probe_id: probe.kind for probe in suite.probes}
    failed = [name for name, result in results(folder, "candidate").items() if result is not BehavioralResult.pass_]
    assert failed == list(demo.PLANTED)
    assert len({kinds[name] for name in failed}) == 4


def test_the_repaired_candidate_passes_everything(folder: Path) -> None:
    assert set(results(folder, "repaired").values()) == {BehavioralResult.pass_}


def test_the_leak_is_found_by_key_because_its_label_is_gone(folder: Path) -> None:
    assessment = MemoryCheckpointAssessment.from_bytes((folder / "candidate-run" / "assessment.json").read_bytes())
    (leak,) = [item for item in assessment.probe_results if item.probe_id == "isolation/larkfield-contract"]
    assert leak.violations == ("forbidden item 'osprey/contract' retrieved at rank 1",)
    assert assessment.security_flags.contains_confidentiality_failure


def test_the_gate_is_satisfied_by_the_repair_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, code in (("candidate", 1), ("repaired", 0)):
        policy = str(folder / f"{name}.policy.json")
        assert run("gate", "--policy", policy, str(folder / f"{name}-run")) == code
    assert run("gate", "--policy", str(folder / "repaired.policy.json"), str(folder / "candidate-run")) == 1
    assert "not applicable because of: candidate_checkpoint, candidate_retrieval_state" in capsys.readouterr().out


def test_two_runs_are_equal_byte_for_byte_whatever_the_hash_seed(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    code = f"from witnessmark.cli.main import main; main(['demo', '--out', {str(out)!r}, '--assessed-at', {AT!r}])"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    again = contents(out)
    first = contents(folder)
    assert again.keys() == first.keys()
    differing = [name for name in first if first[name] != again[name]]
    # The environment says which PYTHONHASHSEED there was; nothing else may differ.
    assert [name for name in differing if not name.endswith("environment.json")] == []


def test_the_commands_it_ends_with_work_when_they_are_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("demo", "--out", "a folder", "--json") == 0
    lines = json.loads(capsys.readouterr().out)["next"]
    assert [run(*shlex.split(line)[1:]) for line in lines] == [0, 1, 0]


def test_json_output_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "--out", str(tmp_path / "out"), "--assessed-at", AT, "--json") == 0
    candidates = json.loads(capsys.readouterr().out)["candidates"]
    assert candidates["candidate"]["not_passed"] == list(demo.PLANTED)
    assert [item["gate_satisfied"] for item in candidates.values()] == [False, True]


def test_an_existing_directory_is_refused_and_left_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(folder)
    assert run("demo", "--out", str(folder)) == 4
    assert f"error[output_exists]: {folder}: output already exists: wanted a new path" in capsys.readouterr().err
    assert contents(folder) == before


def test_a_demo_that_breaks_its_promise_is_a_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "PLANTED", ())
    assert run("demo", "--out", str(tmp_path / "out")) == 70
    assert "the demo does not show what it promises" in capsys.readouterr().err


def test_a_time_without_a_zone_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    assert run("demo", "--out", str(tmp_path / "out"), "--assessed-at", "2026-03-25T12:00:00") == 4
    assert list(tmp_path.iterdir()) == []
