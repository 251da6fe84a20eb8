"""The embedder against the package that its files come from."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from witnessmark.errors import InputError
from witnessmark_adapters import wordllama
from witnessmark_adapters.wordllama import EMBEDDER, TOKENIZER, WEIGHTS

TEXTS = [
    "The deployment window is Tuesday night.",
    "",
    "a",
    "Café Zürich, déjà vu — 東京 🙂",
    "  spaces  ",
    "REPLACE SUMP PUMP",
    "the same words again and again " * 40,
]


def reference(dimension: int) -> object:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer
    from wordllama.inference import WordLlamaInference

    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0])
    table = load_file(folder / WEIGHTS)["embedding.weight"][:, :dimension]
    return WordLlamaInference(table, Tokenizer.from_file(str(folder / TOKENIZER)))


@pytest.mark.parametrize("dimension", [256, 128, 64])
def test_vectors_are_those_of_the_package(dimension: int) -> None:
    ours = EMBEDDER.load({"dimension": dimension}).embed(TEXTS)
    theirs = reference(dimension).embed(list(TEXTS))  # type: ignore[attr-defined]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-6)
    assert ours.shape == (len(TEXTS), dimension)


@pytest.mark.parametrize("quantization", ["float32", "int8", "binary"])
@pytest.mark.parametrize("normalize", [False, True])
def test_single_and_batch_are_bitwise_equal(quantization: str, normalize: bool) -> None:
    embedder = EMBEDDER.load({"quantization": quantization, "normalize": normalize})
    batch = embedder.embed(TEXTS)
    assert b"".join(embedder.embed([text]).tobytes() for text in TEXTS) == batch.tobytes()
    assert batch.tobytes() == embedder.embed(TEXTS[::-1])[::-1].tobytes()


@pytest.mark.parametrize("quantization", ["float32", "int8", "binary"])
def test_an_empty_text_is_the_zero_vector(quantization: str) -> None:
    embedder = EMBEDDER.load({"quantization": quantization, "normalize": True})
    assert not embedder.embed([""]).any()
    assert embedder.embed([]).shape == (0, 256)


def test_normalized_vectors_have_length_one_also_when_truncated() -> None:
    vectors = EMBEDDER.load({"dimension": 64, "normalize": True}).embed([text for text in TEXTS if text])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_binary_vectors_keep_signs_only() -> None:
    plain = EMBEDDER.load({}).embed(TEXTS[:1])
    binary = EMBEDDER.load({"quantization": "binary"}).embed(TEXTS[:1])
    assert np.array_equal(binary, np.where(plain > 0, 1.0, -1.0))


def test_int8_vectors_have_at_most_255_levels_and_stay_close() -> None:
    plain = EMBEDDER.load({}).embed(TEXTS[:1])[0]
    quantized = EMBEDDER.load({"quantization": "int8"}).embed(TEXTS[:1])[0]
    step = np.abs(plain).max() / 127
    levels = quantized / step
    np.testing.assert_allclose(levels, np.rint(levels), atol=1e-4)
    assert 0 < np.abs(quantized - plain).max() <= step / 2 * 1.001


def test_identity_names_model_tokenizer_and_a_content_digest() -> None:
    identity = EMBEDDER.load({"quantization": "int8"}).identity
    assert identity["model_id"] == "wordllama/l2_supercat_256"
    assert identity["quantization"] == "int8"
    assert identity["revision"] == EMBEDDER.load({}).identity["revision"]
    assert identity["revision"].startswith("sha256:")


def test_the_revision_follows_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = wordllama._package_folder()
    for name in (WEIGHTS, TOKENIZER):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((source / name).read_bytes())
    monkeypatch.setattr(wordllama, "_package_folder", lambda: tmp_path)
    before = EMBEDDER.load({}).identity["revision"]
    changed = (tmp_path / TOKENIZER).read_bytes() + b"\n"
    (tmp_path / TOKENIZER).write_bytes(changed)
    assert EMBEDDER.load({}).identity["revision"] != before
    (tmp_path / WEIGHTS).write_bytes(b"no weights")
    with pytest.raises(InputError, match="cannot read weights") as caught:
        EMBEDDER.load({})
    assert caught.value.code == "missing_model"


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (
            {"dim": 64},
            "unknown_embedder_option",
            "embedder 'wordllama' has no such option: got 'dim', wanted one of: dimension, normalize, quantization",
        ),
        (
            {"dimension": 100},
            "invalid_embedder_option",
            "embedder 'wordllama' cannot use this dimension: got 100, wanted 256, 128 or 64",
        ),
        (
            {"dimension": True},
            "invalid_embedder_option",
            "embedder 'wordllama' cannot use this dimension: got True, wanted 256, 128 or 64",
        ),
        (
            {"quantization": "auto"},
            "invalid_embedder_option",
            "embedder 'wordllama' cannot use this quantization: got 'auto', wanted float32, int8 or binary",
        ),
        (
            {"normalize": 1},
            "invalid_embedder_option",
            "embedder 'wordllama' cannot use this normalize: got 1, wanted true or false",
        ),
    ],
)
def test_options_are_closed(options: dict[str, object], code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        EMBEDDER.load(options)  # type: ignore[arg-type]
    assert caught.value.code == code
    assert str(caught.value) == message
