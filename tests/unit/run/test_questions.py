"""The distinct questions of a suite, and the items that have to exist."""

from __future__ import annotations

from retrievers import anchor, correction, differentiation, isolation, suite
from witnessmark.canonical import canonical_digest
from witnessmark.models import Probe, RetrievalRequest
from witnessmark.run.questions import Asked, SuiteQuestions, ask, read_questions

QUERY = "how do I answer?"


def questions(*probes: Probe) -> SuiteQuestions:
    return read_questions(suite(*probes), "live", "next")


def asked(state: str, query: str, **context: str) -> Asked:
    return Asked(state, canonical_digest(RetrievalRequest(query=query, context=context)))


def test_identity_of_a_question_is_the_canonical_digest_of_its_request() -> None:
    request = RetrievalRequest(query="q", context={"b": "1", "a": "é"})
    assert ask("live", request) == Asked("live", canonical_digest(request))


def test_each_kind_asks_its_states_in_order() -> None:
    found = questions(correction(), anchor(), isolation(), differentiation())
    assert found.asked == (
        (asked("live", "what is right?"), asked("next", "what is right?")),
        (asked("live", "what is the rule?"), asked("next", "what is the rule?")),
        (asked("next", "what is the secret?", tenant="a"),),
        (asked("next", QUERY, mood="a"), asked("next", QUERY, mood="b")),
    )


def test_each_kind_names_the_items_that_have_to_exist() -> None:
    both = {"key": "new", "required_in": "both"}
    found = questions(correction(), correction("c2", correction=both), anchor(), isolation(), differentiation())
    assert found.named == (
        (("live", "old"), ("next", "new")),
        (("live", "old"), ("live", "new"), ("next", "new")),
        (("live", "rule"), ("next", "rule")),
        (),
        (("next", "calm"), ("next", "alarm")),
    )


def test_item_that_both_contexts_require_is_named_once_and_forbidden_ones_never() -> None:
    (named,) = questions(differentiation(b_required_keys=["calm"], b_forbidden_keys=["secret"])).named
    assert named == (("next", "calm"),)


def test_context_in_another_order_is_the_same_question() -> None:
    found = questions(
        isolation("one", context={"a": "1", "b": "2"}),
        isolation("two", context={"b": "2", "a": "1"}),
    )
    assert found.asked[0] == found.asked[1]
    assert len(found.requests) == 1


def test_decidable_gives_each_question_once_with_the_probe_that_asks_it_first() -> None:
    probes = (anchor("first"), anchor("second", max_rank=1), isolation())
    found = questions(*probes)
    presence = {place: True for named in found.named for place in named}
    assert [
        (item.asked.state_name, item.request.query, item.probe_id) for item in found.decidable(suite(*probes), presence)
    ] == [
        ("live", "what is the rule?", "first"),
        ("next", "what is the rule?", "first"),
        ("next", "what is the secret?", "isolation"),
    ]


def test_probe_with_a_missing_item_asks_nothing_unless_another_one_asks_the_same() -> None:
    probes = (anchor("gone", anchor={"key": "gone", "required_in": "candidate"}), anchor("there"), differentiation())
    found = questions(*probes)
    presence = {("next", "gone"): False, ("live", "rule"): True, ("next", "rule"): True, ("next", "calm"): False}
    presence[("next", "alarm")] = True
    assert [(item.asked.state_name, item.probe_id) for item in found.decidable(suite(*probes), presence)] == [
        ("live", "there"),
        ("next", "there"),
    ]
