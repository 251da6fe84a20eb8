"""Memory as people keep it, from a folder to a verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.cli.main import main

Run = Callable[..., tuple[int, str, str]]

ATPROTO = Path(__file__).resolve().parents[1] / "assets" / "atproto"
KEY = "at://did:plc:ana2k7/dev.bastienrobert.memory.record/3l2"
PROFILE = "builtin:wordllama-flat-ip"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        shown = capsys.readouterr()
        return int(ended.value.code or 0), shown.out, shown.err

    return call


@pytest.fixture
def amr(tmp_path: Path) -> Path:
    folder = tmp_path / "amr"
    for name, fields, body in (
        ("ops/old", "", "The nightly backup starts at 03:00."),
        ("ops/new", "supersedes: [ops/old]", "The nightly backup now starts at 04:30, no longer at 03:00."),
        ("ops/vpn", "anchor: true", "The VPN gateway drops idle sessions after eight hours."),
    ):
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'---\nauditable_memory: "0.1"\n{fields}\n---\n\n{body}\n')
    return folder


def correction(old: str, new: str, query: str) -> dict[str, object]:
    return {
        "kind": "correction_precedence",
        "probe_id": f"correction/{new}",
        "query": query,
        "superseded": {"key": old, "required_in": "both"},
        "correction": {"key": new, "required_in": "candidate"},
    }


def assess(run: Run, tmp_path: Path, records: Path, name: str, probe: dict[str, object]) -> tuple[int, str]:
    state, suite, profile = tmp_path / "state", tmp_path / "s.suite.json", tmp_path / "p.profile.json"
    suite.write_text(json.dumps({"version": "0.1", "probes": [probe]}))
    build = ("checkpoint", "build", records, "--format", name, "--profile", PROFILE, "--out", state)
    assert run(*build)[0] == 0
    assert run("profile", "pin", "--target", state, "--out", profile)[0] == 0
    assert run("suite", "check", suite, "--records", records, "--format", name)[0] == 0
    code, _, err = run(
        *("assess", "--baseline", state, "--candidate", state, "--suite", suite, "--profile", profile),
        *("--out", tmp_path / "run", "--axes", "sweep"),
    )
    return code, err


def test_amr_files_become_a_checkpoint_that_can_be_assessed(run: Run, tmp_path: Path, amr: Path) -> None:
    probe = correction("ops/old", "ops/new", "When does the nightly backup start now, no longer at 03:00?")

    code, err = assess(run, tmp_path, amr, "amr", probe)

    assert (code, "error" in err) == (0, False), err
    assert [record.key for record in Checkpoint.open(tmp_path / "state").records()] == ["ops/new", "ops/old", "ops/vpn"]


def test_lexicon_records_become_a_checkpoint_that_can_be_assessed(run: Run, tmp_path: Path) -> None:
    probe = correction(f"{KEY}5x7p2mq2a2", f"{KEY}6x7p2mq2a2", "Does the neighbour Mrs Okafor have the spare key?")

    code, err = assess(run, tmp_path, ATPROTO / "sound", "atproto", probe)

    assert (code, "error" in err) == (0, False), err
    records = {record.key: record for record in Checkpoint.open(tmp_path / "state").records()}
    assert len(records) == 26
    assert (records[f"{KEY}5x7p2mq2a2"].model_extra or {})["masked_by"] == [f"{KEY}6x7p2mq2a2"]


def test_faulty_records_make_no_checkpoint(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "state"
    faulty = ATPROTO / "faulty"

    code, shown, err = run("checkpoint", "build", faulty, "--format", "atproto", "--profile", PROFILE, "--out", out)

    assert (code, shown, out.exists()) == (4, "", False)
    assert len(err.splitlines()) == 20
    assert err.splitlines()[5] == (
        f"error[invalid_datetime]: {faulty}/date.json:7 /value/createdAt: not a datetime: got '2026-01-05'"
    )


def test_a_folder_without_a_named_format_is_refused(run: Run, tmp_path: Path, amr: Path) -> None:
    code, _, err = run("checkpoint", "build", amr, "--profile", PROFILE, "--out", tmp_path / "state")

    assert code == 4
    assert err == (
        f"error[ambiguous_record_format]: {amr}: a folder does not say what format its records have: "
        "wanted --format, one of: amr, atproto, jsonl\n"
    )
