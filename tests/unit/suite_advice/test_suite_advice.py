"""Warnings about valid suites."""

from __future__ import annotations

import pytest

from witnessmark.models import ProbeSuite
from witnessmark.suite_advice import advise, item_keys

CORRECTION = {
    "kind": "correction_precedence",
    "probe_id": "c",
    "query": "old words",
    "superseded": {"key": "old", "required_in": "both"},
    "correction": {"key": "new", "required_in": "both"},
}
ANCHOR = {
    "kind": "anchor_preservation",
    "probe_id": "a",
    "query": "who",
    "anchor": {"key": "me", "required_in": "both"},
    "max_rank": 1,
}
ISOLATION = {
    "kind": "scope_isolation",
    "probe_id": "i",
    "query": "secret",
    "context": {"tenant": "acme"},
    "forbidden_item_keys": ["theirs"],
    "forbidden_scope_labels": ["tenant:globex"],
}
LIVENESS = {**ANCHOR, "probe_id": "l", "query": "secret", "context": {"tenant": "acme"}}
DIFFERENT = {
    "kind": "state_conditioned_differentiation",
    "probe_id": "d",
    "query": "how",
    "context_a": {"mood": "calm"},
    "context_b": {"mood": "cross"},
    "a_required_keys": ["x"],
    "b_forbidden_keys": ["x", "y"],
}


def advice(*probes: dict[str, object], texts: dict[str, str] | None = None) -> list[tuple[str, str | None]]:
    suite = ProbeSuite.model_validate({"version": "0.1", "probes": probes})
    return [(item.code, item.probe_id) for item in advise(suite, texts)]


def test_a_complete_suite_gets_no_warning() -> None:
    assert advice(CORRECTION, ANCHOR, ISOLATION, LIVENESS, DIFFERENT) == []


def test_a_suite_without_isolation_is_named() -> None:
    assert advice(CORRECTION, ANCHOR) == [("no_isolation", None)]


def test_corrections_want_unrelated_anchors() -> None:
    assert ("corrections_without_anchors", None) in advice(CORRECTION)


def test_isolation_wants_an_anchor_with_the_same_question() -> None:
    assert advice(ISOLATION, ANCHOR) == [("isolation_without_liveness", "i")]
    assert advice(ISOLATION, {**LIVENESS, "context": {}}) == [("isolation_without_liveness", "i")]


def test_isolation_by_label_alone_misses_lost_labels() -> None:
    probe = {key: value for key, value in ISOLATION.items() if key != "forbidden_item_keys"}
    assert advice(probe, LIVENESS) == [("isolation_by_label_only", "i")]


def test_forbidding_the_own_scope_is_named() -> None:
    assert advice({**ISOLATION, "forbidden_scope_labels": ["tenant:acme"]}, LIVENESS) == [("forbids_own_scope", "i")]


@pytest.mark.parametrize(
    "probe",
    [{**CORRECTION, "correction": CORRECTION["superseded"]}, {**DIFFERENT, "a_forbidden_keys": ["x"]}],
    ids=["correction_of_itself", "required_and_forbidden"],
)
def test_probes_that_nothing_satisfies_are_named(probe: dict[str, object]) -> None:
    assert ("cannot_pass", probe["probe_id"]) in advice(probe, ANCHOR, ISOLATION, LIVENESS)


def test_a_probe_that_asks_the_same_again_is_named() -> None:
    assert advice(ANCHOR, {**ANCHOR, "probe_id": "a2"}, ISOLATION, LIVENESS) == [("same_as_another", "a2")]


def test_texts_show_unknown_items_and_queries_that_are_the_answer() -> None:
    texts = {"old": "old words", "new": "Old  WORDS.", "me": "who"}
    assert advice(CORRECTION, ANCHOR, ISOLATION, LIVENESS, texts=texts) == [
        ("query_is_the_correction", "c"),
        ("query_is_the_anchor", "a"),
        ("unknown_item", "i"),
    ]


def test_item_keys_come_once_and_in_order() -> None:
    suite = ProbeSuite.model_validate({"probes": [CORRECTION, ANCHOR, ISOLATION, DIFFERENT]})
    assert [item_keys(probe) for probe in suite.probes] == [("old", "new"), ("me",), ("theirs",), ("x", "y")]
