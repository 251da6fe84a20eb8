"""What the harness asks of a retriever, an embedder and the distributions that provide them.

`RetrieverAdapter` is the public reference's contract, unchanged: an adapter written for it runs here. Everything else
is an optional capability, one small protocol each, found with ``isinstance``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from pydantic import JsonValue

    from witnessmark.models import (
        Dimension,
        EnvironmentBinding,
        LineageState,
        MemoryRecord,
        Place,
        RetrievalRequest,
        RetrievedItem,
        RetrieverProfile,
        RuntimeObservation,
        SourceInventory,
        StateReference,
        Target,
    )
    from witnessmark.models.base import JsonScalar

__all__ = [
    "Adapter",
    "BatchRetriever",
    "Call",
    "CheckpointAdapter",
    "Closeable",
    "ConfiguredEmbedder",
    "Embedder",
    "EmbedderFactory",
    "EnvironmentObserver",
    "IndexItem",
    "InventoryObserver",
    "ItemLocation",
    "ItemLocator",
    "ObservableRetriever",
    "ObservedEnvironment",
    "ObserverFactory",
    "PromptedEmbedder",
    "RecordFormat",
    "RetrieverAdapter",
    "ScoredAnswer",
    "ScoredRetriever",
    "Sighting",
    "Sought",
    "SourceObserver",
    "TokenCounter",
    "Truncation",
    "TruncationReporter",
]


class RetrieverAdapter(Protocol):
    """A retriever over named memory states: the reference contract (wire contract §2)."""

    @property
    def profile(self) -> RetrieverProfile:
        """The retrieval path as it really is."""
        ...

    def state_reference(self, state_name: str) -> StateReference:
        """Identify a state by digest, read afresh at every call."""
        ...

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        """Tell whether a state holds an item, by key alone."""
        ...

    def retrieve(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        """Answer one request, at most ``profile.top_k`` items."""
        ...

    def runtime_observation(self) -> RuntimeObservation | None:
        """Report what is known of the running retriever."""
        ...


class ScoredAnswer(NamedTuple):
    """An answer with the scores that ordered it."""

    items: Sequence[RetrievedItem]
    scores: Sequence[float]
    """One an item, in the same order; larger is better."""
    cut_score: float | None = None
    """Score of the best item that the cut to top_k left out, or None where there is none or it is not known."""


class Call(NamedTuple):
    """One question of a sweep."""

    state_name: str
    request: RetrievalRequest


@runtime_checkable
class ScoredRetriever(Protocol):
    """Optional: answers with scores, so that ties and margins can be seen."""

    def retrieve_scored(self, state_name: str, request: RetrievalRequest) -> ScoredAnswer:
        """Answer as ``retrieve`` does, with scores."""
        ...


@runtime_checkable
class BatchRetriever(Protocol):
    """Optional: answers a whole sweep at once; each distinct request is embedded once for all states."""

    def retrieve_batch(self, calls: Sequence[Call]) -> Sequence[ScoredAnswer]:
        """Answer every call, in order, each as ``retrieve_scored`` would."""
        ...


class ItemLocation(NamedTuple):
    """Where an item is that an answer lacks."""

    place: Place
    rank: int | None = None
    """Rank that it would have had, where it is below the cut."""


@runtime_checkable
class ItemLocator(Protocol):
    """Optional: finds an item that an answer lacks by searching further."""

    def locate(self, state_name: str, request: RetrievalRequest, item_key: str) -> ItemLocation:
        """Tell where the item is for this request."""
        ...


class Truncation(NamedTuple):
    """A text that is longer than the embedder reads."""

    tokens: int
    """Of the whole text, special tokens included."""
    limit: int
    """Tokens that are read, fewer than ``tokens``."""


@runtime_checkable
class TruncationReporter(Protocol):
    """Optional: tells which texts the embedder does not read to the end."""

    def truncated_items(self, state_name: str, item_keys: Sequence[str]) -> Mapping[str, Truncation]:
        """Return those of the items that are cut off; keys that the state does not hold are left out."""
        ...

    def truncated_queries(self, requests: Sequence[RetrievalRequest]) -> Sequence[Truncation | None]:
        """Return one entry a request: what is cut off of its query, after preprocessing, or None."""
        ...


@runtime_checkable
class Closeable(Protocol):
    """Optional: holds files, processes or connections."""

    def close(self) -> None:
        """Release them; calling twice is allowed."""
        ...


@runtime_checkable
class ObservableRetriever(Protocol):
    """Optional: tells more of itself when it is pinned."""

    def package_versions(self) -> Mapping[str, str]:
        """Return the installed versions of the packages that decide answers, by package name."""
        ...

    def fingerprints(self) -> Mapping[str, str]:
        """Return digests of what a few telling texts are turned into, by the name of the text."""
        ...


class Adapter(Protocol):
    """What an entry point of the group ``witnessmark.adapters`` provides."""

    def open(self, states: Mapping[str, Target], profile: RetrieverProfile | None) -> RetrieverAdapter:
        """Open states under a profile; ``None`` means: as the states themselves say.

        The opened retriever's own ``profile`` tells what it really is; the harness compares.

        Raises:
            InputError: an option, a state or the profile is not usable.
        """
        ...


class IndexItem(NamedTuple):
    """A record to index, and the canonical digest that names its version."""

    record: MemoryRecord
    version_digest: str


@runtime_checkable
class CheckpointAdapter(Protocol):
    """Optional: builds the retrieval material of checkpoint directories and opens them."""

    def complete_profile(self, profile: RetrieverProfile) -> RetrieverProfile:
        """Return the profile with what this installation really is: content digests, dtype, package versions."""
        ...

    def build_index(
        self, items: Iterable[IndexItem], count: int, profile: RetrieverProfile, directory: Path
    ) -> Mapping[str, JsonValue]:
        """Write the retrieval material of ``count`` items into ``directory`` and return the index settings.

        Reads ``items`` once, in key order; holds no more than the vectors in memory.

        Raises:
            InputError: a record or the profile is not usable.
        """
        ...


class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    @property
    def identity(self) -> Mapping[str, str]:
        """What the embedder is: ``model_id``, ``revision`` (content digest), ``tokenizer_id``, ``quantization``.

        Also ``truncation`` (side and limit), ``packages`` whose versions decide vectors, apart by spaces, and
        ``capability`` where equal texts need not get equal vectors: ``unsupported_or_unknown``, and ``opaque`` names of
        components that no digest covers.
        """
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, shape ``(len(texts), dimension)``, float32, finite."""
        ...


