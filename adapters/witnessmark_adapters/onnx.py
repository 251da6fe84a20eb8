"""Embedder ``onnx``: a transformer encoder in an ONNX file, with its ``tokenizer.json`` (extra ``onnx``).

- The file and the tokenizer are named apart, as some packages ship one without the other; the revision covers both.
- A text is cut at ``max_length`` tokens, at its end, whatever the tokenizer's own file says.
- Texts go through the model by length, so that a batch holds little padding; rows come back in their own order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from witnessmark.errors import InputError
from witnessmark_adapters.modelfiles import content_digest, locate, open_tokenizer
from witnessmark_adapters.options import Options, load_extra
from witnessmark_adapters.quantize import QUANTIZATIONS, quantize
from witnessmark_adapters.vectors import unit_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from pydantic import JsonValue
    from tokenizers import Tokenizer

    from witnessmark.models.base import JsonScalar
    from witnessmark.ports import EmbedderFactory

__all__ = ["EMBEDDER", "OnnxEmbedder", "OnnxFactory"]

NOUN = "embedder 'onnx'"
MAX_LENGTH = 512
Pooling = Literal["mean", "cls"]
POOLINGS: tuple[Pooling, ...] = ("mean", "cls")
_IDS, _MASK, _TYPES = "input_ids", "attention_mask", "token_type_ids"


class OnnxEmbedder:
    """A loaded model: token states from the file, pooled here in double precision."""

    def __init__(
        self, session: Any, tokenizer: Tokenizer, width: int, identity: Mapping[str, str], options: Options
    ) -> None:
        """Take a session whose first output has the shape ``(texts, tokens, width)``.

        Raises:
            InputError: ``invalid_embedder_option``.
        """
        self._session = session
        self._whole = tokenizer
        self._inputs = {item.name for item in session.get_inputs()}
        self._pooling = options.choice("pooling", POOLINGS)
        self._batch = options.whole("batch_size", 32, 1, 4096)
        self._normalize = options.flag("normalize", False)
        self._quantization = options.choice("quantization", QUANTIZATIONS)
        self.max_tokens = options.whole("max_length", 256, 2, MAX_LENGTH)
        self.dimension = options.whole("dimension", width, 1, width)
        self._cut = type(tokenizer).from_str(tokenizer.to_str())
        self._cut.enable_truncation(self.max_tokens)
        self.options: Mapping[str, JsonScalar] = dict(options.effective)
        self.identity: Mapping[str, str] = {
            **identity,
            "quantization": self._quantization,
            "truncation": f"right:{self.max_tokens}",
            "packages": "numpy onnxruntime tokenizers",
        }

    def token_counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Return how many tokens each text has, special tokens included, before anything is cut off."""
        return [len(encoding.ids) for encoding in self._whole.encode_batch(list(texts))]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, shape ``(len(texts), dimension)``."""
        encodings = self._cut.encode_batch(list(texts))
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda row: len(encodings[row].ids))
        for first in range(0, len(order), self._batch):
            rows = order[first : first + self._batch]
            pooled = self._pooled([encodings[row].ids for row in rows])
            vectors[rows] = pooled[:, : self.dimension]
        vectors = quantize(vectors, self._quantization)
        return unit_rows(vectors) if self._normalize else vectors

    def _pooled(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        padded = np.zeros((len(ids), max(map(len, ids))), dtype=np.int64)
        mask = np.zeros_like(padded)
        for row, tokens in enumerate(ids):
            padded[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given = {_IDS: padded, _MASK: mask, _TYPES: np.zeros_like(padded)}
        states = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        if self._pooling == "cls":
            first: NDArray[np.float64] = states[:, 0].astype(np.float64)
            return first
        # Each row over its own tokens: a sum over padding would depend on the batch.
        return np.stack(
            [states[row, : len(tokens)].sum(axis=0, dtype=np.float64) / len(tokens) for row, tokens in enumerate(ids)]
        )


class OnnxFactory:
    """Loads an ONNX file."""

    def load(self, options: Mapping[str, JsonValue]) -> OnnxEmbedder:
        """Load it.

        Options: ``model`` and ``tokenizer`` (files; `witnessmark_adapters.modelfiles` says how they are named),
        ``pooling`` mean or cls, ``max_length`` in tokens, ``batch_size``, ``dimension``, ``normalize``,
        ``quantization`` float32, int8 or binary.

        Raises:
            InputError: an option is not usable, ``missing_model``, ``missing_extra`` or ``unsupported_model``.
        """
        known = ("batch_size", "dimension", "max_length", "model", "normalize", "pooling", "quantization", "tokenizer")
        read = Options(NOUN, options, known)
        model = locate(read.text("model", "an ONNX file"), NOUN)
        vocabulary = locate(read.text("tokenizer", "a tokenizer.json"), NOUN)
        session = _session(model.path)
        tokenizer = open_tokenizer(vocabulary.path)
        identity = {
            "model_id": model.name,
            "revision": content_digest([("model", model.path), ("tokenizer", vocabulary.path)]),
            "tokenizer_id": vocabulary.name,
        }
        return OnnxEmbedder(session, tokenizer, _width(session, model.path), identity, read)


EMBEDDER: EmbedderFactory = OnnxFactory()


def _session(path: Path) -> Any:
    runtime = load_extra("onnxruntime", "onnx", NOUN)
    try:
        return runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # the binding has an exception class for each status
        reason = str(error).splitlines()[0]
        raise InputError(f"cannot read ONNX file: {reason}", code="missing_model", where=str(path)) from error


def _width(session: Any, path: Path) -> int:
    inputs = {item.name for item in session.get_inputs()}
    shape = session.get_outputs()[0].shape
    if not {_IDS, _MASK} <= inputs <= {_IDS, _MASK, _TYPES} or len(shape) != 3 or not isinstance(shape[2], int):
        raise InputError(
            "ONNX file is no text encoder",
            code="unsupported_model",
            got=f"inputs {', '.join(sorted(inputs))}, first output {shape}",
            wanted="inputs input_ids, attention_mask and perhaps token_type_ids; an output (texts, tokens, width)",
            where=str(path),
        )
    return int(shape[2])
