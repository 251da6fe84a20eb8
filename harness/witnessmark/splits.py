"""What split: how the answers to one question differed, on which axes, and from which rank on."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from witnessmark.models import Axis, AxisCounts, OrderingSplit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.run.observed import Observed, SeenOrdering
    from witnessmark.run.questions import Asked

__all__ = ["split_of"]


def split_of(asked: Asked, observed: Observed) -> OrderingSplit | None:
    """Return how the answers to a question differed, rebuilt indexes included, or None where they never did."""
    deciding = observed.answers[asked]
    rebuilt = observed.rebuilt.get(asked, [])
    identities = [ordering.identity for ordering in deciding]
    distinct = [*deciding, *(ordering for ordering in rebuilt if ordering.identity not in identities)]
    if len(distinct) < 2:
        return None
    # What only a rebuilt index gave came in no deciding trial: its trials are numbered apart.
    others = [0] * (len(distinct) - len(deciding))
    axes = [
        AxisCounts(
            axis=group.axis, counts=[*(item.count_within(group.first, group.count) for item in deciding), *others]
        )
        for group in observed.groups
    ]
    if rebuilt:
        by_identity = {ordering.identity: ordering.count for ordering in rebuilt}
        axes.append(
            AxisCounts(axis=Axis.rebuild, counts=[by_identity.get(ordering.identity, 0) for ordering in distinct])
        )
    return OrderingSplit(
        state_name=asked.state_name,
        request_digest=asked.request_digest,
        axes=axes,
        first_difference=_first_difference(distinct),
        score_multisets=_score_multisets(distinct),
    )


def _first_difference(orderings: Sequence[SeenOrdering]) -> int:
    for place, items in enumerate(zip_longest(*(ordering.items for ordering in orderings)), start=1):
        if len({None if item is None else item[1:] for item in items}) > 1:
            return min((item.rank for item in items if item is not None), default=place)
    return 1


def _score_multisets(orderings: Sequence[SeenOrdering]) -> int | None:
    scores = [ordering.scores for ordering in orderings]
    if any(item is None for item in scores):
        return None
    return len({tuple(sorted(item)) for item in scores if item is not None})
