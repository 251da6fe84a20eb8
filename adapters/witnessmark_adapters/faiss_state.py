"""One memory state: a verified checkpoint directory, its items, its index, and what they say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from witnessmark.errors import InputError
from witnessmark.models import Place
from witnessmark.ports import ItemLocation
from witnessmark_adapters.embedding import shared_embedder
from witnessmark_adapters.faiss_index import VectorIndex
from witnessmark_adapters.faiss_kinds import read_index
from witnessmark_adapters.faiss_profile import IMPLEMENTATION_ID, live_profile
from witnessmark_adapters.faiss_settings import SEARCH_PARAMETERS, IndexSettings, read_settings
from witnessmark_adapters.items import ITEMS_FILE, ItemTable
from witnessmark_adapters.scopes import ScopeFilter, read_rules
from witnessmark_adapters.states import open_checkpoint, read_order
from witnessmark_adapters.ties import rank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from witnessmark.models import RetrieverProfile, StateReference, Target
    from witnessmark.ports import Truncation
    from witnessmark_adapters.embedding import CheckedEmbedder, Loaded
    from witnessmark_adapters.scopes import ScopeKey
    from witnessmark_adapters.ties import Ranking

__all__ = ["INDEX_FILE", "FaissState"]

INDEX_FILE = "vectors.faiss"


_EXACT = frozenset({"IndexFlatIP", "IndexFlatL2", "IndexScalarQuantizer"})
"""Indexes that look at every vector."""


class FaissState:
    """A state, opened for a profile."""

    def __init__(self, target: Target, profile: RetrieverProfile | None, loaded: Loaded) -> None:
        """Open a checkpoint directory. ``None`` as profile means the one that built it.

        An embedder is taken from ``loaded``, or put there.

        Raises:
            InputError: the target, the profile or the index is not usable, or they contradict one another.
        """
        self._checkpoint = open_checkpoint(target, IMPLEMENTATION_ID)
        built = self._checkpoint.profile
        wanted = profile or built
        where = str(self._checkpoint.index_directory / INDEX_FILE)
        settings = read_settings(built)
        asked = read_settings(wanted)
        self.embedder = shared_embedder(settings, loaded)
        self._document_prefix = settings.document_prefix
        _same_space(built, self.embedder, where)
        self.items = ItemTable.load(self._checkpoint.index_directory / ITEMS_FILE)
        self._index = VectorIndex(
            read_index(self._checkpoint.index_directory / INDEX_FILE),
            order=None
            if settings.insertion_seed is None
            else read_order(self._checkpoint.index_directory, len(self.items)),
            where=where,
        )
        self._check_index(settings, where)
        for name in SEARCH_PARAMETERS:
            if name in settings.parameters:
                self._index.set_search_parameter(name, (asked if name in asked.parameters else settings).whole(name))
        self._scopes = ScopeFilter(read_rules(wanted.filtering_rules), self.items)
        # A training seed is not in the index file; the build's own profile, which the state binds, has it.
        parameters = {**settings.parameters, **self._index.description.parameters}
        self.profile = live_profile(wanted, settings._replace(packages=asked.packages), self.embedder, parameters)

    @property
    def reference(self) -> StateReference:
        """Return what identifies the state, read afresh."""
        return self._checkpoint.state_reference()

    def scope(self, context: dict[str, str]) -> ScopeKey:
        """Return the part of a context that decides what it sees."""
        return self._scopes.key(context)

    def rank(self, vectors: NDArray[np.float32], scope: ScopeKey) -> Ranking:
        """Return the best items for some query vectors within one scope."""
        return rank(self._index, vectors, self.profile.top_k, self._scopes.mask(scope))

    def locate(self, vector: NDArray[np.float32], scope: ScopeKey, key: str) -> ItemLocation:
        """Return where an item is for one query vector, shape ``(1, d)``, however far down.

        Exact indexes give the rank under the tie policy. A graph or inverted lists are asked for everything they
        find: the rank is that among what they return, and what they never return is unreachable.
        """
        ordinal = self.items.ordinal(key)
        if ordinal is None:
            return ItemLocation(Place.absent)
        mask = self._scopes.mask(scope)
        if mask is not None and not mask[ordinal]:
            return ItemLocation(Place.filtered_out)
        if self._index.description.implementation in _EXACT:
            found = self._index.scan(vector, mask)
        else:
            found = self._index.candidates(vector, len(self.items))
        ordinals, scores = found.ordinals[0], found.scores[0]
        allowed = ordinals >= 0
        if mask is not None:
            allowed &= mask[ordinals]
        ordinals, scores = ordinals[allowed], scores[allowed]
        place = np.flatnonzero(ordinals == ordinal)
        if not len(place):
            return ItemLocation(Place.unreachable)
        own = scores[place[0]]
        better = (scores > own) | ((scores == own) & (ordinals < ordinal))
        return ItemLocation(Place.below_cut, 1 + int(better.sum()))

    def truncated(self, keys: Sequence[str]) -> dict[str, Truncation]:
        """Return which of some items are longer than the embedder reads, as they were embedded."""
        records = list(self._checkpoint.records_of(keys))
        found = self.embedder.truncations([self._document_prefix + record.text for record in records])
        return {record.key: cut for record, cut in zip(records, found, strict=True) if cut is not None}

    def _check_index(self, settings: IndexSettings, where: str) -> None:
        found = self._index.description
        checks: list[tuple[str, object, object]] = [
            ("index implementation", found.implementation, settings.implementation),
            ("search by inner product", found.inner_product, settings.metric != "l2"),
            ("dimension", found.dimension, self.embedder.dimension),
            ("number of vectors", found.total, len(self.items)),
            ("number of items", len(self.items), self._checkpoint.manifest.item_count),
        ]
        checks += [
            (name, found.parameters[name], value)
            for name, value in settings.parameters.items()
            if name in found.parameters
        ]
        for what, got, wanted in checks:
            if got != wanted:
                raise InputError(
                    f"index is not what its profile says: {what}",
                    code="index_mismatch",
                    got=got,
                    wanted=str(wanted),
                    where=where,
                )
        if settings.metric == "cosine":
            self._index.check_unit_length()


def _same_space(built: RetrieverProfile, embedder: CheckedEmbedder, where: str) -> None:
    """Refuse to search vectors of one embedding with queries of another."""
    for field, name in (
        ("embedding_model_id", "model_id"),
        ("embedding_model_revision", "revision"),
        ("tokenizer_id", "tokenizer_id"),
        ("quantization", "quantization"),
    ):
        stored, live = getattr(built, field), embedder.identity.get(name)
        if stored != live:
            raise InputError(
                f"index was built with another embedding: {field}",
                code="embedding_space_mismatch",
                got=f"{live} installed",
                wanted=f"{stored} as in the index",
                where=where,
            )
