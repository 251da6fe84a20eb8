"""Audits: logs with approvals, presented artifacts, and by hand which approvals went against the evidence."""

from __future__ import annotations

import hashlib
import json

from documents import A, B, C, D, E, F

FORMAT = "witnessmark.vectors.audit/0.1"
NOON, ONE, TWO = "2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z", "2026-03-01T14:00:00Z"
OTHER = f"sha256:{'0' * 64}"
TRANSCRIPT = f"sha256:{'1' * 64}"
BASELINE = {"checkpoint_digest": A}
CANDIDATE = {"checkpoint_digest": B, "retrieval_state_digest": F}
POLICY = {
    "baseline_checkpoint_digest": A,
    "candidate_checkpoint_digest": B,
    "candidate_retrieval_state_digest": F,
    "probe_suite_digest": C,
    "retriever_profile_digest": D,
}
CREATED = {
    "entry": "log_created",
    "format": "witnessmark.log/0.1",
    "origin": "audit vectors",
    "engine": "SQLite 3.40.1",
}


def assessment(result: str = "pass", **changes: object) -> dict:
    """Return a whole assessment with one required probe."""
    undecided = result == "indeterminate"
    return {
        "type": "MemoryCheckpointAssessment",
        "version": "0.1",
        "baseline_state": BASELINE,
        "candidate_state": CANDIDATE,
        "probe_suite_digest": C,
        "retriever_profile_digest": D,
        "assessed_at": NOON,
        "material_access": "public",
        "invocation_evidence": [
            {
                "state_name": "candidate",
                "request_digest": E,
                "repeatability": {
                    "trials": 20,
                    "distinct_orderings_observed": 2 if undecided else 1,
                    "observed_status": "unstable" if undecided else "stable",
                },
            }
        ],
        "probe_results": [
            {
                "probe_id": "anchor",
                "required": True,
                "result": result,
                "severity": "behavioral",
                "reasons": ["repeatability_unstable"] if undecided else [],
                "violations": [],
            }
        ],
        "coverage": {
            "required_probe_count": 1,
            "passed": int(result == "pass"),
            "failed": int(result == "fail"),
            "indeterminate": int(undecided),
            "indeterminate_rate": int(undecided),
        },
        "security_flags": {"contains_confidentiality_failure": False},
        "result": result,
        **changes,
    }


