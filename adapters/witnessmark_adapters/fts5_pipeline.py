"""Adapter ``fts5``: preprocess the query, tokenize, score by BM25, filter by scope, break ties, cut to top_k.

- Everything that matches is scored and filtered before the cut: no tie and no scope is cut short.
- No answer is cached between calls: the same question is searched again every time.
- BM25 counts over all documents of a state. Those of another scope move scores, and are never in an answer.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from witnessmark.canonical import canonical_digest
from witnessmark.errors import AdapterError, InputError
from witnessmark.models import RuntimeObservation
from witnessmark.ports import Call, ScoredAnswer
from witnessmark_adapters.answers import AnswerRecords
from witnessmark_adapters.fts5_index import Tokens, build_index
from witnessmark_adapters.fts5_settings import read_settings
from witnessmark_adapters.fts5_state import INDEX_FILE, LexicalState, live_profile
from witnessmark_adapters.items import ITEMS_FILE, write_item
from witnessmark_adapters.live import SQLITE, complete, installed_version, one_profile
from witnessmark_adapters.queries import QueryPreprocessing
from witnessmark_adapters.scopes import read_rules
from witnessmark_adapters.states import insertion_order, named_state, write_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from witnessmark.models import RetrievalRequest, RetrievedItem, RetrieverProfile, StateReference, Target
    from witnessmark.ports import IndexItem, ItemLocation
    from witnessmark_adapters.fts5_index import Matches

__all__ = ["ADAPTER", "LexicalAdapter", "LexicalRetriever"]

_FINGERPRINT_TEXTS = {
    "accents": "Café Zürich, piñata: déjà vu Straße ΣΊΣΥΦΟΣ",
    "emoji": "pump 🚰 off 👩‍🔧 on",
    "inflected": "running runners ran, relational restarted",
    "marks": "e-mail ops@example.org v1.2.3 db_name C++ don't",
    "scripts": "備份 резервная копия النسخ",
}
"""Texts on which tokenizers, and the Unicode tables behind them, are known to differ."""


class LexicalRetriever:
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
        self._states: dict[str, LexicalState] = {}
        self._tokens: Tokens | None = None
        self._records = AnswerRecords()
        try:
            for name, target in targets.items():
                self._states[name] = LexicalState(target, profile)
            self._profile = one_profile({name: state.profile for name, state in self._states.items()})
            self._preprocess = QueryPreprocessing(self._profile.query_preprocessing)
            self._tokens = Tokens(next(iter(self._states.values())).settings.tokenize_query)
        except BaseException:
            self.close()
            raise

    @property
    def profile(self) -> RetrieverProfile:
        """The retrieval path as it really is."""
        return self._profile

    def state_reference(self, state_name: str) -> StateReference:
        """Identify a state by the digests of its checkpoint directory, re-checked at every call."""
        return named_state(self._states, state_name).reference

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        """Tell whether a state holds an item, by key alone."""
        return item_key in named_state(self._states, state_name).items

    def retrieve(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        """Answer one request; items without any token of the query are never in an answer."""
        return self.retrieve_scored(state_name, request).items

    def retrieve_scored(self, state_name: str, request: RetrievalRequest) -> ScoredAnswer:
        """Answer one request, with scores."""
        (answer,) = self.retrieve_batch([Call(state_name, request)])
        return answer

    def retrieve_batch(self, calls: Sequence[Call]) -> Sequence[ScoredAnswer]:
        """Answer every call, in order, as single calls would be answered.

        A query is tokenized once for all states, and searched once a state.

        Raises:
            AdapterError: ``unknown_state``, ``search_failed`` or ``score_not_finite``.
        """
        if not calls:
            return []
        for state_name, _ in calls:
            named_state(self._states, state_name)
        tokens = self._tokenized([self._preprocess(request.query) for _, request in calls])
        found: dict[tuple[str, tuple[str, ...]], Matches] = {}
        answers = []
        for (state_name, request), asked in zip(calls, tokens, strict=True):
            state = self._states[state_name]
            matches = found.get((state_name, asked))
            if matches is None:
                matches = found[state_name, asked] = state.matches(asked)
            ranked = state.ranked(matches, state.scope(request.context), self._profile.top_k)
            items = self._records.of(state_name, state.items, ranked.ordinals)
            answers.append(ScoredAnswer(items, tuple(ranked.scores.tolist()), ranked.cut_score))
        return answers

    def locate(self, state_name: str, request: RetrievalRequest, item_key: str) -> ItemLocation:
        """Tell where an item is for a request, however far down."""
        state = named_state(self._states, state_name)
        (tokens,) = self._tokenized([self._preprocess(request.query)])
        return state.locate(state.matches(tokens), state.scope(request.context), item_key)

    def runtime_observation(self) -> RuntimeObservation:
        """Report the version of what answers."""
        return RuntimeObservation(runtime_id=f"SQLite {sqlite3.sqlite_version} FTS5")

    def package_versions(self) -> Mapping[str, str]:
        """Return the version of the library that decides tokens and scores."""
        return {SQLITE: installed_version(SQLITE)}

    def fingerprints(self) -> Mapping[str, str]:
        """Return the digests of the tokens of texts on which tokenizers differ, before stemming."""
        tokens = self._tokenized([self._preprocess(text) for text in _FINGERPRINT_TEXTS.values()])
        return {name: canonical_digest(list(found)) for name, found in zip(_FINGERPRINT_TEXTS, tokens, strict=True)}

    def reopen(self) -> LexicalRetriever:
        """Return a retriever that has read everything again."""
        return LexicalRetriever(self._targets, self._asked)

    def close(self) -> None:
        """Let go of the indexes; a later question is an error."""
        for state in self._states.values():
            state.close()
        if self._tokens is not None:
            self._tokens.close()
        self._states, self._tokens, self._records = {}, None, AnswerRecords()

    def _tokenized(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        if self._tokens is None:
            raise AdapterError("the retriever is closed", code="retriever_closed")
        return self._tokens.of(texts)


class LexicalAdapter:
    """Opens and builds checkpoint directories (entry point ``fts5``)."""

    def open(self, states: Mapping[str, Target], profile: RetrieverProfile | None) -> LexicalRetriever:
        """Open states; ``None`` takes the profile that is stored with them.

        Raises:
            InputError: an option, a state or the profile is not usable, or this SQLite has no FTS5.
        """
        return LexicalRetriever(states, profile)

    def complete_profile(self, profile: RetrieverProfile) -> RetrieverProfile:
        """Return the profile with every default filled in.

        Versions are filled in for the ``package:NAME`` keys that are there; none is added.

        Raises:
            ProfileMismatch: what the profile states is not what this installation is; one problem a field.
            InputError: the profile is not usable.
        """
        settings = read_settings(profile)
        read_rules(profile.filtering_rules)
        QueryPreprocessing(profile.query_preprocessing)
        return complete(profile, live_profile(profile, settings))

    def build_index(
        self, items: Iterable[IndexItem], count: int, profile: RetrieverProfile, directory: Path
    ) -> Mapping[str, JsonValue]:
        """Write ``items.jsonl`` and ``lexical.sqlite`` and return what they are.

        Raises:
            InputError: a record or the profile is not usable, or this SQLite has no FTS5.
        """
        settings = read_settings(profile)
        order = None if settings.insertion_seed is None else insertion_order(settings.insertion_seed, count)
        if order is not None:
            write_order(order, directory)
        build_index(_written(items, directory / ITEMS_FILE), settings, order, directory / INDEX_FILE)
        return {"index": "fts5", "tokenize": settings.tokenize}


def _written(items: Iterable[IndexItem], path: Path) -> Iterator[str]:
    """Yield the texts and write the lines that describe them."""
    previous: str | None = None
    with path.open("wb") as stream:
        for item in items:
            previous = write_item(stream, item, previous)
            yield item.record.text


ADAPTER = LexicalAdapter()
