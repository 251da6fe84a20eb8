"""Salts: what was withheld from a run, for who may see it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, Strict

from witnessmark.models.base import HashValue, Many, Record, Text

__all__ = ["Disclosure", "Material", "SaltFile"]


class Material(StrEnum):
    """Kinds of material that can be withheld."""

    queries = "queries"
    """Texts of questions, and the values of their contexts."""
    keys = "keys"
    """Keys of items."""
    labels = "labels"
    """Scope labels."""
    notes = "notes"
    """Notes for people, which may name any of these; always withheld."""


class Disclosure(Record):
    """One withheld text and its salt."""

    salt: Annotated[str, Strict(), Field(pattern=r"^[0-9a-f]{32}$")]
    """128 random bits in hexadecimal."""
    material: Material
    value: Text


class SaltFile(Record):
    """``*.salts.json``: everything that was withheld from one run. Whoever has it has the material."""

    format: Literal["witnessmark.salts/0.1"] = "witnessmark.salts/0.1"
    assessment_digest: HashValue
    """Of the assessment whose run it is about."""
    disclosures: Many[Disclosure]
