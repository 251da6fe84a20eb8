"""``witnessmark moved`` over the demo's runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from witnessmark.cli.main import main


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    out, err = capfd.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("moved") / "demo"
    with pytest.raises(SystemExit):
        main(["demo", "--out", str(out)])
    return out


def test_it_says_which_request_moved_most(demo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "moved", str(demo / "candidate-run"), "--worst", "1")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == (
        "17 requests asked of both states, 0 answered alike; 81 named items moved, 26 no longer in the answer"
    )
    assert lines[1] == "mean overlap@10 0.694, mean rank-biased overlap 0.683"
    assert "Whom do I call before I restart the payment gateway?" in out
    assert "safety/payment-restart: 1 to 4" in out


def test_json_holds_every_request_the_worst_first(demo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "moved", str(demo / "candidate-run"), "--json")
    report = json.loads(out)
    assert code == 0
    assert len(report["requests"]) == report["summary"]["requests"] == 17
    values = [item["rank_biased_overlap"] for item in report["requests"]]
    assert values == sorted(values)


def test_an_artifact_alone_says_nothing(demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    alone = tmp_path / "assessment.json"
    alone.write_bytes((demo / "candidate-run" / "assessment.json").read_bytes())
    code, out, err = run(capfd, "moved", str(alone))
    assert (code, out) == (4, "")
    assert err == f"error[no_transcript]: {alone}: nothing says what was observed: wanted a run directory, or --salts\n"


def test_an_altered_transcript_is_refused(demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "run"
    copy.mkdir()
    for file in (demo / "candidate-run").iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    lines = (copy / "transcript.jsonl").read_bytes()
    (copy / "transcript.jsonl").write_bytes(lines.replace(b'"rank":1,', b'"rank":2,', 1))
    code, out, err = run(capfd, "moved", str(copy))
    assert (code, out) == (4, "")
    assert err.startswith("error[")


def test_withheld_material_needs_its_salts(demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, out, salts = demo / "candidate-run", tmp_path / "withheld", tmp_path / "run.salts.json"
    code, _, err = run(
        capfd, "withhold", str(source), "--withhold", "queries,keys", "--out", str(out), "--salts", str(salts)
    )
    assert code == 0, err
    assert run(capfd, "moved", str(out))[0] == 4
    expected = run(capfd, "moved", str(source), "--json")[1]
    assert run(capfd, "moved", str(out), "--salts", str(salts), "--json")[1] == expected


def test_judgements_by_probe_give_quality(demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    qrels = tmp_path / "demo.qrels"
    qrels.write_text("anchor/payment-restart 0 safety/payment-restart 1\nelsewhere 0 x 1\n", encoding="utf-8")
    code, out, err = run(capfd, "moved", str(demo / "candidate-run"), "--worst", "1", "--qrels", str(qrels), "--k", "3")
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "1 judged requests at depth 3, 16 without a relevant item, 1 judged but not asked of both states" in lines
    assert "mean nDCG@3 1.000 to 0.000 (-1.000)" in lines
    assert "mean MRR@3 1.000 to 0.000 (-1.000)" in lines
    assert (
        "Whom do I call before I restart the payment gateway? 1 1.000 to 0.000 1.000 to 0.000 1.000 to 0.000" in lines
    )


def test_bad_judgements_are_refused(demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    qrels = tmp_path / "bad.qrels"
    qrels.write_text("anchor/payment-restart safety/payment-restart\n", encoding="utf-8")
    code, out, err = run(capfd, "moved", str(demo / "candidate-run"), "--qrels", str(qrels))
    assert (code, out) == (4, "")
    assert err == (
        f"error[invalid_qrels]: {qrels}:1: line is no judgement: got 'anchor/payment-restart safety/payment-restart', "
        "wanted id iteration key relevance, the last an integer\n"
    )


@pytest.mark.parametrize("depth", [["--k", "3"], ["--qrels", "demo.qrels", "--k", "11"]])
def test_a_depth_that_nothing_was_asked_at(
    demo: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    depth: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo.qrels").write_text("anchor/payment-restart 0 safety/payment-restart 1\n", encoding="utf-8")
    code, out, _ = run(capfd, "moved", str(demo / "candidate-run"), *depth)
    assert (code, out) == (2, "")
