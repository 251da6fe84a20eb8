"""What helps to act on a result: how often a relation held, why an item is missing, what ties decide.

Diagnoses are derived from the observations alone and decide nothing; ``verify`` recomputes them.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from witnessmark.bounds import upper_bound
from witnessmark.evaluate import precondition_met, relation_violations
from witnessmark.models import (
    AnchorPreservationProbe,
    BehavioralResult,
    CorrectionPrecedenceProbe,
    Place,
    Probe,
    ProbeDiagnosis,
    ScopeIsolationProbe,
    StateConditionedDifferentiationProbe,
)
from witnessmark.run.observed import SeenOrdering, expand
from witnessmark.run.truncations import decisive_items
from witnessmark.splits import split_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import OrderingSplit, ProbeResult, ProbeSuite
    from witnessmark.run.observed import Observed
    from witnessmark.run.questions import Asked, SuiteQuestions

__all__ = ["NEAR_TIE", "diagnose", "missing_items"]

NEAR_TIE = 1e-6
"""Scores this close are a near-tie: the order between them may depend on batching, threads or the processor."""

_PLACES = {
    Place.absent: "is not in the state",
    Place.filtered_out: "is filtered out by scope",
    Place.below_cut: "ranks below top_k",
    Place.unreachable: "is in the state, but the index never returns it",
}


def diagnose(
    suite: ProbeSuite, questions: SuiteQuestions, results: Sequence[ProbeResult], observed: Observed
) -> tuple[ProbeDiagnosis, ...]:
    """Return one diagnosis a probe, in the order of the suite."""
    return tuple(
        _diagnose_probe(probe, named, asked, result, observed)
        for probe, named, asked, result in zip(suite.probes, questions.named, questions.asked, results, strict=True)
    )


def _diagnose_probe(
    probe: Probe,
    named: Sequence[tuple[str, str]],
    asked: Sequence[Asked],
    result: ProbeResult,
    observed: Observed,
) -> ProbeDiagnosis:
    absent = [place for place in named if not observed.presence[place]]
    if absent:
        notes = tuple(f"item {key!r} is not in state {state!r}" for state, key in dict.fromkeys(absent))
        return _undecidable(probe, result, notes)
    answers = [observed.answers[question] for question in asked]
    if not all(answers):
        return _undecidable(probe, result, ("the adapter was not called: it claims no determinism",))
    held, run = _trials_held(probe, result, answers)
    margin = _margin(probe, answers)
    splits: tuple[OrderingSplit, ...] = ()
    if observed.rebuilt or any(len(orderings) > 1 for orderings in answers):
        splits = tuple(split for split in (split_of(question, observed) for question in asked) if split is not None)
    return ProbeDiagnosis(
        probe_id=probe.probe_id,
        result=result.result,
        trials_held=held,
        trials_run=run,
        margin=None if margin is None else repr(margin),
        splits=splits,
        notes=(
            *_missing_notes(probe, asked, answers, observed),
            *_truncation_notes(probe, named, asked, observed),
            *_vacuous_notes(probe, answers),
            *_trial_notes(held, run),
            *_split_notes(splits),
            *_tie_notes(probe, answers, margin),
        ),
    )


def _undecidable(probe: Probe, result: ProbeResult, notes: Sequence[str]) -> ProbeDiagnosis:
    return ProbeDiagnosis(
        probe_id=probe.probe_id, result=result.result, trials_held=0, trials_run=0, notes=tuple(notes)
    )


def _trials_held(probe: Probe, result: ProbeResult, answers: Sequence[Sequence[SeenOrdering]]) -> tuple[int, int]:
    """Return in how many trials the probe's relation held, and in how many it could be looked at."""
    if all(len(orderings) == 1 for orderings in answers):
        run = answers[0][0].count
        return (run if result.result is BehavioralResult.pass_ else 0), run
    by_trial = [
        {trial: index for index, ordering in enumerate(orderings) for trial in expand(ordering.runs)}
        for orderings in answers
    ]
    combinations = Counter(tuple(chosen[trial] for chosen in by_trial) for trial in by_trial[0])
    held = 0
    for combination, count in combinations.items():
        chosen = [orderings[index] for orderings, index in zip(answers, combination, strict=True)]
        if precondition_met(probe, chosen[0]) and not relation_violations(probe, chosen):
            held += count
    return held, sum(combinations.values())


def _missing_notes(
    probe: Probe, asked: Sequence[Asked], answers: Sequence[Sequence[SeenOrdering]], observed: Observed
) -> tuple[str, ...]:
    """Say of a decisive item that an answer lacks where it is: content loss, scope and rank are different repairs."""
    notes = []
    for question, orderings, key in missing_items(probe, asked, answers):
        without = sum(ordering.count for ordering in orderings if ordering.rank_of(key) is None)
        location = observed.locations.get((question, key))
        place = _PLACES[location.place] if location is not None else "is filtered out or ranks below top_k"
        rank = f" (rank {location.rank})" if location is not None and location.rank is not None else ""
        notes.append(
            f"item {key!r} {place}{rank}: missing in {without} of {_total(orderings)} trials, "
            f"state {question.state_name!r}"
        )
    return tuple(notes)


