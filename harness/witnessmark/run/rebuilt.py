"""Open the states of a run with their indexes rebuilt in another insertion order (the rebuild axis)."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.checkpoint.rebuild import rebuild_checkpoint, with_insertion_seed
from witnessmark.errors import InputError
from witnessmark.models import Target
from witnessmark.opening import open_states
from witnessmark.ports import CheckpointAdapter
from witnessmark.registry import find_adapter
from witnessmark.run.guard import StateGuard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from witnessmark.ports import RetrieverAdapter
    from witnessmark.run.source import TargetSource

__all__ = ["RebuiltSource"]


class RebuiltSource:
    """Rebuilds checkpoint directories in a temporary folder and opens them."""

    def __init__(self, source: TargetSource) -> None:
        self._source = source

    @contextmanager
    def __call__(self, number: int) -> Iterator[tuple[RetrieverAdapter, StateGuard]]:
        """Open the states rebuilt in the insertion order of ``number``, from 0.

        Raises:
            InputError: ``cannot_rebuild``: a state is no checkpoint directory, or its adapter builds none.
        """
        states = self._source.states
        with tempfile.TemporaryDirectory(prefix="witnessmark-rebuild-") as folder:
            rebuilt = {}
            for place, (name, target) in enumerate(states.items()):
                path = self._rebuild(target, Path(folder) / str(place), number)
                rebuilt[name] = Target(adapter=target.adapter, options={"path": path})
            with open_states(rebuilt, with_insertion_seed(self._source.profile, number + 1)) as retriever:
                yield retriever, StateGuard(retriever, tuple(states))

    def _rebuild(self, target: Target, out: Path, number: int) -> str:
        adapter, source = find_adapter(target.adapter)
        path = target.options.get("path")
        if not isinstance(adapter, CheckpointAdapter) or not isinstance(path, str):
            raise InputError(
                "the index cannot be rebuilt",
                code="cannot_rebuild",
                got=f"adapter {target.adapter!r} of {source.distribution}",
                wanted="a checkpoint directory",
                where="axis rebuild",
            )
        rebuild_checkpoint(Path(path), adapter, out, order=number + 1)
        return str(out)
