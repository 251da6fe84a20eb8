"""Every control of an approval policy stands on its own, and starts refused."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from evidence_samples import T0, assessment, assessment_digest, digest, gate_policy, started
from witnessmark.approval import evaluate_approval
from witnessmark.errors import InputError
from witnessmark.models import MemoryCheckpointAssessment
from witnessmark.models.applicability import CURRENT_STATE
from witnessmark.models.approval import (
    ApprovalEvaluation,
    ApprovalFacts,
    ApprovalPolicy,
    ControlReason,
    LoggedRun,
    RunOutcome,
)

NOW = T0 + timedelta(hours=1)
CONTROLS: dict[str, dict[str, Any]] = {
    "trusted_signatures": {"key_ids": ["k1", "k2", "k3"], "threshold": 2},
    "minimum_trials": {"trials": 20, "axes": [{"axis": "sweep", "trials": 18}, {"axis": "process", "trials": 2}]},
    "maximum_age": {"seconds": 3600},
    "material_access": {"accepted": ["public", "restricted"]},
    "recomputable": {},
    "log_inclusion": {"origin": "demo", "known_head": {"size": 2, "root": digest("kept")}},
    "all_logged_runs_presented": {},
    "checkpoint_advance": {"ttl_seconds": 3600, "max_delta_permille": 100},
    "current_state": {},
}


def _policy(*controls: str, **changes: Any) -> ApprovalPolicy:
    return ApprovalPolicy.model_validate(
        {
            "assessment_policy": gate_policy().model_dump(),
            "controls": [{"control": name, **CONTROLS[name], **changes} for name in controls],
        }
    )


def _evidence(artifact: MemoryCheckpointAssessment | None = None, **changes: Any) -> dict[str, Any]:
    about = artifact or assessment()
    return {
        "assessment": about.model_dump(),
        "assessment_digest": assessment_digest(about),
        "signed_by": ["k1", "k3"],
        "trials": [
            {"axis": "sweep", "first": 0, "count": 18},
            {"axis": "process", "first": 18, "count": 2},
        ],
        "recomputation": "recomputed",
        "log_entry": 2,
        "current_state": {"purpose": CURRENT_STATE.model_dump(), "status": "MATCH"},
        **changes,
    }


def _run(start: int, artifact: MemoryCheckpointAssessment | None, outcome: str = "assessed") -> dict[str, Any]:
    about = started(artifact)
    done = artifact is not None and outcome == "assessed"
    return {
        "start": start,
        "end": None if outcome == "open" else start + 1,
        "baseline_state": about.baseline_state.model_dump(),
        "candidate_state": about.candidate_state.model_dump(),
        "probe_suite_digest": about.probe_suite_digest,
        "retriever_profile_digest": about.retriever_profile_digest,
        "outcome": outcome,
        "assessment_digest": assessment_digest(artifact) if done and artifact else None,
        "transcript_digest": digest("transcript") if done else None,
        "assessed_at": artifact.assessed_at if done and artifact else None,
        "result": artifact.result if done and artifact else None,
    }


def _log(*runs: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "origin": "demo",
        "size": 9,
        "root": digest("root"),
        "extends": [{"size": 2, "root": digest("kept")}],
        "runs": list(runs),
        **changes,
    }


def _advance(**changes: Any) -> dict[str, Any]:
    return {
        "baseline_checkpoint_digest": digest("baseline"),
        "candidate_checkpoint_digest": digest("candidate"),
        "append_only": True,
        "baseline_operations": 1000,
        "candidate_operations": 1100,
        "baseline_sequence": 7,
        "candidate_sequence": 8,
        "issued_at": T0,
        **changes,
    }


def _facts(**changes: Any) -> ApprovalFacts:
    facts = {"evidence": [_evidence()], "log": _log(_run(1, assessment())), "advance": _advance(), **changes}
    return ApprovalFacts.model_validate(facts)


def _evaluated(control: str, facts: ApprovalFacts, **changes: Any) -> list[tuple[str, str]]:
    result = evaluate_approval(_policy(control, **changes), facts, now=NOW)
    (only,) = result.controls
    assert only.satisfied == (not only.findings)
    assert result.satisfied == (result.gate.satisfied and only.satisfied)
    return [(item.reason.value, item.subject) for item in only.findings]


def test_everything_shown_satisfies_every_control() -> None:
    result = evaluate_approval(_policy(*CONTROLS), _facts(), now=NOW)
    assert result.satisfied
    assert [item.control for item in result.controls] == list(CONTROLS)


@pytest.mark.parametrize("control", CONTROLS)
def test_nothing_shown_satisfies_no_control(control: str) -> None:
    result = evaluate_approval(_policy(control), ApprovalFacts(), now=NOW)
    assert not result.satisfied
    assert not result.controls[0].satisfied
    assert not result.gate.satisfied


SAMPLE = assessment_digest(assessment())


@pytest.mark.parametrize(
    ("control", "changes", "findings"),
    [
        ("trusted_signatures", {"signed_by": ["k1"]}, ["too_few_signatures"]),
        ("trusted_signatures", {"signed_by": ["k1", "k1"]}, ["too_few_signatures"]),
        ("trusted_signatures", {"signed_by": ["k1", "stranger"]}, ["too_few_signatures"]),
        ("minimum_trials", {"trials": None}, ["transcript_unknown"]),
        ("minimum_trials", {"trials": [{"axis": "sweep", "first": 0, "count": 20}]}, ["too_few_trials_on_axis"]),
        ("recomputable", {"recomputation": None}, ["not_recomputed"]),
        ("recomputable", {"recomputation": "not_recomputable"}, ["not_recomputed"]),
        ("recomputable", {"recomputation": "contradicted"}, ["contradicted"]),
        ("log_inclusion", {"log_entry": None}, ["not_in_log"]),
    ],
)
def test_a_fact_about_an_assessment_is_missing(control: str, changes: dict[str, Any], findings: list[str]) -> None:
    facts = _facts(evidence=[_evidence(**changes)])
    assert _evaluated(control, facts) == [(reason, SAMPLE) for reason in findings]


def _today(status: str, *reasons: str, version: str = "0.1") -> dict[str, Any]:
    return {
        "purpose": {**CURRENT_STATE.model_dump(), "version": version},
        "status": status,
        "reasons": reasons,
    }


@pytest.mark.parametrize(
    ("today", "findings"),
    [
        (None, [("current_state_unknown", SAMPLE)]),
        (_today("MATCH", version="another"), [("current_state_unknown", SAMPLE)]),
        (_today("DRIFT", "source_digest_mismatch"), [("not_current", f"{SAMPLE}: DRIFT, source_digest_mismatch")]),
        (_today("ORPHAN", "source_missing"), [("not_current", f"{SAMPLE}: ORPHAN, source_missing")]),
    ],
)
def test_only_match_is_current(today: dict[str, Any] | None, findings: list[tuple[str, str]]) -> None:
    assert _evaluated("current_state", _facts(evidence=[_evidence(current_state=today)])) == findings


def test_presented_evidence_of_something_else_has_to_be_current_too() -> None:
    other = assessment(suite="another")
    today = _today("REVALIDATE", "environment_mismatch:tenant")
    facts = _facts(evidence=[_evidence(), _evidence(other, current_state=today)])
    assert _evaluated("current_state", facts) == [
        ("not_current", f"{assessment_digest(other)}: REVALIDATE, environment_mismatch:tenant")
    ]


def test_too_few_trials() -> None:
    assert _evaluated("minimum_trials", _facts(), trials=21, axes=[]) == [("too_few_trials", SAMPLE)]
    assert _evaluated("minimum_trials", _facts(), trials=20, axes=[]) == []


@pytest.mark.parametrize(
    ("age", "reason"),
    [(3600, None), (3601, "evidence_too_old"), (0, None), (-1, "evidence_from_the_future")],
)
def test_the_age_bound_is_included(age: int, reason: str | None) -> None:
    artifact = assessment(assessed_at=NOW - timedelta(seconds=age))
    found = _evaluated("maximum_age", _facts(evidence=[_evidence(artifact)]))
    assert found == ([] if reason is None else [(reason, assessment_digest(artifact))])


def test_material_access_too_narrow() -> None:
    artifact = assessment(material_access="unavailable_to_verifier")
    found = _evaluated("material_access", _facts(evidence=[_evidence(artifact)]))
    assert found == [("material_access_too_narrow", assessment_digest(artifact))]


@pytest.mark.parametrize(
    ("log", "findings"),
    [
        (None, [("log_unknown", "demo")]),
        (_log(origin="elsewhere"), [("other_log", "elsewhere")]),
        (_log(extends=[]), [("head_not_extended", f"2 entries, root {digest('kept')}")]),
    ],
)
def test_the_log_is_not_the_one_that_was_agreed_on(log: dict[str, Any] | None, findings: list[str]) -> None:
    assert _evaluated("log_inclusion", _facts(log=log)) == findings


FAILED = assessment("fail")


@pytest.mark.parametrize(
    ("runs", "findings"),
    [
        ([_run(1, assessment()), _run(3, FAILED)], [("withheld_run", "log entry 3")]),
        ([_run(1, assessment()), _run(3, assessment(), "open")], [("open_run", "log entry 3")]),
        ([_run(1, assessment()), _run(3, assessment(), "abandoned")], [("abandoned_run", "log entry 3")]),
        ([_run(1, assessment()), _run(3, assessment("fail", suite="another"))], []),
        ([_run(1, assessment()), _run(3, assessment("fail", candidate="another"))], []),
        ([], [("not_in_log", SAMPLE)]),
    ],
    ids=["withheld", "open", "abandoned", "other_suite", "other_candidate", "unlogged"],
)
def test_every_logged_run_of_these_inputs_is_presented(runs: list[Any], findings: list[tuple[str, str]]) -> None:
    assert _evaluated("all_logged_runs_presented", _facts(log=_log(*runs))) == findings


def test_abandoned_runs_can_be_accepted_and_open_ones_cannot() -> None:
    facts = _facts(log=_log(_run(1, assessment()), _run(3, assessment(), "abandoned"), _run(5, assessment(), "open")))
    found = _evaluated("all_logged_runs_presented", facts, accept_abandoned=True)
    assert found == [("open_run", "log entry 5")]


def test_a_presented_fail_is_no_withheld_run_but_the_gate_refuses() -> None:
    facts = _facts(evidence=[_evidence(), _evidence(FAILED)], log=_log(_run(1, assessment()), _run(3, FAILED)))
    result = evaluate_approval(_policy("all_logged_runs_presented"), facts, now=NOW)
    assert result.controls[0].satisfied
    assert not result.gate.satisfied
    assert not result.satisfied


CANDIDATE = digest("candidate")


def test_an_unknown_way_to_the_candidate_is_no_advance() -> None:
    assert _evaluated("checkpoint_advance", _facts(advance=None)) == [("advance_unknown", "checkpoint_advance")]


@pytest.mark.parametrize(
    ("changes", "findings"),
    [
        ({"append_only": False}, ["not_append_only"]),
        ({"candidate_operations": 999}, ["not_append_only"]),
        ({"baseline_operations": 0, "candidate_operations": 0}, ["not_append_only"]),
        ({"candidate_sequence": 7}, ["sequence_not_increasing"]),
        ({"issued_at": NOW - timedelta(seconds=3601)}, ["expired"]),
        ({"issued_at": NOW - timedelta(seconds=3600)}, []),
        ({"issued_at": NOW + timedelta(seconds=1)}, ["issued_in_the_future"]),
        ({"candidate_operations": 1101}, ["delta_over_budget"]),
        ({"baseline_checkpoint_digest": digest("x")}, ["other_checkpoints"]),
        (
            {"append_only": False, "candidate_sequence": 0, "candidate_operations": 9000},
            ["not_append_only", "sequence_not_increasing", "delta_over_budget"],
        ),
    ],
)
def test_a_governed_advance(changes: dict[str, Any], findings: list[str]) -> None:
    found = _evaluated("checkpoint_advance", _facts(advance=_advance(**changes)))
    assert found == [(reason, CANDIDATE) for reason in findings]


def test_no_control_is_satisfied_by_evidence_of_something_else() -> None:
    facts = _facts(evidence=[_evidence(assessment(candidate="another"))])
    for control in CONTROLS.keys() - {"checkpoint_advance"}:
        reasons = [reason for reason, _ in _evaluated(control, facts)]
        assert "no_applicable_assessment" in reasons


def test_one_control_failing_leaves_gate_and_other_controls_as_they_are() -> None:
    result = evaluate_approval(_policy(*CONTROLS), _facts(evidence=[_evidence(signed_by=[])]), now=NOW)
    assert not result.satisfied
    assert result.gate.satisfied
    assert [item.control for item in result.controls if not item.satisfied] == ["trusted_signatures"]


@pytest.mark.parametrize(
    ("code", "controls"),
    [
        ("invalid_value", [{"control": "looks_fine"}]),
        ("invalid_value", []),
        ("unknown_field", [{"control": "recomputable", "unless": "urgent"}]),
        ("missing_field", [{"control": "maximum_age"}]),
        ("duplicate_id", [{"control": "recomputable"}, {"control": "recomputable"}]),
        ("contradicts_itself", [{"control": "trusted_signatures", "key_ids": ["a"], "threshold": 2}]),
        ("duplicate_id", [{"control": "trusted_signatures", "key_ids": ["a", "a"], "threshold": 2}]),
        ("invalid_value", [{"control": "trusted_signatures", "key_ids": [], "threshold": 1}]),
        ("invalid_value", [{"control": "trusted_signatures", "key_ids": ["a"], "threshold": 0}]),
        ("invalid_value", [{"control": "material_access", "accepted": []}]),
        ("invalid_value", [{"control": "maximum_age", "seconds": 0}]),
    ],
)
def test_refused_policy(code: str, controls: list[dict[str, Any]]) -> None:
    with pytest.raises(InputError) as caught:
        ApprovalPolicy.from_json(
            {"assessment_policy": gate_policy().model_dump(mode="json", exclude_none=True), "controls": controls}
        )
    assert caught.value.code == code


def test_the_embedded_policy_is_the_gate_policy_unchanged() -> None:
    assert _policy("recomputable").assessment_policy == gate_policy()


def test_an_evaluation_that_contradicts_itself_is_refused() -> None:
    result = evaluate_approval(_policy("recomputable"), ApprovalFacts(), now=NOW)
    with pytest.raises(InputError, match="satisfied is not what gate and controls give"):
        ApprovalEvaluation.from_json({**result.model_dump(mode="json", exclude_none=True), "satisfied": True})


def test_a_naive_now_is_refused() -> None:
    with pytest.raises(ValueError, match="now names no time zone"):
        evaluate_approval(_policy("recomputable"), _facts(), now=NOW.replace(tzinfo=None))


def test_every_reason_is_tested_here() -> None:
    source = Path(__file__).read_text()
    assert [item.value for item in ControlReason if f'"{item.value}"' not in source] == []


def test_a_logged_run_that_contradicts_itself_is_refused() -> None:
    run = _run(1, assessment())
    for changes in ({"result": None}, {"end": None}, {"outcome": "abandoned"}):
        with pytest.raises(InputError) as caught:
            LoggedRun.from_json(LoggedRun.model_validate(run).model_dump(mode="json") | changes)
        assert caught.value.code == "contradicts_itself"
    assert LoggedRun.model_validate(run).outcome is RunOutcome.assessed
