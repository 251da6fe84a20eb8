"""The gate: policies, presented assessments, and by hand what the evaluation says."""

from __future__ import annotations

from documents import ASSESSMENT, FAILED, PASS, POLICY, A, B, C, D, E, F, coverage

FORMAT = "witnessmark.vectors.gate/0.1"
NOON = "2026-03-01T12:00:00Z"

FAIL = {
    **ASSESSMENT,
    "probe_results": [FAILED],
    "coverage": coverage(failed=1),
    "security_flags": {"contains_confidentiality_failure": True},
    "result": "fail",
}
UNDECIDED = {
    **ASSESSMENT,
    "probe_results": [{**PASS, "result": "indeterminate", "reasons": ["repeatability_unstable"]}],
    "coverage": coverage(indeterminate=1, rate=1),
    "result": "indeterminate",
}
PINNED_STATES = {
    "baseline_state": {"checkpoint_digest": A, "retrieval_state_digest": E},
    "candidate_state": {"checkpoint_digest": B, "retrieval_state_digest": F},
}
NONE, FAILED_REASON, UNDECIDED_REASON = (
    "no_applicable_assessment",
    "applicable_assessment_failed",
    "applicable_assessment_indeterminate",
)


def case(
    why: str, policy: dict, assessments: list[dict], results: list[str], mismatches: list[str], reasons: list[str]
) -> dict[str, object]:
    """Return one vector."""
    return {
        "format": FORMAT,
        "why": why,
        "policy": policy,
        "assessments": assessments,
        "expected": {
            "satisfied": not reasons,
            "presented_assessment_count": len(assessments),
            "applicable_assessment_count": len(results),
            "applicable_results": results,
            "non_applicable_mismatches": mismatches,
            "reasons": reasons,
        },
    }


def other(assessment: dict, name: str, digest: str = F) -> dict:
    """Return an assessment about something else: ``name`` is a digest field or a state."""
    return {**assessment, name: {"checkpoint_digest": digest} if name.endswith("_state") else digest}


def at(time: str) -> dict:
    """Return a passing assessment of another time."""
    return {**ASSESSMENT, "assessed_at": time}


AFTER, BEFORE = {**POLICY, "assessed_not_before": NOON}, {**POLICY, "assessed_not_after": NOON}
PIN_BASELINE = {**POLICY, "baseline_retrieval_state_digest": E}
PIN_CANDIDATE = {**POLICY, "candidate_retrieval_state_digest": F}

