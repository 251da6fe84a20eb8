"""An adapter written against the reference contract alone, and an embedder that counts letters."""

from __future__ import annotations

import numpy as np

from witnessmark.models import RetrievedItem, RetrieverProfile, StateReference

DIGEST = "sha256:" + "7" * 64


class Echo:
    """Answers every query with an item named after it."""

    profile = RetrieverProfile(
        implementation_id="echo",
        implementation_version="2.1",
        adapter_version="1",
        adapter_capability="deterministic",
        distance_metric="none",
        index_implementation="none",
        top_k=1,
        truncation_rule="none",
        tie_policy="one item only",
    )

    def state_reference(self, state_name):
        return StateReference(checkpoint_digest=DIGEST)

    def contains_item_key(self, state_name, item_key):
        return True

    def retrieve(self, state_name, request):
        return [RetrievedItem(item_key=request.query, item_version_digest=DIGEST, rank=1)]

    def runtime_observation(self):
        return None


class EchoAdapter:
    def open(self, states, profile):
        return Echo()


class Letters:
    dimension = 26

    @property
    def identity(self):
        return {"model_id": "letters", "revision": "2.1", "quantization": "float32"}

    def load(self, options):
        return self

    def embed(self, texts):
        rows = [[text.lower().count(chr(97 + place)) for place in range(26)] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), 26)


ADAPTER = EchoAdapter()
EMBEDDER = Letters()
