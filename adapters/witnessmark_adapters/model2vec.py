"""Embedder ``model2vec``: static token vectors in a folder of that library (extra ``model2vec``).

- The folder is on this machine; nothing is downloaded. The revision is the digest over its files.
- Normalization and ``max_length`` are the model's own unless the options say otherwise. The library cuts a long text
  twice, at ``max_length`` times the median length of a token in characters, then at ``max_length`` tokens.
- A text without known tokens gets the zero vector: it is equally far from everything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from witnessmark.errors import InputError
from witnessmark_adapters.modelfiles import folder_digest, locate
from witnessmark_adapters.options import Options, load_extra
from witnessmark_adapters.quantize import QUANTIZATIONS, quantize
from witnessmark_adapters.vectors import unit_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from pydantic import JsonValue

    from witnessmark.models.base import JsonScalar
    from witnessmark.ports import EmbedderFactory

__all__ = ["EMBEDDER", "Model2Vec", "Model2VecFactory"]

NOUN = "embedder 'model2vec'"
_LONGEST = 1 << 20


class Model2Vec:
    """A loaded model."""

    def __init__(self, model: Any, identity: Mapping[str, str], options: Options) -> None:
        """Take a ``StaticModel``.

        Raises:
            InputError: ``invalid_embedder_option``.
        """
        width = int(model.dim)
        self._model = model
        self._normalize = options.flag("normalize", bool(model.normalize))
        self._quantization = options.choice("quantization", QUANTIZATIONS)
        self.dimension = options.whole("dimension", width, 1, width)
        self.max_tokens = options.whole("max_length", model.max_length or _LONGEST, 1, _LONGEST)
        self._most_characters = self.max_tokens * int(model.median_token_length)
        self.options: Mapping[str, JsonScalar] = dict(options.effective)
        self.identity: Mapping[str, str] = {
            **identity,
            "quantization": self._quantization,
            "truncation": f"right:{self.max_tokens}",
            "packages": "model2vec numpy tokenizers",
        }

    def token_counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Return how many tokens each text has; where characters are cut off, at least one more than are read."""
        self._model.tokenizer.no_truncation()
        counts = [len(ids) for ids in self._model.tokenize(list(texts))] if texts else []
        return [
            max(count, self.max_tokens + 1) if len(text) > self._most_characters else count
            for text, count in zip(texts, counts, strict=True)
        ]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, shape ``(len(texts), dimension)``."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if texts:
            found = self._model.encode(
                list(texts), max_length=self.max_tokens, normalize=False, use_multiprocessing=False
            )
            vectors[:] = found[:, : self.dimension]
        vectors = quantize(vectors, self._quantization)
        return unit_rows(vectors) if self._normalize else vectors


class Model2VecFactory:
    """Loads a model folder."""

    def load(self, options: Mapping[str, JsonValue]) -> Model2Vec:
        """Load it.

        Options: ``model`` (a folder; `witnessmark_adapters.modelfiles` says how it is named), ``max_length`` in tokens,
        ``dimension``, ``normalize``, ``quantization`` float32, int8 or binary.

        Raises:
            InputError: an option is not usable, ``missing_model``, ``missing_extra`` or ``unsupported_model``.
        """
        read = Options(NOUN, options, ("dimension", "max_length", "model", "normalize", "quantization"))
        folder = locate(read.text("model", "a model folder"), NOUN)
        library = load_extra("model2vec", "model2vec", NOUN)
        identity = {
            "model_id": folder.name,
            "revision": folder_digest(folder.path),
            "tokenizer_id": folder.name,
        }
        return Model2Vec(_load(library, folder.path), identity, read)


EMBEDDER: EmbedderFactory = Model2VecFactory()


def _load(library: Any, folder: Path) -> Any:
    if not folder.is_dir():
        raise InputError("not a model folder", code="unsupported_model", where=str(folder))
    try:
        return library.StaticModel.from_pretrained(folder, force_download=False)
    except Exception as error:  # the library raises what its parts raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"cannot load model: {reason}", code="unsupported_model", where=str(folder)) from error
