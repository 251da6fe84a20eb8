"""The tie policy against a brute-force oracle, on stores full of ties."""

from __future__ import annotations

import faiss
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from witnessmark_adapters.faiss_index import VectorIndex
from witnessmark_adapters.ties import Ranking, rank

Vectors = NDArray[np.float32]
GRID = np.array([-1.0, 0.0, 0.5, 1.0], dtype=np.float32)


def oracle(
    queries: Vectors, vectors: Vectors, top_k: int, mask: NDArray[np.bool_] | None, inner: bool
) -> list[tuple[list[int], list[float], float | None]]:
    answers = []
    for query in queries.astype(np.float64):
        wide = vectors.astype(np.float64)
        exact = (wide * query).sum(axis=1) if inner else -((wide - query) ** 2).sum(axis=1)
        scores = exact.astype(np.float32).tolist()
        allowed = [place for place in range(len(vectors)) if mask is None or mask[place]]
        best = sorted(allowed, key=lambda place: (-scores[place], place))
        cut = scores[best[top_k]] if len(best) > top_k else None
        answers.append((best[:top_k], [scores[place] for place in best[:top_k]], cut))
    return answers


def plain(ranking: Ranking) -> list[tuple[list[int], list[float], float | None]]:
    return [
        (
            [ordinal for ordinal in ordinals.tolist() if ordinal >= 0],
            [score for score in scores.tolist() if score > -np.inf],
            None if np.isneginf(cut) else float(cut),
        )
        for ordinals, scores, cut in zip(*ranking, strict=True)
    ]


def inserted(index: faiss.Index, vectors: Vectors, order: NDArray[np.int64]) -> VectorIndex:
    index.add(vectors[order])
    return VectorIndex(index, order=order)


@st.composite
def stores(draw: st.DrawFn) -> tuple[Vectors, Vectors, int, NDArray[np.bool_] | None, NDArray[np.int64]]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, dimension = draw(st.integers(1, 80)), draw(st.sampled_from([2, 4, 9]))
    vectors = rng.choice(GRID, size=(count, dimension)).astype(np.float32)
    copies = rng.integers(0, count, size=count)
    vectors = np.where(rng.random((count, 1)) < 0.5, vectors[copies], vectors).astype(np.float32)
    queries = rng.choice(GRID, size=(draw(st.integers(1, 5)), dimension)).astype(np.float32)
    mask = rng.random(count) < draw(st.sampled_from([0.1, 0.5])) if draw(st.booleans()) else None
    return vectors, queries, draw(st.integers(1, 12)), mask, rng.permutation(count)


@settings(max_examples=300, deadline=None)
@given(store=stores(), inner=st.booleans())
def test_flat_answers_equal_brute_force_whatever_the_insertion_order(store, inner: bool) -> None:
    vectors, queries, top_k, mask, order = store
    kind = faiss.IndexFlatIP if inner else faiss.IndexFlatL2
    index = inserted(kind(vectors.shape[1]), vectors, order)
    assert plain(rank(index, queries, top_k, mask)) == oracle(queries, vectors, top_k, mask, inner)


@settings(max_examples=100, deadline=None)
@given(store=stores(), kind=st.sampled_from(["QT_8bit", "QT_4bit", "QT_fp16"]), inner=st.booleans())
def test_quantized_answers_equal_brute_force_over_the_stored_vectors(store, kind: str, inner: bool) -> None:
    vectors, queries, top_k, mask, order = store
    metric = faiss.METRIC_INNER_PRODUCT if inner else faiss.METRIC_L2
    index = faiss.IndexScalarQuantizer(vectors.shape[1], getattr(faiss.ScalarQuantizer, kind), metric)
    index.train(vectors[order])
    searched = inserted(index, vectors, order)
    stored = np.empty_like(vectors)
    stored[order] = index.reconstruct_n(0, len(vectors))
    assert plain(rank(searched, queries, top_k, mask)) == oracle(queries, stored, top_k, mask, inner)


