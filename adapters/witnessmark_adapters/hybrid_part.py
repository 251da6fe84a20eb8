"""One part of a hybrid: the adapter behind a name, and what it answers, checked before it is fused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from witnessmark.errors import AdapterError, InputError
from witnessmark.plugins import ADAPTERS, load_plugin
from witnessmark.ports import (
    BatchRetriever,
    CheckpointAdapter,
    Closeable,
    ItemLocator,
    ObservableRetriever,
    TruncationReporter,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from witnessmark.models import RetrievalRequest, RetrievedItem, RetrieverProfile, RuntimeObservation, Target
    from witnessmark.ports import Call, ItemLocation, RetrieverAdapter, Truncation

__all__ = ["Part", "building_adapter"]


def building_adapter(part: str, name: str) -> Any:
    """Load the adapter of a part, which has both to open checkpoint directories and to build them.

    Raises:
        InputError: ``unknown_adapter``, ``ambiguous_adapter``, ``broken_adapter`` or ``cannot_build``.
    """
    adapter, source = load_plugin(ADAPTERS, name, "adapter")
    if not isinstance(adapter, CheckpointAdapter):
        raise InputError(
            "this adapter builds no checkpoint directories",
            code="cannot_build",
            got=f"{name!r} of {source.distribution}",
            wanted="an adapter with complete_profile and build_index",
            where=f"profile /index_build_config/{part}:implementation_id",
        )
    return adapter


class Part:
    """The states of one part, opened."""

    def __init__(self, name: str, targets: Mapping[str, Target], profile: RetrieverProfile) -> None:
        """Open the part's checkpoint directories, by name of the state.

        Raises:
            InputError: the adapter cannot be loaded, or does not open them under this profile.
        """
        self.name = name
        self._depth = profile.top_k
        adapter = building_adapter(name, profile.implementation_id)
        self._retriever: RetrieverAdapter = adapter.open(dict(targets), profile)

    @property
    def profile(self) -> RetrieverProfile:
        """The part's retrieval path as it really is."""
        return self._retriever.profile

    @property
    def locates(self) -> bool:
        """Whether the part can tell where an item is."""
        return isinstance(self._retriever, ItemLocator)

    def answers(self, calls: Sequence[Call]) -> list[tuple[RetrievedItem, ...]]:
        """Return the answer to every call, in order, each by rank.

        Raises:
            AdapterError: ``part_contract``: an answer is no ranking.
        """
        if isinstance(self._retriever, BatchRetriever):
            given = [answer.items for answer in self._retriever.retrieve_batch(calls)]
        else:
            given = [self._retriever.retrieve(*call) for call in calls]
        if len(given) != len(calls):
            raise self._broken("another number of answers than calls", len(given), str(len(calls)))
        return [self._ranked(items) for items in given]

    def locate(self, state_name: str, request: RetrievalRequest, item_key: str) -> ItemLocation | None:
        """Tell where an item is, or None where the part cannot tell."""
        if isinstance(self._retriever, ItemLocator):
            return self._retriever.locate(state_name, request, item_key)
        return None

    def truncated_items(self, state_name: str, item_keys: Sequence[str]) -> Mapping[str, Truncation]:
        """Return which items the part does not read to the end."""
        if isinstance(self._retriever, TruncationReporter):
            return self._retriever.truncated_items(state_name, item_keys)
        return {}

    def truncated_queries(self, requests: Sequence[RetrievalRequest]) -> Sequence[Truncation | None]:
        """Return what the part cuts off of each query."""
        if isinstance(self._retriever, TruncationReporter):
            return self._retriever.truncated_queries(requests)
        return [None] * len(requests)

    def runtime_observation(self) -> RuntimeObservation | None:
        """Return what the part reports of itself."""
        return self._retriever.runtime_observation()

    def package_versions(self) -> Mapping[str, str]:
        """Return the versions of the packages that decide what the part answers."""
        return self._retriever.package_versions() if isinstance(self._retriever, ObservableRetriever) else {}

    def fingerprints(self) -> Mapping[str, str]:
        """Return the part's fingerprints, its name in front of each."""
        if isinstance(self._retriever, ObservableRetriever):
            return {f"{self.name}/{name}": digest for name, digest in self._retriever.fingerprints().items()}
        return {}

    def close(self) -> None:
        """Let go of the part's retriever."""
        if isinstance(self._retriever, Closeable):
            self._retriever.close()

    def _ranked(self, items: Sequence[RetrievedItem]) -> tuple[RetrievedItem, ...]:
        ranked = tuple(sorted(items, key=lambda item: item.rank))
        ranks = [item.rank for item in ranked]
        if ranks != list(range(1, len(ranked) + 1)) or len(ranked) > self._depth:
            shown = ", ".join(map(str, ranks))
            raise self._broken("ranks are not 1, 2, 3 ...", shown, f"every rank once, at most {self._depth}")
        if len({item.item_key for item in ranked}) != len(ranked):
            raise self._broken("an item stands twice in an answer", None, "every key once")
        return ranked

    def _broken(self, what: str, got: object, wanted: str) -> AdapterError:
        where = f"part {self.name!r}, adapter {self._retriever.profile.implementation_id!r}"
        return AdapterError(what, code="part_contract", got=got, wanted=wanted, where=where)
