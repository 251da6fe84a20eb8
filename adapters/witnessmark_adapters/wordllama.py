"""Embedder ``wordllama``: mean-pooled static token vectors from the files inside the PyPI package ``wordllama``.

- The package itself is never imported: its weights and tokenizer are read from where it is installed.
- A text's vector depends on that text only: single and batch are bitwise equal.
- A text without tokens, the empty one above all, gets the zero vector: it is equally far from everything.
- ``int8`` rounds each vector to 127 steps of its own largest component, ``binary`` keeps the signs (zero counts as
  negative); both give back float32 vectors, so that what was lost is what a search can lose.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from witnessmark.canonical import canonical_digest
from witnessmark.errors import InputError
from witnessmark.files import file_digest
from witnessmark_adapters.vectors import unit_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from pydantic import JsonValue
    from tokenizers import Tokenizer

    from witnessmark.ports import EmbedderFactory

__all__ = ["EMBEDDER", "WordLlama", "WordLlamaFactory"]

Quantization = Literal["float32", "int8", "binary"]
QUANTIZATIONS: tuple[Quantization, ...] = ("float32", "int8", "binary")
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
        if self._quantization == "int8":
            vectors = _int8(vectors)
        elif self._quantization == "binary":
            vectors = _signs(vectors)
        return unit_rows(vectors) if self._normalize else vectors


class WordLlamaFactory:
    """Loads the model that the installed package carries."""

    def load(self, options: Mapping[str, JsonValue]) -> WordLlama:
        """Load it. Options: ``dimension`` 256, 128 or 64, ``quantization`` float32, int8 or binary, ``normalize``.

        Raises:
            InputError: ``unknown_embedder_option``, ``invalid_embedder_option`` or ``missing_model``.
        """
        known = {"dimension", "quantization", "normalize"}
        unknown = sorted(set(options) - known)
        if unknown:
            raise InputError(
                "embedder 'wordllama' has no such option",
                code="unknown_embedder_option",
                got=repr(unknown[0]),
                wanted=f"one of: {', '.join(sorted(known))}",
            )
        dimension = options.get("dimension", 256)
        if isinstance(dimension, bool) or dimension not in DIMENSIONS:
            raise _invalid("dimension", dimension, "256, 128 or 64")
        normalize = options.get("normalize", False)
        if not isinstance(normalize, bool):
            raise _invalid("normalize", normalize, "true or false")
        quantization = next((name for name in QUANTIZATIONS if name == options.get("quantization", "float32")), None)
        if quantization is None:
            raise _invalid("quantization", options["quantization"], "float32, int8 or binary")
        folder = _package_folder()
        digests = {name: file_digest(folder / name)[1] for name in (WEIGHTS, TOKENIZER)}
        return WordLlama(
            _token_table(folder / WEIGHTS, int(dimension)),
            _tokenizer(folder / TOKENIZER),
            revision=canonical_digest(digests),
            quantization=quantization,
            normalize=normalize,
        )


EMBEDDER: EmbedderFactory = WordLlamaFactory()


def _invalid(name: str, got: JsonValue, wanted: str) -> InputError:
    return InputError(
        f"embedder 'wordllama' cannot use this {name}", code="invalid_embedder_option", got=repr(got), wanted=wanted
    )


def _package_folder() -> Path:
    spec = find_spec("wordllama")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        raise InputError("package is not installed", code="missing_model", wanted="pip install wordllama")
    return Path(folders[0])


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


def _tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the Rust binding raises Exception itself
        raise InputError(f"cannot read tokenizer: {error}", code="missing_model", where=str(path)) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _int8(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0.0)
    scale = np.where(largest == 0.0, np.float32(1.0), largest / np.float32(127.0))
    quantized: NDArray[np.float32] = np.rint(vectors / scale) * scale
    return quantized


def _signs(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    signs = np.where(vectors > 0.0, np.float32(1.0), np.float32(-1.0))
    signs[~vectors.any(axis=1)] = 0.0
    return signs
