"""What helps to act on a result: how often a relation held, why an item is missing, what ties decide.

Diagnoses are derived from the observations alone and decide nothing; ``verify`` recomputes them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from witnessmark.bounds import upper_bound
from witnessmark.evaluate import precondition_met, relation_violations
from witnessmark.models import (
    AnchorPreservationProbe,
    BehavioralResult,
    CorrectionPrecedenceProbe,
    Probe,
    ProbeDiagnosis,
    ScopeIsolationProbe,
)
from witnessmark.run.observed import SeenOrdering, expand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import ProbeResult, ProbeSuite
    from witnessmark.run.observed import Observed
    from witnessmark.run.questions import Asked, SuiteQuestions

__all__ = ["diagnose"]


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
        return _diagnosis(probe, result, 0, 0, notes)
    answers = [observed.answers[question] for question in asked]
    if not all(answers):
        return _diagnosis(probe, result, 0, 0, ("the adapter was not called: it claims no determinism",))
    held, run = _trials_held(probe, result, answers)
    notes = (
        *_missing_notes(probe, answers),
        *_vacuous_notes(probe, answers),
        *_trial_notes(held, run, answers),
        *_tie_notes(answers),
    )
    return _diagnosis(probe, result, held, run, notes)


def _diagnosis(probe: Probe, result: ProbeResult, held: int, run: int, notes: Sequence[str]) -> ProbeDiagnosis:
    return ProbeDiagnosis(
        probe_id=probe.probe_id, result=result.result, trials_held=held, trials_run=run, notes=tuple(notes)
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


def _missing_notes(probe: Probe, answers: Sequence[Sequence[SeenOrdering]]) -> tuple[str, ...]:
    """Say of a decisive item that is in the state but not in the answer that it is: content loss is another matter."""
    if isinstance(probe, AnchorPreservationProbe):
        key = probe.anchor.key
    elif isinstance(probe, CorrectionPrecedenceProbe):
        key = probe.correction.key
    else:
        return ()
    without = sum(ordering.count for ordering in answers[1] if ordering.rank_of(key) is None)
    if not without:
        return ()
    return (
        f"item {key!r} exists, but is filtered out or ranks below top_k ({without} of {_total(answers[1])} trials)",
    )


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


def _trial_notes(held: int, run: int, answers: Sequence[Sequence[SeenOrdering]]) -> tuple[str, ...]:
    flips = min(held, run - held)
    bound = upper_bound(flips, run)
    notes = [f"relation held in {held} of {run} trials: flip rate at most {bound:.1%} (95 %, one-sided)"]
    if any(len(orderings) > 1 for orderings in answers):
        notes.append(f"distinct orderings per question: {', '.join(str(len(item)) for item in answers)}")
    return tuple(notes)


def _tie_notes(answers: Sequence[Sequence[SeenOrdering]]) -> tuple[str, ...]:
    if any(ordering.scores is None for orderings in answers for ordering in orderings):
        return ("ties unobservable: the adapter gives no scores",)
    return ()


def _total(orderings: Sequence[SeenOrdering]) -> int:
    return sum(ordering.count for ordering in orderings)
