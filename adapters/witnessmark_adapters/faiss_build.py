"""Building the retrieval material of a checkpoint: ``items.jsonl``, ``vectors.faiss`` and the insertion order.

- Training happens in one thread with the profile's seed, so that two builds write the same bytes.
- Vectors are added in pieces of one fixed size: a graph depends on how it was filled.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

import faiss
import numpy as np

from witnessmark.errors import InputError
from witnessmark_adapters.faiss_kinds import INVERTED, new_index, write_index
from witnessmark_adapters.faiss_state import INDEX_FILE
from witnessmark_adapters.items import ITEMS_FILE, write_item
from witnessmark_adapters.states import insertion_order, write_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from witnessmark.ports import IndexItem
    from witnessmark_adapters.embedding import CheckedEmbedder
    from witnessmark_adapters.faiss_settings import IndexSettings

__all__ = ["build_files"]

_PIECE = 4096
"""Items embedded and added together."""


def build_files(
    items: Iterable[IndexItem], count: int, settings: IndexSettings, embedder: CheckedEmbedder, directory: Path
) -> None:
    """Write the files of ``count`` items into ``directory``.

    Raises:
        InputError: ``too_few_items`` for the index, or ``items_out_of_order``.
    """
    _enough(settings, count)
    index = new_index(settings, embedder.dimension)
    pieces = _embedded(items, embedder, settings.document_prefix, directory / ITEMS_FILE)
    if index.is_trained and settings.insertion_seed is None:
        for piece in pieces:
            index.add(piece)
    else:
        vectors = np.empty((count, embedder.dimension), dtype=np.float32)
        filled = 0
        for piece in pieces:
            vectors[filled : filled + len(piece)] = piece
            filled += len(piece)
        _fill(index, vectors, settings, directory)
    write_index(index, directory / INDEX_FILE)


def _enough(settings: IndexSettings, count: int) -> None:
    needed, name, why = 0, "", ""
    if settings.searched == "IndexScalarQuantizer":
        needed = 1
    if settings.searched in INVERTED:
        needed, name, why = settings.whole("nlist"), "nlist", "nlist"
    if settings.searched == "IndexIVFPQ" and 2 ** settings.whole("nbits") > needed:
        needed, name, why = 2 ** settings.whole("nbits"), "nbits", "2 to the power of nbits"
    if count < needed:
        raise InputError(
            f"{settings.implementation} cannot be trained on so few items",
            code="too_few_items",
            got=count,
            wanted=f"at least {needed} items" + (f", which is {why}" if why else ""),
            where=f"profile /index_build_config/{name}" if name else None,
        )


def _embedded(
    items: Iterable[IndexItem], embedder: CheckedEmbedder, prefix: str, path: Path
) -> Iterator[NDArray[np.float32]]:
    remaining = iter(items)
    previous: str | None = None
    with path.open("wb") as stream:
        while piece := list(islice(remaining, _PIECE)):
            for item in piece:
                previous = write_item(stream, item, previous)
            yield embedder.embed([prefix + item.record.text for item in piece])


def _fill(index: Any, vectors: NDArray[np.float32], settings: IndexSettings, directory: Path) -> None:
    if settings.insertion_seed is not None:
        order = insertion_order(settings.insertion_seed, len(vectors))
        write_order(order, directory)
        vectors = vectors[order]
    if not index.is_trained:
        with _one_thread():
            index.train(vectors)
    for first in range(0, len(vectors), _PIECE):
        index.add(vectors[first : first + _PIECE])


@contextmanager
def _one_thread() -> Iterator[None]:
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
