"""Probe suites from files: ``*.suite.json``, ``*.suite.yaml`` sources, and shipped ones as ``builtin:NAME``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.builtin import read_named
from witnessmark.models import ProbeSuite
from witnessmark.sources import parse_source

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["load_suite", "parse_suite"]


def load_suite(argument: str | Path) -> ProbeSuite:
    """Read the suite that ``argument`` names: a path, or ``builtin:NAME``.

    Raises:
        InputError: the suite is missing or malformed; one problem a field, with file, line and JSON pointer.
    """
    where, data = read_named(str(argument), "suite")
    return parse_suite(data, where)


def parse_suite(data: bytes, where: str) -> ProbeSuite:
    """Parse a suite; ``where`` is its file name, and YAML where that ends in ``.yaml`` or ``.yml``.

    Raises:
        InputError: as `load_suite`.
    """
    return parse_source(ProbeSuite, data, where)
