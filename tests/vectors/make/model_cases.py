"""Models: documents with their full form, written by hand, and documents that are refused."""

from __future__ import annotations

import copy
import hashlib
import json

A, B, C, D, E, F = (f"sha256:{digit * 64}" for digit in "abcdef")
FORMAT = "witnessmark.vectors.model/0.1"

PROFILE = {
    "implementation_id": "table",
    "implementation_version": "1",
    "adapter_version": "0.1",
    "adapter_capability": "deterministic",
    "distance_metric": "fixture-order",
    "index_implementation": "table",
    "top_k": 4,
    "truncation_rule": "top-k",
    "tie_policy": "score_desc_item_key_asc",
}
PROFILE_DEFAULTS = {
    "harness_version": "0.1",
    "query_preprocessing": [],
    "index_build_config": {},
    "filtering_rules": [],
    "reranker_config": {},
    "opaque_components": [],
}
ISOLATION = {"kind": "scope_isolation", "probe_id": "scope", "query": "q", "forbidden_item_keys": ["k"]}
DIFFERENTIATION = {
    "kind": "state_conditioned_differentiation",
    "probe_id": "state",
    "query": "q",
    "context_a": {"mood": "calm"},
    "context_b": {"mood": "alert"},
}
ANCHOR = {
    "kind": "anchor_preservation",
    "probe_id": "anchor",
    "query": "q",
    "anchor": {"key": "k", "required_in": "both"},
    "max_rank": 3,
}
CORRECTION = {
    "kind": "correction_precedence",
    "probe_id": "correction",
    "query": "q",
    "superseded": {"key": "old", "required_in": "both"},
    "correction": {"key": "new", "required_in": "candidate"},
}
SUITE = {"probes": [ISOLATION]}
STABLE = {"trials": 20, "distinct_orderings_observed": 1, "observed_status": "stable"}
PASS = {"probe_id": "scope", "required": True, "result": "pass", "severity": "confidentiality"}
EMPTY_LISTS = {"reasons": [], "violations": []}


def coverage(passed: int = 0, failed: int = 0, indeterminate: int = 0, rate: float = 0) -> dict[str, object]:
    """Return the coverage document of these counts."""
    return {
        "required_probe_count": passed + failed + indeterminate,
        "passed": passed,
        "failed": failed,
        "indeterminate": indeterminate,
        "indeterminate_rate": rate,
    }


ASSESSMENT = {
    "baseline_state": {"checkpoint_digest": A},
    "candidate_state": {"checkpoint_digest": B},
    "probe_suite_digest": C,
    "retriever_profile_digest": D,
    "assessed_at": "2026-03-01T12:00:00Z",
    "material_access": "public",
    "invocation_evidence": [{"state_name": "candidate", "request_digest": E, "repeatability": STABLE}],
    "probe_results": [PASS],
    "coverage": coverage(passed=1),
    "security_flags": {"contains_confidentiality_failure": False},
    "result": "pass",
}
ASSESSMENT_FULL = {
    **ASSESSMENT,
    "type": "MemoryCheckpointAssessment",
    "version": "0.1",
    "probe_results": [{**PASS, **EMPTY_LISTS}],
}
POLICY = {
    "baseline_checkpoint_digest": A,
    "candidate_checkpoint_digest": B,
    "probe_suite_digest": C,
    "retriever_profile_digest": D,
}
EVALUATION = {
    "satisfied": True,
    "presented_assessment_count": 1,
    "applicable_assessment_count": 1,
    "applicable_results": ["pass"],
}


def edited(document: dict, path: str, value: object) -> dict:
    """Return a copy of ``document`` with ``value`` at a slash-separated path."""
    result = copy.deepcopy(document)
    node: object = result
    *parents, last = path.split("/")
    for step in parents:
        node = node[int(step)] if isinstance(node, list) else node[step]  # type: ignore[index]
    node[int(last) if isinstance(node, list) else last] = value  # type: ignore[index]
    return result


def without(document: dict, name: str) -> dict:
    """Return a copy of ``document`` without a field."""
    return {key: value for key, value in document.items() if key != name}


FAILED = {**PASS, "result": "fail", "violations": ["k at rank 1"]}
UNDECIDED = {**PASS, "result": "indeterminate", "reasons": ["id_churn"]}

