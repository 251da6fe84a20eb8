"""Assembling an artifact, its commitment, and recomputing it from an altered transcript."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from retrievers import FOUR, NOW, Call, Retriever, anchor, digest, good_answers, items, profile, suite
from witnessmark.artifact import commits_to_transcript, recompute
from witnessmark.canonical import canonical_bytes, canonical_digest, model_bytes, sha256_digest
from witnessmark.errors import EvidenceError
from witnessmark.models import RetrievedItem, RuntimeObservation
from witnessmark.ports import ScoredAnswer
from witnessmark.runner import Run, assess


def run_of(**changes: Any) -> Run:
    return assess(Retriever(good_answers, **changes), suite(*FOUR), assessed_at=NOW)


@pytest.fixture(scope="module")
def run() -> Run:
    return run_of()


def lines(run: Run) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run.transcript_bytes.splitlines()]


def joined(values: Sequence[object]) -> bytes:
    return b"".join(canonical_bytes(value) + b"\n" for value in values)


def observed_part(run: Run) -> bytes:
    return b"".join(
        line + b"\n" for line in run.transcript_bytes.splitlines() if json.loads(line)["line"] != "diagnosis"
    )


def test_assessment_names_what_it_is_about(run: Run) -> None:
    found = run.assessment
    assert found.baseline_state.checkpoint_digest == digest("baseline")
    assert found.candidate_state.retrieval_state_digest == digest("index of candidate")
    assert found.probe_suite_digest == canonical_digest(suite(*FOUR))
    assert found.retriever_profile_digest == canonical_digest(profile())
    assert found.assessed_at == NOW
    assert found.material_access.value == "public"


def test_four_good_answers_pass_and_are_counted(run: Run) -> None:
    found = run.assessment
    assert [(item.probe_id, item.result.value) for item in found.probe_results] == [
        ("correction", "pass"),
        ("anchor", "pass"),
        ("isolation", "pass"),
        ("differentiation", "pass"),
    ]
    assert found.coverage.model_dump() == {
        "required_probe_count": 4,
        "passed": 4,
        "failed": 0,
        "indeterminate": 0,
        "indeterminate_rate": 0.0,
    }
    assert found.result.value == "pass"


def test_invocations_are_the_distinct_questions_in_the_order_of_asking(run: Run) -> None:
    found = run.assessment.invocation_evidence
    assert [item.state_name for item in found] == [
        "baseline",
        "candidate",
        "baseline",
        "candidate",
        "candidate",
        "candidate",
        "candidate",
    ]
    assert len({(item.state_name, item.request_digest) for item in found}) == 7
    assert {item.repeatability.model_dump_json(exclude_none=True) for item in found} == {
        '{"trials":20,"distinct_orderings_observed":1,"observed_status":"stable"}'
    }


# The commitment


def test_commitment_is_the_digest_of_the_observed_lines(run: Run) -> None:
    observation = run.assessment.runtime_observation
    assert observation is not None
    assert observation.fingerprint_probe_digest == sha256_digest(observed_part(run))
    assert commits_to_transcript(run.assessment, run.transcript.header)


def test_commitment_is_added_to_what_the_adapter_reports() -> None:
    found = run_of(runtime=RuntimeObservation(runtime_id="x 1", embedding_dimension=3, indexed_item_count=9))
    observation = found.assessment.runtime_observation
    assert observation is not None
    assert (observation.runtime_id, observation.embedding_dimension, observation.indexed_item_count) == ("x 1", 3, 9)
    assert observation.fingerprint_probe_digest == sha256_digest(observed_part(found))
    assert commits_to_transcript(found.assessment, found.transcript.header)


def test_fingerprint_of_the_adapter_stays_and_commits_to_nothing() -> None:
    own = RuntimeObservation(fingerprint_probe_digest=digest("own"))
    found = run_of(runtime=own)
    assert found.assessment.runtime_observation == own
    assert not commits_to_transcript(found.assessment, found.transcript.header)


def test_other_orderings_with_the_same_verdict_give_another_commitment(run: Run) -> None:
    other = assess(
        Retriever(
            lambda call, number: items("rule") if call.query == "what is the rule?" else good_answers(call, number)
        ),
        suite(*FOUR),
        assessed_at=NOW,
    )
    assert other.assessment.probe_results == run.assessment.probe_results
    assert other.assessment.runtime_observation != run.assessment.runtime_observation


def test_one_odd_trial_of_twenty_is_in_the_commitment(run: Run) -> None:
    def answer(call: Call, number: int) -> Sequence[RetrievedItem]:
        return () if number == 139 else good_answers(call, number)

    other = assess(Retriever(answer), suite(*FOUR), assessed_at=NOW)
    assert other.assessment.runtime_observation != run.assessment.runtime_observation


# Repeatability evidence


def test_unstable_question_is_counted_with_its_orderings() -> None:
    found = assess(
        Retriever(lambda call, number: items("rule", "x") if number % 2 else items("rule", "y")),
        suite(anchor()),
        assessed_at=NOW,
        trials=25,
    )
    statuses = {item.repeatability.observed_status.value for item in found.assessment.invocation_evidence}
    assert "unstable" in statuses
    assert {item.repeatability.trials for item in found.assessment.invocation_evidence} == {25}
    assert found.assessment.result.value == "indeterminate"


def test_adapter_that_is_not_called_has_not_run_evidence() -> None:
    found = run_of(own_profile=profile(adapter_capability="unsupported_or_unknown", tie_policy=None))
    assert {item.repeatability.observed_status.value for item in found.assessment.invocation_evidence} == {"not_run"}
    assert {item.repeatability.tie_events_observed for item in found.assessment.invocation_evidence} == {None}
    assert recompute(found.suite, found.profile, found.transcript_bytes).assessment == found.assessment


class Scored(Retriever):
    """Equal scores at places 2 and 3, and at the cut."""

    def retrieve_scored(self, state_name: str, request: object) -> ScoredAnswer:
        return ScoredAnswer(items("rule", "x", "y"), (0.9, 0.5, 0.5), 0.5)


def test_ties_are_counted_where_there_are_scores() -> None:
    found = assess(Scored(lambda call, number: ()), suite(anchor()), assessed_at=NOW)
    assert [item.repeatability.tie_events_observed for item in found.assessment.invocation_evidence] == [2, 2]
    assert recompute(found.suite, found.profile, found.transcript_bytes).assessment == found.assessment


# Recomputing


def test_recompute_gives_the_same_bytes(run: Run) -> None:
    found = recompute(run.suite, run.profile, run.transcript_bytes)
    assert model_bytes(found.assessment) == model_bytes(run.assessment)
    assert found.transcript == run.transcript_bytes
    assert found.diagnoses == run.diagnoses


def test_recompute_refuses_another_suite_or_profile(run: Run) -> None:
    other = suite(*FOUR[:3])
    with pytest.raises(EvidenceError) as caught:
        recompute(other, run.profile, run.transcript_bytes)
    assert str(caught.value) == (
        f"the transcript is about another probe_suite_digest: got {canonical_digest(run.suite)}, "
        f"wanted {canonical_digest(other)}"
    )
    assert caught.value.code == "digest_mismatch"
    with pytest.raises(EvidenceError, match="the transcript is about another retriever_profile_digest"):
        recompute(run.suite, profile(top_k=11), run.transcript_bytes)


Lines = list[dict[str, Any]]


def drop_presence(values: Lines) -> Lines:
    return [value for value in values if not (value["line"] == "presence" and value["item_key"] == "rule")]


def drop_observation(values: Lines) -> Lines:
    first = next(value for value in values if value["line"] == "observation")
    return [value for value in values if value is not first]


def drop_diagnosis(values: Lines) -> Lines:
    return values[:-1]


def flip_presence(values: Lines) -> Lines:
    next(value for value in values if value["line"] == "presence")["present"] = False
    return values


def reverse_observations(values: Lines) -> Lines:
    observations = [value for value in values if value["line"] == "observation"]
    others = [value for value in values if value["line"] != "observation"]
    cut = sum(value["line"] in ("run", "presence") for value in values)
    return [*others[:cut], *reversed(observations), *others[cut:]]


def other_note(values: Lines) -> Lines:
    values[-1]["notes"] = ["all is well"]
    return values


def other_held(values: Lines) -> Lines:
    values[-1]["trials_held"] = 19
    return values


def other_ordering(values: Lines) -> Lines:
    ordering = next(value for value in values if value["line"] == "observation")["orderings"][0]
    ordering["items"] = ordering["items"][1:]
    return values


def add_presence(values: Lines) -> Lines:
    return [values[0], {**values[1], "item_key": "invented"}, *values[1:]]


def double_presence(values: Lines) -> Lines:
    return [values[0], values[1], *values[1:]]


def other_trials(values: Lines) -> Lines:
    next(value for value in values if value["line"] == "observation")["orderings"][0]["trials"] = [[0, 18]]
    return values


def double_observation(values: Lines) -> Lines:
    first = next(index for index, value in enumerate(values) if value["line"] == "observation")
    return [*values[:first], values[first], *values[first:]]


def other_baseline_name(values: Lines) -> Lines:
    values[0]["baseline_name"] = "elsewhere"
    return values


ALTERATIONS: list[tuple[Callable[[Lines], Lines], str]] = [
    (drop_presence, "incomplete_transcript"),
    (drop_observation, "incomplete_transcript"),
    (other_baseline_name, "incomplete_transcript"),
    (drop_diagnosis, "transcript_mismatch"),
    (flip_presence, "transcript_mismatch"),
    (other_note, "transcript_mismatch"),
    (other_held, "transcript_mismatch"),
    (other_ordering, "transcript_mismatch"),
    (double_presence, "transcript_mismatch"),
    (other_trials, "invalid_transcript"),
    (double_observation, "invalid_transcript"),
]


@pytest.mark.parametrize(("alter", "code"), ALTERATIONS, ids=[alter.__name__ for alter, _ in ALTERATIONS])
def test_recompute_refuses_an_altered_transcript(run: Run, alter: Callable[[Lines], Lines], code: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        recompute(run.suite, run.profile, joined(alter(lines(run))))
    assert caught.value.code == code


@pytest.mark.parametrize("alter", [add_presence, reverse_observations], ids=lambda alter: alter.__name__)
def test_alteration_that_changes_no_verdict_is_another_transcript_than_the_committed_one(
    run: Run, alter: Callable[[Lines], Lines]
) -> None:
    altered = joined(alter(lines(run)))
    try:
        found = recompute(run.suite, run.profile, altered)
    except EvidenceError:
        return
    assert found.assessment.runtime_observation != run.assessment.runtime_observation


def test_recompute_refuses_another_spelling(run: Run) -> None:
    first, rest = run.transcript_bytes.split(b"\n", 1)
    with pytest.raises(EvidenceError) as caught:
        recompute(run.suite, run.profile, first.replace(b",", b", ", 1) + b"\n" + rest)
    assert caught.value.code == "not_canonical"