@settings(max_examples=100, deadline=None)
@given(store=stores(), inner=st.booleans())
def test_probing_every_list_equals_brute_force(store, inner: bool) -> None:
    vectors, queries, top_k, mask, order = store
    metric = faiss.METRIC_INNER_PRODUCT if inner else faiss.METRIC_L2
    coarse = (faiss.IndexFlatIP if inner else faiss.IndexFlatL2)(vectors.shape[1])
    index = faiss.IndexIVFFlat(coarse, vectors.shape[1], min(3, len(vectors)), metric)
    index.nprobe, index.cp.min_points_per_centroid = index.nlist, 1
    index.train(vectors[order])
    searched = inserted(index, vectors, order)
    assert plain(rank(searched, queries, top_k, mask)) == oracle(queries, vectors, top_k, mask, inner)


@pytest.mark.parametrize("inner", [True, False])
def test_product_quantized_answers_equal_brute_force_over_the_stored_vectors(inner: bool) -> None:
    rng = np.random.default_rng(4)
    base = rng.normal(size=(400, 16)).astype(np.float32)
    vectors = np.concatenate([base, base[:100]])
    queries = rng.normal(size=(40, 16)).astype(np.float32)
    metric = faiss.METRIC_INNER_PRODUCT if inner else faiss.METRIC_L2
    coarse = (faiss.IndexFlatIP if inner else faiss.IndexFlatL2)(16)
    index = faiss.IndexIVFPQ(coarse, 16, 4, 4, 4, metric)
    index.nprobe, index.cp.min_points_per_centroid, index.pq.cp.min_points_per_centroid = 4, 1, 1
    order = rng.permutation(500)
    index.train(vectors[order])
    searched = inserted(index, vectors, order)
    stored = np.empty_like(vectors)
    stored[order] = index.reconstruct_n(0, 500)
    assert plain(rank(searched, queries, 10)) == oracle(queries, stored, 10, None, inner)


def test_a_thousand_copies_at_the_cut_keep_the_smallest_keys() -> None:
    vectors = np.zeros((3000, 8), dtype=np.float32)
    vectors[:, 0] = 1.0
    vectors[2990, 0] = 2.0
    order = np.random.default_rng(5).permutation(3000)
    index = inserted(faiss.IndexFlatIP(8), vectors, order)
    ranking = rank(index, vectors[:1], 5)
    assert plain(ranking) == [([2990, 0, 1, 2, 3], [2.0, 1.0, 1.0, 1.0, 1.0], 1.0)]


def test_faiss_alone_breaks_ties_otherwise() -> None:
    index = faiss.IndexFlatIP(2)
    index.add(np.ones((6, 2), dtype=np.float32))
    _, ids = index.search(np.ones((1, 2), dtype=np.float32), 3)
    assert ids[0].tolist() != [0, 1, 2]


def test_a_batch_is_answered_bit_for_bit_as_single_queries_are() -> None:
    rng = np.random.default_rng(3)
    base = rng.normal(size=(300, 384)).astype(np.float32)
    vectors = np.concatenate([base, base, base[:100]])
    queries = rng.normal(size=(700, 384)).astype(np.float32)
    index = VectorIndex(filled(faiss.IndexFlatIP(384), vectors))
    batch = plain(rank(index, queries, 10))
    assert batch == [answer for query in queries for answer in plain(rank(index, query[None], 10))]


@pytest.mark.parametrize("share", [0.01, 0.3])
def test_a_narrow_scope_of_a_graph_index_is_filled_to_top_k(share: float) -> None:
    rng = np.random.default_rng(8)
    vectors = rng.normal(size=(2000, 16)).astype(np.float32)
    graph = faiss.IndexHNSWFlat(16, 16, faiss.METRIC_INNER_PRODUCT)
    graph.hnsw.efSearch = 16
    mask = rng.random(2000) < share
    index = VectorIndex(filled(graph, vectors))
    for ordinals in rank(index, rng.normal(size=(20, 16)).astype(np.float32), 10, mask).ordinals:
        assert (ordinals >= 0).all()
        assert mask[ordinals].all()


def test_an_empty_scope_and_an_empty_index_answer_nothing() -> None:
    query = np.ones((2, 4), dtype=np.float32)
    assert plain(rank(VectorIndex(faiss.IndexFlatIP(4)), query, 3)) == [([], [], None)] * 2
    index = VectorIndex(filled(faiss.IndexFlatIP(4), query))
    assert plain(rank(index, query, 3, np.zeros(2, dtype=np.bool_))) == [([], [], None)] * 2


def filled(index: faiss.Index, vectors: Vectors) -> faiss.Index:
    index.add(vectors)
    return index
