"""Facts are what was verified; what is altered raises, what is not presented is absent."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from evidence_samples import T0, assessment, digest, ended, real_run, started, write_key
from witnessmark.approval import evaluate_approval
from witnessmark.attest import (
    STATEMENT_PAYLOAD,
    TrustedKeys,
    assessment_statement,
    load_signers,
    load_trusted,
    sign_payload,
)
from witnessmark.canonical import canonical_digest, model_bytes, sha256_digest
from witnessmark.errors import EvidenceError
from witnessmark.facts import establish_facts
from witnessmark.log import Log
from witnessmark.models.approval import ApprovalPolicy, Recomputation
from witnessmark.models.log import RunEnded
from witnessmark.rundir import policy_for, read_assessment


class _Case:
    """A run, its envelope, the keys and a log of it."""

    def __init__(self, folder: Path) -> None:
        self.run = real_run(folder / "run")
        self.assessment = read_assessment(self.run)
        self.transcript = (self.run / "transcript.jsonl").read_bytes()
        private, public = write_key(folder, "k")
        self.trusted: TrustedKeys = load_trusted([public])
        self.envelope = folder / "run.dsse.json"
        statement = assessment_statement(model_bytes(self.assessment), self.transcript)
        self.envelope.write_bytes(sign_payload(statement, STATEMENT_PAYLOAD, load_signers([private])))
        self.log = folder / "l.log"
        with Log.create(self.log, "demo") as log:
            log.append(started(self.assessment))
            log.append(self.end(1))
            self.head = log.tree_head()

    def end(self, start: int, **changes: Any) -> RunEnded:
        about = ended(start, self.assessment).model_dump()
        return RunEnded.model_validate({**about, "transcript_digest": sha256_digest(self.transcript), **changes})


@pytest.fixture
def case(tmp_path: Path) -> _Case:
    """Everything in order."""
    return _Case(tmp_path)


def test_what_is_verified_becomes_a_fact(case: _Case) -> None:
    facts = establish_facts([case.run], envelopes=[case.envelope], trusted=case.trusted, log=case.log, kept=[case.head])
    (evidence,) = facts.evidence
    assert evidence.assessment_digest == canonical_digest(case.assessment)
    assert evidence.signed_by == tuple(case.trusted.keys)
    assert evidence.recomputation is Recomputation.recomputed
    assert evidence.log_entry == 2
    assert sum(group.count for group in evidence.trials or ()) == 20
    assert facts.log is not None
    assert [item.size for item in facts.log.extends] == [3]


def test_these_facts_satisfy_a_policy_from_end_to_end(case: _Case) -> None:
    policy = ApprovalPolicy.model_validate(
        {
            "assessment_policy": policy_for(case.assessment).model_dump(),
            "controls": [
                {"control": "trusted_signatures", "key_ids": list(case.trusted.keys), "threshold": 1},
                {"control": "recomputable"},
                {"control": "log_inclusion", "origin": "demo"},
                {"control": "all_logged_runs_presented"},
                {"control": "maximum_age", "seconds": 60},
            ],
        }
    )
    facts = establish_facts([case.run], envelopes=[case.envelope], trusted=case.trusted, log=case.log)
    assert evaluate_approval(policy, facts, now=T0 + timedelta(seconds=60)).satisfied
    with Log.open(case.log) as log:
        log.append(started(case.assessment))
    facts = establish_facts([case.run], envelopes=[case.envelope], trusted=case.trusted, log=case.log)
    result = evaluate_approval(policy, facts, now=T0)
    assert [item.control for item in result.controls if not item.satisfied] == ["all_logged_runs_presented"]


def test_what_is_not_presented_is_absent(case: _Case) -> None:
    facts = establish_facts([case.run])
    assert (facts.log, facts.advance, facts.evidence[0].signed_by, facts.evidence[0].log_entry) == (
        None,
        None,
        (),
        None,
    )


def test_an_artifact_alone_is_not_recomputable(tmp_path: Path) -> None:
    alone = tmp_path / "elsewhere" / "assessment.json"
    alone.parent.mkdir()
    alone.write_bytes(model_bytes(assessment()))
    (evidence,) = establish_facts([alone]).evidence
    assert (evidence.recomputation, evidence.trials) == (Recomputation.not_recomputable, None)


def test_unrelated_envelope(case: _Case, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_bytes(model_bytes(assessment()))
    with pytest.raises(EvidenceError) as caught:
        establish_facts([other], envelopes=[case.envelope], trusted=case.trusted)
    assert caught.value.code == "unrelated_envelope"


def test_altered_evidence_raises(case: _Case) -> None:
    path = case.run / "assessment.json"
    document = json.loads(path.read_bytes())
    document["material_access"] = "restricted"
    path.write_bytes(json.dumps(document, sort_keys=True, separators=(",", ":")).encode())
    with pytest.raises(EvidenceError):
        establish_facts([case.run])


def test_an_envelope_without_trusted_keys_raises(case: _Case) -> None:
    with pytest.raises(EvidenceError) as caught:
        establish_facts([case.run], envelopes=[case.envelope])
    assert caught.value.code == "no_key"


def test_a_log_with_another_transcript_raises(case: _Case, tmp_path: Path) -> None:
    with Log.create(tmp_path / "other.log", "demo") as log:
        log.append(started(case.assessment))
        log.append(case.end(1, transcript_digest=digest("another")))
    with pytest.raises(EvidenceError, match="the log has another transcript for this assessment"):
        establish_facts([case.run], log=tmp_path / "other.log")


def test_a_log_that_says_something_else_raises(case: _Case, tmp_path: Path) -> None:
    for name, start, end in (
        ("inputs", assessment(), case.end(1)),
        ("result", case.assessment, case.end(1, result="fail")),
    ):
        with Log.create(tmp_path / f"{name}.log", "demo") as log:
            log.append(started(start))
            log.append(end)
        with pytest.raises(EvidenceError) as caught:
            establish_facts([case.run], log=tmp_path / f"{name}.log")
        assert caught.value.code == "contradicted_log"
