"""The kinds of FAISS index: made from settings, written and read, described as they really are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import faiss as faiss_package

from witnessmark.errors import InputError
from witnessmark_adapters.faiss_settings import INDEXES, REFINED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from witnessmark_adapters.faiss_settings import IndexSettings

__all__ = [
    "INVERTED",
    "IndexDescription",
    "describe",
    "new_index",
    "read_index",
    "searched_part",
    "write_index",
]

faiss: Any = faiss_package  # its own type stubs leave out most of what is called here
INVERTED = ("IndexIVFFlat", "IndexIVFPQ")
"""Indexes of inverted lists, of which a search probes some."""
_QUANTIZERS: dict[str, int] = {
    "8bit": faiss.ScalarQuantizer.QT_8bit,
    "4bit": faiss.ScalarQuantizer.QT_4bit,
    "fp16": faiss.ScalarQuantizer.QT_fp16,
}


class IndexDescription(NamedTuple):
    """What an index says of itself."""

    implementation: str
    inner_product: bool
    """Searched by inner product; by squared Euclidean distance otherwise."""
    dimension: int
    total: int
    """Number of vectors."""
    parameters: Mapping[str, int | str]
    """Read from the index, not from the profile that built it."""


def new_index(settings: IndexSettings, dimension: int) -> Any:
    """Return an empty index as the settings say."""
    metric = faiss.METRIC_L2 if settings.metric == "l2" else faiss.METRIC_INNER_PRODUCT
    if settings.implementation == REFINED:
        coarse = new_index(settings._replace(implementation=settings.searched), dimension)
        index = faiss.IndexRefineFlat(coarse)
        index.own_fields = True
        coarse.this.disown()  # the index frees it
        index.k_factor = settings.whole("k_factor")
        return index
    if settings.implementation == "IndexFlatIP":
        return faiss.IndexFlatIP(dimension)
    if settings.implementation == "IndexFlatL2":
        return faiss.IndexFlatL2(dimension)
    if settings.implementation == "IndexHNSWFlat":
        index = faiss.IndexHNSWFlat(dimension, settings.whole("M"), metric)
        index.hnsw.efConstruction = settings.whole("ef_construction")
        index.hnsw.efSearch = settings.whole("ef_search")
        return index
    if settings.implementation in INVERTED:
        coarse = (faiss.IndexFlatL2 if settings.metric == "l2" else faiss.IndexFlatIP)(dimension)
        if settings.implementation == "IndexIVFFlat":
            index = faiss.IndexIVFFlat(coarse, dimension, settings.whole("nlist"), metric)
        else:
            index = _product_quantized(coarse, dimension, settings, metric)
        index.own_fields = True
        coarse.this.disown()  # the index frees it
        index.nprobe = settings.whole("nprobe")
        index.cp.seed = settings.whole("training_seed")
        index.cp.min_points_per_centroid = 1
        return index
    return faiss.IndexScalarQuantizer(dimension, _QUANTIZERS[str(settings.parameters["quantizer"])], metric)


def _product_quantized(coarse: Any, dimension: int, settings: IndexSettings, metric: int) -> Any:
    parts = settings.whole("m")
    if dimension % parts:
        raise InputError(
            "vectors cannot be cut into so many equal parts",
            code="invalid_index_setting",
            got=parts,
            wanted=f"a divisor of the dimension, which is {dimension}",
            where="profile /index_build_config/m",
        )
    index = faiss.IndexIVFPQ(coarse, dimension, settings.whole("nlist"), parts, settings.whole("nbits"), metric)
    index.pq.cp.seed = settings.whole("training_seed")
    index.pq.cp.min_points_per_centroid = 1
    return index


def write_index(index: Any, path: Path) -> None:
    """Write an index file; two builds of the same input write the same bytes."""
    try:
        faiss.write_index(index, str(path))
    except RuntimeError as error:
        raise InputError("cannot write index", code="unwritable_file", got=error, where=str(path)) from error


def read_index(path: Path) -> Any:
    """Read an index file.

    Raises:
        InputError: ``unreadable_index``.
    """
    try:
        return faiss.read_index(str(path))
    except RuntimeError as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"not a FAISS index: {reason}", code="unreadable_index", where=str(path)) from error


def describe(index: Any, where: str) -> IndexDescription:
    """Return what an index really is.

    Raises:
        InputError: ``unknown_index_implementation``.
    """
    name = type(index).__name__
    parameters = _parameters(searched_part(index))
    if name == REFINED:
        # The factor is a float in FAISS; one that is not whole was set by somebody else, and is shown as it is.
        factor = float(index.k_factor)
        coarse = type(searched_part(index)).__name__
        parameters = {"base": coarse, "k_factor": int(factor) if factor.is_integer() else str(factor), **parameters}
    elif name not in INDEXES:
        raise InputError(
            "index file holds another kind of index", code="unknown_index_implementation", got=name, where=where
        )
    inner = index.metric_type == faiss.METRIC_INNER_PRODUCT
    return IndexDescription(name, inner, int(index.d), int(index.ntotal), parameters)


def searched_part(index: Any) -> Any:
    """Return the index whose structure is searched: the coarse one of a refined index, otherwise the index itself."""
    return faiss.downcast_index(index.base_index) if type(index).__name__ == REFINED else index


def _parameters(index: Any) -> dict[str, int | str]:
    name = type(index).__name__
    if name == "IndexHNSWFlat":
        hnsw = index.hnsw
        return {
            "M": int(hnsw.nb_neighbors(1)),
            "ef_construction": int(hnsw.efConstruction),
            "ef_search": int(hnsw.efSearch),
        }
    if name == "IndexScalarQuantizer":
        names = {value: key for key, value in _QUANTIZERS.items()}
        return {"quantizer": names.get(index.sq.qtype, f"faiss type {index.sq.qtype}")}
    if name in INVERTED:
        lists: dict[str, int | str] = {"nlist": int(index.nlist), "nprobe": int(index.nprobe)}
        return lists | ({"m": int(index.pq.M), "nbits": int(index.pq.nbits)} if name == "IndexIVFPQ" else {})
    return {}
