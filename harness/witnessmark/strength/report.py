"""The report: each planted regression evaluated as the run was, by the probes that ask there.

- A regression is caught where a required probe that passed no longer does; a probe that did not pass says nothing new.
- What leaves an answer as it is, or is shown by it already, is counted apart and never survives.
- Pure: nothing is written, and no answer of the run is changed.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_digest
from witnessmark.evaluate import evaluate_probe
from witnessmark.models import BehavioralResult
from witnessmark.models.strength import (
    KillCount,
    KindStrength,
    PlantedRegression,
    RegressionKind,
    SuiteStrengthReport,
    SurvivalReason,
)
from witnessmark.strength.planting import planted_regressions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from witnessmark.checkpoint.edges import Edge
    from witnessmark.models import (
        MemoryCheckpointAssessment,
        Probe,
        ProbeResult,
        ProbeSuite,
        RetrieverProfile,
    )
    from witnessmark.models.strength import MemoryCover
    from witnessmark.run.observed import Observed, SeenOrdering
    from witnessmark.run.questions import Asked, SuiteQuestions
    from witnessmark.strength.catalogue import Catalogue
    from witnessmark.strength.planting import Site, Variant

__all__ = ["suite_strength"]


class _Outcome(NamedTuple):
    """Which probes passed before, and no longer do."""

    caught_by: tuple[str, ...]
    optional: tuple[str, ...]


class _Evaluator:
    """Evaluates the probes that ask a question, with another answer to it."""

    def __init__(
        self,
        suite: ProbeSuite,
        questions: SuiteQuestions,
        observed: Observed,
        profile: RetrieverProfile,
        results: Sequence[ProbeResult],
    ) -> None:
        self._observed = observed
        self._answers = dict(observed.answers)
        self._capability = profile.adapter_capability
        self._asking: dict[Asked, list[tuple[Probe, Sequence[tuple[str, str]], Sequence[Asked], bool]]] = {}
        for probe, named, asked, result in zip(suite.probes, questions.named, questions.asked, results, strict=True):
            passed = result.result is BehavioralResult.pass_
            for question in dict.fromkeys(asked):
                self._asking.setdefault(question, []).append((probe, named, asked, passed))

    def probes(self, asked: Asked) -> tuple[str, ...]:
        """Return the probes that ask a question, in the order of the suite."""
        return tuple(probe.probe_id for probe, *_ in self._asking[asked])

    def reason(self, asked: Asked) -> SurvivalReason:
        """Return why nobody caught what was planted in the answer to a question."""
        required = [passed for probe, _, _, passed in self._asking[asked] if probe.required]
        if not required:
            return SurvivalReason.no_required_probe
        return SurvivalReason.not_noticed if all(required) else SurvivalReason.masked

    def outcome(self, asked: Asked, variant: Variant) -> _Outcome | None:
        """Return who notices a variant, or None where it leaves the answer as it is."""
        before = self._observed.answers[asked]
        after = [_changed(ordering, variant) for ordering in before]
        if all(new is old for new, old in zip(after, before, strict=True)):
            return None
        changed = self._observed._replace(answers=ChainMap({asked: after}, self._answers))
        noticed = [
            probe
            for probe, named, questions, passed in self._asking[asked]
            if passed
            and evaluate_probe(probe, named, questions, changed, self._capability).result is not BehavioralResult.pass_
        ]
        return _Outcome(
            tuple(probe.probe_id for probe in noticed if probe.required),
            tuple(probe.probe_id for probe in noticed if not probe.required),
        )


def suite_strength(
    assessment: MemoryCheckpointAssessment,
    suite: ProbeSuite,
    questions: SuiteQuestions,
    profile: RetrieverProfile,
    observed: Observed,
    *,
    catalogue: Catalogue,
    edges: Iterable[Edge] = (),
    cover: MemoryCover | None = None,
) -> SuiteStrengthReport:
    """Plant every regression in turn and say which the suite would have caught.

    Args:
        assessment: of the run; gives the results before.
        suite: the run's probes.
        questions: what ``suite`` asks (`witnessmark.run.questions.read_questions`).
        profile: the run's profile.
        observed: what the run observed; it is not changed.
        catalogue: items that can leak.
        edges: relations between the candidate's records, where they are known.
        cover: what the required probes are about, where the records are known.
    """
    evaluator = _Evaluator(suite, questions, observed, profile, assessment.probe_results)
    found: list[PlantedRegression] = []
    unchanged = dict.fromkeys(RegressionKind, 0)
    for site in planted_regressions(suite, questions, observed, catalogue, edges, profile.top_k):
        regression = _evaluated(site, questions, evaluator)
        if regression is None:
            unchanged[site.kind] += 1
        else:
            found.append(regression)
    return SuiteStrengthReport(
        assessment_digest=canonical_digest(assessment),
        probe_suite_digest=assessment.probe_suite_digest,
        result=assessment.result,
        total=KillCount.model_validate(_counts(found, sum(unchanged.values()))),
        kinds=tuple(
            KindStrength.model_validate(
                {"kind": kind, **_counts([item for item in found if item.kind is kind], unchanged[kind])}
            )
            for kind in RegressionKind
        ),
        regressions=tuple(sorted(found, key=lambda item: list(RegressionKind).index(item.kind))),
        cover=cover,
    )


def _evaluated(site: Site, questions: SuiteQuestions, evaluator: _Evaluator) -> PlantedRegression | None:
    outcomes = [(variant, evaluator.outcome(site.asked, variant)) for variant in site.variants]
    shown = [(variant, outcome) for variant, outcome in outcomes if outcome is not None]
    if not shown:
        return None
    through = next(((variant, outcome) for variant, outcome in shown if not outcome.caught_by), None)
    variant, outcome = through or shown[0]
    caught = () if through else tuple(dict.fromkeys(name for _, each in shown for name in each.caught_by))
    return PlantedRegression(
        kind=site.kind,
        request_digest=site.asked.request_digest,
        request=questions.requests[site.asked],
        planted=variant.planted,
        caught_by=caught,
        survived=None if caught else evaluator.reason(site.asked),
        asked_by=evaluator.probes(site.asked),
        optional_noticed=outcome.optional,
    )


def _changed(ordering: SeenOrdering, variant: Variant) -> SeenOrdering:
    items = variant.change(ordering.items)
    if [item[1:] for item in items] == [item[1:] for item in ordering.items]:
        return ordering
    # Scores belong to the answer that was observed; no probe looks at them.
    return replace(ordering, items=items, scores=None, cut_score=None)


def _counts(found: Sequence[PlantedRegression], unchanged: int) -> dict[str, int | float | None]:
    caught = sum(bool(item.caught_by) for item in found)
    return {
        "caught": caught,
        "planted": len(found),
        "unchanged": unchanged,
        "kill_ratio": caught / len(found) if found else None,
    }
