"""``assess --require-applicable``: whether decisive items are applicable is reported, and decides nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from witnessmark.canonical import sha256_digest
from witnessmark.cli.main import main

PROFILE = "builtin:wordllama-flat-ip"
SUITE = """\
probes:
  - kind: anchor_preservation
    probe_id: rule
    query: How many approvals does an invoice need?
    anchor: {key: rule, required_in: both}
    max_rank: 1
"""
RULE = b"Invoices need two approvals.\n"


def _main(*parts: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(part) for part in parts])
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint and a suite."""
    folder = tmp_path_factory.mktemp("states")
    records = [{"key": "rule", "text": "Invoices need two approvals."}, {"key": "tea", "text": "Tea is at four."}]
    (folder / "live.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (folder / "rule.suite.yaml").write_text(SUITE)
    assert _main("checkpoint", "build", folder / "live.jsonl", "--profile", PROFILE, "--out", folder / "live") == 0
    return folder


@pytest.fixture
def requirements(tmp_path: Path) -> Path:
    """A file that the rule was taken from, and the requirement that it is still there."""
    (tmp_path / "rule.md").write_bytes(RULE)
    evidence: dict[str, Any] = {
        "evidence_id": "rule",
        "source": {"locator": "file:rule.md", "refetchable": True, "expected_digest": sha256_digest(RULE)[7:]},
    }
    (tmp_path / "rule.evidence.json").write_text(json.dumps(evidence))
    path = tmp_path / "rule.requirements.yaml"
    path.write_text("items:\n  - {item_key: rule, evidence: rule.evidence.json}\n")
    return path


def assess(states: Path, out: Path, *more: object) -> int:
    """Assess the checkpoint against itself."""
    named = ("--baseline", states / "live", "--candidate", states / "live", "--suite", states / "rule.suite.yaml")
    fixed = ("--profile", PROFILE, "--axes", "sweep", "--assessed-at", "2026-03-01T12:00:00Z")
    return _main("assess", *named, *fixed, "--out", out, *more)


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (RULE, "MATCH", ""),
        (b"Three.\n", "DRIFT", "not applicable today: item 'rule' of rule: DRIFT, source_digest_mismatch\n"),
        (None, "ORPHAN", "not applicable today: item 'rule' of rule: ORPHAN, source_missing\n"),
    ],
)
def test_it_is_reported_and_the_verdict_stays(
    states: Path,
    requirements: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: bytes | None,
    status: str,
    said: str,
) -> None:
    source = tmp_path / "rule.md"
    source.unlink() if text is None else source.write_bytes(text)
    assert assess(states, tmp_path / "run", "--require-applicable", requirements) == 0
    err = capsys.readouterr().err
    assert err.endswith(f"{said}wrote {tmp_path / 'run'}\n")
    assert ("not applicable today" in err) == bool(said)
    (finding,) = json.loads((tmp_path / "run" / "applicability.json").read_bytes())["findings"]
    assert (finding["item_key"], finding["probes"], finding["check"]["status"]) == ("rule", ["rule"], status)
    assert assess(states, tmp_path / "plain") == 0
    for name in ("assessment.json", "transcript.jsonl"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "plain" / name).read_bytes()
    assert not (tmp_path / "plain" / "applicability.json").exists()
    assert _main("verify", tmp_path / "run") == 0


def test_an_item_that_decides_nothing_is_refused_before_the_run(
    states: Path, requirements: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    requirements.write_text("items:\n  - {item_key: tea, evidence: rule.evidence.json}\n")
    assert assess(states, tmp_path / "run", "--require-applicable", requirements) == 4
    assert capsys.readouterr().err.endswith(
        f"error[unknown_item]: {requirements} /items/0/item_key: no probe of the suite hangs on that item: "
        "got 'tea', wanted a key that a probe names\n"
    )
    assert not list(tmp_path.glob("run*"))


def test_a_target_without_requirements_is_a_usage_error(
    states: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert assess(states, tmp_path / "run", "--target", "file:x") == 2
    assert capsys.readouterr().err.endswith("Error: --target is for --require-applicable\n")
