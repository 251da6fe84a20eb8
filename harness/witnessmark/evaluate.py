"""Probe results from observations: the semantics of the wire contract §3, first hit wins.

- Existence is by stable item key; a missing one is ``id_churn``, whatever was retrieved.
- More than one distinct ordering is ``repeatability_unstable``.
- One deliberate difference from the reference: a forbidden item or label seen in any trial is a fail with its
  severity, also when the orderings differ. One observation refutes "never".
- Nothing here reads a clock, a file or a retriever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.models import (
    AdapterCapability,
    AnchorPreservationProbe,
    BehavioralResult,
    CorrectionPrecedenceProbe,
    IndeterminateReason,
    Probe,
    ProbeResult,
    ScopeIsolationProbe,
    StateConditionedDifferentiationProbe,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from witnessmark.models import ProbeSuite
    from witnessmark.run.observed import Observed, SeenOrdering
    from witnessmark.run.questions import Asked, SuiteQuestions

__all__ = ["evaluate", "evaluate_probe", "precondition_met", "relation_violations"]


def evaluate(
    suite: ProbeSuite, questions: SuiteQuestions, observed: Observed, capability: AdapterCapability
) -> tuple[ProbeResult, ...]:
    """Evaluate every probe of ``suite``, in order.

    Args:
        suite: the probes.
        questions: what ``suite`` asks (`witnessmark.run.questions.read_questions`).
        observed: answers to every question of every decidable probe, and the presence of every named item.
        capability: what the profile claims.

    Raises:
        KeyError: an answer or a presence that a probe needs is not in ``observed``.
    """
    return tuple(
        evaluate_probe(probe, named, asked, observed, capability)
        for probe, named, asked in zip(suite.probes, questions.named, questions.asked, strict=True)
    )


def evaluate_probe(
    probe: Probe,
    named: Sequence[tuple[str, str]],
    asked: Sequence[Asked],
    observed: Observed,
    capability: AdapterCapability,
) -> ProbeResult:
    """Evaluate one probe.

    Args:
        probe: the probe.
        named: the (state name, item key) pairs that have to exist, as in `SuiteQuestions.named`.
        asked: the questions that it looks at, as in `SuiteQuestions.asked`.
        observed: answers to these questions, and the presence of these items.
        capability: what the profile claims.

    Raises:
        KeyError: an answer or a presence that the probe needs is not in ``observed``.
    """
    if not all(observed.presence[place] for place in named):
        return _undecided(probe, IndeterminateReason.id_churn)
    if capability is AdapterCapability.unsupported_or_unknown:
        return _undecided(probe, IndeterminateReason.adapter_unsupported)
    answers = [observed.answers[question] for question in asked]
    if not all(answers):
        return _undecided(probe, IndeterminateReason.repeatability_not_run)
    if any(len(orderings) > 1 for orderings in answers):
        leaks = _leaks_in_any_trial(probe, answers)
        if leaks:
            return _failed(probe, leaks)
        return _undecided(probe, IndeterminateReason.repeatability_unstable)
    single = [orderings[0] for orderings in answers]
    if not precondition_met(probe, single[0]):
        return _undecided(probe, IndeterminateReason.baseline_precondition_unmet)
    violations = relation_violations(probe, single)
    return _failed(probe, violations) if violations else _result(probe, BehavioralResult.pass_)


def precondition_met(probe: Probe, baseline: SeenOrdering) -> bool:
    """Return whether the baseline's answer makes the probe meaningful; isolation and differentiation always are."""
    if isinstance(probe, CorrectionPrecedenceProbe):
        return baseline.rank_of(probe.superseded.key) is not None
    if isinstance(probe, AnchorPreservationProbe):
        rank = baseline.rank_of(probe.anchor.key)
        return rank is not None and rank <= probe.max_rank
    return True


def relation_violations(probe: Probe, answers: Sequence[SeenOrdering]) -> tuple[str, ...]:
    """Return how one answer to each of the probe's questions breaks its relation; empty means that it holds.

    Args:
        probe: the probe.
        answers: one ordering a question, in the order of `SuiteQuestions.asked`.
    """
    if isinstance(probe, CorrectionPrecedenceProbe):
        return _correction_violations(probe, answers[1])
    if isinstance(probe, AnchorPreservationProbe):
        rank = answers[1].rank_of(probe.anchor.key)
        if rank is None:
            return (f"anchor {probe.anchor.key!r}: got no rank, wanted rank {probe.max_rank} or better",)
        if rank > probe.max_rank:
            return (f"anchor {probe.anchor.key!r}: got rank {rank}, wanted rank {probe.max_rank} or better",)
        return ()
    if isinstance(probe, ScopeIsolationProbe):
        return _exposures(probe, answers[0])
    return _differentiation_violations(probe, *answers)


