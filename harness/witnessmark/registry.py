"""Adapters, embedders and observers by name: ours are registered like a third party's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.plugins import ADAPTERS, EMBEDDERS, OBSERVERS, Registered, load_plugin, registered

if TYPE_CHECKING:
    from witnessmark.ports import Adapter, EmbedderFactory, ObserverFactory

__all__ = [
    "ADAPTERS",
    "EMBEDDERS",
    "OBSERVERS",
    "Registered",
    "find_adapter",
    "find_embedder",
    "find_observer",
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
