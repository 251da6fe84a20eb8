"""Model vectors: the files of accepted and refused documents."""

from __future__ import annotations

import hashlib
import json

from contradicting_cases import CONTRADICTING
from invalid_cases import INVALID
from valid_cases import VALID

FORMAT = "witnessmark.vectors.model/0.1"


def files() -> dict[str, object]:
    """Return the model vectors by path."""
    result: dict[str, object] = {}
    for name, (why, model, document, full) in VALID.items():
        # No document here has a key outside ASCII or a float that JSON spells otherwise than RFC 8785.
        data = json.dumps(full, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        head = {"format": FORMAT, "why": why, "model": model}
        result[f"models/valid/{name}.json"] = {**head, "document": document, "full": full, "digest": digest}
    for name, (why, model, given, pointer) in {**INVALID, **CONTRADICTING}.items():
        body = {"text": given} if isinstance(given, str) else {"document": given}
        result[f"models/invalid/{name}.json"] = {
            "format": FORMAT,
            "why": why,
            "model": model,
            **body,
            "pointer": pointer,
        }
    return result
