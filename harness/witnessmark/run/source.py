"""How a retriever is opened, told so that another process can do it as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from witnessmark.opening import open_states

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from witnessmark.models import RetrieverProfile, Target
    from witnessmark.ports import RetrieverAdapter

__all__ = ["Source", "TargetSource"]


class Source(Protocol):
    """Opens the states of a run. It is pickled: a module-level class or function, and plain data."""

    def __call__(self) -> AbstractContextManager[RetrieverAdapter]:
        """Open the retriever; leaving the context closes it."""
        ...


class TargetSource(NamedTuple):
    """Opens targets under a profile, through the registry."""

    states: dict[str, Target]
    profile: RetrieverProfile

    def __call__(self) -> AbstractContextManager[RetrieverAdapter]:
        """Open the states; see `witnessmark.opening.open_states`."""
        return open_states(self.states, self.profile)
