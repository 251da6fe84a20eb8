"""Adapter ``faiss``: preprocess the query, embed, search with over-fetch, filter by scope, break ties, cut to top_k.

- The opened retriever's profile is what it is: read from the index, the embedder and the installed packages.
- No answer is cached between calls: the same question is embedded and searched again every time. Only the records of
  found items are kept, by state and ordinals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from witnessmark.canonical import sha256_digest
from witnessmark.errors import InputError
from witnessmark.models import RuntimeObservation
from witnessmark.ports import Call, ScoredAnswer
from witnessmark_adapters.answers import AnswerRecords
from witnessmark_adapters.embedding import CheckedEmbedder
from witnessmark_adapters.faiss_build import build_files
from witnessmark_adapters.faiss_profile import PACKAGES, live_profile
from witnessmark_adapters.faiss_settings import read_settings
from witnessmark_adapters.faiss_state import FaissState
from witnessmark_adapters.live import complete, installed_version, one_profile
from witnessmark_adapters.queries import QueryPreprocessing
from witnessmark_adapters.scopes import read_rules
from witnessmark_adapters.states import named_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from witnessmark.models import RetrievalRequest, RetrievedItem, RetrieverProfile, StateReference, Target
    from witnessmark.ports import IndexItem, ItemLocation, Truncation
    from witnessmark_adapters.embedding import Loaded
    from witnessmark_adapters.scopes import ScopeKey
    from witnessmark_adapters.ties import Ranking

__all__ = ["ADAPTER", "FaissAdapter", "FaissRetriever"]

_FINGERPRINT_TEXTS = {
    "accents": "Café Zürich, piñata: déjà vu",
    "empty": "",
    "long": "the same words " * 200 + "and a correction at the end",
    "lower": "replace the sump pump",
    "spaces": "  replace   the sump pump ",
    "upper": "REPLACE THE SUMP PUMP",
}
"""Texts on which embedding runtimes are known to differ without saying so."""


class FaissRetriever:
    """Opened states under one profile."""

    def __init__(self, targets: Mapping[str, Target], profile: RetrieverProfile | None) -> None:
        """Open every target.

        Raises:
            InputError: a target is not usable.
            ProfileMismatch: the states are not searched by one and the same retriever.
        """
        if not targets:
            raise InputError("no state to open", code="missing_state")
        self._targets, self._asked = dict(targets), profile
        loaded: Loaded = {}
        self._states = {name: FaissState(target, profile, loaded) for name, target in targets.items()}
        self._profile = one_profile({name: state.profile for name, state in self._states.items()})
        self._embedder = next(iter(self._states.values())).embedder
        self._preprocess = QueryPreprocessing(self._profile.query_preprocessing)
        self._records = AnswerRecords()

    @property
    def profile(self) -> RetrieverProfile:
        """The retrieval path as it really is."""
        return self._profile

    def state_reference(self, state_name: str) -> StateReference:
        """Identify a state by the digests of its checkpoint directory, re-checked at every call."""
        return self._state(state_name).reference

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        """Tell whether a state holds an item, by key alone."""
        return item_key in self._state(state_name).items

    def retrieve(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        """Answer one request."""
        return self.retrieve_scored(state_name, request).items

    def retrieve_scored(self, state_name: str, request: RetrievalRequest) -> ScoredAnswer:
        """Answer one request, with scores."""
        (answer,) = self.retrieve_batch([Call(state_name, request)])
        return answer

    def retrieve_batch(self, calls: Sequence[Call]) -> Sequence[ScoredAnswer]:
        """Answer every call, in order, as single calls would be answered.

        A query is embedded once for all states, and searched once a state and scope.

        Raises:
            AdapterError: ``unknown_state``, or a vector or score is not finite.
        """
        if not calls:
            return []
        texts: dict[str, int] = {}
        groups: dict[tuple[str, ScopeKey], dict[int, int]] = {}
        places: list[tuple[str, ScopeKey, int]] = []
        for state_name, request in calls:
            scope = self._state(state_name).scope(request.context)
            query = texts.setdefault(self._preprocess(request.query), len(texts))
            rows = groups.setdefault((state_name, scope), {})
            places.append((state_name, scope, rows.setdefault(query, len(rows))))
        vectors = self._embedder.embed(list(texts))
        found = {
            key: self._states[key[0]].rank(np.ascontiguousarray(vectors[list(rows)]), key[1])
            for key, rows in groups.items()
        }
        return [self._answer(name, found[name, scope], row) for name, scope, row in places]

    def locate(self, state_name: str, request: RetrievalRequest, item_key: str) -> ItemLocation:
        """Tell where an item is for a request, however far down."""
        state = self._state(state_name)
        vector = self._embedder.embed([self._preprocess(request.query)])
        return state.locate(vector, state.scope(request.context), item_key)

    def truncated_items(self, state_name: str, item_keys: Sequence[str]) -> Mapping[str, Truncation]:
        """Return which of some items the embedder does not read to the end."""
        return self._state(state_name).truncated(item_keys)

    def truncated_queries(self, requests: Sequence[RetrievalRequest]) -> Sequence[Truncation | None]:
        """Return what is cut off of each request's preprocessed query."""
        return self._embedder.truncations([self._preprocess(request.query) for request in requests])

    def runtime_observation(self) -> RuntimeObservation:
        """Report the versions and the dimension of what answers."""
        return RuntimeObservation(
            runtime_id=f"faiss-cpu {installed_version('faiss-cpu')}, {self._embedder.source.distribution}",
            embedding_dimension=self._embedder.dimension,
        )

    def package_versions(self) -> Mapping[str, str]:
        """Return the versions of the packages that decide answers."""
        provider, _, _ = self._embedder.source.distribution.partition(" ")
        # What our own distribution decides is named by implementation_version.
        names = {*PACKAGES, *self._embedder.packages, provider} - {"witnessmark"}
        return {name: installed_version(name) for name in sorted(names)}

    def fingerprints(self) -> Mapping[str, str]:
        """Return the digests of the vectors of texts that show what preprocessing and tokenizer do."""
        vectors = self._embedder.embed([self._preprocess(text) for text in _FINGERPRINT_TEXTS.values()])
        return {
            name: sha256_digest(vector.astype("<f4").tobytes())
            for name, vector in zip(_FINGERPRINT_TEXTS, vectors, strict=True)
        }

    def reopen(self) -> FaissRetriever:
        """Return a retriever that has read everything again."""
        return FaissRetriever(self._targets, self._asked)

    def close(self) -> None:
        """Let go of the indexes; a later question is an error."""
        self._states, self._records = {}, AnswerRecords()

    def _state(self, name: str) -> FaissState:
        return named_state(self._states, name)

    def _answer(self, state_name: str, ranking: Ranking, row: int) -> ScoredAnswer:
        ordinals = ranking.ordinals[row]
        count = int((ordinals >= 0).sum())
        cut = float(ranking.cut_scores[row])
        return ScoredAnswer(
            self._records.of(state_name, self._states[state_name].items, ordinals[:count]),
            tuple(ranking.scores[row, :count].tolist()),
            None if cut == -np.inf else cut,
        )


