"""A statement says what the run's files say, and nothing else passes for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evidence_samples import assessment, real_run, write_key
from witnessmark.attest import (
    STATEMENT_PAYLOAD,
    assessment_statement,
    check_statement,
    load_signers,
    load_trusted,
    parse_statement,
    sign_payload,
    verify_run,
)
from witnessmark.canonical import canonical_bytes, model_bytes, sha256_digest
from witnessmark.errors import EvidenceError, WitnessmarkError

ASSESSMENT = model_bytes(assessment())
TRANSCRIPT = b'{"line":"run"}\n'


def test_subjects_are_checkpoint_assessment_and_transcript() -> None:
    statement = json.loads(assessment_statement(ASSESSMENT, TRANSCRIPT))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "urn:witnessmark:memory-checkpoint-assessment:v0"
    assert statement["subject"] == [
        {
            "name": "candidate-checkpoint",
            "digest": {"memoryCheckpointSha256": assessment().candidate_state.checkpoint_digest[7:]},
        },
        {"name": "assessment.json", "digest": {"sha256": sha256_digest(ASSESSMENT)[7:]}},
        {"name": "transcript.jsonl", "digest": {"sha256": sha256_digest(TRANSCRIPT)[7:]}},
    ]


def test_the_statement_is_canonical_and_always_the_same() -> None:
    data = assessment_statement(ASSESSMENT, TRANSCRIPT)
    assert data == assessment_statement(ASSESSMENT, TRANSCRIPT) == canonical_bytes(json.loads(data))


def test_a_statement_fits_its_own_files() -> None:
    check_statement(parse_statement(assessment_statement(ASSESSMENT, TRANSCRIPT)), ASSESSMENT, TRANSCRIPT)


@pytest.mark.parametrize(
    ("files", "where"),
    [
        ((model_bytes(assessment(candidate="other")), TRANSCRIPT), "/subject/0"),
        ((model_bytes(assessment("fail")), TRANSCRIPT), "/subject/1"),
        ((ASSESSMENT + b"\n", TRANSCRIPT), "/subject/1"),
        ((ASSESSMENT, TRANSCRIPT[:-1]), "/subject/2"),
    ],
    ids=["other_checkpoint", "other_result", "one_byte_more", "one_byte_less"],
)
def test_subject_mismatch(files: tuple[bytes, bytes], where: str) -> None:
    statement = parse_statement(assessment_statement(ASSESSMENT, TRANSCRIPT))
    with pytest.raises(EvidenceError) as caught:
        check_statement(statement, *files)
    assert (caught.value.code, caught.value.problems[0].where) == ("subject_mismatch", where)


def test_without_a_transcript_everything_else_is_compared() -> None:
    statement = parse_statement(assessment_statement(ASSESSMENT, TRANSCRIPT))
    check_statement(statement, ASSESSMENT, None)
    with pytest.raises(EvidenceError, match="/subject/1: the signed statement is about another file"):
        check_statement(statement, model_bytes(assessment("fail")), None)
    short = parse_statement(_edited(lambda document: document["subject"].pop()))
    with pytest.raises(EvidenceError, match="/subject: the signed statement has other subjects: got 2, wanted 3"):
        check_statement(short, ASSESSMENT, None)


def _edited(edit: Any) -> bytes:
    document = json.loads(assessment_statement(ASSESSMENT, TRANSCRIPT))
    edit(document)
    return canonical_bytes(document)


@pytest.mark.parametrize(
    ("code", "edit"),
    [
        ("invalid_value", lambda doc: doc["subject"][0].update(digest={})),
        ("invalid_value", lambda doc: doc["subject"][1]["digest"].update(sha256="ABC")),
        ("invalid_value", lambda doc: doc.update(subject=[])),
        ("missing_field", lambda doc: doc["predicate"].pop("result")),
        ("predicate_mismatch", lambda doc: doc["predicate"].update(passed=2)),
        ("predicate_mismatch", lambda doc: doc["predicate"].update(result="fail")),
        ("subject_mismatch", lambda doc: doc["subject"].pop()),
        ("subject_mismatch", lambda doc: doc["subject"].reverse()),
        ("unknown_field", lambda doc: doc["predicate"].update(approved=True)),
        ("unknown_predicate_type", lambda doc: doc.update(predicateType="https://slsa.dev/provenance/v1")),
        ("unknown_predicate_type", lambda doc: doc.pop("predicateType")),
        ("unknown_statement_type", lambda doc: doc.update(_type="https://in-toto.io/Statement/v0.1")),
    ],
)
def test_refused_statement(code: str, edit: Any) -> None:
    with pytest.raises(WitnessmarkError) as caught:
        check_statement(parse_statement(_edited(edit)), ASSESSMENT, TRANSCRIPT)
    assert caught.value.code == code


def test_verify_run_parses_the_verified_bytes(tmp_path: Path) -> None:
    private, public = write_key(tmp_path, "k")
    statement = assessment_statement(ASSESSMENT, TRANSCRIPT)
    envelope = sign_payload(statement, STATEMENT_PAYLOAD, load_signers([private]))
    verified = verify_run(envelope, load_trusted([public]), assessment=ASSESSMENT, transcript=TRANSCRIPT)
    assert model_bytes(verified.statement) == statement
    with pytest.raises(EvidenceError, match="/subject/2: the signed statement is about another file"):
        verify_run(envelope, load_trusted([public]), assessment=ASSESSMENT, transcript=b"")


@pytest.mark.interop
def test_in_toto_attestation_accepts_the_statement() -> None:
    from google.protobuf import json_format
    from in_toto_attestation.v1 import statement_pb2
    from in_toto_attestation.v1.statement import Statement

    data = assessment_statement(ASSESSMENT, TRANSCRIPT)
    message = json_format.Parse(data, statement_pb2.Statement())
    statement = Statement.copy_from_pb(message)
    statement.validate()
    assert [item.name for item in statement.pb.subject] == [
        "candidate-checkpoint",
        "assessment.json",
        "transcript.jsonl",
    ]
    assert json.loads(json_format.MessageToJson(message)) == json.loads(data)


def test_the_example_of_the_predicate_page_is_what_we_write(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "predicates" / "memory-checkpoint-assessment.md"
    example = json.loads(page.read_text().partition("```json\n")[2].partition("```")[0])
    run = real_run(tmp_path / "run")
    wanted = json.loads(
        assessment_statement((run / "assessment.json").read_bytes(), (run / "transcript.jsonl").read_bytes())
    )
    for statement in (example, wanted):
        assert parse_statement(canonical_bytes(statement)).subject[2].name == "transcript.jsonl"
        # The bytes of the two files are another page's business.
        for subject in statement["subject"][1:]:
            del subject["digest"]
    assert example == wanted
