"""The profile of a FAISS pipeline as it really is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.models import RetrieverProfile
from witnessmark_adapters.faiss_settings import OPTION_PREFIX
from witnessmark_adapters.live import PACKAGE_PREFIX, TIE_POLICY, installed_version
from witnessmark_adapters.prompts import require_prompts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from witnessmark.models.base import JsonScalar
    from witnessmark_adapters.embedding import CheckedEmbedder
    from witnessmark_adapters.faiss_settings import IndexSettings

__all__ = [
    "ADAPTER_VERSION",
    "IMPLEMENTATION_ID",
    "IMPLEMENTATION_VERSION",
    "PACKAGES",
    "live_profile",
]

IMPLEMENTATION_ID = "faiss"
IMPLEMENTATION_VERSION = "1"
"""Changes when the pipeline may answer differently for the same profile."""
ADAPTER_VERSION = "0.1"
PACKAGES = ("faiss-cpu", "numpy")
"""Packages that decide answers, beside the embedder's own distribution."""


def live_profile(
    wanted: RetrieverProfile,
    settings: IndexSettings,
    embedder: CheckedEmbedder,
    parameters: Mapping[str, int | str],
) -> RetrieverProfile:
    """Return what the pipeline is.

    Args:
        wanted: gives what the pipeline does as it is told: preprocessing, filtering, top_k.
        settings: of the index that is there.
        embedder: loaded.
        parameters: of the index that is there.

    Raises:
        InputError: ``missing_prompt``.
    """
    require_prompts(embedder.prompts, wanted.query_preprocessing, settings.document_prefix)
    identity = embedder.identity
    config: dict[str, JsonScalar] = {
        "embedder": settings.embedder,
        "embedding_dimension": embedder.dimension,
        **{f"{OPTION_PREFIX}{name}": value for name, value in embedder.options.items()},
        **parameters,
        **{f"{PACKAGE_PREFIX}{name}": installed_version(name) for name in settings.packages},
    }
    if settings.document_prefix:
        config["document_prefix"] = settings.document_prefix
    if settings.insertion_seed is not None:
        config["insertion_seed"] = settings.insertion_seed
    return RetrieverProfile.from_json(
        {
            "implementation_id": IMPLEMENTATION_ID,
            "implementation_version": IMPLEMENTATION_VERSION,
            "adapter_version": ADAPTER_VERSION,
            "adapter_capability": identity.get("capability", "deterministic"),
            "embedding_model_id": identity.get("model_id"),
            "embedding_model_revision": identity.get("revision"),
            "quantization": identity.get("quantization"),
            "tokenizer_id": identity.get("tokenizer_id"),
            "query_preprocessing": list(wanted.query_preprocessing),
            "distance_metric": settings.metric,
            "index_implementation": settings.implementation,
            "index_build_config": config,
            "filtering_rules": list(wanted.filtering_rules),
            "top_k": wanted.top_k,
            "truncation_rule": f"text:{identity.get('truncation', 'unknown')};answer:top_k",
            "tie_policy": TIE_POLICY,
            "opaque_components": identity.get("opaque", "").split(),
        },
        where="live profile",
    )
