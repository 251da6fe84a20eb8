"""``verify`` with signatures: thresholds, key ids, payload types, subjects."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from evidence_samples import assessment, real_run, write_key
from witnessmark.attest import STATEMENT_PAYLOAD, assessment_statement, load_signers, load_trusted, sign_payload
from witnessmark.canonical import model_bytes
from witnessmark.cli.main import main


class Signed:
    """A run and three key pairs, of which any can sign it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = real_run(folder / "run")
        self.keys = {
            "a": write_key(folder, "a"),
            "b": write_key(folder, "b", kind="ecdsa"),
            "c": write_key(folder, "c"),
        }
        self.statement = assessment_statement(
            (self.run / "assessment.json").read_bytes(), (self.run / "transcript.jsonl").read_bytes()
        )

    def envelope(self, names: str, *, payload: bytes | None = None, payload_type: str = STATEMENT_PAYLOAD) -> Path:
        """Write an envelope that the named keys signed."""
        path = self.folder / f"{names}.dsse.json"
        signers = load_signers([self.keys[name][0] for name in names])
        path.write_bytes(sign_payload(payload or self.statement, payload_type, signers))
        return path

    def public(self, names: str) -> list[object]:
        """Return the options that trust the named keys."""
        return [part for name in names for part in ("--key", self.keys[name][1])]

    def key_ids(self, names: str) -> list[str]:
        """Return the ids of the named keys, sorted."""
        return sorted(load_trusted([self.keys[name][1] for name in names]).keys)


@pytest.fixture
def signed(tmp_path: Path) -> Signed:
    """A run and its keys."""
    return Signed(tmp_path)


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["verify", *[str(argument) for argument in arguments]])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert isinstance(caught.value.code, int)
    return caught.value.code, captured.out, captured.err


def test_enough_trusted_keys_signed(signed: Signed, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (signed.run, "--envelope", signed.envelope("ab"), *signed.public("abc"), "--threshold", 2)
    code, out, _ = _run(capsys, *arguments, "--json")
    found = json.loads(out)
    assert (code, found["status"], found["signed_by"]) == (0, "verified", signed.key_ids("ab"))
    assert found["checks"][-1] == "2 of 3 trusted keys signed it"
    code, out, _ = _run(capsys, *arguments)
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("signed by")] == [
        f"signed by {key}" for key in signed.key_ids("ab")
    ]


def test_envelopes_add_up(signed: Signed, capsys: pytest.CaptureFixture[str]) -> None:
    shown = ("--envelope", signed.envelope("a"), "--envelope", signed.envelope("b"))
    assert _run(capsys, signed.run, *shown, *signed.public("ab"))[0] == 0
    again = ("--envelope", signed.envelope("a"), "--envelope", signed.envelope("a"))
    code, out, err = _run(capsys, signed.run, *again, *signed.public("ab"))
    assert (code, out) == (4, "")
    assert err.startswith("error[below_threshold]: ")
    assert err.endswith("too few trusted signatures: got 1, wanted 2 of 2 trusted keys\n")


def test_a_stranger_counts_for_nothing(signed: Signed, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _run(capsys, signed.run, "--envelope", signed.envelope("c"), *signed.public("a"))
    assert (code, out) == (4, "")
    assert err.startswith("error[below_threshold]: ")


def test_an_unknown_payload_type_is_refused(signed: Signed, capsys: pytest.CaptureFixture[str]) -> None:
    envelope = signed.envelope("a", payload_type="application/x-other")
    code, out, err = _run(capsys, signed.run, "--envelope", envelope, *signed.public("a"))
    assert (code, out) == (4, "")
    assert err == (
        f"error[unknown_payload_type]: {envelope} /payloadType: unknown payload type: got 'application/x-other', "
        f"wanted {STATEMENT_PAYLOAD}\n"
    )


def test_signatures_over_another_run_are_refused(signed: Signed, capsys: pytest.CaptureFixture[str]) -> None:
    other = assessment_statement(model_bytes(assessment("fail")), b"{}\n")
    code, out, err = _run(capsys, signed.run, "--envelope", signed.envelope("a", payload=other), *signed.public("a"))
    assert (code, out) == (4, "")
    assert err.startswith("error[subject_mismatch]: ")


def test_the_verified_bytes_are_the_parsed_ones(signed: Signed, capsys: pytest.CaptureFixture[str]) -> None:
    envelope = signed.envelope("a")
    document: dict[str, Any] = json.loads(envelope.read_bytes())
    other = assessment_statement(model_bytes(assessment("fail")), b"{}\n")
    document["payload"] = base64.b64encode(other).decode()
    envelope.write_text(json.dumps(document))
    code, out, err = _run(capsys, signed.run, "--envelope", envelope, *signed.public("a"))
    assert (code, out) == (4, "")
    assert err.startswith("error[bad_signature]: ")


def test_a_signed_artifact_without_its_transcript_is_not_verified(
    signed: Signed, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = signed.folder / "alone" / "assessment.json"
    alone.parent.mkdir()
    alone.write_bytes((signed.run / "assessment.json").read_bytes())
    code, out, _ = _run(capsys, alone, "--envelope", signed.envelope("a"), *signed.public("a"), "--json")
    found = json.loads(out)
    assert (code, found["status"]) == (3, "consistent_not_recomputable")
    assert found["checks"][-1] == "1 of 1 trusted keys signed it, with a transcript that is not here"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--key", "k.pem"), "--envelope and --key go together"),
        (("--envelope", "e.json"), "--envelope and --key go together"),
        (("--threshold", "1"), "--threshold is for --key"),
    ],
)
def test_usage_errors_are_exit_2(
    signed: Signed, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = _run(capsys, signed.run, *arguments)
    assert (code, out) == (2, "")
    assert err.endswith(f"Error: {message}\n")
