"""Forty memories of an operations agent in which every outcome is present: whole reports.

The files ``tests/assets/amr/*.json`` are the reports as commands print them, run beside the folder ``memory``.
"""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path

import pytest

from witnessmark.cli.main import main

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "amr"
REPORTS = {
    "check-1": (4, ["check", "--level", "1"]),
    "check-2": (4, ["check", "--level", "2"]),
    "check-3": (4, ["check", "--level", "3"]),
    "relations": (4, ["relations"]),
    "verify": (4, ["verify"]),
    "stamp": (4, ["stamp", "--out", "stamped"]),
}
OUTCOMES = {
    "backup/before-morning": "ok ok",
    "backup/replica": "ok",
    "backup/restore-length": "ok",
    "backup/restore-rehearsal": "ok?",
    "backup/start-time": "ok",
    "customers/larkfield-export": "ok",
    "customers/larkfield-region": "ok",
    "customers/larkfield-retention": "ok",
    "network/osaka": "ok",
    "network/vpn": "ok ok",
    "oncall/db3-noise": "ok",
    "payments/call-first": "ok",
    "payments/outage-february": "ok",
    "payments/outage-length": "anchor_tampered",
    "queue/limit": "anchor_tampered",
    "queue/price": "source_missing",
    "queue/price-changed": "source_missing",
    "queue/retention": "source_drifted",
    "queue/retention-noted": "source_drifted?",
    "queue/support": "ok anchor_tampered",
}
"""Written by hand: each citation of each record in its order, with a question mark where it is partial."""


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as caught:
        main(["records", *arguments])
    return int(caught.value.code or 0), capfd.readouterr().out


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the repository in the current folder, so that paths in reports are short."""
    shutil.copytree(ASSETS / "memory", tmp_path / "memory")
    monkeypatch.chdir(tmp_path)
    return Path("memory")


def test_it_holds_forty_records_and_six_sources() -> None:
    files = [path for path in (ASSETS / "memory").rglob("*") if path.is_file()]
    records = [path for path in files if path.read_bytes().startswith(b"---")]
    assert (len(records), sum(path.parent.name == "sources" for path in files)) == (40, 6)


@pytest.mark.parametrize("name", REPORTS)
def test_the_whole_report(memory: Path, capfd: pytest.CaptureFixture[str], name: str) -> None:
    wanted, (command, *options) = REPORTS[name]
    code, out = run(capfd, command, str(memory), *options, "--json")
    assert code == wanted
    assert json.loads(out) == json.loads((ASSETS / f"{name}.json").read_text(encoding="utf-8"))


def test_outcomes_are_those_written_by_hand(memory: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report = json.loads(run(capfd, "verify", str(memory), "--json")[1])
    found: dict[str, str] = {}
    for item in report["citations"]:
        outcome = item["status"] + "?" * item["partial"]
        found[item["record"]] = f"{found[item['record']]} {outcome}" if item["record"] in found else outcome
    assert found == OUTCOMES


def test_every_outcome_and_every_state_of_both_axes_is_present() -> None:
    citations = json.loads((ASSETS / "verify.json").read_text())["citations"]
    assert {item["status"] for item in citations} == {"ok", "anchor_tampered", "source_drifted", "source_missing"}
    assert {item["anchor"] for item in citations} == {"agrees", "disagrees", "unusable", "absent"}
    assert {item["source"] for item in citations} == {"contains", "lacks", "missing"}
    assert {item.get("claim_id_status") for item in citations} == {None, "ok", "mismatch", "absent"}


def test_the_readable_files_alone_are_not_conforming(memory: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("twice", "tabbed", "windows"):
        (memory / "oncall" / f"{name}.md").unlink()
    assert [run(capfd, command, str(memory))[0] for command in ("check", "relations", "verify")] == [1, 1, 1]


def test_what_is_sound_passes(memory: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for path in memory.rglob("*.md"):
        if path.parent.name not in ("backup", "sources"):
            path.unlink()
    assert run(capfd, "stamp", str(memory))[0] == 0
    (memory / "backup" / "start-time-old.md").unlink()
    assert [run(capfd, command, str(memory))[0] for command in ("check", "relations", "verify")] == [0, 0, 0]


def test_a_stamp_only_adds_lines(memory: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(capfd, "stamp", str(memory), "--out", "stamped")
    changes = {}
    for path in sorted(Path("stamped").rglob("*.md")):
        name = path.relative_to("stamped").as_posix()
        before = (ASSETS / "memory" / name).read_text().splitlines()
        lines = difflib.unified_diff(before, path.read_text().splitlines(), n=0, lineterm="")
        changes[name] = [line for line in lines if line.startswith(("+", "-")) and line[:3] not in ("+++", "---")]
    assert changes == {
        "backup/restore-rehearsal.md": [
            '+    quote_hash: "sha256:be7f12602a5f9cda31e60c07ed4385d7c94e3432a87f6f03211819b96719c8af"'
        ],
        "network/osaka-upgrade.md": ['+auditable_memory: "0.1"'],
        "queue/retention-noted.md": [
            '+    quote_hash: "sha256:ba80928de9b812d38c77c373ae8f3551de9293d33e768e286341cf99ddb67b51"'
        ],
    }


def test_a_second_stamp_changes_nothing(memory: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(capfd, "stamp", str(memory))
    once = {path: path.read_bytes() for path in memory.rglob("*") if path.is_file()}
    code, out = run(capfd, "stamp", str(memory), "--json")
    assert (code, json.loads(out)["stamped"]) == (4, [])
    assert {path: path.read_bytes() for path in memory.rglob("*") if path.is_file()} == once