class FaissAdapter:
    """Opens and builds checkpoint directories (entry point ``faiss``)."""

    def open(self, states: Mapping[str, Target], profile: RetrieverProfile | None) -> FaissRetriever:
        """Open states; ``None`` takes the profile that is stored with them.

        Raises:
            InputError: an option, a state or the profile is not usable.
        """
        return FaissRetriever(states, profile)

    def complete_profile(self, profile: RetrieverProfile) -> RetrieverProfile:
        """Return the profile with every default and digest filled in.

        Versions are filled in for the ``package:NAME`` keys that are there; none is added.

        Raises:
            ProfileMismatch: what the profile states is not what this installation is; one problem a field.
            InputError: the profile is not usable.
        """
        settings = read_settings(profile)
        read_rules(profile.filtering_rules)
        QueryPreprocessing(profile.query_preprocessing)
        return complete(profile, live_profile(profile, settings, CheckedEmbedder(settings), settings.parameters))

    def build_index(
        self, items: Iterable[IndexItem], count: int, profile: RetrieverProfile, directory: Path
    ) -> Mapping[str, JsonValue]:
        """Write ``items.jsonl`` and ``vectors.faiss`` and return what they are.

        Raises:
            InputError: a record or the profile is not usable.
        """
        settings = read_settings(profile)
        embedder = CheckedEmbedder(settings)
        build_files(items, count, settings, embedder, directory)
        return {
            "dimension": embedder.dimension,
            "metric": settings.metric,
            "index": settings.implementation,
            "embedder": embedder.source.name,
        }


ADAPTER = FaissAdapter()
