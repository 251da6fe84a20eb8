"""RetrieverProfile/0.1: everything that decides how a retriever answers, pinned and digest-bound."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.base import JsonScalar, Many, Positive, Record, Text, Whole

__all__ = ["AdapterCapability", "RetrieverProfile"]


class AdapterCapability(StrEnum):
    """Whether an adapter claims that equal requests get equal answers."""

    deterministic = "deterministic"
    unsupported_or_unknown = "unsupported_or_unknown"


class RetrieverProfile(Record):
    """The retrieval path (wire contract §1). Defaults are part of the digest, so they are fixed."""

    implementation_id: Text
    """The retriever; for a checkpoint it names the adapter that opens it."""
    implementation_version: Text
    adapter_version: Text
    harness_version: Text = "0.1"
    adapter_capability: AdapterCapability
    embedding_model_id: Text | None = None
    embedding_model_revision: Text | None = None
    """Content digest of weights, tokenizer and configuration, or an immutable revision."""
    quantization: Text | None = None
    tokenizer_id: Text | None = None
    query_preprocessing: Many[Text] = ()
    distance_metric: Text
    index_implementation: Text
    index_build_config: dict[Text, JsonScalar] = Field(default_factory=dict)
    filtering_rules: Many[Text] = ()
    top_k: Positive
    truncation_rule: Text
    reranker_id: Text | None = None
    reranker_config: dict[Text, JsonScalar] = Field(default_factory=dict)
    tie_policy: Text | None = None
    seed: Whole | None = None
    opaque_components: Many[Text] = ()

    @model_validator(mode="after")
    def _deterministic_needs_a_tie_policy(self) -> RetrieverProfile:
        if self.adapter_capability is AdapterCapability.deterministic and not (self.tie_policy or "").strip():
            raise PydanticCustomError("missing_tie_policy", "A deterministic profile should name its tie_policy")
        return self
