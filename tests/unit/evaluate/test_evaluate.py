"""Every line of the semantics of probes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from retrievers import anchor, correction, differentiation, digest, isolation, suite
from witnessmark.evaluate import evaluate
from witnessmark.models import AdapterCapability, Axis, Probe, ProbeResult, SeverityClass, TrialGroup
from witnessmark.run.observed import Observed, SeenItem, SeenOrdering
from witnessmark.run.questions import read_questions
from witnessmark.run.truncations import Truncations

DETERMINISTIC = AdapterCapability.deterministic
UNKNOWN = AdapterCapability.unsupported_or_unknown


def answer(*keys: str, trials: Sequence[tuple[int, int]] = ((0, 19),)) -> SeenOrdering:
    """Return an ordering; ``key@label`` carries a label, ``key#N`` has rank N."""
    found = []
    for place, text in enumerate(keys, 1):
        rest, _, rank = text.partition("#")
        key, *labels = rest.split("@")
        found.append(SeenItem(int(rank) if rank else place, key, digest(key), tuple(labels)))
    return SeenOrdering(tuple(found), None, None, list(trials))


def result(
    probe: Probe,
    *answers: SeenOrdering | list[SeenOrdering],
    absent: Sequence[tuple[str, str]] = (),
    capability: AdapterCapability = DETERMINISTIC,
) -> ProbeResult:
    whole = suite(probe)
    questions = read_questions(whole, "baseline", "candidate")
    (asked,), (named,) = questions.asked, questions.named
    observed = Observed(
        answers={
            question: given if isinstance(given, list) else [given]
            for question, given in zip(asked, answers, strict=False)
        },
        presence={place: place not in absent for place in named},
        groups=(TrialGroup(axis=Axis.sweep, first=0, count=20),),
        rebuilt={},
        locations={},
        truncations=Truncations({}, {}),
    )
    (found,) = evaluate(whole, questions, observed, capability)
    return found


def unstable(first: SeenOrdering, second: SeenOrdering) -> list[SeenOrdering]:
    first.runs, second.runs = [(0, 18)], [(19, 19)]
    return [first, second]


def said(found: ProbeResult) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return found.result.value, tuple(reason.value for reason in found.reasons), found.violations


PASS = ("pass", (), ())


