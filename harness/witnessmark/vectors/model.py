"""Vectors for the models: a document, and its full form and digest or the problem for which it is refused."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal

from pydantic import JsonValue, model_validator
from pydantic_core import PydanticCustomError

import witnessmark.models as models
from witnessmark.canonical import canonical_digest, model_bytes, parse_json
from witnessmark.errors import InputError
from witnessmark.models.base import HashValue, Record, Text
from witnessmark.vectors.outcome import VectorOutcome, agree

__all__ = ["ModelVector", "run_model"]


class ModelVector(Record):
    """A document of one model. A refused document lies in a file whose name starts with the error's code."""

    format: Literal["witnessmark.vectors.model/0.1"]
    why: Text
    model: Text
    document: JsonValue = None
    text: Text | None = None
    """The document as JSON text, where its spelling is the point (``1.0`` is no integer)."""
    full: JsonValue = None
    """The document with every default, absent fields left out; what the digest is of."""
    digest: HashValue | None = None
    pointer: Text | None = None
    """Where the first problem is; empty for the whole document. Present exactly in refused documents."""

    @model_validator(mode="after")
    def _is_one_case(self) -> ModelVector:
        if (self.document is None) == (self.text is None) or (self.digest is None) == (self.pointer is None):
            raise PydanticCustomError(
                "contradicts_itself", "a vector has a document or a text, and full with digest or a pointer"
            )
        return self


def run_model(name: str, vector: ModelVector) -> VectorOutcome:
    """Run one vector.

    Raises:
        InputError: ``unknown_model``.
    """
    found = getattr(models, vector.model, None) if vector.model in models.__all__ else None
    if not (isinstance(found, type) and issubclass(found, Record)):
        raise InputError("no such model", code="unknown_model", got=repr(vector.model), where=name)
    code = PurePosixPath(name).stem.split("-")[0]
    expected: dict[str, object] = {"error": None, "full": vector.full, "digest": vector.digest}
    if vector.pointer is not None:
        expected = {"error": code, "pointer": vector.pointer}
    got: dict[str, object]
    try:
        document = parse_json(vector.text) if vector.text is not None else vector.document
        record = found.from_json(document)
        got = {"error": None, "full": parse_json(model_bytes(record)), "digest": canonical_digest(record)}
    except InputError as error:
        # Without a file the problem's place is the model's name, then the pointer.
        where = error.problems[0].where or ""
        got = {"error": error.code, "pointer": where.removeprefix(vector.model).strip()}
    return agree(name, "model", vector.why, expected, got)
