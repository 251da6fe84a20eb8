"""Scope filtering by the context of a request; a rule that cannot match lets nothing more through.

``scope:NAME:strict`` passes items labelled exactly ``NAME:<context[NAME]>``; a context without NAME gets nothing.
``scope:NAME:shared`` passes these and the items without any ``NAME:`` label; a context without NAME gets only those.
Several rules all apply. A label is compared as a whole: no prefix, pattern or case matches.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from witnessmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from witnessmark_adapters.items import ItemTable

__all__ = ["ScopeFilter", "ScopeKey", "ScopeRule", "read_rules"]

ScopeKey: TypeAlias = tuple[str | None, ...]
"""The context's value for each rule, None where the context does not name it."""
_KEPT_MASKS = 32


class ScopeRule(NamedTuple):
    """One entry of ``filtering_rules``."""

    name: str
    shared: bool


def read_rules(rules: Sequence[str]) -> tuple[ScopeRule, ...]:
    """Read ``filtering_rules``.

    Raises:
        InputError: ``unknown_filtering_rule``.
    """
    read = []
    for number, rule in enumerate(rules):
        parts = rule.split(":")
        if len(parts) != 3 or parts[0] != "scope" or not parts[1] or parts[2] not in ("strict", "shared"):
            raise InputError(
                "no such filtering rule",
                code="unknown_filtering_rule",
                got=repr(rule),
                wanted="scope:NAME:strict or scope:NAME:shared",
                where=f"profile /filtering_rules/{number}",
            )
        read.append(ScopeRule(parts[1], parts[2] == "shared"))
    return tuple(read)


class ScopeFilter:
    """The items that a context may see."""

    def __init__(self, rules: Sequence[ScopeRule], items: ItemTable) -> None:
        """Index the label combinations of ``items`` by the names that the rules use."""
        self._rules = tuple(rules)
        self._items = items
        self._labelled: dict[str, list[int]] = {}
        self._without = [np.ones(len(items.label_sets), dtype=np.bool_) for _ in self._rules]
        prefixes = [f"{rule.name}:" for rule in self._rules]
        for number, labels in enumerate(items.label_sets):
            for label in labels:
                for place, prefix in enumerate(prefixes):
                    if label.startswith(prefix):
                        self._without[place][number] = False
                        self._labelled.setdefault(label, []).append(number)
        self._masks: OrderedDict[ScopeKey, NDArray[np.bool_]] = OrderedDict()

    def key(self, context: Mapping[str, str]) -> ScopeKey:
        """Return the part of a context that decides what it sees."""
        return tuple(context.get(rule.name) for rule in self._rules)

    def mask(self, key: ScopeKey) -> NDArray[np.bool_] | None:
        """Return which ordinals pass, shape ``(len(items),)``; None where there is no rule."""
        if not self._rules:
            return None
        known = self._masks.get(key)
        if known is None:
            known = self._compute(key)
            self._masks[key] = known
            while len(self._masks) > _KEPT_MASKS:
                self._masks.popitem(last=False)
        return known

    def _compute(self, key: ScopeKey) -> NDArray[np.bool_]:
        passing = np.ones(len(self._items.label_sets), dtype=np.bool_)
        for rule, value, without in zip(self._rules, key, self._without, strict=True):
            allowed = without.copy() if rule.shared else np.zeros_like(without)
            if value is not None:
                allowed[self._labelled.get(f"{rule.name}:{value}", [])] = True
            passing &= allowed
        mask: NDArray[np.bool_] = passing[self._items.label_set_of]
        return mask
