"""What a profile may say of an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from witnessmark.errors import InputError
from witnessmark_adapters.faiss_settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from witnessmark.models import RetrieverProfile

IVF, HNSW, SQ = "IndexIVFFlat", "IndexHNSWFlat", "IndexScalarQuantizer"
KNOWN = "embedder, embedding_dimension, document_prefix, insertion_seed"
TAIL = "package:NAME, embedder:OPTION"


def test_defaults_are_filled_in(make_profile: Callable[..., RetrieverProfile]) -> None:
    assert read_settings(make_profile(index_implementation=HNSW)).parameters == {
        "M": 32,
        "ef_construction": 200,
        "ef_search": 64,
    }
    assert read_settings(make_profile({"nlist": 9}, index_implementation=IVF)).parameters == {
        "nlist": 9,
        "nprobe": 8,
        "training_seed": 1234,
    }
    assert read_settings(make_profile(index_implementation=SQ)).parameters == {"quantizer": "8bit"}
    refined = read_settings(make_profile({"base": HNSW, "M": 8}, index_implementation="IndexRefineFlat"))
    assert refined.parameters == {"base": HNSW, "k_factor": 4, "M": 8, "ef_construction": 200, "ef_search": 64}
    assert refined.searched == HNSW
    plain = read_settings(make_profile(index_implementation="IndexRefineFlat"))
    assert plain.parameters == {"base": SQ, "k_factor": 4, "quantizer": "8bit"}


def test_options_reach_the_embedder(make_profile: Callable[..., RetrieverProfile]) -> None:
    settings = read_settings(make_profile({"embedder:pooling": "max", "package:numpy": "2.0"}, quantization="int8"))
    assert settings.embedder_options == {"dimension": 64, "quantization": "int8", "pooling": "max"}
    assert settings.packages == ("numpy",)


@pytest.mark.parametrize(
    ("implementation", "metric", "config", "code", "message"),
    [
        (
            "IndexLSH",
            "cosine",
            {},
            "unknown_index_implementation",
            "profile /index_implementation: no such index implementation: got 'IndexLSH', wanted one of: "
            "IndexFlatIP, IndexFlatL2, IndexHNSWFlat, IndexIVFFlat, IndexIVFPQ, IndexScalarQuantizer, IndexRefineFlat",
        ),
        (
            "IndexFlatIP",
            "Cosine",
            {},
            "unknown_metric",
            "profile /distance_metric: no such metric: got 'Cosine', wanted one of: cosine, inner_product, l2",
        ),
        (
            "IndexFlatIP",
            "l2",
            {},
            "metric_not_supported",
            "profile /distance_metric: IndexFlatIP does not search by this metric: got 'l2', "
            "wanted one of: cosine, inner_product",
        ),
        (
            "IndexFlatL2",
            "cosine",
            {},
            "metric_not_supported",
            "profile /distance_metric: IndexFlatL2 does not search by this metric: got 'cosine', wanted one of: l2",
        ),
        (
            "IndexFlatIP",
            "cosine",
            {"ef_search": 3},
            "unknown_index_setting",
            "profile /index_build_config/ef_search: IndexFlatIP has no such setting: got 'ef_search', "
            f"wanted one of: {KNOWN}, {TAIL}",
        ),
        (
            IVF,
            "l2",
            {},
            "missing_index_setting",
            "profile /index_build_config/nlist: index setting is missing: wanted a whole number from 1 to 1048576",
        ),
        (
            IVF,
            "l2",
            {"nlist": 4, "nprobe": 5},
            "invalid_index_setting",
            "profile /index_build_config/nprobe: index setting is not usable: got 5, wanted at most nlist, which is 4",
        ),
        (
            HNSW,
            "l2",
            {"M": True},
            "invalid_index_setting",
            "profile /index_build_config/M: index setting is not usable: got True, wanted a whole number from 2 to 256",
        ),
        (
            SQ,
            "l2",
            {"quantizer": "auto"},
            "invalid_index_setting",
            "profile /index_build_config/quantizer: index setting is not usable: got 'auto', "
            "wanted one of: 8bit, 4bit, fp16",
        ),
        (
            "IndexRefineFlat",
            "cosine",
            {"base": "IndexFlatIP"},
            "invalid_index_setting",
            "profile /index_build_config/base: index setting is not usable: got 'IndexFlatIP', "
            "wanted one of: IndexScalarQuantizer, IndexIVFPQ, IndexIVFFlat, IndexHNSWFlat",
        ),
        (
            "IndexRefineFlat",
            "cosine",
            {"base": SQ, "nprobe": 2},
            "unknown_index_setting",
            "profile /index_build_config/nprobe: IndexRefineFlat has no such setting: got 'nprobe', "
            f"wanted one of: {KNOWN}, base, k_factor, quantizer, {TAIL}",
        ),
        (
            "IndexFlatIP",
            "cosine",
            {"embedder": None},
            "missing_index_setting",
            "profile /index_build_config/embedder: index setting is missing: wanted the name of an embedder",
        ),
        (
            "IndexFlatIP",
            "cosine",
            {"embedding_dimension": "64"},
            "invalid_index_setting",
            "profile /index_build_config/embedding_dimension: index setting is not usable: got '64', "
            "wanted a whole number from 1 to 65536",
        ),
    ],
)
def test_everything_else_is_an_error(
    make_profile: Callable[..., RetrieverProfile],
    implementation: str,
    metric: str,
    config: dict[str, object],
    code: str,
    message: str,
) -> None:
    with pytest.raises(InputError) as caught:
        read_settings(make_profile(config, index_implementation=implementation, distance_metric=metric))
    assert caught.value.code == code
    assert str(caught.value) == message
