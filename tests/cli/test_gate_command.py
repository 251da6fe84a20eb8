"""``gate`` with approval policies: every control on its own, summaries, and what is recorded."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from evidence_samples import T0, assessment, assessment_digest, ended, gate_policy, real_run, started, write_key
from witnessmark.attest import STATEMENT_PAYLOAD, load_trusted, open_envelope
from witnessmark.canonical import canonical_digest, model_bytes, sha256_digest
from witnessmark.cli.main import main
from witnessmark.log import Log
from witnessmark.models.approval import ApprovalEvaluation, ApprovalPolicy
from witnessmark.models.log import GateEvaluated, RunEnded
from witnessmark.rundir import policy_for, read_assessment

LATER = (T0 + timedelta(seconds=60)).isoformat()


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert isinstance(caught.value.code, int)
    return caught.value.code, captured.out, captured.err


class Case:
    """A run in a log, signed by one of two keys."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = real_run(folder / "run")
        self.assessment = read_assessment(self.run)
        self.private, self.public = write_key(folder, "k")
        self.other_private, self.other_public = write_key(folder, "other", kind="ecdsa")
        self.envelope = folder / "run.dsse.json"
        main_ok("sign", self.run, "--key", self.private, "--out", self.envelope)
        self.log = folder / "l.log"
        with Log.create(self.log, "demo") as log:
            log.append(started(self.assessment))
            log.append(self.end(1))

    def end(self, start: int) -> RunEnded:
        """Return the end of the run that began in an entry."""
        transcript = sha256_digest((self.run / "transcript.jsonl").read_bytes())
        return RunEnded.model_validate({**ended(start, self.assessment).model_dump(), "transcript_digest": transcript})

    @property
    def key_ids(self) -> list[str]:
        """Ids of both keys."""
        return sorted(load_trusted([self.public, self.other_public]).keys)

    def policy(self, *controls: dict[str, Any], name: str = "p.policy.json") -> Path:
        """Write an approval policy about the run."""
        policy = ApprovalPolicy.model_validate(
            {"assessment_policy": policy_for(self.assessment).model_dump(), "controls": controls}
        )
        path = self.folder / name
        path.write_bytes(model_bytes(policy))
        return path

    def every_control(self) -> Path:
        """Write a policy with every control but the two that need checkpoint directories or targets."""
        return self.policy(
            {"control": "trusted_signatures", "key_ids": self.key_ids, "threshold": 1},
            {"control": "minimum_trials", "trials": 20, "axes": [{"axis": "sweep", "trials": 20}]},
            {"control": "maximum_age", "seconds": 60},
            {"control": "material_access", "accepted": ["public"]},
            {"control": "recomputable"},
            {"control": "log_inclusion", "origin": "demo"},
            {"control": "all_logged_runs_presented"},
        )


def main_ok(*arguments: object) -> None:
    """Run a command that has to succeed."""
    with pytest.raises(SystemExit) as caught:
        main([str(argument) for argument in arguments])
    assert caught.value.code == 0


@pytest.fixture
def case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Case:
    """Everything in order."""
    made = Case(tmp_path)
    capsys.readouterr()
    return made


