"""Documents that the cases start from."""

from __future__ import annotations

import copy

A, B, C, D, E, F = (f"sha256:{digit * 64}" for digit in "abcdef")

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