CASES: dict[str, dict[str, object]] = {
    "satisfied": case("One applicable pass.", POLICY, [ASSESSMENT], ["pass"], [], []),
    "satisfied-twice": case(
        "Every applicable assessment passes; the same one may be presented twice.",
        POLICY,
        [ASSESSMENT, ASSESSMENT],
        ["pass", "pass"],
        [],
        [],
    ),
    "empty": case("A gate starts refused: no evidence satisfies nothing.", POLICY, [], [], [], [NONE]),
    "fail": case("A fail satisfies nothing.", POLICY, [FAIL], ["fail"], [], [FAILED_REASON]),
    "indeterminate": case(
        "Nor does what could not be decided.", POLICY, [UNDECIDED], ["indeterminate"], [], [UNDECIDED_REASON]
    ),
    "pass-and-fail": case(
        "A pass does not outvote a fail.", POLICY, [ASSESSMENT, FAIL], ["pass", "fail"], [], [FAILED_REASON]
    ),
    "pass-and-indeterminate": case(
        "Nor an undecided one.", POLICY, [UNDECIDED, ASSESSMENT], ["indeterminate", "pass"], [], [UNDECIDED_REASON]
    ),
    "fail-and-indeterminate": case(
        "Both reasons are given, fail first, in whatever order the evidence came.",
        POLICY,
        [UNDECIDED, FAIL],
        ["indeterminate", "fail"],
        [],
        [FAILED_REASON, UNDECIDED_REASON],
    ),
    "omission": case(
        "Where the failing assessment is left out, the gate is satisfied: it sees only what is presented.",
        POLICY,
        [ASSESSMENT],
        ["pass"],
        [],
        [],
    ),
    "omission-of-everything-applicable": case(
        "What remains is about something else.",
        POLICY,
        [other(ASSESSMENT, "candidate_state")],
        [],
        ["candidate_checkpoint"],
        [NONE],
    ),
    "other-baseline": case(
        "Another baseline.", POLICY, [other(ASSESSMENT, "baseline_state")], [], ["baseline_checkpoint"], [NONE]
    ),
    "other-candidate": case(
        "Another candidate.", POLICY, [other(ASSESSMENT, "candidate_state")], [], ["candidate_checkpoint"], [NONE]
    ),
    "swapped-states": case(
        "Baseline and candidate the wrong way round.",
        POLICY,
        [{**ASSESSMENT, "baseline_state": {"checkpoint_digest": B}, "candidate_state": {"checkpoint_digest": A}}],
        [],
        ["baseline_checkpoint", "candidate_checkpoint"],
        [NONE],
    ),
    "suite-substitution": case(
        "An easier suite is another suite.",
        POLICY,
        [other(ASSESSMENT, "probe_suite_digest")],
        [],
        ["probe_suite"],
        [NONE],
    ),
    "profile-substitution": case(
        "A better retriever is another retriever.",
        POLICY,
        [other(ASSESSMENT, "retriever_profile_digest")],
        [],
        ["retriever_profile"],
        [NONE],
    ),
    "digest-algorithm": case(
        "The same digits under the other algorithm are another digest.",
        POLICY,
        [other(ASSESSMENT, "probe_suite_digest", "shake256:" + C.removeprefix("sha256:"))],
        [],
        ["probe_suite"],
        [NONE],
    ),
    "state-pins-match": case(
        "Retrieval states that are asked for and given.",
        {**PIN_BASELINE, **PIN_CANDIDATE},
        [{**ASSESSMENT, **PINNED_STATES}],
        ["pass"],
        [],
        [],
    ),
    "state-pin-absent": case(
        "A pinned retrieval state that the evidence does not name is not met.",
        PIN_CANDIDATE,
        [ASSESSMENT],
        [],
        ["candidate_retrieval_state"],
        [NONE],
    ),
    "state-pins-differ": case(
        "Each state has its own pin.",
        {**POLICY, "baseline_retrieval_state_digest": F, "candidate_retrieval_state_digest": E},
        [{**ASSESSMENT, **PINNED_STATES}],
        [],
        ["baseline_retrieval_state", "candidate_retrieval_state"],
        [NONE],
    ),
    "state-not-pinned": case(
        "What the policy does not ask for does not count.", POLICY, [{**ASSESSMENT, **PINNED_STATES}], ["pass"], [], []
    ),
    "window-start-included": case("The first instant of the window is in it.", AFTER, [at(NOON)], ["pass"], [], []),
    "window-start-missed": case(
        "A microsecond earlier is not.",
        AFTER,
        [at("2026-03-01T11:59:59.999999Z")],
        [],
        ["before_evidence_window"],
        [NONE],
    ),
    "window-end-included": case("The last instant of the window is in it.", BEFORE, [at(NOON)], ["pass"], [], []),
    "window-end-missed": case(
        "A microsecond later is not.",
        BEFORE,
        [at("2026-03-01T12:00:00.000001Z")],
        [],
        ["after_evidence_window"],
        [NONE],
    ),
    "window-of-an-instant": case(
        "A window of one instant holds it.", {**AFTER, **BEFORE}, [at(NOON)], ["pass"], [], []
    ),
    "window-other-zone": case(
        "Instants are compared, not their spelling.",
        {**AFTER, **BEFORE},
        [at("2026-03-01T17:30:00+05:30")],
        ["pass"],
        [],
        [],
    ),
    "window-other-zone-missed": case(
        "The same wall clock in another zone is another instant.",
        AFTER,
        [at("2026-03-01T12:00:00+01:00")],
        [],
        ["before_evidence_window"],
        [NONE],
    ),
    "window-other-day": case(
        "A zone can move the date.",
        {**POLICY, "assessed_not_after": "2026-03-01T23:00:00-08:00"},
        [at("2026-03-02T07:00:00Z")],
        ["pass"],
        [],
        [],
    ),
    "window-before-and-after": case(
        "Mismatches are a sorted set over all that was presented.",
        {**AFTER, **BEFORE},
        [at("2026-03-02T00:00:00Z"), at("2026-02-28T00:00:00Z"), at("2026-02-27T00:00:00Z")],
        [],
        ["after_evidence_window", "before_evidence_window"],
        [NONE],
    ),
    "non-applicable-fail": case(
        "A fail about another candidate does not block, and is reported as not applicable.",
        POLICY,
        [ASSESSMENT, other(FAIL, "candidate_state")],
        ["pass"],
        ["candidate_checkpoint"],
        [],
    ),
    "non-applicable-pass": case(
        "A pass about another candidate does not help.",
        POLICY,
        [FAIL, other(ASSESSMENT, "candidate_state")],
        ["fail"],
        ["candidate_checkpoint"],
        [FAILED_REASON],
    ),
    "every-mismatch": case(
        "Everything differs; all eight kinds are reported, sorted.",
        {
            **POLICY,
            "baseline_retrieval_state_digest": E,
            "candidate_retrieval_state_digest": E,
            "assessed_not_before": NOON,
            "assessed_not_after": NOON,
        },
        [
            {
                **at("2026-03-01T12:00:01Z"),
                "baseline_state": {"checkpoint_digest": F},
                "candidate_state": {"checkpoint_digest": F},
                "probe_suite_digest": D,
                "retriever_profile_digest": C,
            },
            at("2026-03-01T11:59:59Z"),
        ],
        [],
        [
            "after_evidence_window",
            "baseline_checkpoint",
            "baseline_retrieval_state",
            "before_evidence_window",
            "candidate_checkpoint",
            "candidate_retrieval_state",
            "probe_suite",
            "retriever_profile",
        ],
        [NONE],
    ),
}


def files() -> dict[str, object]:
    """Return the gate vectors by path."""
    return {f"gate/{name}.json": value for name, value in CASES.items()}
