"""Taking evidence away never turns a refusal into satisfaction."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_samples import T0, assessment, assessment_digest, digest, gate_policy, started
from witnessmark.approval import evaluate_approval
from witnessmark.models.applicability import CURRENT_STATE
from witnessmark.models.approval import ApprovalFacts, ApprovalPolicy

NOW = T0 + timedelta(hours=1)
KEYS = ("k1", "k2", "k3")
ARTIFACTS = [
    assessment(result, suite=suite, assessed_at=T0 + timedelta(minutes=minutes))
    for result in ("pass", "fail", "indeterminate")
    for suite in ("suite", "another")
    for minutes in (-60, 0)
]
TODAY = [{"purpose": CURRENT_STATE, "status": "MATCH"}, {"purpose": CURRENT_STATE, "status": "DRIFT", "reasons": ["x"]}]

_controls = {
    "trusted_signatures": st.fixed_dictionaries({"key_ids": st.just(KEYS), "threshold": st.integers(1, 3)}),
    "minimum_trials": st.fixed_dictionaries(
        {
            "trials": st.sampled_from([20, 21]),
            "axes": st.sampled_from([(), ({"axis": "process", "trials": 2},)]),
        }
    ),
    "maximum_age": st.fixed_dictionaries({"seconds": st.sampled_from([3600, 7200])}),
    "material_access": st.just({"accepted": ["public"]}),
    "recomputable": st.just({}),
    "log_inclusion": st.fixed_dictionaries(
        {"origin": st.just("demo"), "known_head": st.sampled_from([None, {"size": 2, "root": digest("kept")}])}
    ),
    "all_logged_runs_presented": st.fixed_dictionaries({"accept_abandoned": st.booleans()}),
    "current_state": st.just({}),
    "checkpoint_advance": st.just({"ttl_seconds": 3600, "max_delta_permille": 100}),
}


@st.composite
def _policies(draw: st.DrawFn, always: tuple[str, ...] = ()) -> ApprovalPolicy:
    names = draw(st.sets(st.sampled_from(sorted(_controls)), min_size=0 if always else 1)) | set(always)
    controls = [{"control": name, **draw(_controls[name])} for name in sorted(names)]
    return ApprovalPolicy.model_validate({"assessment_policy": gate_policy().model_dump(), "controls": controls})


@st.composite
def _facts(draw: st.DrawFn) -> ApprovalFacts:
    chosen = draw(st.lists(st.sampled_from(ARTIFACTS), max_size=4, unique_by=assessment_digest))
    evidence: list[dict[str, Any]] = []
    runs: list[dict[str, Any]] = []
    for place, artifact in enumerate(chosen):
        about = started(artifact)
        runs.append(
            {
                "start": 2 * place + 1,
                "end": 2 * place + 2,
                "baseline_state": about.baseline_state,
                "candidate_state": about.candidate_state,
                "probe_suite_digest": about.probe_suite_digest,
                "retriever_profile_digest": about.retriever_profile_digest,
                "outcome": "assessed",
                "assessment_digest": assessment_digest(artifact),
                "transcript_digest": digest("transcript"),
                "assessed_at": artifact.assessed_at,
                "result": artifact.result,
            }
        )
        evidence.append(
            {
                "assessment": artifact,
                "assessment_digest": assessment_digest(artifact),
                "signed_by": draw(st.sets(st.sampled_from(KEYS)).map(sorted)),
                "trials": draw(st.sampled_from([None, [{"axis": "process", "first": 0, "count": 2}]])),
                "recomputation": draw(st.sampled_from([None, "recomputed", "contradicted"])),
                "log_entry": draw(st.sampled_from([None, 2 * place + 2])),
                "current_state": draw(st.sampled_from([None, *TODAY])),
            }
        )
    log = {
        "origin": draw(st.sampled_from(["demo", "elsewhere"])),
        "size": 20,
        "root": digest("root"),
        "extends": draw(st.sampled_from([[], [{"size": 2, "root": digest("kept")}]])),
        "runs": runs,
    }
    advance = {
        "baseline_checkpoint_digest": digest("baseline"),
        "candidate_checkpoint_digest": digest("candidate"),
        "append_only": draw(st.booleans()),
        "baseline_operations": 1000,
        "candidate_operations": draw(st.sampled_from([1000, 1100, 1101])),
        "baseline_sequence": 7,
        "candidate_sequence": draw(st.sampled_from([7, 8])),
        "issued_at": T0,
    }
    return ApprovalFacts.model_validate({"evidence": evidence, "log": log, "advance": advance})


@st.composite
def _reduced(draw: st.DrawFn, facts: ApprovalFacts) -> ApprovalFacts:
    """The same facts with some of them taken away; every assessment stays presented."""
    document = facts.model_dump()
    for item in document["evidence"]:
        item["signed_by"] = [key for key in item["signed_by"] if draw(st.booleans())]
        for name in ("trials", "recomputation", "log_entry", "current_state"):
            if draw(st.booleans()):
                item[name] = None
    if draw(st.booleans()):
        document["log"]["extends"] = []
    for name in ("log", "advance"):
        if draw(st.booleans()):
            document[name] = None
    return ApprovalFacts.model_validate(document)


@settings(max_examples=300, deadline=None)
@given(st.data(), _policies(), _facts())
def test_taking_facts_away_satisfies_nothing(data: st.DataObject, policy: ApprovalPolicy, facts: ApprovalFacts) -> None:
    before = evaluate_approval(policy, facts, now=NOW)
    after = evaluate_approval(policy, data.draw(_reduced(facts)), now=NOW)
    assert before.satisfied or not after.satisfied
    for was, control in zip(before.controls, after.controls, strict=True):
        assert was.satisfied or not control.satisfied


@settings(max_examples=300, deadline=None)
@given(st.data(), _policies(always=("all_logged_runs_presented",)), _facts())
def test_withholding_a_logged_assessment_satisfies_nothing(
    data: st.DataObject, policy: ApprovalPolicy, facts: ApprovalFacts
) -> None:
    kept = [item.model_dump() for item in facts.evidence if data.draw(st.booleans())]
    fewer = ApprovalFacts.model_validate({**facts.model_dump(), "evidence": kept})
    before = evaluate_approval(policy, facts, now=NOW)
    assert before.satisfied or not evaluate_approval(policy, fewer, now=NOW).satisfied


@settings(max_examples=200, deadline=None)
@given(_policies(), _facts())
def test_evaluation_is_the_same_every_time_and_round_trips(policy: ApprovalPolicy, facts: ApprovalFacts) -> None:
    first = evaluate_approval(policy, facts, now=NOW)
    assert first == evaluate_approval(policy, facts, now=NOW)
    assert type(first).from_json(first.model_dump(mode="json", exclude_none=True)) == first
