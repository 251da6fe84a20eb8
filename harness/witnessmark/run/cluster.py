"""A Dask cluster as the executor of a run (extra ``dask``).

Dask takes tasks with equal arguments for one task and runs it once, which would fake repeatability. The executor is
therefore made with ``pure=False``.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from witnessmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

__all__ = ["dask_workers"]

_PATIENCE = 10
"""Seconds within which a scheduler answers and has a worker."""


@contextmanager
def dask_workers(address: str) -> Iterator[tuple[Executor, int]]:
    """Connect to a cluster and yield its executor and the number of its threads.

    Raises:
        InputError: ``missing_extra``, or ``cluster_unreachable``.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise InputError(
            "the extra dask is not installed", code="missing_extra", wanted="pip install 'witnessmark[dask]'"
        ) from error
    try:
        client = Client(address, timeout=_PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"no Dask scheduler answers: {error}", code="cluster_unreachable", got=address, wanted="tcp://HOST:PORT"
        ) from error
    with closing(client):
        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError as error:
            raise InputError(
                "the Dask cluster has no worker", code="cluster_unreachable", got=address, wanted="a worker within 10 s"
            ) from error
        yield client.get_executor(pure=False), sum(client.nthreads().values())
