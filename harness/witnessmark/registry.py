"""Adapters, embedders, observers and record formats by name: ours are registered like a third party's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.plugins import ADAPTERS, EMBEDDERS, OBSERVERS, RECORD_FORMATS, Registered, load_plugin, registered

if TYPE_CHECKING:
    from witnessmark.ports import Adapter, EmbedderFactory, ObserverFactory, RecordFormat

__all__ = [
    "ADAPTERS",
    "EMBEDDERS",
    "OBSERVERS",
    "RECORD_FORMATS",
    "Registered",
    "find_adapter",
    "find_embedder",
    "find_observer",
    "find_record_format",
    "registered",
]


def find_adapter(name: str) -> tuple[Adapter, Registered]:
    """Load the adapter ``name``.

    Raises:
        InputError: ``unknown_adapter``, ``ambiguous_adapter`` or ``broken_adapter``.
    """
    return load_plugin(ADAPTERS, name, "adapter")


def find_embedder(name: str) -> tuple[EmbedderFactory, Registered]:
    """Load the embedder factory ``name``.

    Raises:
        InputError: ``unknown_embedder``, ``ambiguous_embedder`` or ``broken_embedder``.
    """
    return load_plugin(EMBEDDERS, name, "embedder")


def find_observer(scheme: str) -> tuple[ObserverFactory, Registered]:
    """Load the observer factory of a locator scheme.

    Raises:
        InputError: ``unknown_observer``, ``ambiguous_observer`` or ``broken_observer``.
    """
    return load_plugin(OBSERVERS, scheme, "observer")


def find_record_format(name: str) -> tuple[RecordFormat, Registered]:
    """Load the record format ``name``.

    Raises:
        InputError: ``unknown_record_format``, ``ambiguous_record_format`` or ``broken_record_format``.
    """
    return load_plugin(RECORD_FORMATS, name, "record_format")
