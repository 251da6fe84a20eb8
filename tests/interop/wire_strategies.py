"""Documents of every wire model, as plain JSON data that is valid for both implementations."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Document = dict[str, Any]

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
KEYS = st.sampled_from(["old", "new", "rule", "other", "third", "\xe9", "e\u0301"])
LABELS = st.sampled_from(["tenant:a", "tenant:b", "shared"])
SAFE = st.integers(-(2**53) + 1, 2**53 - 1)
HASHES = st.builds(
    lambda algorithm, digits: f"{algorithm}:{digits}",
    st.sampled_from(["sha256", "sha256", "shake256"]),
    st.text("0123456789abcdef", min_size=64, max_size=64),
)
FEW_HASHES = st.sampled_from([f"sha256:{digit * 64}" for digit in "abc"])
SETTINGS = st.dictionaries(TEXT, st.none() | st.booleans() | SAFE | TEXT, max_size=4)
CONTEXTS = st.dictionaries(TEXT, TEXT, max_size=3)
TIMES = st.builds(
    lambda day, hour, minute, second, rest: f"2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}{rest}",
    st.integers(1, 31),
    st.integers(0, 23),
    st.integers(0, 59),
    st.integers(0, 59),
    st.sampled_from(["Z", "z", ".5Z", ".000001+00:00", "+05:30", "-08:00", ".123456789-00:30", "+0100"]),
)
CLOSE_TIMES = st.sampled_from(
    ["2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", "2026-03-01T12:00:00.000001Z", "2026-03-01T12:00:00+01:00"]
)


def fields(required: dict[str, st.SearchStrategy[Any]], optional: dict[str, st.SearchStrategy[Any]]) -> Any:
    return st.fixed_dictionaries(required, optional=optional)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


PROFILES: st.SearchStrategy[Document] = fields(
    {
        "implementation_id": TEXT,
        "implementation_version": TEXT,
        "adapter_version": TEXT,
        "adapter_capability": st.sampled_from(["deterministic", "unsupported_or_unknown"]),
        "distance_metric": TEXT,
        "index_implementation": TEXT,
        "top_k": st.integers(1, 2**53 - 1),
        "truncation_rule": TEXT,
        "tie_policy": TEXT.map(lambda text: f"by {text}"),
    },
    {
        "harness_version": TEXT,
        "embedding_model_id": maybe(TEXT),
        "embedding_model_revision": maybe(TEXT),
        "quantization": maybe(TEXT),
        "tokenizer_id": maybe(TEXT),
        "query_preprocessing": st.lists(TEXT, max_size=3),
        "index_build_config": SETTINGS,
        "filtering_rules": st.lists(TEXT, max_size=3),
        "reranker_id": maybe(TEXT),
        "reranker_config": SETTINGS,
        "seed": maybe(SAFE),
        "opaque_components": st.lists(TEXT, max_size=3),
    },
)
REQUESTS: st.SearchStrategy[Document] = fields({"query": TEXT}, {"context": CONTEXTS})
STATES: st.SearchStrategy[Document] = fields(
    {"checkpoint_digest": HASHES},
    {"retrieval_state_digest": maybe(HASHES), "indexed_item_count": maybe(st.integers(0, 2**53 - 1))},
)
OBSERVATIONS: st.SearchStrategy[Document] = fields(
    {},
    {
        "runtime_id": maybe(TEXT),
        "embedding_dimension": maybe(st.integers(1, 4096)),
        "indexed_item_count": maybe(st.integers(0, 9)),
        "fingerprint_probe_digest": maybe(HASHES),
    },
)
ITEMS: st.SearchStrategy[Document] = fields(
    {"item_key": TEXT, "item_version_digest": HASHES, "rank": st.integers(1, 100)},
    {"scope_labels": st.lists(LABELS, max_size=3)},
)

_REFERENCES = fields({"key": KEYS, "required_in": st.sampled_from(["baseline", "candidate", "both"])}, {})
_QUERIES = st.sampled_from(["q", "r"])
_MOODS = st.sampled_from([{}, {"mood": "calm"}, {"mood": "alert"}])
_COMMON = {"required": st.booleans(), "severity": st.sampled_from(["behavioral", "confidentiality"])}
_SOME_KEYS = st.lists(KEYS, max_size=2)


def _kind(name: str) -> st.SearchStrategy[str]:
    return st.just(name)


PROBES: st.SearchStrategy[Document] = st.one_of(
    fields(
        {
            "kind": _kind("correction_precedence"),
            "query": _QUERIES,
            "superseded": _REFERENCES,
            "correction": _REFERENCES,
        },
        {"context": _MOODS, **_COMMON},
    ),
    fields(
        {
            "kind": _kind("anchor_preservation"),
            "query": _QUERIES,
            "anchor": _REFERENCES,
            "max_rank": st.integers(1, 5),
        },
        {"context": _MOODS, **_COMMON},
    ),
    fields(
        {
            "kind": _kind("scope_isolation"),
            "query": _QUERIES,
            "forbidden_item_keys": st.lists(KEYS, min_size=1, max_size=2),
        },
        {"context": _MOODS, "forbidden_scope_labels": st.lists(LABELS, max_size=2), **_COMMON},
    ),
    fields(
        {
            "kind": _kind("scope_isolation"),
            "query": _QUERIES,
            "forbidden_scope_labels": st.lists(LABELS, min_size=1, max_size=2),
        },
        {"context": _MOODS, "forbidden_item_keys": st.just([]), **_COMMON},
    ),
    fields(
        {
            "kind": _kind("state_conditioned_differentiation"),
            "query": _QUERIES,
            "context_a": st.just({"mood": "calm"}),
            "context_b": st.just({"mood": "alert"}),
            "a_required_keys": st.lists(KEYS, min_size=1, max_size=2),
        },
        {
            "a_forbidden_keys": _SOME_KEYS,
            "b_required_keys": _SOME_KEYS,
            "b_forbidden_keys": _SOME_KEYS,
            "require_distinct_ordering": st.booleans(),
            **_COMMON,
        },
    ),
)


def _suite(probes: list[Document]) -> Document:
    numbered = [{**probe, "probe_id": f"p{index}"} for index, probe in enumerate(probes)]
    if not any(probe.get("required", True) for probe in numbered):
        numbered[0]["required"] = True
    return {"probes": numbered}


SUITES: st.SearchStrategy[Document] = st.lists(PROBES, min_size=1, max_size=5).map(_suite)

EVIDENCE: st.SearchStrategy[Document] = st.one_of(
    st.just({"trials": 0, "distinct_orderings_observed": 0, "observed_status": "not_run"}),
    fields(
        {
            "trials": st.integers(20, 60),
            "distinct_orderings_observed": st.just(1),
            "observed_status": st.just("stable"),
        },
        {"tie_events_observed": maybe(st.integers(0, 9))},
    ),
    fields(
        {
            "trials": st.integers(20, 60),
            "distinct_orderings_observed": st.integers(2, 20),
            "observed_status": st.just("unstable"),
        },
        {},
    ),
)
_OUTCOMES = st.one_of(
    st.just({"result": "pass"}),
    fields({"result": st.just("fail")}, {"violations": st.lists(TEXT, max_size=2)}),
    fields(
        {
            "result": st.just("indeterminate"),
            "reasons": st.lists(st.sampled_from(["id_churn", "repeatability_unstable"]), min_size=1, max_size=2),
        },
        {},
    ),
)


@st.composite
def assessments(
    draw: st.DrawFn,
    hashes: st.SearchStrategy[str] = HASHES,
    times: st.SearchStrategy[str] = TIMES,
) -> Document:
    results = []
    for index in range(draw(st.integers(1, 4))):
        severity = draw(st.sampled_from(["behavioral", "confidentiality"]))
        common = {"probe_id": f"p{index}", "required": index == 0 or draw(st.booleans()), "severity": severity}
        results.append({**common, **draw(_OUTCOMES)})
    required = [item["result"] for item in results if item["required"]]
    failed, undecided = required.count("fail"), required.count("indeterminate")
    state = fields({"checkpoint_digest": hashes}, {"retrieval_state_digest": maybe(hashes)})
    evidence = draw(st.lists(st.tuples(TEXT, HASHES, EVIDENCE), max_size=3, unique_by=lambda item: item[:2]))
    return {
        "baseline_state": draw(state),
        "candidate_state": draw(state),
        "probe_suite_digest": draw(hashes),
        "retriever_profile_digest": draw(hashes),
        "assessed_at": draw(times),
        "material_access": draw(st.sampled_from(["public", "restricted", "unavailable_to_verifier"])),
        "runtime_observation": draw(maybe(OBSERVATIONS)),
        "invocation_evidence": [
            {"state_name": name, "request_digest": digest, "repeatability": item} for name, digest, item in evidence
        ],
        "probe_results": results,
        "coverage": {
            "required_probe_count": len(required),
            "passed": required.count("pass"),
            "failed": failed,
            "indeterminate": undecided,
            "indeterminate_rate": undecided / len(required),
        },
        "security_flags": {
            "contains_confidentiality_failure": any(
                item["result"] == "fail" and item["severity"] == "confidentiality" for item in results
            )
        },
        "result": "fail" if failed else "indeterminate" if undecided else "pass",
    }


def policies(
    hashes: st.SearchStrategy[str] = HASHES, times: st.SearchStrategy[str] = TIMES
) -> st.SearchStrategy[Document]:
    return fields(
        {
            "baseline_checkpoint_digest": hashes,
            "candidate_checkpoint_digest": hashes,
            "probe_suite_digest": hashes,
            "retriever_profile_digest": hashes,
        },
        {
            "baseline_retrieval_state_digest": maybe(hashes),
            "candidate_retrieval_state_digest": maybe(hashes),
            "assessed_not_before": maybe(times),
            "assessed_not_after": maybe(times),
        },
    )