VALID: dict[str, tuple[str, str, dict, dict]] = {
    # name: (why, model, document, the same with every default)
    "profile-minimal": (
        "Defaults are part of the digest.",
        "RetrieverProfile",
        PROFILE,
        {**PROFILE, **PROFILE_DEFAULTS},
    ),
    "profile-every-field": (
        "Nothing but defaults that are overridden.",
        "RetrieverProfile",
        full := {
            **PROFILE,
            "harness_version": "0.2",
            "embedding_model_id": "model",
            "embedding_model_revision": A,
            "quantization": "int8",
            "tokenizer_id": "tokenizer",
            "query_preprocessing": ["nfc", "lower"],
            "index_build_config": {"m": 32, "normalize": True, "type": "flat"},
            "filtering_rules": ["scope:tenant:strict"],
            "reranker_id": "reranker",
            "reranker_config": {"depth": 50},
            "seed": -7,
            "opaque_components": ["remote service"],
        },
        full,
    ),
    "profile-null-in-map": (
        "A null member of a map counts as absent, as an absent field does: the digest is that of the map without it.",
        "RetrieverProfile",
        {**PROFILE, "index_build_config": {"a": None, "b": 1}, "seed": None},
        {**PROFILE, **PROFILE_DEFAULTS, "index_build_config": {"b": 1}},
    ),
    "profile-unsupported-without-tie-policy": (
        "Only a deterministic profile has to name a tie policy.",
        "RetrieverProfile",
        {**without(PROFILE, "tie_policy"), "adapter_capability": "unsupported_or_unknown"},
        {**without(PROFILE, "tie_policy"), **PROFILE_DEFAULTS, "adapter_capability": "unsupported_or_unknown"},
    ),
    "profile-integer-is-no-boolean": (
        "1 and true are different values of a setting.",
        "RetrieverProfile",
        {**PROFILE, "reranker_config": {"a": 1, "b": True, "c": 0, "d": False}},
        {**PROFILE, **PROFILE_DEFAULTS, "reranker_config": {"a": 1, "b": True, "c": 0, "d": False}},
    ),
    "profile-empty-strings": (
        "Empty text is text; nothing is trimmed.",
        "RetrieverProfile",
        {**PROFILE, "distance_metric": "", "truncation_rule": " "},
        {**PROFILE, **PROFILE_DEFAULTS, "distance_metric": "", "truncation_rule": " "},
    ),
    "request-minimal": (
        "The digest of a request is its request_digest.",
        "RetrievalRequest",
        {"query": "q"},
        {"query": "q", "context": {}},
    ),
    "request-context-not-ascii": (
        "Context keys are sorted as UTF-16; nothing is normalized.",
        "RetrievalRequest",
        same := {"query": "cafe\u0301", "context": {"projet": "caf\xe9"}},
        same,
    ),
    "state-minimal": (
        "Only the checkpoint is needed.",
        "StateReference",
        {"checkpoint_digest": A},
        {"checkpoint_digest": A},
    ),
    "state-shake256": (
        "The other digest algorithm, and an empty index.",
        "StateReference",
        shake := {
            "checkpoint_digest": "shake256:" + "0" * 64,
            "retrieval_state_digest": B,
            "indexed_item_count": 0,
        },
        shake,
    ),
    "runtime-empty": ("Everything that is observed is optional.", "RuntimeObservation", {}, {}),
    "item-minimal": (
        "Labels default to none.",
        "RetrievedItem",
        {"item_key": "k", "item_version_digest": A, "rank": 1},
        {"item_key": "k", "item_version_digest": A, "rank": 1, "scope_labels": []},
    ),
    "suite-isolation": (
        "Severity defaults to confidentiality for isolation.",
        "ProbeSuite",
        SUITE,
        {
            "version": "0.1",
            "probes": [
                {
                    **ISOLATION,
                    "required": True,
                    "context": {},
                    "forbidden_scope_labels": [],
                    "severity": "confidentiality",
                }
            ],
        },
    ),
    "suite-four-kinds": (
        "One probe of each kind; the others default to behavioral. One required probe is enough.",
        "ProbeSuite",
        {
            "probes": [
                CORRECTION,
                {**ANCHOR, "required": False},
                {**ISOLATION, "required": False},
                {**DIFFERENTIATION, "required": False},
            ]
        },
        {
            "version": "0.1",
            "probes": [
                {**CORRECTION, "required": True, "context": {}, "severity": "behavioral"},
                {**ANCHOR, "required": False, "context": {}, "severity": "behavioral"},
                {
                    **ISOLATION,
                    "required": False,
                    "context": {},
                    "forbidden_scope_labels": [],
                    "severity": "confidentiality",
                },
                {
                    **DIFFERENTIATION,
                    "required": False,
                    "a_required_keys": [],
                    "a_forbidden_keys": [],
                    "b_required_keys": [],
                    "b_forbidden_keys": [],
                    "require_distinct_ordering": True,
                    "severity": "behavioral",
                },
            ],
        },
    ),
    "suite-order-counts": (
        "Probes keep their order: another order is another digest.",
        "ProbeSuite",
        {"probes": [{**ISOLATION, "probe_id": "b"}, {**ISOLATION, "probe_id": "a"}]},
        {
            "version": "0.1",
            "probes": [
                {
                    **ISOLATION,
                    "probe_id": name,
                    "required": True,
                    "context": {},
                    "forbidden_scope_labels": [],
                    "severity": "confidentiality",
                }
                for name in ("b", "a")
            ],
        },
    ),
    "evidence-unstable": (
        "Unstable means two orderings or more.",
        "RepeatabilityEvidence",
        unstable := {
            "trials": 25,
            "distinct_orderings_observed": 2,
            "observed_status": "unstable",
            "tie_events_observed": 3,
        },
        unstable,
    ),
    "evidence-not-run": (
        "An adapter that was not called has no trials.",
        "RepeatabilityEvidence",
        not_run := {"trials": 0, "distinct_orderings_observed": 0, "observed_status": "not_run"},
        not_run,
    ),
    "assessment-pass": (
        "The smallest artifact. Its rate 0 is written as an integer.",
        "MemoryCheckpointAssessment",
        ASSESSMENT,
        ASSESSMENT_FULL,
    ),
    "assessment-rate-one-third": (
        "The rate is the shortest decimal of the double that the division gives.",
        "MemoryCheckpointAssessment",
        third := {
            **ASSESSMENT_FULL,
            "probe_results": [
                {**PASS, **EMPTY_LISTS},
                {**PASS, **EMPTY_LISTS, "probe_id": "b"},
                {**UNDECIDED, "probe_id": "c", "violations": []},
            ],
            "coverage": coverage(passed=2, indeterminate=1, rate=1 / 3),
            "result": "indeterminate",
        },
        third,
    ),
    "assessment-confidentiality-of-optional-probe": (
        "A probe that is not required does not fail the assessment, and still raises the flag.",
        "MemoryCheckpointAssessment",
        optional := {
            **ASSESSMENT_FULL,
            "probe_results": [{**PASS, **EMPTY_LISTS}, {**FAILED, "probe_id": "b", "required": False, "reasons": []}],
            "security_flags": {"contains_confidentiality_failure": True},
        },
        optional,
    ),
    "assessment-time-offset": (
        "A time keeps its offset: the same instant elsewhere is another digest.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "assessed_at": "2026-03-01T14:00:00+02:00"},
        {**ASSESSMENT_FULL, "assessed_at": "2026-03-01T14:00:00+02:00"},
    ),
    "assessment-time-fraction": (
        "A fraction is written with six digits; the lower-case letters of RFC 3339 are read.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "assessed_at": "2026-03-01t12:00:00.5z"},
        {**ASSESSMENT_FULL, "assessed_at": "2026-03-01T12:00:00.500000Z"},
    ),
    "policy-minimal": ("Four digests are a policy.", "AssessmentGatePolicy", POLICY, POLICY),
    "policy-window-of-an-instant": (
        "Bounds that are equal are in order, also when they are written in two zones.",
        "AssessmentGatePolicy",
        window := {
            **POLICY,
            "assessed_not_before": "2026-03-01T12:00:00Z",
            "assessed_not_after": "2026-03-01T13:00:00+01:00",
        },
        window,
    ),
    "evaluation-satisfied": (
        "A satisfied gate has no reasons.",
        "AssessmentGateEvaluation",
        EVALUATION,
        {**EVALUATION, "non_applicable_mismatches": [], "reasons": []},
    ),
}

