"""What can change an answer without being in any digest: versions, threads, CPU features, BLAS kernels.

Recorded beside an assessment as ``environment.json``; no host, user or path names.
"""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.canonical import JsonValue

__all__ = ["PACKAGES", "advise", "blas_advice", "describe_environment"]

PACKAGES = (
    "witnessmark",
    "numpy",
    "faiss-cpu",
    "tokenizers",
    "safetensors",
    "wordllama",
    "torch",
    "sentence-transformers",
    "transformers",
    "onnxruntime",
    "model2vec",
)
"""Distributions whose version can decide an answer; those that are not installed are left out."""

_VARIABLES = (
    "ATEN_CPU_CAPABILITY",
    "FAISS_SIMD_LEVEL",
    "MKL_CBWR",
    "MKL_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "PYTHONHASHSEED",
    "TZ",
)
_FEATURES = ("avx", "avx2", "avx512f", "avx512_bf16", "avx512_vnni", "amx_bf16", "amx_int8", "fma", "sse4_2", "asimd")
_BEFORE_AVX = frozenset(
    {"Atom", "Banias", "Barcelona", "Bobcat", "Core2", "Dunnington", "Generic", "Katmai", "Nehalem", "Northwood"}
    | {"Opteron", "Opteron_SSE3", "Penryn", "Prescott", "Sandybridge"}
)
"""OpenBLAS core types without fused multiply-add; one of them is taken where a CPU is not known."""


def blas_advice() -> str | None:
    """Return what to do where a loaded OpenBLAS did not recognize this CPU and picked slow kernels, or None."""
    return advise(_pools(), _cpu_features())


def advise(pools: Sequence[JsonValue], features: Sequence[JsonValue]) -> str | None:
    """Return the advice for some thread pools and CPU features, as `describe_environment` names them."""
    better = "SkylakeX" if "avx512f" in features else "Haswell" if {"avx2", "fma"} <= set(map(str, features)) else None
    slow = [pool for pool in pools if isinstance(pool, dict) and pool.get("architecture") in _BEFORE_AVX]
    if better is None or not slow:
        return None
    return (
        f"OpenBLAS {slow[0].get('version')} did not recognize this CPU and uses its {slow[0]['architecture']} kernels: "
        f"batched searches are several times slower than they could be. Set OPENBLAS_CORETYPE={better} before the "
        "start, for baseline and candidate alike: other kernels round scores differently in the last bits"
    )


def describe_environment(packages: Sequence[str] = PACKAGES) -> dict[str, JsonValue]:
    """Return the environment as JSON data."""
    return {
        "format": "witnessmark.environment/0.1",
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu_count": os.cpu_count(),
        "cpu_features": _cpu_features(),
        "packages": _versions(packages),
        "variables": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
        "thread_pools": _pools(),
    }


def _versions(packages: Sequence[str]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _pools() -> list[JsonValue]:
    """Return the loaded BLAS and OpenMP libraries: which kernel each one picked, and its threads."""
    kept = ("user_api", "internal_api", "version", "num_threads", "threading_layer", "architecture")
    pools = sorted(threadpool_info(), key=lambda pool: [str(pool.get(name, "")) for name in kept])
    return [{name: pool[name] for name in kept if pool.get(name) is not None} for pool in pools]


def _cpu_features() -> list[JsonValue]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    flags: set[str] = set()
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() in {"flags", "features"}:
            flags.update(value.split())
    return [name for name in _FEATURES if name in flags]