def _correction_violations(probe: CorrectionPrecedenceProbe, candidate: SeenOrdering) -> tuple[str, ...]:
    correction = candidate.rank_of(probe.correction.key)
    superseded = candidate.rank_of(probe.superseded.key)
    if correction is None:
        other = "not retrieved either" if superseded is None else f"at rank {superseded}"
        return (f"correction {probe.correction.key!r}: got no rank, superseded {probe.superseded.key!r} is {other}",)
    if superseded is not None and correction >= superseded:
        return (
            f"correction {probe.correction.key!r}: got rank {correction}, wanted a rank above "
            f"{superseded} of superseded {probe.superseded.key!r}",
        )
    return ()


def _exposures(probe: ScopeIsolationProbe, answer: SeenOrdering) -> tuple[str, ...]:
    keys, labels = probe.forbidden_item_keys, frozenset(probe.forbidden_scope_labels)
    found: list[str] = []
    for item in answer.items:
        if item.key in keys:
            found.append(f"forbidden item {item.key!r} retrieved at rank {item.rank}")
        if not labels.isdisjoint(item.labels):
            found.extend(
                f"forbidden scope label {label!r} on item {item.key!r} retrieved at rank {item.rank}"
                for label in item.labels
                if label in labels
            )
    return tuple(found)


def _forbidden_in_context(name: str, keys: Sequence[str], answer: SeenOrdering) -> list[str]:
    got = set(answer.keys)
    return [f"context {name}: forbidden item {key!r} retrieved" for key in keys if key in got]


def _differentiation_violations(
    probe: StateConditionedDifferentiationProbe, answer_a: SeenOrdering, answer_b: SeenOrdering
) -> tuple[str, ...]:
    found: list[str] = []
    for name, required, forbidden, answer in (
        ("A", probe.a_required_keys, probe.a_forbidden_keys, answer_a),
        ("B", probe.b_required_keys, probe.b_forbidden_keys, answer_b),
    ):
        got = set(answer.keys)
        found.extend(f"context {name}: required item {key!r} not retrieved" for key in required if key not in got)
        found.extend(_forbidden_in_context(name, forbidden, answer))
    if probe.require_distinct_ordering and answer_a.keys == answer_b.keys:
        found.append("contexts A and B got the same items in the same order")
    return tuple(found)


def _leaks_in_any_trial(probe: Probe, answers: Sequence[Sequence[SeenOrdering]]) -> tuple[str, ...]:
    """Return every exposure of something forbidden, with the number of trials that showed it."""
    counted: dict[str, int] = {}
    if isinstance(probe, ScopeIsolationProbe):
        for ordering in answers[0]:
            for leak in _exposures(probe, ordering):
                counted[leak] = counted.get(leak, 0) + ordering.count
    elif isinstance(probe, StateConditionedDifferentiationProbe):
        for name, keys, orderings in (
            ("A", probe.a_forbidden_keys, answers[0]),
            ("B", probe.b_forbidden_keys, answers[1]),
        ):
            for ordering in orderings:
                for leak in _forbidden_in_context(name, keys, ordering):
                    counted[leak] = counted.get(leak, 0) + ordering.count
    total = sum(ordering.count for ordering in answers[0])
    return tuple(f"{leak} in {count} of {total} trials" for leak, count in sorted(counted.items()))


def _undecided(probe: Probe, reason: IndeterminateReason) -> ProbeResult:
    return _result(probe, BehavioralResult.indeterminate, reasons=(reason,))


def _failed(probe: Probe, violations: Iterable[str]) -> ProbeResult:
    return _result(probe, BehavioralResult.fail, violations=tuple(violations))


def _result(
    probe: Probe,
    result: BehavioralResult,
    *,
    reasons: tuple[IndeterminateReason, ...] = (),
    violations: tuple[str, ...] = (),
) -> ProbeResult:
    return ProbeResult(
        probe_id=probe.probe_id,
        required=probe.required,
        result=result,
        severity=probe.severity,
        reasons=reasons,
        violations=violations,
    )
