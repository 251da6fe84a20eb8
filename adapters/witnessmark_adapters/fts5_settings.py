"""What a profile asks of an FTS5 index: tokenizer and its options, checked once and typed.

- Every key of ``index_build_config`` is known, or the profile is refused.
- A default is written into the completed profile. So are the constants that FTS5 fixes: ``k1``, ``b``, and how a query
  is put to the index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.errors import InputError
from witnessmark_adapters.live import PACKAGE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from witnessmark.models import RetrieverProfile
    from witnessmark.models.base import JsonScalar

__all__ = ["IMPLEMENTATION_ID", "INDEX", "METRIC", "LexicalSettings", "read_settings"]

IMPLEMENTATION_ID = "fts5"
INDEX = "fts5"
METRIC = "bm25"
_FIXED: dict[str, JsonScalar] = {"k1": "1.2", "b": "0.75", "query": "any of the distinct tokens"}
"""What FTS5 and this adapter do and nobody can choose; a profile may state it."""
_OPTIONS: dict[str, tuple[str, ...]] = {
    "unicode61": ("remove_diacritics", "stemmer"),
    "ascii": ("stemmer",),
    "trigram": ("case_sensitive",),
}
_CHOICES: dict[str, tuple[JsonScalar, ...]] = {
    "tokenizer": tuple(_OPTIONS),
    "remove_diacritics": (2, 0, 1),
    "stemmer": ("none", "porter"),
    "case_sensitive": (False, True),
}
"""The first is the default."""


class LexicalSettings(NamedTuple):
    """The checked settings of one index."""

    parameters: Mapping[str, JsonScalar]
    """The tokenizer, every option that it has, and what is fixed."""
    insertion_seed: int | None
    """Seed of a shuffled insertion order; None inserts in key order."""
    packages: tuple[str, ...]
    """Packages whose versions the profile pins."""

    @property
    def tokenize(self) -> str:
        """Return the tokenizer of the index, as FTS5 spells it."""
        stem = "porter " if self.parameters.get("stemmer") == "porter" else ""
        return stem + self.tokenize_query

    @property
    def tokenize_query(self) -> str:
        """Return the tokenizer without the stemmer: the index stems what it is asked, and stemming twice is wrong."""
        options = ""
        for name in ("remove_diacritics", "case_sensitive"):
            if name in self.parameters:
                options += f" {name} {int(self.parameters[name] or 0)}"
        return f"{self.parameters['tokenizer']}{options}"


def read_settings(profile: RetrieverProfile) -> LexicalSettings:
    """Check the fields of a profile that decide how its index is built and searched.

    Raises:
        InputError: ``unknown_index_implementation``, ``unknown_metric``, ``unknown_index_setting`` or
            ``invalid_index_setting``.
    """
    _only("index_implementation", "unknown_index_implementation", profile.index_implementation, INDEX)
    _only("distance_metric", "unknown_metric", profile.distance_metric, METRIC)
    config = dict(profile.index_build_config)
    packages = tuple(sorted(key[len(PACKAGE_PREFIX) :] for key in config if key.startswith(PACKAGE_PREFIX)))
    own = {key: value for key, value in config.items() if not key.startswith(PACKAGE_PREFIX) and value is not None}
    seed = own.pop("insertion_seed", None)
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**31):
        raise _setting("insertion_seed", seed, f"a whole number from 0 to {2**31 - 1}")
    tokenizer = str(_chosen("tokenizer", own))
    parameters: dict[str, JsonScalar] = {"tokenizer": tokenizer}
    for name in _OPTIONS[tokenizer]:
        parameters[name] = _chosen(name, own)
    for name, value in _FIXED.items():
        if own.pop(name, value) != value:
            raise _setting(name, profile.index_build_config[name], f"{value!r}, which is fixed")
        parameters[name] = value
    own.pop("tokenizer", None)
    unknown = sorted(set(own) - set(_OPTIONS[tokenizer]))
    if unknown:
        names = ", ".join(["tokenizer", *_OPTIONS[tokenizer], *_FIXED, "insertion_seed"])
        raise InputError(
            f"an index with the tokenizer {tokenizer} has no such setting",
            code="unknown_index_setting",
            got=repr(unknown[0]),
            wanted=f"one of: {names}, {PACKAGE_PREFIX}NAME",
            where=f"profile /index_build_config/{unknown[0]}",
        )
    return LexicalSettings(parameters, seed, packages)


def _only(field: str, code: str, got: str, wanted: str) -> None:
    if got != wanted:
        what = f"the adapter {IMPLEMENTATION_ID} has no such {field.replace('_', ' ')}"
        raise InputError(what, code=code, got=repr(got), wanted=repr(wanted), where=f"profile /{field}")


def _chosen(name: str, given: Mapping[str, JsonScalar]) -> JsonScalar:
    choices = _CHOICES[name]
    value = given.get(name, choices[0])
    # True == 1 in Python, but they are two values in JSON.
    if not any(value == choice and isinstance(value, bool) == isinstance(choice, bool) for choice in choices):
        raise _setting(name, value, f"one of: {', '.join(str(choice) for choice in choices)}")
    return value


def _setting(name: str, got: object, wanted: str) -> InputError:
    return InputError(
        "index setting is not usable",
        code="invalid_index_setting",
        got=repr(got),
        wanted=wanted,
        where=f"profile /index_build_config/{name}",
    )
