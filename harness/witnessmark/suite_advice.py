"""What is suspicious about a suite that is valid: probes that prove nothing, or that nothing can satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_digest
from witnessmark.models import (
    AnchorPreservationProbe,
    CorrectionPrecedenceProbe,
    Probe,
    ProbeSuite,
    RetrievalRequest,
    ScopeIsolationProbe,
    StateConditionedDifferentiationProbe,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Advice", "advise", "item_keys"]


class Advice(NamedTuple):
    """One warning. It decides nothing."""

    code: str
    """Stable, snake_case."""
    message: str
    probe_id: str | None = None
    """The probe it is about, or None for the suite."""


def advise(suite: ProbeSuite, texts: Mapping[str, str] | None = None) -> tuple[Advice, ...]:
    """Return warnings about a suite, those about all of it first, then in the order of its probes.

    Args:
        suite: a valid suite.
        texts: record texts by item key, or None where they are not at hand; with them, queries can be compared with
            what they should find.
    """
    found = list(_about_suite(suite))
    anchored = {
        canonical_digest(RetrievalRequest(query=probe.query, context=probe.context))
        for probe in suite.probes
        if isinstance(probe, AnchorPreservationProbe)
    }
    seen: dict[str, str] = {}
    for probe in suite.probes:
        found.extend(_about_probe(probe, anchored))
        found.extend(_about_twins(probe, seen))
        if texts is not None:
            found.extend(_about_texts(probe, texts))
    return tuple(found)


def item_keys(probe: Probe) -> tuple[str, ...]:
    """Return the item keys that a probe names, each once, in the order in which it names them."""
    if isinstance(probe, CorrectionPrecedenceProbe):
        keys: tuple[str, ...] = (probe.superseded.key, probe.correction.key)
    elif isinstance(probe, AnchorPreservationProbe):
        keys = (probe.anchor.key,)
    elif isinstance(probe, ScopeIsolationProbe):
        keys = probe.forbidden_item_keys
    else:
        keys = (*probe.a_required_keys, *probe.a_forbidden_keys, *probe.b_required_keys, *probe.b_forbidden_keys)
    return tuple(dict.fromkeys(keys))


def _about_suite(suite: ProbeSuite) -> Iterator[Advice]:
    kinds = {probe.kind for probe in suite.probes}
    if "scope_isolation" not in kinds:
        yield Advice("no_isolation", "no probe looks for leaks between scopes")
    if "correction_precedence" in kinds and "anchor_preservation" not in kinds:
        yield Advice(
            "corrections_without_anchors",
            "no anchor shows whether unrelated memories survived the machinery that applies corrections",
        )


def _about_probe(probe: Probe, anchored: set[str]) -> Iterator[Advice]:
    if isinstance(probe, CorrectionPrecedenceProbe):
        if probe.superseded.key == probe.correction.key:
            yield _cannot_pass(probe, "superseded and correction are the same item")
    elif isinstance(probe, ScopeIsolationProbe):
        if canonical_digest(RetrievalRequest(query=probe.query, context=probe.context)) not in anchored:
            yield Advice(
                "isolation_without_liveness",
                "no anchor with the same query and context: an empty answer would pass",
                probe.probe_id,
            )
        own = {f"{name}:{value}" for name, value in probe.context.items()}
        for label in probe.forbidden_scope_labels:
            if label in own:
                yield Advice("forbids_own_scope", f"forbids {label!r}, the scope that it asks in", probe.probe_id)
        if not probe.forbidden_item_keys:
            yield Advice(
                "isolation_by_label_only",
                "names no forbidden item key: an item that lost its label would go unseen",
                probe.probe_id,
            )
    elif isinstance(probe, StateConditionedDifferentiationProbe):
        for name, required, forbidden in (
            ("A", probe.a_required_keys, probe.a_forbidden_keys),
            ("B", probe.b_required_keys, probe.b_forbidden_keys),
        ):
            for key in required:
                if key in forbidden:
                    yield _cannot_pass(probe, f"context {name} requires and forbids {key!r}")


def _cannot_pass(probe: Probe, why: str) -> Advice:
    return Advice("cannot_pass", f"no answer satisfies it: {why}", probe.probe_id)


def _about_twins(probe: Probe, seen: dict[str, str]) -> Iterator[Advice]:
    content = canonical_digest(probe.model_dump(mode="json", exclude={"probe_id"}))
    first = seen.setdefault(content, probe.probe_id)
    if first != probe.probe_id:
        yield Advice("same_as_another", f"asks exactly what {first!r} asks", probe.probe_id)


def _about_texts(probe: Probe, texts: Mapping[str, str]) -> Iterator[Advice]:
    for key in item_keys(probe):
        if key not in texts:
            yield Advice("unknown_item", f"names {key!r}, which the records do not hold", probe.probe_id)
    if isinstance(probe, CorrectionPrecedenceProbe):
        text = texts.get(probe.correction.key)
        if text is not None and _plain(text) == _plain(probe.query):
            yield Advice(
                "query_is_the_correction",
                "the query is the correction's own text, which always finds it; phrase it like the superseded item",
                probe.probe_id,
            )
    if isinstance(probe, AnchorPreservationProbe):
        text = texts.get(probe.anchor.key)
        if text is not None and _plain(text) == _plain(probe.query):
            yield Advice("query_is_the_anchor", "the query is the anchor's own text", probe.probe_id)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".?!")
