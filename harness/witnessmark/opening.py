"""Open the two states of an assessment under a pinned profile, and refuse a retriever that is another one."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from witnessmark.errors import AdapterError, InputError, WitnessmarkError
from witnessmark.pin import require_profile
from witnessmark.ports import Closeable
from witnessmark.registry import find_adapter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from witnessmark.models import RetrieverProfile, Target
    from witnessmark.ports import RetrieverAdapter

__all__ = ["open_states"]


@contextmanager
def open_states(states: Mapping[str, Target], profile: RetrieverProfile) -> Iterator[RetrieverAdapter]:
    """Open ``states`` with their adapter under ``profile`` and close them afterwards.

    Raises:
        InputError: the states need different adapters, or one cannot be opened.
        ProfileMismatch: the live retriever is not what ``profile`` pins; one problem a field, pinned and live.
        AdapterError: the adapter failed while opening.
    """
    names = sorted({target.adapter for target in states.values()})
    if len(names) != 1:
        raise InputError(
            "the states need different adapters", code="different_adapters", got=", ".join(names), wanted="one"
        )
    adapter, source = find_adapter(names[0])
    try:
        retriever = adapter.open(states, profile)
    except WitnessmarkError:
        raise
    except Exception as error:
        raise AdapterError(
            f"the adapter failed to open: {type(error).__name__}: {error}",
            code="adapter_failed",
            where=f"{names[0]} of {source.distribution}",
        ) from error
    try:
        require_profile(profile, retriever.profile)
        yield retriever
    finally:
        if isinstance(retriever, Closeable):
            retriever.close()
