"""Embedder ``wordllama``: mean-pooled static token vectors from the files inside the PyPI package ``wordllama``.

- The package itself is never imported: its weights and tokenizer are read from where it is installed.
- A text's vector depends on that text only: single and batch are bitwise equal.
- A text without tokens, the empty one above all, gets the zero vector: it is equally far from everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from witnessmark.errors import InputError
from witnessmark_adapters.modelfiles import content_digest, locate, open_tokenizer
from witnessmark_adapters.options import Options
from witnessmark_adapters.quantize import QUANTIZATIONS, quantize
from witnessmark_adapters.vectors import unit_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from pydantic import JsonValue
    from tokenizers import Tokenizer

    from witnessmark.ports import EmbedderFactory
    from witnessmark_adapters.quantize import Quantization

__all__ = ["EMBEDDER", "WordLlama", "WordLlamaFactory"]

NOUN = "embedder 'wordllama'"
DIMENSIONS = (256, 128, 64)
MODEL_ID = "wordllama/l2_supercat_256"
TOKENIZER_ID = "wordllama/l2_supercat_tokenizer"
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"


class WordLlama:
    """A loaded model. Pooling follows the package: the mean over the tokens, special tokens not added."""

    def __init__(
        self,
        table: NDArray[np.float32],
        tokenizer: Tokenizer,
        *,
        revision: str,
        quantization: Quantization = "float32",
        normalize: bool = False,
    ) -> None:
        """Take a token table of shape ``(tokens, dimension)`` and its tokenizer."""
        self._table = table
        self._tokenizer = tokenizer
        self._revision = revision
        self._quantization = quantization
        self._normalize = normalize

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._table.shape[1])

    @property
    def identity(self) -> Mapping[str, str]:
        """The model, a digest over its weight and tokenizer files, and what is done to its vectors."""
        return {
            "model_id": MODEL_ID,
            "revision": self._revision,
            "tokenizer_id": TOKENIZER_ID,
            "quantization": self._quantization,
            "dtype": "float32",
            "truncation": "none",
            "packages": "numpy tokenizers wordllama",
        }

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, shape ``(len(texts), dimension)``."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for row, encoding in enumerate(encodings):
            if encoding.ids:
                rows = self._table[encoding.ids]
                vectors[row] = rows.sum(axis=0, dtype=np.float32) / np.float32(len(rows))
        vectors = quantize(vectors, self._quantization)
        return unit_rows(vectors) if self._normalize else vectors


class WordLlamaFactory:
    """Loads the model that the installed package carries."""

    def load(self, options: Mapping[str, JsonValue]) -> WordLlama:
        """Load it. Options: ``dimension`` 256, 128 or 64, ``quantization`` float32, int8 or binary, ``normalize``.

        Raises:
            InputError: ``unknown_embedder_option``, ``invalid_embedder_option`` or ``missing_model``.
        """
        read = Options(NOUN, options, ("dimension", "normalize", "quantization"))
        dimension = options.get("dimension", 256)
        if isinstance(dimension, bool) or dimension not in DIMENSIONS:
            raise read.invalid("dimension", "256, 128 or 64")
        normalize = read.flag("normalize", False)
        quantization = read.choice("quantization", QUANTIZATIONS)
        folder = _package_folder()
        return WordLlama(
            _token_table(folder / WEIGHTS, int(dimension)),
            open_tokenizer(folder / TOKENIZER),
            revision=content_digest((name, folder / name) for name in (WEIGHTS, TOKENIZER)),
            quantization=quantization,
            normalize=normalize,
        )


EMBEDDER: EmbedderFactory = WordLlamaFactory()


def _package_folder() -> Path:
    return locate("package:wordllama", NOUN).path


def _token_table(path: Path, dimension: int) -> NDArray[np.float32]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as weights:
            table: NDArray[np.float32] = np.ascontiguousarray(
                weights.get_tensor(_TENSOR)[:, :dimension], dtype=np.float32
            )
    except (OSError, SafetensorError) as error:
        raise InputError(f"cannot read weights: {error}", code="missing_model", where=str(path)) from error
    return table
