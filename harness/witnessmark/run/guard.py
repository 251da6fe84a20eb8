"""The state guard: both state references, read before, during and after the trials, must stay what they were.

Inside each sweep they are also read at two seeded places, so that a change that is undone before the sweep ends
(A→B→A) is found as well, and the message can say after which question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from witnessmark.errors import StateChanged
from witnessmark.models import StateReference
from witnessmark.run.contract import as_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from witnessmark.ports import RetrieverAdapter

__all__ = ["StateGuard", "reading_places"]

_PLACES = 2


class StateGuard:
    """Reads state references and refuses when one is no longer what it was at the start."""

    def __init__(
        self, adapter: RetrieverAdapter, names: Iterable[str], expected: Mapping[str, StateReference] | None = None
    ) -> None:
        """Read the references of ``names``; where ``expected`` is given, they have to be those.

        Raises:
            StateChanged: a reference is not the expected one.
        """
        self._adapter = adapter
        self.references = {name: self._read(name) for name in names}
        if expected is not None:
            found, self.references = self.references, dict(expected)
            for name, reference in found.items():
                self._compare(name, reference, "when it was opened again")

    def check(self, when: str) -> None:
        """Compare both references with those at the start.

        Raises:
            StateChanged: names the state, the fields and when it was noticed.
        """
        for name in self.references:
            self._compare(name, self._read(name), when)

    def _compare(self, name: str, now: StateReference, when: str) -> None:
        before = self.references[name]
        if now != before:
            changed = [field for field in type(before).model_fields if getattr(before, field) != getattr(now, field)]
            raise StateChanged(
                f"state {name!r} changed while it was assessed",
                got=", ".join(f"{field} {getattr(now, field)}" for field in changed),
                wanted=", ".join(f"{field} {getattr(before, field)}" for field in changed),
                where=when,
            )

    def _read(self, name: str) -> StateReference:
        return as_record(StateReference, self._adapter.state_reference(name), f"state reference {name!r}")


def reading_places(seed: int, trial: int, size: int) -> frozenset[int]:
    """Return after how many questions of a sweep the references are read, beside its two ends."""
    if not size:
        return frozenset()
    keys = np.random.PCG64([seed % 2**64, trial, 1]).random_raw(_PLACES)
    return frozenset(1 + int(key) % size for key in keys)
