"""Decisive texts that the embedder does not read to the end are named, and verified like everything observed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from retrievers import FOUR, NOW, Retriever, anchor, correction, good_answers, isolation, profile, suite
from witnessmark.artifact import recompute
from witnessmark.canonical import canonical_bytes
from witnessmark.errors import EvidenceError, InputError
from witnessmark.models import RetrievalRequest, TruncatedText
from witnessmark.ports import Truncation
from witnessmark.run.questions import read_questions
from witnessmark.run.transcript import read_transcript
from witnessmark.run.truncations import decisive_items
from witnessmark.runner import assess


class Short(Retriever):
    """Reads 256 tokens; says so of the items and queries that it is told."""

    long_items: tuple[str, ...] = ("new", "secret", "never named")
    long_query = "what is the rule?"
    asked: list[str]

    def truncated_items(self, state_name: str, item_keys: Sequence[str]) -> Mapping[str, Truncation]:
        self.asked = [*getattr(self, "asked", ()), *item_keys]
        return {key: Truncation(300, 256) for key in self.long_items if state_name == "candidate"}

    def truncated_queries(self, requests: Sequence[RetrievalRequest]) -> Sequence[Truncation | None]:
        return [Truncation(257, 256) if request.query == self.long_query else None for request in requests]


ONE = "a truncated text is an item of a state or a query"
CUT = "is cut off: 256 of its 300 tokens are embedded, state 'candidate'"


def test_items_and_queries_are_named_with_the_probe_that_they_decide() -> None:
    run = assess(Short(good_answers), suite(*FOUR), assessed_at=NOW)
    said = {item.probe_id: [note for note in item.notes if "cut off" in note] for item in run.diagnoses}
    assert said == {
        "correction": [f"item 'new' {CUT}"],
        "anchor": ["the query is cut off: 256 of its 257 tokens are embedded"],
        "isolation": [f"item 'secret' {CUT}"],
        "differentiation": [],
    }
    assert run.assessment.result.value == "pass"


def test_they_are_part_of_what_was_observed() -> None:
    run = assess(Short(good_answers), suite(*FOUR), assessed_at=NOW)
    plain = assess(Retriever(good_answers), suite(*FOUR), assessed_at=NOW)
    assert run.assessment.runtime_observation != plain.assessment.runtime_observation
    assert [
        (text.state_name, text.item_key, text.tokens, text.limit, text.request_digest is None)
        for text in run.transcript.truncations
    ] == [("candidate", "new", 300, 256, True), ("candidate", "secret", 300, 256, True), (None, None, 257, 256, False)]
    again = recompute(run.suite, run.profile, run.transcript_bytes)
    assert canonical_bytes(again.assessment.model_dump(mode="json")) == canonical_bytes(
        run.assessment.model_dump(mode="json")
    )


def test_one_that_is_taken_out_is_noticed() -> None:
    run = assess(Short(good_answers), suite(correction()), assessed_at=NOW)
    lines = [line for line in run.transcript_bytes.splitlines(keepends=True) if b'"truncation"' not in line]
    with pytest.raises(EvidenceError) as caught:
        recompute(run.suite, run.profile, b"".join(lines))
    assert caught.value.code == "transcript_mismatch"


def test_a_retriever_that_is_not_called_is_not_asked() -> None:
    retriever = Short(good_answers, own_profile=profile(adapter_capability="unsupported_or_unknown"))
    run = assess(retriever, suite(*FOUR), assessed_at=NOW)
    assert not hasattr(retriever, "asked")
    assert run.transcript.truncations == ()


def test_decisive_items_are_the_named_and_the_forbidden_ones() -> None:
    for probe, wanted in (
        (anchor(), [("baseline", "rule"), ("candidate", "rule")]),
        (correction(), [("baseline", "old"), ("candidate", "new"), ("candidate", "old")]),
        (isolation(), [("candidate", "secret")]),
        (FOUR[3], [("candidate", "calm"), ("candidate", "alarm")]),
    ):
        questions = read_questions(suite(probe), "baseline", "candidate")
        assert list(decisive_items(probe, questions.named[0], questions.asked[0])) == wanted


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"item_key": "a", "tokens": 3, "limit": 2}, ONE),
        ({"state_name": "s", "tokens": 3, "limit": 2}, ONE),
        ({"tokens": 3, "limit": 2}, ONE),
        (
            {"state_name": "s", "item_key": "a", "request_digest": f"sha256:{'0' * 64}", "tokens": 3, "limit": 2},
            ONE,
        ),
        (
            {"state_name": "s", "item_key": "a", "tokens": 2, "limit": 2},
            "a truncated text has more tokens than are read",
        ),
    ],
)
def test_a_line_is_about_one_text_that_is_too_long(fields: dict[str, object], what: str) -> None:
    with pytest.raises(InputError) as caught:
        TruncatedText.from_json(fields)
    assert caught.value.code == "invalid_value"
    assert what in str(caught.value)
    run = assess(Short(good_answers), suite(correction()), assessed_at=NOW)
    lines = run.transcript_bytes.splitlines(keepends=True)
    place = next(index for index, line in enumerate(lines) if json.loads(line)["line"] == "truncation")
    lines[place] = canonical_bytes({"line": "truncation", **fields}) + b"\n"
    with pytest.raises(EvidenceError, match=rf"t:{place + 1}: "):
        read_transcript(b"".join(lines), where="t")
