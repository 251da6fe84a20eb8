"""The model2vec embedder with real weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from model_weights import STATIC
from witnessmark.errors import InputError
from witnessmark_adapters.model2vec import Model2VecFactory
from witnessmark_adapters.modelfiles import locate

if TYPE_CHECKING:
    from pathlib import Path

    from witnessmark_adapters.model2vec import Model2Vec

pytestmark = pytest.mark.models

TEXTS = ["The nightly database backup starts at 04:30 UTC.", "", "Café Zürich — 東京 🙂", "word " * 600, "a"]


def load(**options: object) -> Model2Vec:
    return Model2VecFactory().load({"model": STATIC, **options})  # type: ignore[dict-item]


@pytest.fixture(scope="module")
def static() -> Model2Vec:
    return load()


def test_vectors_are_those_of_the_library(static: Model2Vec) -> None:
    ours = static.embed(TEXTS)
    assert ours.shape == (len(TEXTS), 64)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, static._model.encode(TEXTS), rtol=0, atol=1e-6)
    assert not ours[1].any()
    assert static.embed([]).shape == (0, 64)


def test_single_and_batch_are_bitwise_equal(static: Model2Vec) -> None:
    assert static.embed(TEXTS).tobytes() == b"".join(static.embed([text]).tobytes() for text in TEXTS)


def test_what_the_library_cuts_off_is_counted(static: Model2Vec) -> None:
    cut = load(max_length=10)
    texts = ["one two three", "word " * 11, "i " * 11, "internationalization " * 9]
    counts = cut.token_counts(texts)
    for text, count in zip(texts, counts, strict=True):
        # A text is over the limit exactly where another ending changes nothing.
        same = cut.embed([text]).tobytes() == cut.embed([f"{text} and another ending"]).tobytes()
        assert (count > cut.max_tokens) == same, text
    assert [count > cut.max_tokens for count in counts] == [False, True, True, True]
    assert cut.token_counts([]) == []
    # Counting changes nothing.
    assert cut.embed(texts).tobytes() == load(max_length=10).embed(texts).tobytes()


def test_options_and_identity(static: Model2Vec) -> None:
    assert static.identity["model_id"] == "static_model/model"
    assert static.identity["revision"].startswith("sha256:")
    assert static.identity["truncation"] == f"right:{static.max_tokens}"
    assert static.options == {
        "dimension": 64,
        "max_length": 512,
        "model": STATIC,
        "normalize": True,
        "quantization": "float32",
    }
    np.testing.assert_allclose(np.linalg.norm(load(dimension=16).embed(TEXTS[:1])), 1.0, atol=1e-6)
    plain = load(normalize=False, quantization="binary").embed(TEXTS[:1])
    assert set(np.unique(plain)) == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ({"model": STATIC + "/config.json"}, "missing_model", "folder holds no model"),
        (
            {"dimension": 65},
            "invalid_embedder_option",
            "cannot use this dimension: got 65, wanted a whole number from 1",
        ),
        ({"device": "cpu"}, "unknown_embedder_option", "embedder 'model2vec' has no such option: got 'device'"),
    ],
)
def test_what_cannot_be_loaded_is_refused(options: dict[str, object], code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(**options)
    assert caught.value.code == code
    assert message in str(caught.value)


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    source = locate(STATIC, "tests").path
    (tmp_path / "config.json").write_bytes((source / "config.json").read_bytes())
    with pytest.raises(InputError, match="cannot load model: ") as caught:
        load(model=str(tmp_path))
    assert caught.value.code == "unsupported_model"
