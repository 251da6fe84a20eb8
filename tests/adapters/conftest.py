"""Small checkpoints for adapter tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from model_weights import MINILM
from witnessmark.canonical import model_bytes
from witnessmark.checkpoint.build import build_checkpoint
from witnessmark.checkpoint.directory import retrieval_state_digest
from witnessmark.checkpoint.layout import MANIFEST, index_entries
from witnessmark.models import CheckpointManifest, RetrieverProfile, Target
from witnessmark.ports import CheckpointAdapter
from witnessmark.registry import find_adapter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from witnessmark_adapters.sentence_transformers import SentenceTransformersEmbedder

FIELDS = {
    "implementation_id": "faiss",
    "implementation_version": "1",
    "adapter_version": "0.1",
    "adapter_capability": "deterministic",
    "distance_metric": "cosine",
    "index_implementation": "IndexFlatIP",
    "top_k": 3,
    "truncation_rule": "text:none;answer:top_k",
    "tie_policy": "score_desc_item_key_asc",
}


@pytest.fixture(scope="session")
def make_profile() -> Callable[..., RetrieverProfile]:
    """Return a function that makes a profile; ``config`` goes to index_build_config, the rest replaces fields."""

    def make(config: dict[str, object] | None = None, **fields: object) -> RetrieverProfile:
        build = {"embedder": "wordllama", "embedding_dimension": 64} | (config or {})
        return RetrieverProfile.from_json({**FIELDS, "index_build_config": build, **fields})

    return make


@pytest.fixture(scope="session")
def make_lexical() -> Callable[..., RetrieverProfile]:
    """Return a function that makes a profile of the adapter ``fts5``, as ``make_profile`` does for ``faiss``."""

    def make(config: dict[str, object] | None = None, **fields: object) -> RetrieverProfile:
        own = {"implementation_id": "fts5", "distance_metric": "bm25", "index_implementation": "fts5"}
        return RetrieverProfile.from_json({**FIELDS, **own, "index_build_config": config or {}, **fields})

    return make


@pytest.fixture
def make_target(tmp_path: Path) -> Callable[..., Target]:
    """Return a function that builds a checkpoint of (key, text, labels) and returns its target."""

    def make(name: str, records: Sequence[tuple[str, str, Sequence[str]]], profile: RetrieverProfile) -> Target:
        source = tmp_path / f"{name}.jsonl"
        lines = [json.dumps({"key": key, "text": text, "scope_labels": [*labels]}) for key, text, labels in records]
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        out = tmp_path / name
        name_of = profile.implementation_id
        adapter, _ = find_adapter(name_of)
        assert isinstance(adapter, CheckpointAdapter)
        build_checkpoint(source, profile=profile, adapter_name=name_of, adapter=adapter, out=out)
        return Target(adapter=name_of, options={"path": str(out)})

    return make


@pytest.fixture(scope="session")
def seal() -> Callable[[Path], Target]:
    """Return a function that writes a manifest anew, so that what is in ``index/`` is what it lists."""

    def sealed(folder: Path) -> Target:
        manifest = CheckpointManifest.from_bytes((folder / MANIFEST).read_bytes())
        entries = index_entries(folder)
        settings = manifest.index_settings
        value = {
            **manifest.model_dump(mode="json"),
            "index_files": [entry.model_dump(mode="json") for entry in entries],
            "retrieval_state_digest": retrieval_state_digest(
                entries, manifest.profile_digest, manifest.adapter, settings
            ),
        }
        (folder / MANIFEST).write_bytes(model_bytes(CheckpointManifest.from_json(value)))
        return Target(adapter=manifest.adapter, options={"path": str(folder)})

    return sealed


@pytest.fixture(scope="session")
def minilm() -> SentenceTransformersEmbedder:
    """The float32 MiniLM, loaded once."""
    from witnessmark_adapters.sentence_transformers import SentenceTransformersFactory

    return SentenceTransformersFactory().load({"model": MINILM})
