"""``witnessmark suite strength`` over the demo's runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from witnessmark.cli.main import main


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["suite", "strength", *arguments])
    out, err = capfd.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("strength") / "demo"
    with pytest.raises(SystemExit):
        main(["demo", "--out", str(out)])
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_counts_by_kind_and_names_what_no_probe_covers(demo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = contents(demo / "repaired-run")
    code, out, _ = run(
        capfd,
        str(demo / "repaired-run"),
        *("--baseline", str(demo / "baseline"), "--candidate", str(demo / "repaired"), "--survivors", "1"),
    )
    assert code == 0
    lines = [line.strip() for line in out.splitlines()]
    assert lines[0] == "57 of 220 planted regressions caught; the run stays pass"
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in lines if line.endswith("   0")}
    assert rows == {
        "drop_correction": "6 of 6 0",
        "swap_correction": "7 of 8 0",
        "demote_by_one": "5 of 17 0",
        "leak_scope": "7 of 57 0",
        "leak_unlabelled": "3 of 57 0",
        "collapse_contexts": "6 of 6 0",
        "truncate_by_one": "0 of 23 0",
        "truncate_to_one": "0 of 23 0",
        "empty": "23 of 23 0",
    }
    assert "1 of 163 survivors" in lines
    assert lines[-4:] == [
        "required probes cover 6 of 6 edges of the candidate",
        "required probes cover 7 of 8 anchors of the candidate",
        "required probes cover 6 of 6 scopes of the candidate",
        "uncovered anchor: identity/owner",
    ]
    assert contents(demo / "repaired-run") == before


def test_json_names_who_caught_what(demo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, str(demo / "repaired-run"), "--json")
    report = json.loads(out)
    assert code == 0
    assert report["result"] == "pass"
    assert "cover" not in report
    assert report["total"]["caught"] == sum("survived" not in item for item in report["regressions"])
    swapped = [item for item in report["regressions"] if item["kind"] == "swap_correction"]
    assert swapped[0]["planted"] == "superseded 'backup/time/1' in the place of correction 'backup/time/2'"
    assert swapped[0]["caught_by"] == ["correction/backup-time"]


def test_a_run_that_failed_says_which_survivors_a_failing_probe_masks(
    demo: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capfd, str(demo / "candidate-run"), "--json")
    report = json.loads(out)
    assert (code, report["result"]) == (0, "fail")
    masked = {name for item in report["regressions"] if item.get("survived") == "masked" for name in item["asked_by"]}
    assert {"correction/backup-time", "anchor/payment-restart", "isolation/larkfield-contract"} <= masked


@pytest.mark.parametrize(("ratio", "wanted"), [("0.1", 0), ("0.9", 1)])
def test_a_floor_on_the_kill_ratio(demo: Path, capfd: pytest.CaptureFixture[str], ratio: str, wanted: int) -> None:
    code, _, err = run(capfd, str(demo / "repaired-run"), "--fail-under", ratio)
    assert code == wanted
    assert (" is less than 0.9\n" in err) is (wanted == 1)


def test_the_checkpoint_of_another_state_is_refused(demo: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, str(demo / "repaired-run"), "--candidate", str(demo / "candidate"))
    assert (code, out) == (4, "")
    assert err.startswith(f"error[other_checkpoint]: {demo / 'candidate'}: not the candidate of the run: got sha256:")


def test_an_artifact_alone_says_nothing(demo: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    alone = tmp_path / "assessment.json"
    alone.write_bytes((demo / "repaired-run" / "assessment.json").read_bytes())
    code, out, err = run(capfd, str(alone))
    assert (code, out) == (4, "")
    assert err == f"error[no_transcript]: {alone}: nothing says what was observed: wanted a run directory, or --salts\n"