def text(document: dict) -> str:
    """Return the RFC 8785 form of a document without floats and with ASCII keys."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))


def digest(content: dict | str) -> str:
    """Return the digest of a document's RFC 8785 form, or of a text's bytes."""
    data = content if isinstance(content, str) else text(content)
    return f"sha256:{hashlib.sha256(data.encode()).hexdigest()}"


def started(about: dict) -> dict:
    """Return the start of the run that leaves ``about`` behind."""
    bound = ("baseline_state", "candidate_state", "probe_suite_digest", "retriever_profile_digest")
    return {
        "entry": "run_started",
        "started_at": NOON,
        **{name: about[name] for name in bound},
        "plan": {"trials": [{"axis": "sweep", "first": 0, "count": 20}], "seed": 0},
    }


def ended(start: int, about: dict) -> dict:
    """Return the end of the run that started in entry ``start``."""
    return {
        "entry": "run_ended",
        "start": start,
        "assessment_digest": digest(about),
        "transcript_digest": TRANSCRIPT,
        "assessed_at": about["assessed_at"],
        "result": about["result"],
    }


def evaluated(satisfied: bool, results: list[str], controls: list[dict] | None = None) -> dict:
    """Return a gate evaluation over one assessment a result."""
    reasons = [] if satisfied else ["applicable_assessment_failed"]
    return {
        "entry": "gate_evaluation",
        "evaluated_at": ONE,
        "policy_digest": digest(POLICY),
        "presented": [],
        "evaluation": {
            "satisfied": satisfied,
            "presented_assessment_count": len(results),
            "applicable_assessment_count": len(results),
            "applicable_results": results,
            "non_applicable_mismatches": [],
            "reasons": reasons,
        },
        "controls": controls or [],
    }


def approved(*cited: dict | str, **changes: object) -> dict:
    """Return an approval that rests on ``cited``."""
    return {
        "entry": "approval",
        "approved_at": TWO,
        "approver": "release board",
        "policy": POLICY,
        "candidate_state": CANDIDATE,
        "assessments": [digest(item) for item in cited],
        "reason": "",
        **changes,
    }


def case(why: str, entries: list[dict], *expected: tuple[str, int, str], **more: object) -> dict[str, object]:
    """Return one vector; ``expected`` are (kind, approval, subject)."""
    return {
        "format": FORMAT,
        "why": why,
        "entries": [CREATED, *entries],
        **more,
        "expected": [{"kind": kind, "approval": place, "subject": subject} for kind, place, subject in expected],
    }


def run(start: int, about: dict) -> list[dict]:
    """Return start and end of a run."""
    return [started(about), ended(start, about)]


PASS, FAIL, UNDECIDED = assessment(), assessment("fail"), assessment("indeterminate")
MALFORMED = text({**FAIL, "result": "pass"})
OTHER_SUITE, OTHER_PROFILE = assessment(probe_suite_digest=OTHER), assessment(retriever_profile_digest=OTHER)
OTHER_CANDIDATE = assessment(candidate_state={"checkpoint_digest": OTHER})
OTHER_INDEX = {"checkpoint_digest": B, "retrieval_state_digest": OTHER}
WINDOW = {**POLICY, "assessed_not_before": ONE}
REFUSED_CONTROL = {
    "control": "trusted_signatures",
    "satisfied": False,
    "findings": [{"reason": "too_few_signatures", "subject": digest(PASS)}],
}
NOTHING = ("no_applicable_evidence", 3, "log entry 3")

CASES: dict[str, dict[str, object]] = {
    "A-pass-then-approve": case(
        "A pass, a satisfied gate and an approval that rests on both: nothing to report.",
        [*run(1, PASS), evaluated(True, ["pass"]), approved(PASS)],
        artifacts=[text(PASS)],
        current_state=CANDIDATE,
    ),
    "B-fail-then-approve": case(
        "The approval rests on a fail, and the gate had refused. The fail stays a fail and the approval stays one.",
        [*run(1, FAIL), evaluated(False, ["fail"]), approved(FAIL)],
        ("applicable_fail", 4, digest(FAIL)),
        ("gate_not_satisfied", 4, "log entry 3"),
    ),
    "C-indeterminate-then-approve": case(
        "Undecided is no pass.",
        [*run(1, UNDECIDED), approved(UNDECIDED)],
        ("applicable_indeterminate", 3, digest(UNDECIDED)),
    ),
    "D-omit-all-evidence": case(
        "An approval that rests on nothing, while the log holds a pass that it could have named.",
        [*run(1, PASS), approved()],
        NOTHING,
        ("withheld_run", 3, "log entry 1"),
    ),
    "E-substitute-suite": case(
        "Evidence under an easier suite is valid evidence of something else.",
        [*run(1, OTHER_SUITE), approved(OTHER_SUITE)],
        NOTHING,
        ("suite_substituted", 3, digest(OTHER_SUITE)),
    ),
    "F-substitute-profile": case(
        "Evidence under another retriever profile is valid evidence of something else.",
        [*run(1, OTHER_PROFILE), approved(OTHER_PROFILE)],
        NOTHING,
        ("profile_substituted", 3, digest(OTHER_PROFILE)),
    ),
    "G-withhold-a-run": case(
        "Two runs of the same inputs, and only the one that passed is named: the log still knows the other.",
        [*run(1, FAIL), *run(3, PASS), approved(PASS)],
        ("applicable_fail", 5, digest(FAIL)),
        ("withheld_run", 5, "log entry 1"),
        artifacts=[text(PASS)],
    ),
    "H-state-changes-after-assessment": case(
        "The index was built anew between assessment and approval; the policy pins the logical checkpoint only.",
        [
            *run(1, PASS),
            approved(
                PASS,
                policy={name: value for name, value in POLICY.items() if "retrieval" not in name},
                candidate_state=OTHER_INDEX,
            ),
        ],
        ("state_changed", 3, f"checkpoint {B}, retrieval {OTHER}"),
    ),
    "H-state-changes-after-approval": case(
        "What serves today is not what was approved.",
        [*run(1, PASS), approved(PASS)],
        ("state_changed", 3, f"checkpoint {B}, retrieval {OTHER}"),
        current_state=OTHER_INDEX,
    ),
    "I-malformed-evidence": case(
        "An assessment that contradicts itself is no evidence, neither for nor against.",
        [approved(MALFORMED)],
        ("evidence_invalid", 1, digest(MALFORMED)),
        ("no_applicable_evidence", 1, "log entry 1"),
        artifacts=[MALFORMED],
    ),
    "I-unknown-evidence": case(
        "A digest that nothing in the log and nothing presented has.",
        [approved(PASS)],
        ("evidence_unknown", 1, digest(PASS)),
        ("no_applicable_evidence", 1, "log entry 1"),
    ),
    "J-pass-while-another-control-fails": case(
        "The behavioral gate is satisfied, a control of the approval policy is not, and neither outweighs the other.",
        [*run(1, PASS), evaluated(True, ["pass"], [REFUSED_CONTROL]), approved(PASS)],
        ("gate_not_satisfied", 4, "log entry 3"),
        artifacts=[text(PASS)],
    ),
    "K-evidence-outside-window": case(
        "The policy's window narrows which evidence counts; stale evidence stays valid.",
        [*run(1, PASS), approved(PASS, policy=WINDOW)],
        ("evidence_outside_window", 3, digest(PASS)),
        NOTHING,
    ),
    "L-abandoned-run": case(
        "A run that was broken off is not told apart from one that looked bad.",
        [
            *run(1, PASS),
            started(PASS),
            {"entry": "run_abandoned", "start": 3, "reason": "interrupted"},
            approved(PASS),
        ],
        ("abandoned_run", 5, "log entry 3"),
    ),
    "L-open-run": case(
        "A run without any end, and one that ended only after the approval, were open when it was given.",
        [*run(1, PASS), started(PASS), started(PASS), approved(PASS), ended(4, FAIL)],
        ("open_run", 5, "log entry 3"),
        ("open_run", 5, "log entry 4"),
    ),
    "M-evidence-about-another-candidate": case(
        "The latest pass is about another candidate.",
        [*run(1, OTHER_CANDIDATE), approved(OTHER_CANDIDATE)],
        ("evidence_of_other_state", 3, digest(OTHER_CANDIDATE)),
        NOTHING,
    ),
    "M-approve-another-candidate": case(
        "The approval names one candidate in its policy and approves another.",
        [*run(1, PASS), approved(PASS, candidate_state={"checkpoint_digest": OTHER})],
        ("approved_other_state", 3, f"checkpoint {OTHER}"),
        ("state_changed", 3, f"checkpoint {OTHER}"),
    ),
    "M-evidence-after-approval": case(
        "Evidence made afterwards is no excuse.",
        [started(PASS), approved(PASS), ended(1, PASS)],
        ("evidence_after_approval", 2, digest(PASS)),
        ("no_applicable_evidence", 2, "log entry 2"),
    ),
    "M-log-contradicts-artifact": case(
        "The log claims a pass for an assessment that says fail: the assessment counts, and the claim is reported.",
        [started(FAIL), {**ended(1, FAIL), "result": "pass"}, approved(FAIL)],
        ("applicable_fail", 3, digest(FAIL)),
        ("contradicted_log", 3, digest(FAIL)),
        artifacts=[text(FAIL)],
    ),
    "M-substitute-policy": case(
        "The approval satisfies a policy of its own, not the one that was agreed on.",
        [*run(1, OTHER_SUITE), approved(OTHER_SUITE, policy={**POLICY, "probe_suite_digest": OTHER})],
        ("policy_substituted", 3, digest({**POLICY, "probe_suite_digest": OTHER})),
        policy=POLICY,
    ),
    "M-fail-without-approval": case(
        "A fail that nobody approved is an outcome, no violation.",
        [*run(1, FAIL), evaluated(False, ["fail"])],
    ),
}


def files() -> dict[str, object]:
    """Return the audit vectors by path."""
    return {f"audit/{name}.json": value for name, value in CASES.items()}
