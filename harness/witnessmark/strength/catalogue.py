"""The items that can be planted: what a run retrieved and, given the checkpoints, what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from witnessmark.models import MemoryRecord
    from witnessmark.run.observed import Observed

__all__ = ["Catalogue", "owned_labels"]


def owned_labels(context: Mapping[str, str]) -> frozenset[str]:
    """Return the scope labels that are a context's own: ``NAME:VALUE`` of each of its entries."""
    return frozenset(f"{name}:{value}" for name, value in context.items())


class Catalogue:
    """Keys by their scope labels. A key that came with several combinations of labels stands under each."""

    def __init__(self, observed: Observed, records: Iterable[MemoryRecord] = ()) -> None:
        """Collect what was retrieved from either state, and ``records``."""
        by_labels: dict[tuple[str, ...], set[str]] = {}
        for orderings in observed.answers.values():
            for ordering in orderings:
                for item in ordering.items:
                    by_labels.setdefault(item.labels, set()).add(item.key)
        for record in records:
            by_labels.setdefault(tuple(sorted(record.scope_labels)), set()).add(record.key)
        self._by_labels = {labels: tuple(sorted(by_labels[labels])) for labels in sorted(by_labels)}
        self._labels = tuple(sorted({label for labels in self._by_labels for label in labels}))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return every scope label, sorted."""
        return self._labels

    def carriers(self, label: str, owned: frozenset[str]) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """Return the keys that carry a label and none of the ``owned`` ones: all labels of the item → keys, sorted."""
        return {
            labels: keys for labels, keys in self._by_labels.items() if label in labels and owned.isdisjoint(labels)
        }
