"""Adapter ``hybrid``: ask two retrievers, fuse their rankings by reciprocal rank, break ties, cut to top_k.

- Each part is a checkpoint directory of its own below ``index/``, built and opened by its own adapter. It can also be
  opened, pinned and assessed alone.
- Both parts get the hybrid's scope rules, so that what a context may not see is in neither ranking.
- No answer is cached between calls.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from witnessmark.checkpoint.directory import read_manifest
from witnessmark.checkpoint.finish import finish_checkpoint
from witnessmark.checkpoint.layout import OPERATIONS
from witnessmark.checkpoint.operations import LogWriter, put_line
from witnessmark.errors import AdapterError, InputError
from witnessmark.models import Place, RetrievalRequest, RetrievedItem, RetrieverProfile, RuntimeObservation, Target
from witnessmark.ports import Call, ItemLocation, ScoredAnswer
from witnessmark_adapters.hybrid_fusion import fuse
from witnessmark_adapters.hybrid_part import Part, building_adapter
from witnessmark_adapters.hybrid_settings import IMPLEMENTATION_ID, INDEX, METRIC, PARTS, flat_profile, read_settings
from witnessmark_adapters.live import PACKAGE_PREFIX, TIE_POLICY, complete, installed_version, one_profile
from witnessmark_adapters.queries import QueryPreprocessing
from witnessmark_adapters.scopes import read_rules
from witnessmark_adapters.states import named_state, open_checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

    from witnessmark.checkpoint.directory import Checkpoint
    from witnessmark.checkpoint.operations import LogSummary
    from witnessmark.models import StateReference
    from witnessmark.models.base import JsonScalar
    from witnessmark.ports import IndexItem, Truncation
    from witnessmark_adapters.hybrid_fusion import Fused
    from witnessmark_adapters.hybrid_settings import HybridSettings

__all__ = ["ADAPTER", "HybridAdapter", "HybridRetriever", "LocatingHybridRetriever"]

_VERSION = "1"
"""Changes when the pipeline may answer differently for the same profile."""
_ADAPTER_VERSION = "0.1"


class HybridRetriever:
    """Opened states under one profile."""

    def __init__(
        self,
        states: Mapping[str, Checkpoint],
        parts: Sequence[Part],
        wanted: RetrieverProfile,
        settings: HybridSettings,
    ) -> None:
        """Take the opened states, and their parts."""
        self._states, self._parts, self._settings = dict(states), tuple(parts), settings
        self._preprocess = QueryPreprocessing(wanted.query_preprocessing)
        self._profile = _live_profile(
            wanted, settings, {part.name: part.profile for part in parts}, self.package_versions()
        )

    @property
    def profile(self) -> RetrieverProfile:
        """The retrieval path as it really is, the parts' included."""
        return self._profile

    def state_reference(self, state_name: str) -> StateReference:
        """Identify a state by the digests of its checkpoint directory, re-checked at every call."""
        return named_state(self._states, state_name).state_reference()

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        """Tell whether a state holds an item, by key alone."""
        return item_key in named_state(self._states, state_name)

    def retrieve(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        """Answer one request."""
        return self.retrieve_scored(state_name, request).items

    def retrieve_scored(self, state_name: str, request: RetrievalRequest) -> ScoredAnswer:
        """Answer one request, with fused scores."""
        (answer,) = self.retrieve_batch([Call(state_name, request)])
        return answer

    def retrieve_batch(self, calls: Sequence[Call]) -> Sequence[ScoredAnswer]:
        """Answer every call, in order, as single calls would be answered.

        Raises:
            AdapterError: ``unknown_state``, ``part_contract``, ``parts_disagree``, or what a part raises.
        """
        if not calls:
            return []
        asked = [Call(name, self._asked(name, request)) for name, request in calls]
        return [self._answer(found) for found in zip(*(part.answers(asked) for part in self._parts), strict=True)]

    def truncated_items(self, state_name: str, item_keys: Sequence[str]) -> Mapping[str, Truncation]:
        """Return which of some items a part does not read to the end."""
        found: dict[str, Truncation] = {}
        for part in self._parts:
            found = {**part.truncated_items(state_name, item_keys), **found}
        return found

    def truncated_queries(self, requests: Sequence[RetrievalRequest]) -> Sequence[Truncation | None]:
        """Return what a part cuts off of each request's query."""
        asked = [self._preprocessed(request) for request in requests]
        first, second = (part.truncated_queries(asked) for part in self._parts)
        return [one if one is not None else other for one, other in zip(first, second, strict=True)]

    def runtime_observation(self) -> RuntimeObservation:
        """Report what the parts report; a dimension only where one part alone has one."""
        seen = [(part.name, part.runtime_observation()) for part in self._parts]
        names = [f"{name}: {item.runtime_id}" for name, item in seen if item is not None and item.runtime_id]
        dimensions = [item.embedding_dimension for _, item in seen if item is not None and item.embedding_dimension]
        return RuntimeObservation(
            runtime_id="; ".join(names) or None, embedding_dimension=dimensions[0] if len(dimensions) == 1 else None
        )

    def package_versions(self) -> Mapping[str, str]:
        """Return the versions of the packages that decide what the parts answer."""
        return {name: version for part in self._parts for name, version in sorted(part.package_versions().items())}

    def fingerprints(self) -> Mapping[str, str]:
        """Return the fingerprints of the parts."""
        return {name: digest for part in self._parts for name, digest in part.fingerprints().items()}

    def reopen(self) -> HybridRetriever:
        """Return a retriever that has read everything again."""
        targets = {
            name: Target(adapter=IMPLEMENTATION_ID, options={"path": str(state.path)})
            for name, state in self._states.items()
        }
        return ADAPTER.open(targets, self._profile)

    def close(self) -> None:
        """Let go of the parts; a later question is an error."""
        for part in self._parts:
            part.close()
        self._states = {}

    def _asked(self, state_name: str, request: RetrievalRequest) -> RetrievalRequest:
        named_state(self._states, state_name)
        return self._preprocessed(request)

    def _preprocessed(self, request: RetrievalRequest) -> RetrievalRequest:
        return RetrievalRequest(query=self._preprocess(request.query), context=request.context)

    def _fused(self, found: Sequence[Sequence[RetrievedItem]]) -> list[Fused]:
        rankings = [[item.item_key for item in items] for items in found]
        return fuse(rankings, self._settings.weights, self._settings.fusion["k"])

    def _answer(self, found: Sequence[Sequence[RetrievedItem]]) -> ScoredAnswer:
        records: dict[str, RetrievedItem] = {}
        for items in found:
            for item in items:
                known = records.setdefault(item.item_key, item)
                if (known.item_version_digest, known.scope_labels) != (item.item_version_digest, item.scope_labels):
                    raise AdapterError(
                        "the parts have different records under one key",
                        code="parts_disagree",
                        got=f"{item.item_version_digest} {list(item.scope_labels)}",
                        wanted=f"{known.item_version_digest} {list(known.scope_labels)}",
                        where=repr(item.item_key),
                    )
        fused, top_k = self._fused(found), self._profile.top_k
        return ScoredAnswer(
            tuple(
                RetrievedItem(
                    item_key=key,
                    item_version_digest=records[key].item_version_digest,
                    rank=rank,
                    scope_labels=records[key].scope_labels,
                )
                for rank, (key, _) in enumerate(fused[:top_k], 1)
            ),
            tuple(item.score for item in fused[:top_k]),
            fused[top_k].score if len(fused) > top_k else None,
        )


class LocatingHybridRetriever(HybridRetriever):
    """A hybrid whose parts can both tell where an item is."""

    def locate(self, state_name: str, request: RetrievalRequest, item_key: str) -> ItemLocation:
        """Tell where an item is for a request.

        Its rank is known where a part has it within ``depth``. Below that it has none, and where no part finds it
        however far it is asked, it is unreachable.
        """
        if not self.contains_item_key(state_name, item_key):
            return ItemLocation(Place.absent)
        asked = self._preprocessed(request)
        fused = self._fused([part.answers([Call(state_name, asked)])[0] for part in self._parts])
        for rank, item in enumerate(fused, 1):
            if item.key == item_key:
                return ItemLocation(Place.below_cut, rank)
        places = {found.place for part in self._parts if (found := part.locate(state_name, asked, item_key))}
        for place in (Place.filtered_out, Place.below_cut):
            if place in places:
                return ItemLocation(place)
        return ItemLocation(Place.unreachable)


class HybridAdapter:
    """Opens and builds checkpoint directories (entry point ``hybrid``)."""

    def open(self, states: Mapping[str, Target], profile: RetrieverProfile | None) -> HybridRetriever:
        """Open states; ``None`` takes the profile that is stored with them.

        Raises:
            InputError: an option, a state, the profile or a part is not usable.
            ProfileMismatch: the states are not searched by one and the same retriever.
        """
        if not states:
            raise InputError("no state to open", code="missing_state")
        opened = {name: open_checkpoint(target, IMPLEMENTATION_ID) for name, target in states.items()}
        wanted = profile or one_profile({name: state.profile for name, state in opened.items()})
        settings = read_settings(wanted)
        read_rules(wanted.filtering_rules)
        for state in opened.values():
            _same_memory(state)
        parts: list[Part] = []
        try:
            for name, own in settings.parts.items():
                targets = {
                    key: Target(adapter=own.implementation_id, options={"path": str(state.index_directory / name)})
                    for key, state in opened.items()
                }
                parts.append(Part(name, targets, own))
            kind = LocatingHybridRetriever if all(part.locates for part in parts) else HybridRetriever
            return kind(opened, parts, wanted, settings)
        except BaseException:
            for part in parts:
                part.close()
            raise

    def complete_profile(self, profile: RetrieverProfile) -> RetrieverProfile:
        """Return the profile with everything filled in that the parts' adapters fill in.

        Raises:
            ProfileMismatch: what the profile states is not what this installation is; one problem a field.
            InputError: the profile is not usable.
        """
        settings = read_settings(profile)
        read_rules(profile.filtering_rules)
        QueryPreprocessing(profile.query_preprocessing)
        parts: dict[str, RetrieverProfile] = {}
        for name, own in settings.parts.items():
            try:
                parts[name] = building_adapter(name, own.implementation_id).complete_profile(own)
            except InputError as error:
                raise error.at(f"part {name!r}") from error
        return complete(profile, _live_profile(profile, settings, parts, {}))

    def build_index(
        self, items: Iterable[IndexItem], count: int, profile: RetrieverProfile, directory: Path
    ) -> Mapping[str, JsonValue]:
        """Write a checkpoint directory for each part and return what they are.

        Raises:
            InputError: a record, the profile or a part is not usable.
            AdapterError: a part's adapter failed.
        """
        settings = read_settings(profile)
        log: LogSummary | None = None
        for name, own in settings.parts.items():
            folder = directory / name
            folder.mkdir()
            if log is None:
                log = _written(items, folder / OPERATIONS)
            else:
                shutil.copyfile(directory / PARTS[0] / OPERATIONS, folder / OPERATIONS)
            adapter = building_adapter(name, own.implementation_id)
            try:
                finish_checkpoint(folder, log, own, own.implementation_id, adapter)
            except (InputError, AdapterError) as error:
                raise error.at(f"part {name!r}") from error
        return {"fusion": METRIC, **{name: own.implementation_id for name, own in settings.parts.items()}}


def _written(items: Iterable[IndexItem], path: Path) -> LogSummary:
    """Write the log of a part: the live records, in key order."""
    with path.open("wb") as stream:
        log = LogWriter(stream)
        for item in items:
            log.put(item.record.key, put_line(item.record))
        return log.summary(OPERATIONS)


def _same_memory(state: Checkpoint) -> None:
    """Refuse parts that were not built from the same records."""
    first, second = (read_manifest(state.index_directory / name) for name in PARTS)
    got = (first.item_count, second.checkpoint_digest)
    wanted = (state.manifest.item_count, first.checkpoint_digest)
    if got != wanted:
        raise InputError(
            "index is not what its profile says: the parts hold other records",
            code="index_mismatch",
            got=f"{got[0]} items, {got[1]}",
            wanted=f"{wanted[0]} items, {wanted[1]}",
            where=str(state.index_directory),
        )


def _live_profile(
    wanted: RetrieverProfile,
    settings: HybridSettings,
    parts: Mapping[str, RetrieverProfile],
    versions: Mapping[str, str],
) -> RetrieverProfile:
    """Return what the pipeline is.

    Args:
        wanted: gives what the pipeline does as it is told: preprocessing, filtering, top_k.
        settings: how the rankings are fused.
        parts: what each part really is.
        versions: of packages, as the parts report them.
    """
    config: dict[str, JsonScalar] = {
        **settings.fusion,
        **{f"{PACKAGE_PREFIX}{name}": versions.get(name) or installed_version(name) for name in settings.packages},
    }
    for name, part in parts.items():
        config.update(flat_profile(name, part, settings))
    if settings.insertion_seed is not None:
        config["insertion_seed"] = settings.insertion_seed
    capabilities = [part.adapter_capability.value for part in parts.values()]
    return RetrieverProfile.from_json(
        {
            "implementation_id": IMPLEMENTATION_ID,
            "implementation_version": _VERSION,
            "adapter_version": _ADAPTER_VERSION,
            # "unsupported_or_unknown" sorts behind "deterministic": one part that claims nothing is enough.
            "adapter_capability": max(capabilities),
            "query_preprocessing": list(wanted.query_preprocessing),
            "distance_metric": METRIC,
            "index_implementation": INDEX,
            "index_build_config": config,
            "filtering_rules": list(wanted.filtering_rules),
            "top_k": wanted.top_k,
            "truncation_rule": "text:parts;answer:top_k",
            "tie_policy": TIE_POLICY,
            "opaque_components": [f"{name}:{item}" for name, part in parts.items() for item in part.opaque_components],
        },
        where="live profile",
    )


ADAPTER = HybridAdapter()
