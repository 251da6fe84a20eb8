"""What of the candidate's records the required probes are about, and what none of them is.

- An edge ``supersedes``: a correction probe names both items. ``contradicts`` resolves nothing: either order counts.
- An anchor: an anchor probe names it.
- A scope: an isolation probe forbids its label, or an isolation or differentiation probe the key of an item of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.checkpoint.edges import edges_of, is_anchor
from witnessmark.models import (
    AnchorPreservationProbe,
    CorrectionPrecedenceProbe,
    ScopeIsolationProbe,
    StateConditionedDifferentiationProbe,
)
from witnessmark.models.strength import MemoryCover, UncoveredEdge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.checkpoint.edges import Edge
    from witnessmark.models import MemoryRecord, ProbeSuite

__all__ = ["cover_of"]


def cover_of(suite: ProbeSuite, records: Sequence[MemoryRecord]) -> MemoryCover:
    """Return which edges, anchors and scopes of ``records`` a required probe of ``suite`` is about."""
    pairs: set[tuple[str, str]] = set()
    anchored: set[str] = set()
    keys: set[str] = set()
    labels: set[str] = set()
    for probe in suite.probes:
        if not probe.required:
            continue
        if isinstance(probe, CorrectionPrecedenceProbe):
            pairs.add((probe.correction.key, probe.superseded.key))
        elif isinstance(probe, AnchorPreservationProbe):
            anchored.add(probe.anchor.key)
        elif isinstance(probe, ScopeIsolationProbe):
            keys.update(probe.forbidden_item_keys)
            labels.update(probe.forbidden_scope_labels)
        elif isinstance(probe, StateConditionedDifferentiationProbe):
            keys.update((*probe.a_forbidden_keys, *probe.b_forbidden_keys))
    live = {record.key for record in records}
    edges = tuple(dict.fromkeys(edge for record in records for edge in edges_of(record)))
    anchors = tuple(record.key for record in records if is_anchor(record))
    scopes = tuple(sorted({label for record in records for label in record.scope_labels}))
    forbidden = labels | {label for record in records if record.key in keys for label in record.scope_labels}
    missed = tuple(edge for edge in edges if not _covered(edge, pairs))
    lone = tuple(key for key in anchors if key not in anchored)
    open_scopes = tuple(label for label in scopes if label not in forbidden)
    return MemoryCover(
        edges=len(edges),
        edges_covered=len(edges) - len(missed),
        anchors=len(anchors),
        anchors_covered=len(anchors) - len(lone),
        scopes=len(scopes),
        scopes_covered=len(scopes) - len(open_scopes),
        uncovered_edges=tuple(
            UncoveredEdge(
                item_key=edge.item_key,
                relation=edge.relation,
                target_key=edge.target_key,
                target_live=edge.target_key in live,
            )
            for edge in missed
        ),
        uncovered_anchors=lone,
        uncovered_scopes=open_scopes,
    )


def _covered(edge: Edge, pairs: set[tuple[str, str]]) -> bool:
    there = (edge.item_key, edge.target_key) in pairs
    return there or (edge.relation == "contradicts" and (edge.target_key, edge.item_key) in pairs)
