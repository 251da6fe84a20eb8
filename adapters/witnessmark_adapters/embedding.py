"""Texts to checked vectors: the embedder that a profile names, its output verified, unit length for cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from witnessmark.errors import AdapterError
from witnessmark.plugins import EMBEDDERS, load_plugin
from witnessmark.ports import ConfiguredEmbedder, PromptedEmbedder, TokenCounter, Truncation
from witnessmark_adapters.vectors import unit_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from witnessmark.models.base import JsonScalar
    from witnessmark.plugins import Registered
    from witnessmark.ports import Embedder, EmbedderFactory
    from witnessmark_adapters.faiss_settings import IndexSettings

__all__ = ["CheckedEmbedder", "Loaded", "shared_embedder"]


class CheckedEmbedder:
    """An embedder whose answers are looked at before they are used."""

    def __init__(self, settings: IndexSettings) -> None:
        """Load the embedder that the settings name.

        Raises:
            InputError: there is no such embedder, or it refuses its options.
        """
        factory: EmbedderFactory
        factory, self.source = _find(settings.embedder)
        self._embedder: Embedder = factory.load(dict(settings.embedder_options))
        self._unit = settings.metric == "cosine"
        self.identity = dict(self._embedder.identity)
        self.dimension = self._embedder.dimension
        own = self._embedder.options if isinstance(self._embedder, ConfiguredEmbedder) else settings.embedder_options
        self.options: Mapping[str, JsonScalar] = {
            name: value for name, value in own.items() if name not in ("dimension", "quantization")
        }
        """What the profile says of the embedder beyond its own fields."""
        self.prompts = dict(self._embedder.prompts) if isinstance(self._embedder, PromptedEmbedder) else {}
        """Prompts that the model declares, for ``query`` and ``document``."""
        self.packages = tuple(self.identity.get("packages", "").split())
        """Names of the packages that decide its vectors."""

    def truncations(self, texts: Sequence[str]) -> list[Truncation | None]:
        """Return one entry a text: what is cut off of it, or None, also where the embedder cannot tell."""
        if not isinstance(self._embedder, TokenCounter):
            return [None] * len(texts)
        limit = self._embedder.max_tokens
        counts = self._embedder.token_counts(texts)
        return [Truncation(count, limit) if count > limit else None for count in counts]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, shape ``(len(texts), dimension)``; of unit length for cosine, zero vectors excepted.

        Raises:
            AdapterError: ``embedding_shape`` or ``non_finite_vector``.
        """
        vectors = self._embedder.embed(texts)
        wanted = (len(texts), self.dimension)
        if vectors.shape != wanted or vectors.dtype != np.float32:
            raise AdapterError(
                f"embedder {self.source.name!r} returned another array than it promises",
                code="embedding_shape",
                got=f"{vectors.dtype} {vectors.shape}",
                wanted=f"float32 {wanted}",
            )
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            text = texts[int(np.argmin(finite))]
            raise AdapterError(
                f"embedder {self.source.name!r} returned a vector that is not finite",
                code="non_finite_vector",
                got=f"for the text {text[:60]!r}",
            )
        return unit_rows(vectors) if self._unit else np.ascontiguousarray(vectors)


Loaded: TypeAlias = dict[tuple[object, ...], CheckedEmbedder]
"""Embedders by name, options and whether their vectors are for cosine: states opened together share a model."""


def shared_embedder(settings: IndexSettings, loaded: Loaded) -> CheckedEmbedder:
    """Return the embedder that the settings name from ``loaded``, or load it and put it there.

    Raises:
        InputError: as `CheckedEmbedder`.
    """
    key = (settings.embedder, tuple(sorted(settings.embedder_options.items())), settings.metric == "cosine")
    if key not in loaded:
        loaded[key] = CheckedEmbedder(settings)
    return loaded[key]


def _find(name: str) -> tuple[EmbedderFactory, Registered]:
    return load_plugin(EMBEDDERS, name, "embedder")
