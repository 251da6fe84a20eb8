"""Documents with their full form, written by hand."""

from __future__ import annotations

from documents import (
    ANCHOR,
    ASSESSMENT,
    ASSESSMENT_FULL,
    CORRECTION,
    DIFFERENTIATION,
    EMPTY_LISTS,
    EVALUATION,
    FAILED,
    ISOLATION,
    PASS,
    POLICY,
    PROFILE,
    PROFILE_DEFAULTS,
    SUITE,
    UNDECIDED,
    A,
    B,
    coverage,
    without,
)

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
        "A null setting counts as absent, as a null field does: the digest is that of the map without it.",
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
