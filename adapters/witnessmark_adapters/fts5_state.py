"""One memory state: a verified checkpoint directory, its items, its lexical index, and what they say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from witnessmark.errors import InputError
from witnessmark.models import Place, RetrieverProfile
from witnessmark.ports import ItemLocation
from witnessmark_adapters.fts5_index import LexicalIndex
from witnessmark_adapters.fts5_settings import IMPLEMENTATION_ID, INDEX, METRIC, read_settings
from witnessmark_adapters.items import ITEMS_FILE, ItemTable
from witnessmark_adapters.live import PACKAGE_PREFIX, TIE_POLICY, installed_version
from witnessmark_adapters.scopes import ScopeFilter, read_rules
from witnessmark_adapters.states import open_checkpoint, read_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from witnessmark.models import StateReference, Target
    from witnessmark.models.base import JsonScalar
    from witnessmark_adapters.fts5_index import Matches
    from witnessmark_adapters.fts5_settings import LexicalSettings
    from witnessmark_adapters.scopes import ScopeKey

__all__ = ["INDEX_FILE", "LexicalState", "Ranked", "live_profile"]

INDEX_FILE = "lexical.sqlite"
_VERSION = "1"
"""Changes when the pipeline may answer differently for the same profile."""
_ADAPTER_VERSION = "0.1"


class Ranked(NamedTuple):
    """The answer to one question."""

    ordinals: NDArray[np.int64]
    """Best first, at most top_k."""
    scores: NDArray[np.float64]
    cut_score: float | None
    """Score of the best item that the cut left out."""


class LexicalState:
    """A state, opened for a profile."""

    def __init__(self, target: Target, profile: RetrieverProfile | None) -> None:
        """Open a checkpoint directory. ``None`` as profile means the one that built it.

        Raises:
            InputError: the target, the profile or the index is not usable, or they contradict one another.
        """
        self._checkpoint = open_checkpoint(target, IMPLEMENTATION_ID)
        wanted = profile or self._checkpoint.profile
        self.settings = read_settings(self._checkpoint.profile)
        self._scope_rules = read_rules(wanted.filtering_rules)
        packages = read_settings(wanted).packages
        folder = self._checkpoint.index_directory
        self.items = ItemTable.load(folder / ITEMS_FILE)
        self._order = None if self.settings.insertion_seed is None else read_order(folder, len(self.items))
        self._index = LexicalIndex(folder / INDEX_FILE, self.settings)
        counts = (self._index.count, len(self.items), self._checkpoint.manifest.item_count)
        if len(set(counts)) != 1:
            self._index.close()
            raise InputError(
                "index is not what its profile says: number of documents",
                code="index_mismatch",
                got=counts[0],
                wanted=f"{counts[2]}, and {counts[1]} items",
                where=str(folder / INDEX_FILE),
            )
        self._scopes = ScopeFilter(self._scope_rules, self.items)
        self.profile = live_profile(wanted, self.settings._replace(packages=packages))

    @property
    def reference(self) -> StateReference:
        """Return what identifies the state, read afresh."""
        return self._checkpoint.state_reference()

    def scope(self, context: dict[str, str]) -> ScopeKey:
        """Return the part of a context that decides what it sees."""
        return self._scopes.key(context)

    def matches(self, tokens: Sequence[str]) -> Matches:
        """Return every item that has one of the tokens, by ordinal, whatever its scope."""
        found = self._index.search(tokens)
        return found if self._order is None else found._replace(places=self._order[found.places])

    def ranked(self, matches: Matches, scope: ScopeKey, top_k: int) -> Ranked:
        """Return the best matches within a scope: by score, equal scores by key, then the cut."""
        ordinals, scores = self._within(matches, scope)
        order = np.lexsort((ordinals, -scores))[: top_k + 1]
        cut = float(scores[order[top_k]]) if len(order) > top_k else None
        return Ranked(ordinals[order[:top_k]], scores[order[:top_k]], cut)

    def locate(self, matches: Matches, scope: ScopeKey, key: str) -> ItemLocation:
        """Return where an item is among the matches, however far down; one that has no token is unreachable."""
        ordinal = self.items.ordinal(key)
        if ordinal is None:
            return ItemLocation(Place.absent)
        mask = self._scopes.mask(scope)
        if mask is not None and not mask[ordinal]:
            return ItemLocation(Place.filtered_out)
        ordinals, scores = self._within(matches, scope)
        place = np.flatnonzero(ordinals == ordinal)
        if not len(place):
            return ItemLocation(Place.unreachable)
        own = scores[place[0]]
        better = (scores > own) | ((scores == own) & (ordinals < ordinal))
        return ItemLocation(Place.below_cut, 1 + int(better.sum()))

    def close(self) -> None:
        """Let go of the index."""
        self._index.close()

    def _within(self, matches: Matches, scope: ScopeKey) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        mask = self._scopes.mask(scope)
        if mask is None:
            return matches.places, matches.scores
        passing = mask[matches.places]
        return matches.places[passing], matches.scores[passing]


def live_profile(wanted: RetrieverProfile, settings: LexicalSettings) -> RetrieverProfile:
    """Return what the pipeline is.

    Args:
        wanted: gives what the pipeline does as it is told: preprocessing, filtering, top_k.
        settings: of the index that is there.
    """
    config: dict[str, JsonScalar] = {
        **settings.parameters,
        **{f"{PACKAGE_PREFIX}{name}": installed_version(name) for name in settings.packages},
    }
    if settings.insertion_seed is not None:
        config["insertion_seed"] = settings.insertion_seed
    return RetrieverProfile.from_json(
        {
            "implementation_id": IMPLEMENTATION_ID,
            "implementation_version": _VERSION,
            "adapter_version": _ADAPTER_VERSION,
            "adapter_capability": "deterministic",
            "tokenizer_id": f"sqlite-fts5/{settings.tokenize}",
            "query_preprocessing": list(wanted.query_preprocessing),
            "distance_metric": METRIC,
            "index_implementation": INDEX,
            "index_build_config": config,
            "filtering_rules": list(wanted.filtering_rules),
            "top_k": wanted.top_k,
            "truncation_rule": "text:none;answer:top_k",
            "tie_policy": TIE_POLICY,
        },
        where="live profile",
    )
