"""``witnessmark applicability``."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from witnessmark.applicability import assessment_evidence
from witnessmark.cli.main import main
from witnessmark.rundir import read_assessment

RULE = b"Two approvals."
DIGEST = hashlib.sha256(RULE).hexdigest()


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["applicability", *arguments])
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.fixture
def evidence(tmp_path: Path) -> str:
    (tmp_path / "rule").write_bytes(RULE)
    return write(tmp_path / "rule.evidence.json", environment={"tenant": "acme", "valid_until": "2026-08-11T12:00:00Z"})


def write(path: Path, **fields: Any) -> str:
    source = {
        "locator": "file:rule",
        "refetchable": True,
        "expected_digest": DIGEST,
        "source_label": "rule",
        "source_namespace": "rules",
        "source_id": "rule",
    }
    path.write_text(json.dumps({"evidence_id": path.stem.partition(".")[0], "source": source, **fields}))
    return str(path)


@pytest.fixture(autouse=True)
def tenant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENANT", "acme")


def test_match_is_exit_0(evidence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", evidence, "--target", "env:tenant=TENANT", "--now", "2026-08-11T11:59:59Z") == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[:2] == [
        "MATCH rule for current-state 0.1",
        "may influence an action: yes; authorizes an action: no",
    ]
    assert lines[2].removeprefix("stored fingerprint  ") == lines[3].removeprefix("current fingerprint ")
    assert err.splitlines() == [
        f"note: {name} is strict, but bound neither then nor now: nothing was compared"
        for name in ("repository", "commit_sha")
    ]


@pytest.mark.parametrize(
    ("change", "now", "outcome"),
    [
        (b"Two approvals.", "2026-08-11T12:00:00Z", ["REVALIDATE", "environment_expired:valid_until"]),
        (b"One approval.", "2026-08-11T11:00:00Z", ["DRIFT", "source_digest_mismatch"]),
        (None, "2026-08-11T11:00:00Z", ["ORPHAN", "source_missing"]),
    ],
)
def test_every_other_outcome_is_exit_1(
    evidence: str, change: bytes | None, now: str, outcome: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    rule = Path(evidence).parent / "rule"
    rule.unlink() if change is None else rule.write_bytes(change)
    assert run("check", evidence, "--target", "env:tenant=TENANT", "--now", now, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert [document["status"], *document["reasons"]] == outcome
    assert (document["may_influence_action"], document["authorizes_action"]) == (False, False)


def test_the_clock_is_read_only_here(evidence: str, capsys: pytest.CaptureFixture[str]) -> None:
    write(Path(evidence), environment={"valid_until": "2020-01-01T00:00:00Z"})
    assert run("check", evidence) == 1
    assert "  environment_expired:valid_until\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("unknown_target", ["--target", "nowhere:x"]),
        ("unset_variable", ["--target", "env:actor=NOBODY_SETS_THIS"]),
        ("unreadable_target", ["--target", "git:/nonexistent"]),
        ("unknown_builtin", ["--purpose", "builtin:nothing"]),
        ("unreadable_file", ["--purpose", "/nonexistent.purpose.yaml"]),
        ("invalid_instant", ["--now", "today"]),
    ],
)
def test_malformed_input_is_exit_4_and_no_outcome(
    evidence: str, code: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", evidence, *arguments) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error[{code}]: ")


def test_malformed_evidence_is_exit_4(evidence: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(evidence).write_text('{"evidence_id": "x", "evidence_id": "y"}')
    assert run("check", evidence) == 4
    assert (
        capsys.readouterr().err
        == f"error[duplicate_key]: {evidence} /evidence_id: key stands twice in one object: got 'evidence_id'\n"
    )


def test_coverage_prints_metrics_apart(evidence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "new").write_bytes(b"")
    derived = write(tmp_path / "derived.evidence.json", derived=True)
    assert run("coverage", evidence, derived, "--inventory", f"rules=file:{tmp_path / 'rules'}") == 0
    out, err = capsys.readouterr()
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if "_coverage" in line}
    assert rows["refetch_verification_coverage"] == ["2", "2", "1.000"]
    assert rows["environment_binding_coverage"] == ["0", "2", "0.000"]
    assert rows["lineage_verification_coverage"] == ["0", "1", "0.000"]
    assert out.splitlines()[-3:] == [
        "orphan: rules:rule",
        "unindexed: rules:new",
        "lineage gap of derived: lineage_undeclared",
    ]
    assert err == ""


def test_coverage_as_json_keeps_nulls(evidence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("coverage", evidence, "--json") == 0
    metrics = {item["name"]: item for item in json.loads(capsys.readouterr().out)["metrics"]}
    assert metrics["lineage_verification_coverage"] == {
        "name": "lineage_verification_coverage",
        "numerator": 0,
        "denominator": 0,
        "value": None,
        "undefined_reason": "no_eligible_derived_records",
    }


def test_coverage_shows_a_share_of_nothing_as_null(evidence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("coverage", evidence) == 0
    assert "null (no_eligible_derived_records)" in capsys.readouterr().out


def test_the_same_evidence_twice_is_exit_4(evidence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("coverage", evidence, evidence) == 4
    assert capsys.readouterr().err == "error[duplicate_id]: record stands twice: got 'rule', wanted one\n"


SUITE = """\
probes:
  - kind: scope_isolation
    probe_id: leak
    query: approvals
    forbidden_item_keys: [secret]
"""


def test_an_assessment_applies_to_the_checkpoint_that_it_assessed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    profile = "builtin:wordllama-flat-ip"
    for name, text in (("one", "Two approvals."), ("two", "One approval.")):
        Path(f"{name}.jsonl").write_text(json.dumps({"key": "rule", "text": text}) + "\n")
        with pytest.raises(SystemExit) as caught:
            main(["checkpoint", "build", f"{name}.jsonl", "--profile", profile, "--out", name])
        assert caught.value.code == 0
    Path("s.suite.yaml").write_text(SUITE)
    with pytest.raises(SystemExit) as caught:
        main(
            [
                *("assess", "--baseline", "one", "--candidate", "one", "--suite", "s.suite.yaml"),
                *("--profile", profile, "--out", "run"),
            ]
        )
    assert caught.value.code == 0
    document = assessment_evidence(read_assessment(Path("run/assessment.json")), locator="assessment:run")
    Path("run.evidence.json").write_text(document.model_dump_json())
    capsys.readouterr()
    assert run("check", "run.evidence.json", "--target", "one") == 0
    assert run("check", "run.evidence.json", "--target", "checkpoint:two") == 1
    assert "environment_mismatch:target_state_digest" in capsys.readouterr().out
