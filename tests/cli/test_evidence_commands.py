"""log, sign and audit on the command line: exit codes, both outputs, and what is written."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from evidence_samples import (
    T0,
    approval,
    assessment,
    assessment_digest,
    ended,
    gate_policy,
    real_run,
    started,
    state,
    write_key,
)
from witnessmark.attest import load_trusted, verify_run
from witnessmark.canonical import model_bytes, sha256_digest
from witnessmark.checkpoint.merkle import leaf_hash, verify_consistency, verify_inclusion
from witnessmark.cli.main import main
from witnessmark.log import Log
from witnessmark.models.log import Approval, ConsistencyProof, InclusionProof, parse_entry


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert isinstance(caught.value.code, int)
    return caught.value.code, captured.out, captured.err


def _json(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> Any:
    found, out, err = _run(capsys, *arguments, "--json")
    assert found == code, err
    return json.loads(out)


def _write(path: Path, record: Any) -> Path:
    path.write_bytes(model_bytes(record))
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with one run that passed."""
    artifact = assessment()
    with Log.create(tmp_path / "l.log", "demo") as made:
        made.append(started(artifact))
        made.append(ended(1, artifact))
    return tmp_path / "l.log"


def test_a_log_from_its_beginning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "l.log"
    assert _json(capsys, "log", "init", path, "--origin", "demo")["size"] == 1
    entry = tmp_path / "entry.json"
    entry.write_text(json.dumps(json.loads(model_bytes(started())), indent=1))
    assert _json(capsys, "log", "append", path, entry)["index"] == 1
    assert _json(capsys, "log", "verify", path)["file_bytes"] == "equal"
    shown = _json(capsys, "log", "show", path)
    assert [item["entry"]["entry"] for item in shown["entries"]] == ["log_created", "run_started"]
    assert _json(capsys, "log", "show", path, "--entry", 1) == shown["entries"][1]["entry"]


