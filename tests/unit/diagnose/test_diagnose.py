"""What a diagnosis says of a run."""

from __future__ import annotations

from collections.abc import Sequence

from retrievers import (
    NOW,
    Answer,
    Call,
    Retriever,
    anchor,
    correction,
    differentiation,
    isolation,
    item,
    items,
    profile,
    suite,
)
from witnessmark.models import Probe, ProbeDiagnosis, RetrievedItem, RetrieverProfile
from witnessmark.ports import ScoredAnswer
from witnessmark.runner import assess

ALWAYS = "relation held in 20 of 20 trials: flip rate at most 13.9% (95 %, one-sided)"
NEVER = "relation held in 0 of 20 trials: flip rate at most 13.9% (95 %, one-sided)"
NO_SCORES = "ties unobservable: the adapter gives no scores"


def diagnosis(
    probe: Probe,
    answer: Answer,
    *,
    absent: Sequence[tuple[str, str]] = (),
    own_profile: RetrieverProfile | None = None,
) -> ProbeDiagnosis:
    retriever = Retriever(answer, absent=absent, own_profile=own_profile)
    (found,) = assess(retriever, suite(probe), assessed_at=NOW).diagnoses
    return found


def by_state(baseline: Sequence[RetrievedItem], candidate: Sequence[RetrievedItem]) -> Answer:
    return lambda call, number: baseline if call.state == "baseline" else candidate


def test_relation_that_always_held_carries_the_bound_of_its_trials() -> None:
    found = diagnosis(anchor(), by_state(items("rule"), items("rule")))
    assert (found.result.value, found.trials_held, found.trials_run) == ("pass", 20, 20)
    assert found.notes == (ALWAYS, NO_SCORES)


def test_relation_that_never_held() -> None:
    found = diagnosis(anchor(), by_state(items("rule"), items("x", "y", "rule")))
    assert (found.result.value, found.trials_held, found.trials_run) == ("fail", 0, 20)
    assert found.notes == (NEVER, NO_SCORES)


def test_precondition_that_is_not_met_is_a_relation_that_never_held() -> None:
    found = diagnosis(anchor(), by_state(items("x"), items("rule")))
    assert (found.result.value, found.trials_held) == ("indeterminate", 0)


def test_missing_items_are_named_with_their_state_and_nothing_was_run() -> None:
    absent = [("baseline", "rule"), ("candidate", "rule")]
    found = diagnosis(anchor(), by_state((), ()), absent=absent)
    assert (found.trials_held, found.trials_run) == (0, 0)
    assert found.notes == ("item 'rule' is not in state 'baseline'", "item 'rule' is not in state 'candidate'")


def test_item_that_two_references_name_is_missing_once() -> None:
    probe = correction(
        superseded={"key": "same", "required_in": "both"}, correction={"key": "same", "required_in": "both"}
    )
    found = diagnosis(probe, by_state((), ()), absent=[("baseline", "same")])
    assert found.notes == ("item 'same' is not in state 'baseline'",)


def test_item_that_exists_and_is_not_retrieved_is_told_apart_from_one_that_is_gone() -> None:
    found = diagnosis(anchor(), by_state(items("rule"), items("x")))
    assert found.notes[0] == (
        "item 'rule' is filtered out or ranks below top_k: missing in 20 of 20 trials, state 'candidate'"
    )
    found = diagnosis(correction(), by_state(items("old"), items("old")))
    assert found.notes[0] == (
        "item 'new' is filtered out or ranks below top_k: missing in 20 of 20 trials, state 'candidate'"
    )


def test_adapter_that_was_not_called() -> None:
    found = diagnosis(
        anchor(), by_state((), ()), own_profile=profile(adapter_capability="unsupported_or_unknown", tie_policy=None)
    )
    assert (found.trials_held, found.trials_run) == (0, 0)
    assert found.notes == ("the adapter was not called: it claims no determinism",)


def test_isolation_on_nothing_holds_vacuously() -> None:
    found = diagnosis(isolation(), by_state((), ()))
    assert found.notes[0] == "isolation holds vacuously: nothing was retrieved (20 of 20 trials)"


def test_isolation_names_items_without_any_label_sorted() -> None:
    found = diagnosis(isolation(), by_state((), (item("z", 1), item("x", 2, "tenant:a"), item("b", 3))))
    assert found.notes[0] == "retrieved items without any scope label: 'b', 'z'"


def test_relation_is_looked_at_trial_by_trial_over_both_questions() -> None:
    counts = {"baseline": 0, "candidate": 0}

    def answer(call: Call, number: int) -> Sequence[RetrievedItem]:
        trial = counts[call.state]
        counts[call.state] += 1
        if call.state == "baseline":
            return items("x") if trial == 3 else items("rule")
        return items("x", "y", "rule") if trial in (3, 4) else items("rule")

    found = diagnosis(anchor(), answer)
    assert (found.result.value, found.trials_held, found.trials_run) == ("indeterminate", 18, 20)
    assert found.notes[1].startswith("relation held in 18 of 20 trials: flip rate at most 28.3%")
    assert found.notes[2:4] == (
        "2 orderings in state 'baseline', first difference at rank 1: trials per ordering by axis: sweep 19+1",
        "2 orderings in state 'candidate', first difference at rank 1: trials per ordering by axis: sweep 18+2",
    )


def test_leak_in_three_of_twenty_trials_is_counted() -> None:
    found = diagnosis(
        isolation(), lambda call, number: items("secret") if number < 3 else (item("plain", 1, "tenant:a"),)
    )
    assert (found.result.value, found.trials_held, found.trials_run) == ("fail", 17, 20)


def test_differentiation_is_looked_at_in_both_contexts() -> None:
    found = diagnosis(
        differentiation(),
        lambda call, number: (
            items("calm") if call.context["mood"] == "a" else items("alarm", *(["calm"] * (number < 6)))
        ),
    )
    assert found.result.value == "fail"
    assert found.trials_held == 17


class Scored(Retriever):
    """Gives scores."""

    def retrieve_scored(self, state_name: str, request: object) -> ScoredAnswer:
        return ScoredAnswer(items("rule", "x"), (0.9, 0.5), 0.1)


def test_adapter_with_scores_has_no_note_about_ties() -> None:
    (found,) = assess(Scored(lambda call, number: ()), suite(anchor()), assessed_at=NOW).diagnoses
    assert found.notes == (ALWAYS,)
