"""Embedder ``sentence-transformers``: a folder of that library on this machine (extra ``sentence-transformers``).

- Offline: only ``hub:`` names with ``download: true`` reach the network, and then for one commit, never for a branch.
- Safetensors only, no code from the model's folder, and no weights that its folder merely points to.
- The revision is the digest over the folder's files. The dtype is the one asked for; ``auto`` is no dtype.
- Prompts that the model declares are never added in silence: the profile says them, or says that they are ignored.
- Texts go through in an order of their own, so that rows depend on which texts come together, not on their order. With
  ``batch_size`` 1 they depend on the text alone.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from witnessmark.canonical import parse_json
from witnessmark.errors import InputError
from witnessmark.files import read_bytes
from witnessmark_adapters.modelfiles import Located, folder_digest, locate
from witnessmark_adapters.options import Options, load_extra
from witnessmark_adapters.quantize import QUANTIZATIONS, quantize
from witnessmark_adapters.vectors import unit_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from pydantic import JsonValue

    from witnessmark.models.base import JsonScalar
    from witnessmark.ports import EmbedderFactory

__all__ = [
    "DEVICES",
    "DTYPES",
    "EMBEDDER",
    "EXTRA",
    "SentenceTransformersEmbedder",
    "SentenceTransformersFactory",
    "find_model",
    "load_library",
    "require_dtype",
]

NOUN = "embedder 'sentence-transformers'"
EXTRA = "sentence-transformers"
HUB = "hub:"
Dtype = Literal["float32", "bfloat16", "float16"]
DTYPES: tuple[Dtype, ...] = ("float32", "bfloat16", "float16")
DEVICES = ("cpu", "cuda", "mps")
_LONGEST = 1 << 17
_COMMIT = re.compile(r"[0-9a-f]{40}")
_QUERY_PROMPTS = ("query",)
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")
"""Names under which the library itself looks for a prompt, in its order."""


class SentenceTransformersEmbedder:
    """A loaded model."""

    def __init__(self, model: Any, identity: Mapping[str, str], options: Options) -> None:
        """Take a ``SentenceTransformer``.

        Raises:
            InputError: ``invalid_embedder_option``.
        """
        # Newer versions of the library warn of the old name.
        measure = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        width = int(measure())
        longest = _longest(model)
        self._model = model
        self._batch = options.whole("batch_size", 32, 1, 4096)
        self._normalize = options.flag("normalize", False)
        self._quantization = options.choice("quantization", QUANTIZATIONS)
        self.dimension = options.whole("dimension", width, 1, width)
        self.max_tokens = options.whole("max_length", min(model.max_seq_length or longest, longest), 2, longest)
        model.max_seq_length = self.max_tokens
        ignored = options.choice("prompts", ("declared", "ignored")) == "ignored"
        self.prompts: Mapping[str, str] = {} if ignored else _prompts(model)
        self.options: Mapping[str, JsonScalar] = dict(options.effective)
        side = getattr(model.tokenizer, "truncation_side", "right")
        self.identity: Mapping[str, str] = {
            **identity,
            "quantization": self._quantization,
            "truncation": f"{side}:{self.max_tokens}",
            "packages": "numpy sentence-transformers tokenizers torch transformers",
        }

    def token_counts(self, texts: Sequence[str]) -> Sequence[int]:
        """Return how many tokens each text has, special tokens included, before anything is cut off."""
        if not texts:
            return []
        found = self._model.tokenizer(list(texts), truncation=False, padding=False, verbose=False)
        return [len(ids) for ids in found["input_ids"]]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, shape ``(len(texts), dimension)``."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda row: (-len(texts[row]), texts[row]))
        if order:
            found = self._model.encode(
                [texts[row] for row in order],
                prompt="",  # not None: that would add the model's default prompt
                batch_size=self._batch,
                show_progress_bar=False,
                convert_to_numpy=False,
                convert_to_tensor=True,
            )
            vectors[order] = found[:, : self.dimension].float().cpu().numpy()
        vectors = quantize(vectors, self._quantization)
        return unit_rows(vectors) if self._normalize else vectors


class SentenceTransformersFactory:
    """Loads a model folder."""

    def load(self, options: Mapping[str, JsonValue]) -> SentenceTransformersEmbedder:
        """Load it.

        Options: ``model`` (a folder as `witnessmark_adapters.modelfiles` names it, or ``hub:ORG/NAME`` with
        ``hub_commit`` and perhaps ``download``), ``dtype`` float32, bfloat16 or float16, ``device``, ``max_length`` in
        tokens, ``batch_size``, ``dimension``, ``normalize``, ``quantization`` float32, int8 or binary, ``prompts``
        declared or ignored.

        Raises:
            InputError: an option is not usable, ``missing_extra``, ``missing_model``, ``unsafe_weights``,
                ``unsupported_model`` or ``dtype_mismatch``.
        """
        read = Options(
            NOUN,
            options,
            (
                *("batch_size", "device", "dimension", "download", "dtype", "hub_commit", "max_length", "model"),
                *("normalize", "prompts", "quantization"),
            ),
        )
        dtype = read.choice("dtype", DTYPES)
        device = read.choice("device", DEVICES)
        library = load_library(NOUN)
        model = find_model(read, NOUN)
        _require_sound_folder(model.path)
        loaded = _load(library, model.path, dtype, device)
        require_dtype(loaded, dtype, NOUN)
        identity = {
            "model_id": model.name,
            "revision": folder_digest(model.path),
            "tokenizer_id": model.name,
            "dtype": dtype,
        }
        return SentenceTransformersEmbedder(loaded, identity, read)


EMBEDDER: EmbedderFactory = SentenceTransformersFactory()


def load_library(noun: str) -> Any:
    """Import the library, its progress bars off.

    Raises:
        InputError: ``missing_extra``.
    """
    library = load_extra("sentence_transformers", EXTRA, noun)
    load_extra("transformers.utils.logging", EXTRA, noun).disable_progress_bar()
    return library


def find_model(options: Options, noun: str) -> Located:
    """Return the model folder that the options ``model``, ``hub_commit`` and ``download`` name.

    Raises:
        InputError: ``missing_model``, or an option is not usable.
    """
    argument = options.text("model", "a model folder, or hub:ORG/NAME")
    if not argument.startswith(HUB):
        return locate(argument, noun)
    commit = options.text("hub_commit", "the 40 hexadecimal digits of a commit, never a branch")
    if not _COMMIT.fullmatch(commit):
        raise options.invalid("hub_commit", "the 40 hexadecimal digits of a commit, never a branch")
    download = options.flag("download", False)
    hub = load_extra("huggingface_hub", EXTRA, noun)
    name = argument.removeprefix(HUB)
    try:
        folder = hub.snapshot_download(name, revision=commit, local_files_only=not download)
    except Exception as error:  # the library's errors are of many families, those of its HTTP client among them
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"{noun} cannot find its model: {reason}",
            code="missing_model",
            got=repr(argument),
            wanted="a snapshot in the local cache" if not download else None,
        ) from error
    return Located(Path(folder), name)


def require_dtype(model: Any, dtype: Dtype, noun: str) -> None:
    """Check that every floating-point weight has the dtype that was asked for.

    Raises:
        InputError: ``dtype_mismatch``.
    """
    for name, weight in model.named_parameters():
        found = str(weight.dtype).removeprefix("torch.")
        if weight.is_floating_point() and found != dtype:
            raise InputError(
                f"{noun} loaded another dtype", code="dtype_mismatch", got=found, wanted=dtype, where=f"weight {name}"
            )


def _require_sound_folder(folder: Path) -> None:
    path = folder / "modules.json"
    if not path.is_file():
        raise InputError(
            "not a folder of a sentence-transformers model",
            code="unsupported_model",
            wanted="modules.json",
            where=str(folder),
        )
    modules = parse_json(read_bytes(path), where=str(path))
    listed = modules if isinstance(modules, list) else []
    for module in listed:
        below = folder / str(module.get("path", "")) if isinstance(module, dict) else folder
        if any(below.glob("*.bin")) and not any(below.glob("*.safetensors")):
            raise InputError(
                "weights are pickled, which runs code when it is read",
                code="unsafe_weights",
                wanted="*.safetensors",
                where=str(below),
            )
        if (below / "adapter_config.json").exists():
            raise InputError(
                "model takes its weights from elsewhere",
                code="unsupported_model",
                got="adapter_config.json",
                wanted="one folder with all weights",
                where=str(below),
            )


def _load(library: Any, folder: Path, dtype: Dtype, device: str) -> Any:
    torch = load_extra("torch", EXTRA, NOUN)
    try:
        return library.SentenceTransformer(
            str(folder),
            device=device,
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs={"dtype": getattr(torch, dtype), "use_safetensors": True},
        )
    except Exception as error:  # the library raises what its parts raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"cannot load model: {reason}", code="unsupported_model", where=str(folder)) from error


def _longest(model: Any) -> int:
    """Return the most tokens that the model has positions for."""
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    # Not the tokenizer's own limit, which the library sets to max_seq_length.
    positions = getattr(config, "max_position_embeddings", None)
    return min(positions, _LONGEST) if isinstance(positions, int) and positions > 1 else _LONGEST


def _prompts(model: Any) -> dict[str, str]:
    declared = dict(model.prompts or {})
    default = declared.get(model.default_prompt_name or "", "")
    found = {}
    for role, names in (("query", _QUERY_PROMPTS), ("document", _DOCUMENT_PROMPTS)):
        prompt = next((declared[name] for name in names if name in declared), None) or default
        if prompt:
            found[role] = str(prompt)
    return found