INVALID: dict[str, tuple[str, str, object, str]] = {
    # CODE-name: (why, model, document or JSON text, pointer)
    "unknown_field-profile": ("Records are closed.", "RetrieverProfile", {**PROFILE, "notes": "x"}, "/notes"),
    "unknown_field-probe": (
        "Probes are closed, each kind with its own fields.",
        "ProbeSuite",
        {"probes": [{**ISOLATION, "max_rank": 1}]},
        "/probes/0/max_rank",
    ),
    "unknown_field-nested": (
        "Closed at every level.",
        "MemoryCheckpointAssessment",
        edited(ASSESSMENT, "invocation_evidence/0/repeatability/note", "x"),
        "/invocation_evidence/0/repeatability/note",
    ),
    "missing_field-top_k": (
        "What has no default has to be there.",
        "RetrieverProfile",
        without(PROFILE, "top_k"),
        "/top_k",
    ),
    "missing_field-query": ("A request asks something.", "RetrievalRequest", {}, "/query"),
    "missing_field-anchor-required_in": (
        "An item reference says where the item has to exist.",
        "ProbeSuite",
        {"probes": [{**ANCHOR, "anchor": {"key": "k"}}]},
        "/probes/0/anchor/required_in",
    ),
    "missing_field-assessed_at": (
        "An artifact has a time.",
        "MemoryCheckpointAssessment",
        without(ASSESSMENT, "assessed_at"),
        "/assessed_at",
    ),
    "wrong_type-integer-as-text": ("Text is no integer.", "RetrieverProfile", {**PROFILE, "top_k": "4"}, "/top_k"),
    "wrong_type-integer-as-float": (
        "1.0 is no integer, though some parsers cannot tell.",
        "RetrieverProfile",
        json.dumps({**PROFILE, "top_k": 1.0}),
        "/top_k",
    ),
    "wrong_type-integer-as-boolean": ("true is no integer.", "RetrieverProfile", {**PROFILE, "top_k": True}, "/top_k"),
    "wrong_type-boolean-as-integer": (
        "1 is no boolean.",
        "ProbeSuite",
        {"probes": [{**ISOLATION, "required": 1}]},
        "/probes/0/required",
    ),
    "wrong_type-boolean-as-text": (
        "Nor is text.",
        "ProbeSuite",
        {"probes": [{**ISOLATION, "required": "true"}]},
        "/probes/0/required",
    ),
    "wrong_type-string-as-integer": ("An integer is no text.", "RetrievalRequest", {"query": 5}, "/query"),
    "wrong_type-string-as-null": ("null is no text.", "RetrievalRequest", {"query": None}, "/query"),
    "wrong_type-context-value": (
        "Context values are text.",
        "RetrievalRequest",
        {"query": "q", "context": {"turn": 3}},
        "/context/turn",
    ),
    "wrong_type-config-float": (
        "Settings hold no floats: they are written as text.",
        "RetrieverProfile",
        {**PROFILE, "index_build_config": {"a/b": 0.5}},
        "/index_build_config/a~1b",
    ),
    "wrong_type-config-integral-float": (
        "Nor floats that look like integers.",
        "RetrieverProfile",
        json.dumps({**PROFILE, "reranker_config": {"k": 2.0}}),
        "/reranker_config/k",
    ),
    "wrong_type-config-list": (
        "Settings are flat.",
        "RetrieverProfile",
        {**PROFILE, "reranker_config": {"k": [1]}},
        "/reranker_config/k",
    ),
    "wrong_type-list-as-string": (
        "A text is no list of characters.",
        "RetrieverProfile",
        {**PROFILE, "filtering_rules": "scope"},
        "/filtering_rules",
    ),
    "wrong_type-list-as-object": ("An object is no list.", "ProbeSuite", {"probes": {"0": ISOLATION}}, "/probes"),
    "wrong_type-record-as-list": ("A list is no record.", "RetrievalRequest", ["q"], ""),
    "wrong_type-time-as-number": (
        "Seconds since an epoch are no time.",
        "AssessmentGatePolicy",
        {**POLICY, "assessed_not_after": 1772366400},
        "/assessed_not_after",
    ),
    "wrong_type-time-as-numeric-text": (
        "Nor are they as text.",
        "AssessmentGatePolicy",
        {**POLICY, "assessed_not_after": "1772366400"},
        "/assessed_not_after",
    ),
    "wrong_type-time-as-date": (
        "A date is no time.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "assessed_at": "2026-03-01"},
        "/assessed_at",
    ),
    "wrong_type-rate-as-text": (
        "A rate is a number.",
        "MemoryCheckpointAssessment",
        edited(ASSESSMENT, "coverage/indeterminate_rate", "0"),
        "/coverage/indeterminate_rate",
    ),
    "naive_timestamp-assessed_at": (
        "A time without a zone names no instant.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "assessed_at": "2026-03-01T12:00:00"},
        "/assessed_at",
    ),
    "naive_timestamp-window": (
        "The window's bounds are instants, too.",
        "AssessmentGatePolicy",
        {**POLICY, "assessed_not_before": "2026-03-01 12:00"},
        "/assessed_not_before",
    ),
    "invalid_value-time-leap-second": (
        "Second 60 is refused: clocks disagree on what follows.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "assessed_at": "2016-12-31T23:59:60Z"},
        "/assessed_at",
    ),
    "invalid_value-time-hour-24": (
        "24:00 is no hour.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "assessed_at": "2026-03-01T24:00:00Z"},
        "/assessed_at",
    ),
    "invalid_value-time-no-such-day": (
        "February has no 30th.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "assessed_at": "2026-02-30T12:00:00Z"},
        "/assessed_at",
    ),
    "invalid_value-top_k-0": ("top_k is positive.", "RetrieverProfile", {**PROFILE, "top_k": 0}, "/top_k"),
    "invalid_value-max_rank-0": (
        "Ranks start at 1.",
        "ProbeSuite",
        {"probes": [{**ANCHOR, "max_rank": 0}]},
        "/probes/0/max_rank",
    ),
    "invalid_value-rank-0": (
        "Ranks start at 1.",
        "RetrievedItem",
        {"item_key": "k", "item_version_digest": A, "rank": 0},
        "/rank",
    ),
    "invalid_value-item-count-negative": (
        "A count is not negative.",
        "StateReference",
        {"checkpoint_digest": A, "indexed_item_count": -1},
        "/indexed_item_count",
    ),
    "invalid_value-dimension-0": (
        "A dimension is positive.",
        "RuntimeObservation",
        {"embedding_dimension": 0},
        "/embedding_dimension",
    ),
    "invalid_value-digest-upper-case": (
        "Digests are lower case.",
        "StateReference",
        {"checkpoint_digest": "sha256:" + "A" * 64},
        "/checkpoint_digest",
    ),
    "invalid_value-digest-short": (
        "64 digits.",
        "StateReference",
        {"checkpoint_digest": "sha256:" + "a" * 63},
        "/checkpoint_digest",
    ),
    "invalid_value-digest-long": (
        "Not one more.",
        "StateReference",
        {"checkpoint_digest": A + "a"},
        "/checkpoint_digest",
    ),
    "invalid_value-digest-newline": (
        "A line feed at the end is not part of a digest.",
        "StateReference",
        {"checkpoint_digest": A + "\n"},
        "/checkpoint_digest",
    ),
    "invalid_value-digest-other-algorithm": (
        "Two algorithms are known.",
        "StateReference",
        {"checkpoint_digest": "sha512:" + "a" * 64},
        "/checkpoint_digest",
    ),
    "invalid_value-capability": (
        "A closed list.",
        "RetrieverProfile",
        {**PROFILE, "adapter_capability": "stable"},
        "/adapter_capability",
    ),
    "invalid_value-required_in": (
        "A closed list.",
        "ItemReference",
        {"key": "k", "required_in": "either"},
        "/required_in",
    ),
    "invalid_value-suite-version": (
        "Another version is another format.",
        "ProbeSuite",
        {**SUITE, "version": "0.2"},
        "/version",
    ),
    "invalid_value-suite-empty": ("A suite without probes checks nothing.", "ProbeSuite", {"probes": []}, "/probes"),
    "invalid_value-probe-kind": (
        "Four kinds are known.",
        "ProbeSuite",
        {"probes": [{**ISOLATION, "kind": "latency"}]},
        "/probes/0",
    ),
    "invalid_value-rate-above-1": (
        "A rate is at most 1.",
        "MemoryCheckpointAssessment",
        edited(ASSESSMENT, "coverage/indeterminate_rate", 1.5),
        "/coverage/indeterminate_rate",
    ),
    "invalid_value-type": (
        "Another type is another artifact.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "type": "Approval"},
        "/type",
    ),
    "missing_tie_policy-absent": (
        "Without a tie policy no retriever is deterministic.",
        "RetrieverProfile",
        without(PROFILE, "tie_policy"),
        "",
    ),
    "missing_tie_policy-blank": ("White space is no policy.", "RetrieverProfile", {**PROFILE, "tie_policy": " \t"}, ""),
    "nothing_to_check-isolation": (
        "Forbidding nothing passes always.",
        "ProbeSuite",
        {"probes": [without(ISOLATION, "forbidden_item_keys")]},
        "/probes/0",
    ),
    "nothing_to_check-same-contexts": (
        "Equal contexts cannot differ.",
        "ProbeSuite",
        {"probes": [{**DIFFERENTIATION, "context_b": {"mood": "calm"}}]},
        "/probes/0",
    ),
    "nothing_to_check-differentiation": (
        "No key named and no order asked for.",
        "ProbeSuite",
        {"probes": [{**DIFFERENTIATION, "require_distinct_ordering": False}]},
        "/probes/0",
    ),
    "nothing_required-suite": (
        "A suite of optional probes gates on nothing.",
        "ProbeSuite",
        {"probes": [{**ISOLATION, "required": False}]},
        "",
    ),
    "nothing_required-assessment": (
        "Nor does an artifact without a required probe.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "probe_results": [{**PASS, "required": False}], "coverage": coverage()},
        "",
    ),
    "duplicate_id-suite": (
        "Results could not be told apart.",
        "ProbeSuite",
        {"probes": [ISOLATION, {**ANCHOR, "probe_id": "scope"}]},
        "",
    ),
    "duplicate_id-results": (
        "The same in the artifact.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "probe_results": [PASS, PASS], "coverage": coverage(passed=2)},
        "",
    ),
    "duplicate_id-invocations": (
        "One request on one state has one piece of evidence.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "invocation_evidence": ASSESSMENT["invocation_evidence"] * 2},  # type: ignore[operator]
        "",
    ),
    "reasons_mismatch-pass-with-reason": (
        "A pass has no reason to be undecided.",
        "ProbeResult",
        {**PASS, "reasons": ["id_churn"]},
        "",
    ),
    "reasons_mismatch-fail-with-reason": ("Nor has a fail.", "ProbeResult", {**FAILED, "reasons": ["id_churn"]}, ""),
    "reasons_mismatch-indeterminate-without": (
        "Indeterminate always says why.",
        "ProbeResult",
        {**PASS, "result": "indeterminate"},
        "",
    ),
    "contradicts_itself-evidence-19-trials": (
        "Fewer than 20 trials are no evidence.",
        "RepeatabilityEvidence",
        {**STABLE, "trials": 19},
        "",
    ),
    "contradicts_itself-evidence-stable-two": (
        "Stable is one ordering.",
        "RepeatabilityEvidence",
        {**STABLE, "distinct_orderings_observed": 2},
        "",
    ),
    "contradicts_itself-evidence-stable-none": (
        "Stable is not none.",
        "RepeatabilityEvidence",
        {**STABLE, "distinct_orderings_observed": 0},
        "",
    ),
    "contradicts_itself-evidence-unstable-one": (
        "Unstable is two or more.",
        "RepeatabilityEvidence",
        {**STABLE, "observed_status": "unstable"},
        "",
    ),
    "contradicts_itself-evidence-unstable-none": (
        "Unstable is not none.",
        "RepeatabilityEvidence",
        {**STABLE, "observed_status": "unstable", "distinct_orderings_observed": 0},
        "",
    ),
    "contradicts_itself-evidence-not-run-trials": (
        "What was not run has no trials.",
        "RepeatabilityEvidence",
        {"trials": 20, "distinct_orderings_observed": 0, "observed_status": "not_run"},
        "",
    ),
    "contradicts_itself-evidence-not-run-orderings": (
        "Nor orderings.",
        "RepeatabilityEvidence",
        {"trials": 0, "distinct_orderings_observed": 1, "observed_status": "not_run"},
        "",
    ),
    "contradicts_itself-coverage-count": (
        "Coverage is what the results give.",
        "MemoryCheckpointAssessment",
        edited(ASSESSMENT, "coverage/required_probe_count", 2),
        "",
    ),
    "contradicts_itself-coverage-passed": (
        "The same.",
        "MemoryCheckpointAssessment",
        edited(ASSESSMENT, "coverage/passed", 0),
        "",
    ),
    "contradicts_itself-coverage-failed": (
        "The same.",
        "MemoryCheckpointAssessment",
        edited(ASSESSMENT, "coverage/failed", 1),
        "",
    ),
    "contradicts_itself-coverage-indeterminate": (
        "The same.",
        "MemoryCheckpointAssessment",
        edited(ASSESSMENT, "coverage/indeterminate", 1),
        "",
    ),
    "contradicts_itself-coverage-rate": (
        "The same.",
        "MemoryCheckpointAssessment",
        edited(ASSESSMENT, "coverage/indeterminate_rate", 0.5),
        "",
    ),
    "contradicts_itself-result": (
        "A required fail is no pass.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "probe_results": [{**FAILED, "severity": "behavioral"}], "coverage": coverage(failed=1)},
        "",
    ),
    "contradicts_itself-result-too-bad": (
        "Nor is a pass a fail.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "result": "fail"},
        "",
    ),
    "contradicts_itself-flag-missing": (
        "A confidentiality failure is flagged.",
        "MemoryCheckpointAssessment",
        {**ASSESSMENT, "probe_results": [FAILED], "coverage": coverage(failed=1), "result": "fail"},
        "",
    ),
    "contradicts_itself-flag-wrong": (
        "And nothing else is.",
        "MemoryCheckpointAssessment",
        edited(ASSESSMENT, "security_flags/contains_confidentiality_failure", True),
        "",
    ),
    "contradicts_itself-policy-window": (
        "The window ends before it starts.",
        "AssessmentGatePolicy",
        {**POLICY, "assessed_not_before": "2026-03-01T12:00:00Z", "assessed_not_after": "2026-03-01T12:00:00+01:00"},
        "",
    ),
    "contradicts_itself-gate-nothing-applicable": (
        "A gate starts refused.",
        "AssessmentGateEvaluation",
        {"satisfied": True, "presented_assessment_count": 0, "applicable_assessment_count": 0},
        "",
    ),
    "contradicts_itself-gate-satisfied-by-fail": (
        "A fail satisfies nothing.",
        "AssessmentGateEvaluation",
        {**EVALUATION, "applicable_results": ["fail"]},
        "",
    ),
    "contradicts_itself-gate-no-reason": (
        "A refusal says why.",
        "AssessmentGateEvaluation",
        {**EVALUATION, "satisfied": False},
        "",
    ),
    "contradicts_itself-gate-count": (
        "Every applicable assessment has a result.",
        "AssessmentGateEvaluation",
        {**EVALUATION, "applicable_assessment_count": 2, "presented_assessment_count": 2},
        "",
    ),
    "contradicts_itself-gate-more-than-presented": (
        "No more apply than were presented.",
        "AssessmentGateEvaluation",
        {**EVALUATION, "presented_assessment_count": 0},
        "",
    ),
    "contradicts_itself-gate-omitted-reason": (
        "Fail and indeterminate together give both reasons.",
        "AssessmentGateEvaluation",
        {
            "satisfied": False,
            "presented_assessment_count": 2,
            "applicable_assessment_count": 2,
            "applicable_results": ["fail", "indeterminate"],
            "reasons": ["applicable_assessment_failed"],
        },
        "",
    ),
}


def files() -> dict[str, object]:
    """Return the model vectors by path."""
    result: dict[str, object] = {}
    for name, (why, model, document, full) in VALID.items():
        # No document here has a key outside ASCII or a float that JSON spells otherwise than RFC 8785.
        data = json.dumps(full, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        head = {"format": FORMAT, "why": why, "model": model}
        result[f"models/valid/{name}.json"] = {**head, "document": document, "full": full, "digest": digest}
    for name, (why, model, given, pointer) in INVALID.items():
        body = {"text": given} if isinstance(given, str) else {"document": given}
        result[f"models/invalid/{name}.json"] = {
            "format": FORMAT,
            "why": why,
            "model": model,
            **body,
            "pointer": pointer,
        }
    return result