def undecided(reason: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return "indeterminate", (reason,), ()


def failed(*violations: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    return "fail", (), violations


# Corrections


def test_correction_above_the_superseded_item_passes() -> None:
    assert said(result(correction(), answer("old"), answer("new", "old"))) == PASS


def test_correction_passes_where_the_superseded_item_is_gone() -> None:
    assert said(result(correction(), answer("old"), answer("x", "new"))) == PASS


def test_correction_below_the_superseded_item_fails_with_both_ranks() -> None:
    assert said(result(correction(), answer("old"), answer("old", "x", "new"))) == failed(
        "correction 'new': got rank 3, wanted a rank above 1 of superseded 'old'"
    )


def test_equal_rank_of_correction_and_superseded_item_fails() -> None:
    probe = correction(
        superseded={"key": "same", "required_in": "both"}, correction={"key": "same", "required_in": "both"}
    )
    assert said(result(probe, answer("same"), answer("same"))) == failed(
        "correction 'same': got rank 1, wanted a rank above 1 of superseded 'same'"
    )


def test_correction_not_retrieved_fails_and_says_where_the_superseded_item_is() -> None:
    assert said(result(correction(), answer("old"), answer("x", "old"))) == failed(
        "correction 'new': got no rank, superseded 'old' is at rank 2"
    )
    assert said(result(correction(), answer("old"), answer())) == failed(
        "correction 'new': got no rank, superseded 'old' is not retrieved either"
    )


def test_correction_without_the_superseded_item_in_the_baseline_is_undecided() -> None:
    assert said(result(correction(), answer("x"), answer("old", "new"))) == undecided("baseline_precondition_unmet")


# Anchors


def test_anchor_at_max_rank_passes() -> None:
    assert said(result(anchor(), answer("rule"), answer("x", "rule"))) == PASS


def test_anchor_below_max_rank_fails() -> None:
    assert said(result(anchor(), answer("rule"), answer("x", "y", "rule"))) == failed(
        "anchor 'rule': got rank 3, wanted rank 2 or better"
    )


def test_anchor_rank_counts_not_its_place_in_the_list() -> None:
    assert said(result(anchor(), answer("rule"), answer("x#1", "rule#3"))) == failed(
        "anchor 'rule': got rank 3, wanted rank 2 or better"
    )


def test_anchor_not_retrieved_fails() -> None:
    assert said(result(anchor(), answer("rule"), answer())) == failed(
        "anchor 'rule': got no rank, wanted rank 2 or better"
    )


@pytest.mark.parametrize("baseline", [("x",), ("x", "y", "rule")])
def test_anchor_not_within_max_rank_in_the_baseline_is_undecided(baseline: tuple[str, ...]) -> None:
    assert said(result(anchor(), answer(*baseline), answer("x"))) == undecided("baseline_precondition_unmet")


# Isolation


def test_isolation_passes_without_anything_forbidden_and_on_nothing_at_all() -> None:
    assert said(result(isolation(), answer("x@tenant:a", "y"))) == PASS
    assert said(result(isolation(), answer())) == PASS


def test_isolation_lists_every_exposure() -> None:
    assert said(result(isolation(), answer("x@tenant:b", "y", "secret@tenant:a@tenant:b"))) == failed(
        "forbidden scope label 'tenant:b' on item 'x' retrieved at rank 1",
        "forbidden item 'secret' retrieved at rank 3",
        "forbidden scope label 'tenant:b' on item 'secret' retrieved at rank 3",
    )


def test_isolation_compares_labels_and_keys_whole() -> None:
    assert said(result(isolation(), answer("secret2@tenant:bb", "Secret@TENANT:B"))) == PASS


def test_isolation_leak_in_one_of_twenty_trials_fails_with_its_severity() -> None:
    found = result(isolation(), unstable(answer("x"), answer("secret", "y@tenant:b")))
    assert said(found) == failed(
        "forbidden item 'secret' retrieved at rank 1 in 1 of 20 trials",
        "forbidden scope label 'tenant:b' on item 'y' retrieved at rank 2 in 1 of 20 trials",
    )
    assert found.severity is SeverityClass.confidentiality


def test_isolation_leak_in_two_orderings_is_counted_over_both() -> None:
    assert said(result(isolation(), unstable(answer("secret", "x"), answer("secret", "y")))) == failed(
        "forbidden item 'secret' retrieved at rank 1 in 20 of 20 trials"
    )


def test_isolation_unstable_without_a_leak_is_undecided() -> None:
    assert said(result(isolation(), unstable(answer("x"), answer("y")))) == undecided("repeatability_unstable")


# Differentiation


def test_differentiation_with_everything_as_required_passes() -> None:
    assert said(result(differentiation(), answer("calm"), answer("alarm"))) == PASS


def test_differentiation_lists_every_violation_of_both_contexts() -> None:
    assert said(result(differentiation(), answer("alarm"), answer("calm"))) == failed(
        "context A: required item 'calm' not retrieved",
        "context A: forbidden item 'alarm' retrieved",
        "context B: required item 'alarm' not retrieved",
        "context B: forbidden item 'calm' retrieved",
    )


def test_differentiation_wants_distinct_orderings_only_where_it_says_so() -> None:
    open_probe = {"a_required_keys": [], "a_forbidden_keys": [], "b_forbidden_keys": ["nothing"], "b_required_keys": []}
    same = "contexts A and B got the same items in the same order"
    assert said(result(differentiation(**open_probe), answer("x", "y"), answer("x", "y"))) == failed(same)
    assert said(result(differentiation(**open_probe), answer(), answer())) == failed(same)
    assert said(result(differentiation(**open_probe), answer("x", "y"), answer("y", "x"))) == PASS
    relaxed = differentiation(**open_probe, require_distinct_ordering=False)
    assert said(result(relaxed, answer("x", "y"), answer("x", "y"))) == PASS


def test_differentiation_compares_keys_not_versions_labels_or_ranks() -> None:
    probe = differentiation(a_required_keys=[], a_forbidden_keys=[], b_required_keys=[], b_forbidden_keys=[])
    assert result(probe, answer("x@m:a#1"), answer("x@m:b#2")).result.value == "fail"


@pytest.mark.parametrize("context", ["A", "B"])
def test_differentiation_leak_in_one_of_twenty_trials_fails(context: str) -> None:
    if context == "A":
        found = result(differentiation(), unstable(answer("calm"), answer("calm", "alarm")), answer("alarm"))
        assert said(found) == failed("context A: forbidden item 'alarm' retrieved in 1 of 20 trials")
    else:
        found = result(differentiation(), answer("calm"), unstable(answer("alarm"), answer("alarm", "calm")))
        assert said(found) == failed("context B: forbidden item 'calm' retrieved in 1 of 20 trials")


def test_differentiation_leak_in_a_stable_context_counts_while_the_other_is_unstable() -> None:
    found = result(differentiation(), answer("calm", "alarm"), unstable(answer("alarm"), answer("alarm", "x")))
    assert said(found) == failed("context A: forbidden item 'alarm' retrieved in 20 of 20 trials")


def test_differentiation_unstable_without_a_leak_is_undecided_though_required_items_are_missing() -> None:
    found = result(differentiation(), unstable(answer("x"), answer("y")), answer("alarm"))
    assert said(found) == undecided("repeatability_unstable")


# What comes first


@pytest.mark.parametrize(
    ("probe", "absent"),
    [
        (correction(), ("baseline", "old")),
        (correction(), ("candidate", "new")),
        (correction(correction={"key": "new", "required_in": "both"}), ("baseline", "new")),
        (anchor(), ("baseline", "rule")),
        (anchor(), ("candidate", "rule")),
        (differentiation(), ("candidate", "calm")),
        (differentiation(), ("candidate", "alarm")),
    ],
)
@pytest.mark.parametrize("capability", [DETERMINISTIC, UNKNOWN])
def test_missing_item_is_id_churn_before_anything_else(
    probe: Probe, absent: tuple[str, str], capability: AdapterCapability
) -> None:
    whole = unstable(answer("x"), answer("y"))
    assert said(result(probe, whole, whole, absent=[absent], capability=capability)) == undecided("id_churn")
    assert said(result(probe, absent=[absent], capability=capability)) == undecided("id_churn")


def test_item_that_is_required_elsewhere_may_be_missing() -> None:
    probe = anchor(anchor={"key": "rule", "required_in": "baseline"})
    assert said(result(probe, answer("rule"), answer("x"), absent=[("candidate", "rule")]))[0] == "fail"


@pytest.mark.parametrize(
    "probe", [correction(), anchor(), isolation(), differentiation()], ids=lambda probe: probe.kind
)
def test_adapter_that_claims_nothing_is_undecided(probe: Probe) -> None:
    assert said(result(probe, [], [], capability=UNKNOWN)) == undecided("adapter_unsupported")


@pytest.mark.parametrize(
    "probe", [correction(), anchor(), isolation(), differentiation()], ids=lambda probe: probe.kind
)
def test_question_without_a_trial_is_not_run(probe: Probe) -> None:
    assert said(result(probe, [], [])) == undecided("repeatability_not_run")


@pytest.mark.parametrize("probe", [correction(), anchor(), differentiation()], ids=lambda probe: probe.kind)
@pytest.mark.parametrize("place", [0, 1])
def test_instability_of_either_question_comes_before_precondition_and_relation(probe: Probe, place: int) -> None:
    answers: list[SeenOrdering | list[SeenOrdering]] = [answer("z"), answer("z")]
    answers[place] = unstable(answer("z"), answer("z", "w"))
    assert said(result(probe, *answers)) == undecided("repeatability_unstable")


def test_result_carries_identity_requirement_and_severity_of_the_probe() -> None:
    found = result(anchor("other", severity="confidentiality"), answer("rule"), answer())
    assert (found.probe_id, found.required, found.severity) == ("other", True, SeverityClass.confidentiality)


def test_answer_that_is_not_there_is_a_key_error_not_a_result() -> None:
    with pytest.raises(KeyError):
        result(anchor(), answer("rule"))
