"""Documents of which a field is refused, named after the error's code."""

from __future__ import annotations

import json

from documents import ANCHOR, ASSESSMENT, ISOLATION, POLICY, PROFILE, SUITE, A, edited, without

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
}
