"""A Dask cluster as the executor of a run (extra ``dask``).

Dask takes tasks with equal arguments for one task and runs it once, which would fake repeatability. The executor is
therefore made with ``pure=False``.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from witnessmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

__all__ = ["dask_workers"]


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
        client = Client(address, timeout="10s")
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"no Dask scheduler answers: {error}", code="cluster_unreachable", got=address, wanted="tcp://HOST:PORT"
        ) from error
    try:
        yield client.get_executor(pure=False), max(1, sum(client.nthreads().values()))
    finally:
        client.close()
