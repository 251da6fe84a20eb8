"""The transcript: what its lines are, in which order, and how a broken one is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from retrievers import FOUR, NOW, Call, Retriever, anchor, digest, good_answers, items, suite
from witnessmark.canonical import canonical_bytes, canonical_digest, sha256_digest
from witnessmark.errors import EvidenceError
from witnessmark.models import RetrievedItem
from witnessmark.ports import ScoredAnswer
from witnessmark.run.transcript import read_transcript, to_observed
from witnessmark.runner import Run, assess

Lines = list[dict[str, Any]]


class Scored(Retriever):
    """Gives scores that are hard to spell."""

    def retrieve_scored(self, state_name: str, request: object) -> ScoredAnswer:
        return ScoredAnswer(items("rule", "x", "y"), (0.1 + 0.2, 1e-7, -1e22), -1.5e300)


@pytest.fixture(scope="module")
def run() -> Run:
    return assess(Retriever(good_answers), suite(*FOUR), assessed_at=NOW)


@pytest.fixture
def lines(run: Run) -> Lines:
    return [json.loads(line) for line in run.transcript_bytes.splitlines()]


def joined(values: Sequence[object]) -> bytes:
    return b"".join(canonical_bytes(value) + b"\n" for value in values)


def first(lines: Lines, kind: str) -> int:
    return next(index for index, line in enumerate(lines) if line["line"] == kind)


def refused(data: bytes) -> tuple[str, str]:
    with pytest.raises(EvidenceError) as caught:
        to_observed(read_transcript(data, where="t.jsonl").transcript, where="t.jsonl")
    return caught.value.code, str(caught.value)


# What is written


def test_lines_are_header_then_presence_then_observations_then_diagnoses(lines: Lines) -> None:
    assert [line["line"] for line in lines] == ["run"] + ["presence"] * 6 + ["observation"] * 7 + ["diagnosis"] * 4
    assert [line["probe_id"] for line in lines[-4:]] == ["correction", "anchor", "isolation", "differentiation"]


def test_presence_and_observations_stand_in_the_order_of_asking(lines: Lines) -> None:
    assert [(line["state_name"], line["item_key"]) for line in lines if line["line"] == "presence"] == [
        ("baseline", "old"),
        ("candidate", "new"),
        ("baseline", "rule"),
        ("candidate", "rule"),
        ("candidate", "calm"),
        ("candidate", "alarm"),
    ]
    assert [(line["state_name"], line["request"]["query"]) for line in lines if line["line"] == "observation"] == [
        ("baseline", "what is right?"),
        ("candidate", "what is right?"),
        ("baseline", "what is the rule?"),
        ("candidate", "what is the rule?"),
        ("candidate", "what is the secret?"),
        ("candidate", "how do I answer?"),
        ("candidate", "how do I answer?"),
    ]


def test_every_line_is_canonical_and_ends_with_a_newline(run: Run) -> None:
    assert run.transcript_bytes.endswith(b"\n")
    for line in run.transcript_bytes.splitlines():
        assert canonical_bytes(json.loads(line)) == line


def test_header_tells_what_was_run(lines: Lines) -> None:
    header = lines[0]
    assert header["baseline_name"] == "baseline"
    assert header["candidate_name"] == "candidate"
    assert header["probe_suite_digest"] == canonical_digest(suite(*FOUR))
    assert header["seed"] == 0
    assert header["scores_available"] is False
    assert header["assessed_at"] == "2026-03-01T12:00:00Z"


def test_trials_of_orderings_are_runs() -> None:
    def answer(call: Call, number: int) -> Sequence[RetrievedItem]:
        return items("rule") if number // 2 in (0, 3, 4, 19) else items("x")

    found = assess(Retriever(answer), suite(anchor()), assessed_at=NOW)
    orderings = found.transcript.observations[0].orderings
    assert [[run[:] for run in ordering.trials] for ordering in orderings] == [
        [(0, 0), (3, 4), (19, 19)],
        [(1, 2), (5, 18)],
    ]


def test_scores_read_back_as_the_same_doubles() -> None:
    found = assess(Scored(lambda call, number: ()), suite(anchor()), assessed_at=NOW)
    ordering = found.transcript.observations[0].orderings[0]
    assert ordering.scores == ("0.30000000000000004", "1e-07", "-1e+22")
    assert ordering.cut_score == "-1.5e+300"
    (seen,) = next(iter(to_observed(found.transcript).answers.values()))
    assert seen.scores == (0.1 + 0.2, 1e-7, -1e22)


def test_context_with_any_unicode_is_canonical_and_reads_back() -> None:
    probe = anchor(context={"\U0001f600": "1", "\ue000": "2", "a": "é"}, query="naïve \u2028 \x7f?")
    found = assess(Retriever(lambda call, number: items("rule")), suite(probe), assessed_at=NOW)
    assert found.transcript.observations[0].request.context == probe.context


def test_digest_is_over_the_observed_part(run: Run) -> None:
    observed = b"".join(
        line + b"\n" for line in run.transcript_bytes.splitlines() if json.loads(line)["line"] != "diagnosis"
    )
    assert read_transcript(run.transcript_bytes).digest == sha256_digest(observed)


# What is refused


def test_cut_off(run: Run) -> None:
    message = "t.jsonl: transcript is cut off: wanted a final newline"
    assert refused(run.transcript_bytes[:-1]) == ("invalid_transcript", message)
    assert refused(b"") == ("invalid_transcript", message)


def test_line_that_is_not_json(lines: Lines) -> None:
    assert refused(joined(lines[:2]) + b"{\n") == (
        "invalid_json",
        "t.jsonl:3: line 1 column 2: not JSON: Expecting property name enclosed in double quotes",
    )
    assert refused(b"\n")[0] == "invalid_json"


def test_line_that_is_another_spelling(lines: Lines) -> None:
    code, message = refused(joined(lines[:2]) + b'{"line": "presence"}\n')
    assert code == "not_canonical"
    assert message.startswith("t.jsonl:3: not in canonical form")


@pytest.mark.parametrize("value", [[], "run", {}, {"line": 1}, {"line": "other"}])
def test_line_of_no_known_kind(lines: Lines, value: object) -> None:
    kind = ascii(value.get("line")) if isinstance(value, dict) else "None"
    assert refused(joined([lines[0], value])) == (
        "invalid_transcript",
        f"t.jsonl:2: line is of no known kind or out of order: got {kind}, "
        "wanted run then presence then observation then rebuild then location then truncation then diagnosis",
    )


@pytest.mark.parametrize(
    ("order", "place"),
    [
        (["presence", "run"], 1),
        (["run", "run"], 2),
        (["run", "observation", "presence"], 3),
        (["run", "diagnosis", "observation"], 3),
        (["run", "diagnosis", "presence"], 3),
        (["observation"], 1),
    ],
)
def test_lines_out_of_order(lines: Lines, order: list[str], place: int) -> None:
    code, message = refused(joined([lines[first(lines, kind)] for kind in order]))
    assert code == "invalid_transcript"
    assert message.startswith(f"t.jsonl:{place}: line is of no known kind or out of order")


@pytest.mark.parametrize("kind", ["run", "presence", "observation", "diagnosis"])
def test_unknown_and_missing_fields_are_named_with_their_line(lines: Lines, kind: str) -> None:
    place = first(lines, kind)
    lines[place]["extra"] = 1
    assert refused(joined(lines))[0] == "unknown_field"
    assert f"t.jsonl:{place + 1} /extra" in refused(joined(lines))[1]
    del lines[place]["extra"]
    name = sorted(set(lines[place]) - {"line", "format", "notes", "runtime_observation"})[0]
    del lines[place][name]
    code, message = refused(joined(lines))
    assert code == "missing_field"
    assert f"t.jsonl:{place + 1} /{name}" in message


def test_request_that_is_not_the_one_of_its_digest(lines: Lines) -> None:
    place = first(lines, "observation")
    lines[place]["request"]["query"] = "another"
    code, message = refused(joined(lines))
    assert code == "digest_mismatch"
    assert message.startswith(f"t.jsonl:{place + 1}: request_digest is not the digest of the request")


def ordering_of(lines: Lines) -> dict[str, Any]:
    found: dict[str, Any] = lines[first(lines, "observation")]["orderings"][0]
    return found


def test_ranks_that_do_not_ascend(lines: Lines) -> None:
    ordering_of(lines)["items"].reverse()
    place = first(lines, "observation") + 1
    assert refused(joined(lines)) == ("invalid_transcript", f"t.jsonl:{place}: ordering is not by rank: got [2, 1]")


def test_item_that_stands_twice(lines: Lines) -> None:
    both = ordering_of(lines)["items"]
    both[1]["item_key"] = both[0]["item_key"]
    assert "ordering is not by rank" in refused(joined(lines))[1]


def test_scores_for_another_number_of_items(lines: Lines) -> None:
    ordering_of(lines)["scores"] = ["0.5"]
    assert "scores do not match the items" in refused(joined(lines))[1]


@pytest.mark.parametrize("score", ["nan", "inf", "+1", "1.", ".5", "0x1", "1_0", "1e5", ""])
def test_score_in_another_spelling(lines: Lines, score: str) -> None:
    ordering_of(lines)["scores"] = [score, score]
    assert refused(joined(lines))[0] == "invalid_value"


@pytest.mark.parametrize("runs", [[[0]], [[0, 1, 2]], [[5, 4], [0, 4], [6, 19]], [[]]])
def test_trials_that_are_no_runs(lines: Lines, runs: list[list[int]]) -> None:
    ordering_of(lines)["trials"] = runs
    assert "trials are not runs [first, last]" in refused(joined(lines))[1]


@pytest.mark.parametrize("runs", [[[0, 18]], [[0, 20]], [[1, 20]], [[0, 10], [10, 19]], [[0, 8], [10, 19]], []])
def test_trials_that_are_not_those_of_the_plan(lines: Lines, runs: list[list[int]]) -> None:
    ordering_of(lines)["trials"] = runs
    code, message = refused(joined(lines))
    assert code == "invalid_transcript"
    assert message.startswith("t.jsonl: observations do not cover the planned trials once each: got ")


def test_question_that_stands_twice(lines: Lines) -> None:
    place = first(lines, "observation")
    assert refused(joined([*lines[:place], lines[place], *lines[place:]]))[0] == "invalid_transcript"


def test_huge_run_of_trials_is_refused_without_counting_it_out(lines: Lines) -> None:
    ordering_of(lines)["trials"] = [[0, 2**53 - 1]]
    assert refused(joined(lines))[0] == "invalid_transcript"


def test_digest_in_another_case(lines: Lines) -> None:
    ordering_of(lines)["items"][0]["item_version_digest"] = digest("x").upper()
    assert refused(joined(lines))[0] == "invalid_value"
