"""Evidence documents and purposes from files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.builtin import read_named
from witnessmark.files import read_bytes
from witnessmark.models import EvidenceDocument, Purpose
from witnessmark.sources import parse_source

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Evidence", "load_purpose", "read_evidence"]


class Evidence(NamedTuple):
    """A stored document, and where it lies."""

    document: EvidenceDocument
    folder: Path
    """What the relative paths in its locators are relative to."""


def read_evidence(path: Path) -> Evidence:
    """Read a ``*.evidence.json`` file.

    Raises:
        InputError: the file is missing or malformed.
    """
    return Evidence(EvidenceDocument.from_bytes(read_bytes(path), where=str(path)), path.resolve().parent)


def load_purpose(argument: str) -> Purpose:
    """Read a purpose: ``builtin:NAME``, or the path of a ``*.purpose.yaml`` or ``*.purpose.json`` file.

    Raises:
        InputError: it is missing or malformed.
    """
    where, data = read_named(argument, "purpose")
    return parse_source(Purpose, data, where)