def _truncation_notes(
    probe: Probe, named: Sequence[tuple[str, str]], asked: Sequence[Asked], observed: Observed
) -> tuple[str, ...]:
    """Name the texts whose end was never embedded: two that differ only there are one and the same."""
    found = observed.truncations
    notes = [
        f"item {key!r} is cut off: {found.items[state, key].limit} of its {found.items[state, key].tokens} tokens are "
        f"embedded, state {state!r}"
        for state, key in decisive_items(probe, named, asked)
        if (state, key) in found.items
    ]
    for digest in dict.fromkeys(question.request_digest for question in asked):
        if digest in found.queries:
            cut = found.queries[digest]
            notes.append(f"the query is cut off: {cut.limit} of its {cut.tokens} tokens are embedded")
    return tuple(notes)


def missing_items(
    probe: Probe, asked: Sequence[Asked], answers: Sequence[Sequence[SeenOrdering]]
) -> tuple[tuple[Asked, Sequence[SeenOrdering], str], ...]:
    """Return the decisive items that some answer lacks, with the question and its orderings."""
    wanted: list[tuple[int, str]]
    if isinstance(probe, AnchorPreservationProbe):
        wanted = [(0, probe.anchor.key), (1, probe.anchor.key)]
    elif isinstance(probe, CorrectionPrecedenceProbe):
        wanted = [(0, probe.superseded.key), (1, probe.correction.key)]
    elif isinstance(probe, StateConditionedDifferentiationProbe):
        wanted = [(0, key) for key in probe.a_required_keys] + [(1, key) for key in probe.b_required_keys]
    else:
        wanted = []
    return tuple(
        (asked[place], answers[place], key)
        for place, key in wanted
        if any(ordering.rank_of(key) is None for ordering in answers[place])
    )


def _margin(probe: Probe, answers: Sequence[Sequence[SeenOrdering]]) -> float | None:
    """Return the smallest distance of the deciding scores in the candidate, over all orderings."""
    found = []
    for ordering in answers[-1]:
        if ordering.scores is None:
            return None
        by_key = dict(zip(ordering.keys, ordering.scores, strict=True))
        if isinstance(probe, CorrectionPrecedenceProbe):
            upper, lower = by_key.get(probe.correction.key), by_key.get(probe.superseded.key, ordering.cut_score)
        elif isinstance(probe, AnchorPreservationProbe):
            beyond = [
                score
                for item, score in zip(ordering.items, ordering.scores, strict=True)
                if item.rank > probe.max_rank and item.key != probe.anchor.key
            ]
            upper, lower = by_key.get(probe.anchor.key), beyond[0] if beyond else ordering.cut_score
        else:
            return None
        if upper is not None and lower is not None:
            found.append(upper - lower)
    return min(found, key=abs, default=None)


def _vacuous_notes(probe: Probe, answers: Sequence[Sequence[SeenOrdering]]) -> tuple[str, ...]:
    if not isinstance(probe, ScopeIsolationProbe):
        return ()
    empty = sum(ordering.count for ordering in answers[0] if not ordering.items)
    unlabelled = sorted({item.key for ordering in answers[0] for item in ordering.items if not item.labels})
    notes = []
    if empty:
        notes.append(f"isolation holds vacuously: nothing was retrieved ({empty} of {_total(answers[0])} trials)")
    if unlabelled:
        notes.append(f"retrieved items without any scope label: {', '.join(map(repr, unlabelled))}")
    return tuple(notes)


@lru_cache(maxsize=1024)
def _trial_notes(held: int, run: int) -> tuple[str, ...]:
    flips = min(held, run - held)
    bound = upper_bound(flips, run)
    return (f"relation held in {held} of {run} trials: flip rate at most {bound:.1%} (95 %, one-sided)",)


def _split_notes(splits: Sequence[OrderingSplit]) -> tuple[str, ...]:
    notes = []
    for split in splits:
        counts = "; ".join(f"{item.axis.value} {'+'.join(map(str, item.counts))}" for item in split.axes)
        only_ties = ", only ties moved" if split.score_multisets == 1 else ""
        notes.append(
            f"{len(split.axes[0].counts)} orderings in state {split.state_name!r}, first difference at rank "
            f"{split.first_difference}{only_ties}: trials per ordering by axis: {counts}"
        )
    return tuple(notes)


def _tie_notes(probe: Probe, answers: Sequence[Sequence[SeenOrdering]], margin: float | None) -> tuple[str, ...]:
    if any(ordering.scores is None for orderings in answers for ordering in orderings):
        return ("ties unobservable: the adapter gives no scores",)
    if margin is None or abs(margin) > NEAR_TIE:
        return ()
    kind = "tie" if margin == 0 else "near-tie"
    if isinstance(probe, CorrectionPrecedenceProbe):
        return (f"{kind} on decisive items: correction {probe.correction.key!r}, margin {margin!r}",)
    return (f"{kind} on a decisive item: anchor at the edge of its max_rank, margin {margin!r}",)


def _total(orderings: Sequence[SeenOrdering]) -> int:
    return sum(ordering.count for ordering in orderings)
