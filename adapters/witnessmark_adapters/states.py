"""Checkpoint directories as states of an adapter: the target that names one, the insertion order, the state by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.errors import AdapterError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from witnessmark.models import Target

__all__ = ["ORDER_FILE", "insertion_order", "named_state", "open_checkpoint", "read_order", "write_order"]

ORDER_FILE = "order.npy"
_State = TypeVar("_State")


def open_checkpoint(target: Target, adapter: str) -> Checkpoint:
    """Open the checkpoint directory that a target names and that ``adapter`` built.

    Raises:
        InputError: ``unknown_option``, ``missing_option``, ``wrong_adapter``, or the directory is not usable.
    """
    checkpoint = Checkpoint.open(_path(target, adapter))
    built = checkpoint.profile.implementation_id
    if built != adapter:
        raise InputError(
            "checkpoint was built by another adapter",
            code="wrong_adapter",
            got=repr(built),
            wanted=repr(adapter),
            where=str(checkpoint.path),
        )
    return checkpoint


def named_state(states: Mapping[str, _State], name: str) -> _State:
    """Return one of the opened states.

    Raises:
        AdapterError: ``unknown_state``.
    """
    state = states.get(name)
    if state is None:
        known = ", ".join(states) or "none: the retriever is closed"
        raise AdapterError("no such state", code="unknown_state", got=repr(name), wanted=f"one of: {known}")
    return state


def insertion_order(seed: int, count: int) -> NDArray[np.int64]:
    """Return the ordinals of ``count`` items in the order in which they are inserted."""
    return np.random.default_rng(seed).permutation(count).astype(np.int64)


def write_order(order: NDArray[np.int64], directory: Path) -> None:
    """Write an insertion order beside the index that was filled in it."""
    np.save(directory / ORDER_FILE, order, allow_pickle=False)


def read_order(directory: Path, count: int) -> NDArray[np.int64]:
    """Read the insertion order of ``count`` items.

    Raises:
        InputError: ``unreadable_file`` or ``index_mismatch``.
    """
    path = directory / ORDER_FILE
    try:
        order: NDArray[np.int64] = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read insertion order: {error}", code="unreadable_file", where=str(path)) from error
    if order.shape != (count,) or order.dtype != np.int64 or not np.array_equal(np.sort(order), np.arange(count)):
        raise InputError("insertion order is no permutation", code="index_mismatch", where=str(path))
    return order


def _path(target: Target, adapter: str) -> Path:
    unknown = sorted(set(target.options) - {"path"})
    path = target.options.get("path")
    if unknown or not isinstance(path, str):
        raise InputError(
            f"a {adapter} target has the option path and no other",
            code="unknown_option" if unknown else "missing_option",
            got=repr(unknown[0]) if unknown else None,
            wanted="path: a checkpoint directory",
            where="target /options",
        )
    return Path(path)
