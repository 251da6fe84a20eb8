"""RetrieverProfile/0.1: everything that decides how a retriever answers, pinned and digest-bound."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, NamedTuple

from pydantic import Field, PlainSerializer, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.models.base import JsonScalar, Many, Positive, Record, Text, Whole

__all__ = ["AdapterCapability", "FieldDifference", "RetrieverProfile", "profile_differences"]


class AdapterCapability(StrEnum):
    """Whether an adapter claims that equal requests get equal answers."""

    deterministic = "deterministic"
    unsupported_or_unknown = "unsupported_or_unknown"


def _without_nulls(settings: dict[str, str | int | bool | None]) -> dict[str, str | int | bool | None]:
    return {name: value for name, value in settings.items() if value is not None}


Settings = Annotated[dict[Text, JsonScalar], PlainSerializer(_without_nulls, when_used="json")]
"""Flat settings. A null counts as absent: it is not written and not in the digest, as with the reference."""


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
    index_build_config: Settings = Field(default_factory=dict)
    filtering_rules: Many[Text] = ()
    top_k: Positive
    truncation_rule: Text
    reranker_id: Text | None = None
    reranker_config: Settings = Field(default_factory=dict)
    tie_policy: Text | None = None
    seed: Whole | None = None
    opaque_components: Many[Text] = ()

    @model_validator(mode="after")
    def _deterministic_needs_a_tie_policy(self) -> RetrieverProfile:
        if self.adapter_capability is AdapterCapability.deterministic and not (self.tie_policy or "").strip():
            raise PydanticCustomError("missing_tie_policy", "A deterministic profile should name its tie_policy")
        return self


class FieldDifference(NamedTuple):
    """One field, or one key of a map, in which two profiles differ."""

    field: str
    """As in ``top_k`` or ``index_build_config/M``."""
    first: object
    """The first profile's value; None where it is absent."""
    second: object


def profile_differences(first: RetrieverProfile, second: RetrieverProfile) -> tuple[FieldDifference, ...]:
    """Return every field in which two profiles differ, in field order, maps key by key."""
    one, two = first.model_dump(mode="json"), second.model_dump(mode="json")
    found: list[FieldDifference] = []
    for field in RetrieverProfile.model_fields:
        a, b = one[field], two[field]
        if isinstance(a, dict) and isinstance(b, dict):
            found += [
                FieldDifference(f"{field}/{key}", a.get(key), b.get(key))
                for key in sorted({*a, *b})
                if not _same(a.get(key), b.get(key)) or (key in a) != (key in b)
            ]
        elif not _same(a, b):
            found.append(FieldDifference(field, a, b))
    return tuple(found)


def _same(a: object, b: object) -> bool:
    # True == 1 in Python, but they are two values in JSON.
    return a == b and isinstance(a, bool) == isinstance(b, bool)
