"""Texts to checked vectors: the embedder that a profile names, its output verified, unit length for cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from witnessmark.errors import AdapterError
from witnessmark.plugins import EMBEDDERS, load_plugin
from witnessmark_adapters.vectors import unit_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from witnessmark.plugins import Registered
    from witnessmark.ports import Embedder, EmbedderFactory
    from witnessmark_adapters.faiss_settings import IndexSettings

__all__ = ["CheckedEmbedder"]


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
        self.packages = tuple(self.identity.get("packages", "").split())
        """Names of the packages that decide its vectors."""

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


def _find(name: str) -> tuple[EmbedderFactory, Registered]:
    return load_plugin(EMBEDDERS, name, "embedder")
