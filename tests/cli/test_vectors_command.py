from __future__ import annotations

import json
from pathlib import Path

import pytest

from witnessmark.cli.main import main

VECTORS = Path(__file__).resolve().parents[2] / "vectors"


def _run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["vectors", "run", *arguments])
    return int(caught.value.code or 0)


def test_all_vectors_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run() == 0

    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(" agree, 0 differ\n")


def test_a_difference_is_shown_with_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vector = json.loads((VECTORS / "gate" / "empty.json").read_text())
    vector["expected"]["presented_assessment_count"] = 1
    vector["expected"]["non_applicable_mismatches"] = ["probe_suite"]
    (tmp_path / "empty.json").write_text(json.dumps(vector))

    assert _run(str(tmp_path)) == 1

    out, err = capsys.readouterr()
    assert "presented_assessment_count: expected 1, got 0" in out
    assert "A gate starts refused: no evidence satisfies nothing." in out
    assert err == "1 vectors (1 gate): 0 agree, 1 differ\n"


def test_json_lists_every_vector(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(str(VECTORS / "gate"), "--json") == 0

    report = json.loads(capsys.readouterr().out)
    assert report["differing_count"] == 0
    assert report["vector_count"] == len(report["vectors"]) == len(list((VECTORS / "gate").glob("*.json")))
    assert report["vectors"][0] == {
        "vector": "digest-algorithm.json",
        "kind": "gate",
        "agrees": True,
        "differences": [],
        "why": "The same digits under the other algorithm are another digest.",
    }


def test_a_file_that_is_no_vector_is_invalid_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a":1,"a":2}')

    assert _run(str(path)) == 4

    assert capsys.readouterr().err == f"error[duplicate_key]: {path} /a: key stands twice in one object: got 'a'\n"


def test_an_empty_folder_is_invalid_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(str(tmp_path)) == 4

    assert capsys.readouterr().err.startswith("error[no_vectors]: ")


def test_a_missing_path_is_invalid_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(str(tmp_path / "nowhere")) == 4

    assert capsys.readouterr().err.startswith("error[no_vectors]: ")
