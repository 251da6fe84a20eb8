"""Where regressions are planted: in the candidate's recorded answers, at the requests that probes ask.

- Corrections: at the requests of probes that name an item of the edge, for the edges of correction probes and of the
  checkpoint. Demotions: the corrections and anchors of the probe that asks.
- Leaks: at the requests of isolation and differentiation probes, for each scope label that the context does not own.
  One regression stands for every item of the scope: it is caught if each of them would be.
- Collapses: both contexts of each differentiation probe, either way. Truncations and emptying: every request.
- In the order of the kinds, then of the suite.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.models import (
    AnchorPreservationProbe,
    CorrectionPrecedenceProbe,
    ScopeIsolationProbe,
    StateConditionedDifferentiationProbe,
)
from witnessmark.models.strength import RegressionKind
from witnessmark.run.observed import SeenItem
from witnessmark.strength.catalogue import owned_labels
from witnessmark.strength.mutations import append, demote, drop, keep, swap
from witnessmark.suite_advice import item_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from witnessmark.checkpoint.edges import Edge
    from witnessmark.models import Probe, ProbeSuite
    from witnessmark.run.observed import Observed
    from witnessmark.run.questions import Asked, SuiteQuestions
    from witnessmark.strength.catalogue import Catalogue
    from witnessmark.strength.mutations import Items

__all__ = ["Site", "Variant", "planted_regressions"]

_UNKNOWN = f"sha256:{'0' * 64}"
"""Version of an item that is planted: no probe looks at versions."""


class Variant(NamedTuple):
    """One way in which a regression shows."""

    planted: str
    """What is done, in words."""
    change: Callable[[Items], Items]


class Site(NamedTuple):
    """One regression: a kind at a question, and every way in which it shows. It is caught if all of these are."""

    kind: RegressionKind
    asked: Asked
    variants: tuple[Variant, ...]


class _Place(NamedTuple):
    """A question to the candidate, and the probes that ask it."""

    asked: Asked
    context: Mapping[str, str]
    probes: tuple[Probe, ...]


def planted_regressions(
    suite: ProbeSuite,
    questions: SuiteQuestions,
    observed: Observed,
    catalogue: Catalogue,
    edges: Iterable[Edge],
    top_k: int,
) -> Iterator[Site]:
    """Yield every regression that is planted; some leave an answer as it is.

    Args:
        suite: the probes.
        questions: what ``suite`` asks.
        observed: the recorded answers.
        catalogue: items that can leak.
        edges: relations between the candidate's records, where they are known.
        top_k: of the pinned profile.
    """
    places = _places(suite, questions, observed)
    yield from _corrections(suite, places, edges)
    yield from _demotions(places, top_k)
    for labelled in (True, False):
        yield from _leaks(places, observed, catalogue, top_k, labelled)
    yield from _collapses(suite, questions, observed)
    for kind, count in (
        (RegressionKind.truncate_by_one, top_k - 1),
        (RegressionKind.truncate_to_one, 1),
        (RegressionKind.empty, 0),
    ):
        for place in places:
            yield Site(kind, place.asked, (_cut(count),))


def _places(suite: ProbeSuite, questions: SuiteQuestions, observed: Observed) -> tuple[_Place, ...]:
    asking: dict[Asked, list[Probe]] = {}
    for probe, asked in zip(suite.probes, questions.asked, strict=True):
        for question in dict.fromkeys(asked):
            if question.state_name == questions.candidate and observed.answers.get(question):
                asking.setdefault(question, []).append(probe)
    return tuple(
        _Place(question, questions.requests[question].context, tuple(probes)) for question, probes in asking.items()
    )


def _cut(count: int) -> Variant:
    text = f"only the first {count} items are left" if count > 1 else "only the first item is left"
    return Variant(text if count else "nothing is retrieved", lambda items: keep(items, count))


def _corrections(suite: ProbeSuite, places: Sequence[_Place], edges: Iterable[Edge]) -> Iterator[Site]:
    known = dict.fromkeys(
        (probe.correction.key, probe.superseded.key)
        for probe in suite.probes
        if isinstance(probe, CorrectionPrecedenceProbe)
    )
    known.update(dict.fromkeys((edge.item_key, edge.target_key) for edge in edges if edge.relation == "supersedes"))
    by_key: dict[str, list[tuple[str, str]]] = {}
    for pair in known:
        for key in dict.fromkeys(pair):
            by_key.setdefault(key, []).append(pair)
    at = [
        (place.asked, dict.fromkeys(pair for key in _wanted_keys(place.probes) for pair in by_key.get(key, ())))
        for place in places
    ]
    for asked, pairs in at:
        for correction in dict.fromkeys(correction for correction, _ in pairs):
            yield Site(RegressionKind.drop_correction, asked, (_dropped(correction),))
    for asked, pairs in at:
        for correction, superseded in pairs:
            yield Site(RegressionKind.swap_correction, asked, (_swapped(correction, superseded),))


def _wanted_keys(probes: Iterable[Probe]) -> Iterator[str]:
    for probe in probes:
        if not isinstance(probe, ScopeIsolationProbe):
            yield from item_keys(probe)


def _dropped(correction: str) -> Variant:
    return Variant(f"correction {correction!r} is gone", lambda items: drop(items, correction))


def _swapped(correction: str, superseded: str) -> Variant:
    planted = SeenItem(1, superseded, _UNKNOWN, ())
    return Variant(
        f"superseded {superseded!r} in the place of correction {correction!r}",
        lambda items: swap(items, correction, planted),
    )


def _demotions(places: Sequence[_Place], top_k: int) -> Iterator[Site]:
    for place in places:
        found: dict[str, str] = {}
        for probe in place.probes:
            if isinstance(probe, CorrectionPrecedenceProbe):
                found.setdefault(probe.correction.key, "correction")
            elif isinstance(probe, AnchorPreservationProbe):
                found.setdefault(probe.anchor.key, "anchor")
        for key, what in found.items():
            yield Site(RegressionKind.demote_by_one, place.asked, (_demoted(what, key, top_k),))


def _demoted(what: str, key: str, top_k: int) -> Variant:
    return Variant(f"{what} {key!r} one rank down", lambda items: demote(items, key, top_k))


def _leaks(
    places: Sequence[_Place], observed: Observed, catalogue: Catalogue, top_k: int, labelled: bool
) -> Iterator[Site]:
    kind = RegressionKind.leak_scope if labelled else RegressionKind.leak_unlabelled
    for place in places:
        guards = [
            probe
            for probe in place.probes
            if isinstance(probe, ScopeIsolationProbe | StateConditionedDifferentiationProbe)
        ]
        if not guards:
            continue
        owned = owned_labels(place.context)
        named = {key for probe in place.probes for key in item_keys(probe)}
        shown = {item for ordering in observed.answers[place.asked] for item in ordering.items}
        for label in catalogue.labels:
            carriers = catalogue.carriers(label, owned)
            if carriers:
                there = any(label in item.labels for item in shown)
                chosen = () if there else tuple(_chosen(carriers, named, {item.key for item in shown}))
                yield Site(kind, place.asked, tuple(_leaked(label, item, top_k, labelled) for item in chosen))


def _chosen(carriers: Mapping[tuple[str, ...], Sequence[str]], named: set[str], shown: set[str]) -> Iterator[SeenItem]:
    """Yield the items whose leaks differ for the probes: each that one names, one of the others a set of labels."""
    for labels, keys in carriers.items():
        unnamed = next((key for key in keys if key not in named and key not in shown), None)
        if unnamed is not None:
            yield SeenItem(1, unnamed, _UNKNOWN, labels)
        for key in keys:
            if key in named and key not in shown:
                yield SeenItem(1, key, _UNKNOWN, labels)


def _leaked(label: str, item: SeenItem, top_k: int, labelled: bool) -> Variant:
    planted = item if labelled else item._replace(labels=())
    suffix = "" if labelled else ", without its labels"
    return Variant(
        f"item {item.key!r} of {label!r} in the last place{suffix}", lambda items: append(items, planted, top_k)
    )


def _collapses(suite: ProbeSuite, questions: SuiteQuestions, observed: Observed) -> Iterator[Site]:
    seen = set()
    for probe, asked in zip(suite.probes, questions.asked, strict=True):
        if not isinstance(probe, StateConditionedDifferentiationProbe):
            continue
        a, b = asked
        for changed, source, name, other in ((b, a, "B", "A"), (a, b, "A", "B")):
            if (changed, source) not in seen and observed.answers.get(changed) and observed.answers.get(source):
                seen.add((changed, source))
                yield Site(
                    RegressionKind.collapse_contexts,
                    changed,
                    (_answered(observed.answers[source][0].items, name, other),),
                )


def _answered(items: Items, name: str, other: str) -> Variant:
    return Variant(f"context {name} gets the answer of context {other}", lambda _: items)