@runtime_checkable
class ConfiguredEmbedder(Protocol):
    """Optional: tells what it was loaded with, so that a pinned profile names every option."""

    @property
    def options(self) -> Mapping[str, JsonScalar]:
        """Every option, defaults included."""
        ...


@runtime_checkable
class PromptedEmbedder(Protocol):
    """Optional: declares the prompts that its model was trained with, and adds none of them itself."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """The text that belongs in front of each ``query`` and each ``document``; a role without one is absent."""
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """Optional: tells how much of a text an embedder reads."""

    @property
    def max_tokens(self) -> int:
        """Tokens that are read at most; what lies beyond decides nothing."""
        ...

    def token_counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Return how many tokens each text has before anything is cut off, special tokens included."""
        ...


class EmbedderFactory(Protocol):
    """What an entry point of the group ``witnessmark.embedders`` provides."""

    def load(self, options: Mapping[str, JsonValue]) -> Embedder:
        """Load the model.

        Raises:
            InputError: an option is unknown or the model's files are missing.
        """
        ...


class RecordFormat(Protocol):
    """What an entry point of the group ``witnessmark.record_formats`` provides."""

    def read(self, path: Path) -> Iterator[MemoryRecord]:
        """Yield the records of a file or a folder, each key once, in an order that the names of the files decide.

        Nothing is lost: fields that the format does not know are fields of the record, and relations to other records
        have the names that every format shares (docs/formats.md). Records are yielded while nothing is wrong.

        Raises:
            InputError: at the end, everything that is wrong, each problem with its file and line.
        """
        ...


class Sought(NamedTuple):
    """A source to look for, as it was stored."""

    reference: str
    """The locator without its scheme."""
    expected_digest: str | None
    """64 hexadecimal digits; for conditional requests only, never a substitute for looking."""
    folder: Path
    """What relative paths are relative to: where the evidence lies."""
    targets: tuple[str, ...] = ()
    """Arguments of the targets with this scheme: where the present is, when the reference does not say."""
    etag: str | None = None
    last_modified: str | None = None


class Sighting(NamedTuple):
    """What an observer saw of a source just now."""

    exists: bool | None
    """None: cannot be decided. An observer that fails says this; it never guesses."""
    digest: str | None = None
    """64 hexadecimal digits, or None where the contents could not be read as a whole."""
    state: LineageState | None = None
    """What became of the record, where the observer can tell."""
    note: str | None = None
    """Why something is not known, for people."""


class ObservedEnvironment(NamedTuple):
    """The environment of today, as far as one target shows it."""

    binding: EnvironmentBinding
    doubtful: tuple[Dimension, ...] = ()
    """Dimensions whose value does not describe all that is there: they never equal what was stored."""
    note: str | None = None
    """What is doubtful and why, for people."""


@runtime_checkable
class SourceObserver(Protocol):
    """Looks for sources whose locator has the observer's scheme."""

    def observe(self, sought: Sought) -> Sighting:
        """Look once, now.

        Raises:
            InputError: the reference is malformed. Everything else that goes wrong is a sighting of None.
        """
        ...


@runtime_checkable
class EnvironmentObserver(Protocol):
    """Reads the environment of today from a target."""

    def environment(self, argument: str) -> ObservedEnvironment:
        """Read it afresh.

        Raises:
            InputError: the target is malformed or cannot be read: an environment that is not known is no empty one.
        """
        ...


@runtime_checkable
class InventoryObserver(Protocol):
    """Lists the sources of a namespace."""

    def inventory(self, namespace: str, argument: str) -> SourceInventory:
        """List them; ``complete`` only when nothing can be missing.

        Raises:
            InputError: the argument is malformed or nothing can be read.
        """
        ...


class ObserverFactory(Protocol):
    """What an entry point of the group ``witnessmark.observers`` provides; its name is the scheme of locators."""

    def __call__(self) -> SourceObserver | EnvironmentObserver | InventoryObserver:
        """Return an observer for one round of looking; it may remember what it read during that round."""
        ...