def test_proofs_can_be_checked_by_who_has_nothing_else(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inclusion = InclusionProof.from_json(_json(capsys, "log", "prove", log, "--entry", 1))
    path = [bytes.fromhex(node[7:]) for node in inclusion.path]
    root = bytes.fromhex(inclusion.head.root[7:])
    with Log.open(log) as opened:
        leaf = leaf_hash(opened.entry_bytes(1))
    assert inclusion.leaf == f"sha256:{leaf.hex()}"
    assert verify_inclusion(leaf, 1, 3, path, root)
    consistency = ConsistencyProof.from_json(_json(capsys, "log", "prove", log, "--from", 2))
    first = bytes.fromhex(consistency.first.root[7:])
    path = [bytes.fromhex(node[7:]) for node in consistency.path]
    assert verify_consistency(2, 3, first, root, path)


def test_an_export_is_the_bytes_that_the_tree_is_over(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = _run(capsys, "log", "export", log)
    assert code == 0
    lines = out.encode().splitlines()
    with Log.open(log) as opened:
        assert [opened.entry_bytes(index) for index in range(3)] == lines
    assert [parse_entry(line).entry for line in lines] == ["log_created", "run_started", "run_ended"]
    assert _run(capsys, "log", "export", log, "--out", tmp_path / "x.jsonl")[0] == 0
    assert (tmp_path / "x.jsonl").read_bytes() == out.encode()
    assert len(_json(capsys, "log", "export", log)["entries"]) == 3


def test_a_kept_signed_head_shows_that_a_log_was_cut(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    private, public = write_key(tmp_path, "k")
    kept = tmp_path / "head.dsse.json"
    assert _run(capsys, "log", "head", log, "--key", private, "--out", kept)[0] == 0
    code, out, err = _run(capsys, "log", "verify", log, "--head", kept, "--key", public)
    assert (code, "demo" in out, "extends 1 kept heads" in err) == (0, True, True)
    with Log.create(tmp_path / "short.log", "demo") as short:
        short.append(started())
    code, out, err = _run(capsys, "log", "verify", tmp_path / "short.log", "--head", kept, "--key", public)
    assert (code, out) == (4, "")
    assert err.startswith("error[head_not_extended]: ")


def test_a_plain_head_can_be_kept_too(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "head.json"
    assert _run(capsys, "log", "head", log, "--size", 2, "--out", kept)[0] == 0
    assert _json(capsys, "log", "verify", log, "--head", kept)["extends"][0]["size"] == 2
    private, public = write_key(tmp_path, "k")
    assert _run(capsys, "log", "verify", log, "--head", kept, "--key", public)[0] == 4
    assert private.exists()


def test_an_altered_log_is_exit_4(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = bytearray(log.read_bytes())
    data[-1] ^= 1
    log.write_bytes(data)
    for arguments in (("verify", log), ("export", log)):
        code, out, err = _run(capsys, "log", *arguments)
        assert (code, out) == (4, "")
        assert err.startswith("error[log_altered]: ")
    assert _run(capsys, "audit", "--log", log)[0] == 4


@pytest.mark.parametrize(
    "arguments",
    [("prove",), ("prove", "--entry", "1", "--from", "1"), ("verify", "--key", "k.pem"), ("init",)],
)
def test_usage_errors_are_exit_2(log: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    assert _run(capsys, "log", arguments[0], log, *arguments[1:])[0] == 2


@pytest.mark.parametrize(
    ("code", "entry"),
    [
        ("unknown_entry", b'{"entry":"nonsense"}'),
        ("unknown_entry", b"[]"),
        ("missing_field", b'{"entry":"run_abandoned"}'),
        ("invalid_entry", b'{"entry":"run_abandoned","reason":"","start":0}'),
        ("duplicate_key", b'{"entry":"run_abandoned","entry":"approval"}'),
    ],
)
def test_refused_entry(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str], code: str, entry: bytes) -> None:
    (tmp_path / "e.json").write_bytes(entry)
    found, out, err = _run(capsys, "log", "append", log, tmp_path / "e.json")
    assert (found, out) == (4, "")
    assert err.startswith(f"error[{code}]: ")
    with Log.open(log) as opened:
        assert opened.size == 3


def _approve(tmp_path: Path, log: Path, *more: object) -> list[object]:
    policy = _write(tmp_path / "p.json", gate_policy())
    candidate = _write(tmp_path / "state.json", state("candidate", "index"))
    return ["log", "approve", log, "--policy", policy, "--candidate", candidate, "--approver", "release board", *more]


def test_an_approval_is_recorded_and_audited(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evidence = _write(tmp_path / "assessment.json", assessment())
    arguments = _approve(tmp_path, log, "--assessment", evidence, "--reason", "it passed", "--at", T0.isoformat())
    assert _run(capsys, *arguments)[0] == 0
    with Log.open(log) as opened:
        recorded = opened.entry(3)
    assert isinstance(recorded, Approval)
    assert recorded == approval(assessment(), reason="it passed")
    code, out, err = _run(capsys, "audit", "--log", log, "--evidence", evidence)
    assert (code, out, err) == (0, "", "1 approvals, 0 violations in log 'demo'\n")


def test_an_approval_stands_while_its_evidence_no_longer_applies(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evidence = _write(tmp_path / "assessment.json", assessment())
    assert _run(capsys, *_approve(tmp_path, log, "--assessment", evidence))[0] == 0
    before = log.read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    _write(other / "assessment.json", assessment(candidate="another"))
    same = ("audit", "--log", log, "--evidence", evidence, "--target", f"assessment:{tmp_path}")
    assert _json(capsys, *same)["not_applicable_today"] == []
    moved = ("audit", "--log", log, "--evidence", evidence, "--target", f"assessment:{other}")
    report = _json(capsys, *moved)
    assert (report["clean"], report["violations"]) == (True, [])
    assert report["not_applicable_today"] == [
        {
            "approval": 3,
            "assessment_digest": assessment_digest(assessment()),
            "status": "REVALIDATE",
            "reasons": ["environment_mismatch:target_state_digest"],
        }
    ]
    code, out, _ = _run(capsys, *moved)
    assert (code, out) == (
        0,
        f"approval in entry 3 stands; today its {assessment_digest(assessment())} is REVALIDATE, "
        "environment_mismatch:target_state_digest\n",
    )
    unseen = _json(capsys, "audit", "--log", log, "--target", f"assessment:{tmp_path}")
    assert [item["status"] for item in unseen["not_applicable_today"]] == ["UNRESOLVABLE"]
    assert log.read_bytes() == before


def test_an_approval_against_the_evidence_is_exit_1(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = assessment("fail", assessed_at=T0 + timedelta(hours=1))
    with Log.open(log) as opened:
        opened.append(started(failed))
        opened.append(ended(3, failed))
        before = list(opened.entries())
    assert _run(capsys, *_approve(tmp_path, log, "--assessment", assessment_digest(assessment())))[0] == 0
    report = _json(capsys, "audit", "--log", log, code=1)
    assert [(item["kind"], item["approval"]) for item in report["violations"]] == [
        ("applicable_fail", 5),
        ("withheld_run", 5),
    ]
    with Log.open(log) as opened:
        assert list(opened.entries())[:-1] == before
    code, out, err = _run(capsys, "audit", "--log", log)
    assert (code, "withheld_run" in out, err) == (1, True, "1 approvals, 2 violations in log 'demo'\n")


def test_malformed_evidence_is_a_finding_of_the_audit(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "assessment.json"
    broken.write_bytes(model_bytes(assessment("fail")).replace(b'"failed":1', b'"failed":0'))
    digest = sha256_digest(broken.read_bytes())
    assert _run(capsys, *_approve(tmp_path, log, "--assessment", digest))[0] == 0
    report = _json(capsys, "audit", "--log", log, "--evidence", broken, code=1)
    assert {"kind": "evidence_invalid", "approval": 3, "subject": digest} in report["violations"]


@pytest.mark.parametrize(
    ("code", "more"),
    [
        ("naive_timestamp", ("--at", "2026-03-01T12:00:00")),
        ("wrong_type", ("--at", "noon")),
        ("unreadable_file", ("--assessment", "nowhere.json")),
        ("invalid_approver", ("--approver", " ")),
    ],
)
def test_refused_approval(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str], code: str, more: tuple[str, ...]
) -> None:
    found, out, err = _run(capsys, *_approve(tmp_path, log, *more))
    assert (found, out) == (4, "")
    assert err.startswith(f"error[{code}]: ")
    with Log.open(log) as opened:
        assert opened.size == 3


def test_a_signed_run_verifies_against_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = real_run(tmp_path / "run")
    keys = [write_key(tmp_path, "a"), write_key(tmp_path, "b", kind="ecdsa")]
    out = tmp_path / "run.dsse.json"
    before = sorted(item.name for item in run.iterdir())
    signed = _json(capsys, "sign", run, "--key", keys[0][0], "--key", keys[1][0], "--out", out)
    verified = verify_run(
        out.read_bytes(),
        load_trusted([public for _, public in keys]),
        assessment=(run / "assessment.json").read_bytes(),
        transcript=(run / "transcript.jsonl").read_bytes(),
    )
    assert sorted(item["keyid"] for item in signed["signatures"]) == list(verified.key_ids)
    assert sorted(item.name for item in run.iterdir()) == before
    assert _run(capsys, "sign", run, "--key", keys[0][0], "--out", out)[0] == 4


def test_a_run_that_contradicts_its_transcript_is_not_signed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = real_run(tmp_path / "run")
    transcript = run / "transcript.jsonl"
    transcript.write_bytes(transcript.read_bytes().replace(b'"rule"', b'"rude"'))
    private, _ = write_key(tmp_path, "k")
    code, out, err = _run(capsys, "sign", run, "--key", private, "--out", tmp_path / "run.dsse.json")
    assert (code, out, (tmp_path / "run.dsse.json").exists()) == (4, "", False)
    assert err.startswith("error[")