def test_every_control_is_reported_on_its_own(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    policy = case.every_control()
    shown = ("--envelope", case.envelope, "--key", case.public, "--key", case.other_public, "--log", case.log)
    code, out, _ = _run(capsys, "gate", "--policy", policy, *shown, "--now", LATER, case.run, "--json")
    evaluation = ApprovalEvaluation.from_bytes(out)
    assert (code, evaluation.satisfied) == (0, True)
    assert [item.control for item in evaluation.controls] == [
        "trusted_signatures",
        "minimum_trials",
        "maximum_age",
        "material_access",
        "recomputable",
        "log_inclusion",
        "all_logged_runs_presented",
    ]
    late = (T0 + timedelta(seconds=61)).isoformat()
    code, out, err = _run(capsys, "gate", "--policy", policy, "--now", late, case.run)
    assert code == 1
    assert out.startswith("gate: satisfied\npresented 1, applicable 1: pass\n")
    assert out.endswith("policy: not satisfied\n")
    for reason in ("too_few_signatures", "evidence_too_old", "log_unknown", "not_in_log"):
        assert reason in out
    assert err == "note: a satisfied gate approves nothing, and evidence presented is not all evidence made\n"


def test_a_withheld_run_is_seen(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    policy = case.policy({"control": "all_logged_runs_presented"})
    assert _run(capsys, "gate", "--policy", policy, "--log", case.log, case.run)[0] == 0
    with Log.open(case.log) as log:
        log.append(started(case.assessment))
    code, out, _ = _run(capsys, "gate", "--policy", policy, "--log", case.log, case.run)
    assert (code, "open_run" in out, "log entry 3" in out) == (1, True, True)


def test_the_log_has_to_extend_a_head_that_was_kept(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    kept = case.folder / "head.dsse.json"
    main_ok("log", "head", case.log, "--key", case.private, "--out", kept)
    with Log.open(case.log) as log:
        head = log.tree_head()
    policy = case.policy(
        {"control": "log_inclusion", "origin": "demo", "known_head": {"size": head.size, "root": head.root}}
    )
    arguments = ("gate", "--policy", policy, "--log", case.log, case.run)
    assert _run(capsys, *arguments)[0] == 1
    assert _run(capsys, *arguments, "--head", kept, "--head-key", case.public)[0] == 0
    assert _run(capsys, *arguments, "--head", kept, "--head-key", case.other_public)[0] == 4


def test_only_the_state_that_serves_is_current(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    policy = case.policy({"control": "current_state"})
    arguments = ("gate", "--policy", policy, case.run)
    assert _run(capsys, *arguments, "--target", f"assessment:{case.run}")[0] == 0
    code, out, _ = _run(capsys, *arguments)
    assert (code, "REVALIDATE, environment_mismatch:target_state_digest" in out) == (1, True)
    other = case.folder / "other"
    other.mkdir()
    (other / "assessment.json").write_bytes(model_bytes(assessment(candidate="another")))
    code, out, _ = _run(capsys, *arguments, "--target", f"assessment:{other}", "--json")
    (control,) = json.loads(out)["controls"]
    assert code == 1
    assert control["findings"] == [
        {
            "reason": "not_current",
            "subject": f"{canonical_digest(case.assessment)}: REVALIDATE, environment_mismatch:target_state_digest",
        }
    ]


def test_a_governed_advance_is_proven_from_checkpoints(
    tmp_path: Path, case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [json.dumps({"key": f"rule/{number}", "text": f"Rule number {number}."}) for number in range(4)]
    for name, count, more in (("live", 3, ()), ("next", 4, ("--extends", tmp_path / "live"))):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(records[:count]) + "\n")
        built = ("checkpoint", "build", tmp_path / f"{name}.jsonl", "--profile", "builtin:wordllama-flat-ip")
        main_ok(*built, "--out", tmp_path / name, *more)
    claim = {"baseline_sequence": 1, "candidate_sequence": 2, "issued_at": T0.isoformat()}
    (tmp_path / "claim.json").write_text(json.dumps(claim))
    from witnessmark.checkpoint.directory import Checkpoint

    digests = {
        f"{role}_checkpoint_digest": Checkpoint.open(tmp_path / name).state_reference().checkpoint_digest
        for role, name in (("baseline", "live"), ("candidate", "next"))
    }
    policy = {
        "format": "witnessmark.approval-policy/0.1",
        "assessment_policy": {**gate_policy().model_dump(mode="json", exclude_none=True), **digests},
        "controls": [{"control": "checkpoint_advance", "ttl_seconds": 60, "max_delta_permille": 334}],
    }
    (tmp_path / "advance.policy.json").write_text(json.dumps(policy))
    arguments = ("gate", "--policy", tmp_path / "advance.policy.json", "--advance", tmp_path / "claim.json", "--json")
    states = ("--baseline", tmp_path / "live", "--candidate", tmp_path / "next")
    capsys.readouterr()
    for now, found in ((LATER, []), ((T0 + timedelta(seconds=61)).isoformat(), ["expired"])):
        code, out, _ = _run(capsys, *arguments, *states, "--now", now)
        (control,) = json.loads(out)["controls"]
        assert code == 1, "the gate itself saw no evidence"
        assert [item["reason"] for item in control.get("findings", [])] == found


def test_a_summary_is_written_signed_and_verifies(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    policy, out = case.policy({"control": "recomputable"}), case.folder / "vsa.dsse.json"
    shown = ("--envelope", case.envelope, "--key", case.public)
    signed = ("--emit-vsa", out, "--sign-key", case.other_private, "--verifier", "https://ci.example/gate")
    assert _run(capsys, "gate", "--policy", policy, *shown, *signed, "--now", LATER, case.run)[0] == 0
    opened = open_envelope(out.read_bytes(), load_trusted([case.other_public]), payload_type=STATEMENT_PAYLOAD)
    statement = json.loads(opened.payload)
    predicate = statement["predicate"]
    assert statement["predicateType"] == "https://slsa.dev/verification_summary/v1"
    assert predicate["verificationResult"] == "PASSED"
    assert predicate["verifier"] == {"id": "https://ci.example/gate"}
    assert [item["digest"]["sha256"] for item in predicate["inputAttestations"]] == [
        canonical_digest(case.assessment)[7:],
        sha256_digest(case.envelope.read_bytes())[7:],
    ]
    code, _, err = _run(capsys, "gate", "--policy", policy, "--emit-vsa", out, case.run)
    assert (code, err) == (4, f"error[output_exists]: {out}: output already exists: wanted a new path\n")


def test_a_refusal_has_a_summary_too(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    policy, out = case.folder / "gate.policy.json", case.folder / "vsa.json"
    policy.write_bytes(model_bytes(gate_policy()))
    code, _, err = _run(capsys, "gate", "--policy", policy, "--emit-vsa", out, case.run)
    assert (code, f"wrote {out}: not signed\n" in err) == (1, True)
    assert json.loads(out.read_bytes())["predicate"]["verificationResult"] == "FAILED"


def test_an_evaluation_is_entered_in_the_log_whatever_it_is(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    policy = case.policy({"control": "trusted_signatures", "key_ids": case.key_ids, "threshold": 2})
    arguments = ("gate", "--policy", policy, "--log", case.log, "--record", "--now", LATER, case.run)
    code, _, err = _run(capsys, *arguments)
    assert (code, f"entered in {case.log}: entry 3\n" in err) == (1, True)
    with Log.open(case.log) as log:
        entry = log.entry(3)
    assert isinstance(entry, GateEvaluated)
    assert (entry.satisfied, entry.evaluation.satisfied) == (False, True)
    assert entry.presented == (canonical_digest(case.assessment),)
    assert entry.policy_digest == canonical_digest(policy_for(case.assessment))
    assert [item.control for item in entry.controls] == ["trusted_signatures"]


def test_an_unknown_control_is_refused(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    path = case.policy({"control": "recomputable"})
    path.write_text(path.read_text().replace("recomputable", "looks_fine"))
    code, out, err = _run(capsys, "gate", "--policy", path, case.run)
    assert (code, out) == (4, "")
    assert err.startswith(f"error[invalid_value]: {path} /controls/0: ")
    assert "looks_fine" in err


def test_altered_evidence_is_no_refusal_but_exit_4(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    policy = case.policy({"control": "recomputable"})
    data = bytearray(case.envelope.read_bytes())
    place = data.index(b'"sig":"') + 10
    data[place] = ord("A") if data[place] != ord("A") else ord("B")
    case.envelope.write_bytes(data)
    shown = ("--envelope", case.envelope, "--key", case.public)
    summary = case.folder / "vsa.json"
    code, out, err = _run(capsys, "gate", "--policy", policy, *shown, "--emit-vsa", summary, case.run)
    assert (code, out, summary.exists()) == (4, "", False)
    assert err.startswith("error[bad_signature]: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--head", "h.json"), "--head is for --log"),
        (("--record",), "--record is for --log"),
        (("--sign-key", "k.pem"), "--sign-key is for --emit-vsa"),
        (("--advance", "a.json"), "--advance, --baseline and --candidate go together"),
        (("--target", "file:x"), "--target is for a policy with the control current_state"),
    ],
)
def test_usage_errors_are_exit_2(
    case: Case, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    policy = case.policy({"control": "recomputable"})
    code, out, err = _run(capsys, "gate", "--policy", policy, case.run, *arguments)
    assert (code, out) == (2, "")
    assert err.endswith(f"Error: {message}\n")


def test_an_artifact_alone_is_not_recomputable(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    alone = case.folder / "alone.json"
    alone.write_bytes((case.run / "assessment.json").read_bytes())
    code, out, _ = _run(capsys, "gate", "--policy", case.policy({"control": "recomputable"}), alone, "--json")
    (control,) = json.loads(out)["controls"]
    assert code == 1
    assert control["findings"] == [{"reason": "not_recomputed", "subject": assessment_digest(case.assessment)}]


def test_a_run_without_its_material_is_recomputed_with_its_salts(
    case: Case, capsys: pytest.CaptureFixture[str]
) -> None:
    out, salts = case.folder / "public", case.folder / "run.salts.json"
    main_ok("withhold", case.run, "--out", out, "--salts", salts)
    controls = (
        {"control": "recomputable"},
        {"control": "trusted_signatures", "key_ids": case.key_ids, "threshold": 1},
        {"control": "log_inclusion", "origin": "demo"},
    )
    arguments = ("gate", "--policy", case.policy(*controls), "--log", case.log, out)
    capsys.readouterr()
    signed = ("--envelope", case.envelope, "--key", case.public)
    assert _run(capsys, *arguments, *signed, "--salts", salts)[0] == 0
    code, text, _ = _run(capsys, *arguments, "--json")
    found = json.loads(text)["controls"]
    reasons = {item["control"]: [finding["reason"] for finding in item.get("findings", [])] for item in found}
    assert (code, reasons) == (
        1,
        {"recomputable": ["not_recomputed"], "trusted_signatures": ["too_few_signatures"], "log_inclusion": []},
    )
