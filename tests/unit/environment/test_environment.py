"""What is recorded of the machine, and what is said where its BLAS is slow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from witnessmark.canonical import canonical_bytes, parse_json
from witnessmark.environment import advise, describe_environment

ZEN = ["avx", "avx2", "avx512f", "fma"]
SLOW = {"internal_api": "openblas", "version": "0.3.15", "architecture": "Prescott"}


def test_the_environment_is_canonical_data_without_names_of_this_machine() -> None:
    found = describe_environment()
    text = canonical_bytes(found)
    assert parse_json(text) == found
    for private in (os.uname().nodename, str(Path.home()), sys.prefix):
        assert private.encode() not in text


def test_kernels_of_an_unknown_cpu_are_reported_with_the_way_out() -> None:
    assert advise([SLOW], ZEN) == (
        "OpenBLAS 0.3.15 did not recognize this CPU and uses its Prescott kernels: batched searches are several times "
        "slower than they could be. Set OPENBLAS_CORETYPE=SkylakeX before the start, for baseline and candidate alike: "
        "other kernels round scores differently in the last bits"
    )
    assert "OPENBLAS_CORETYPE=Haswell" in (advise([SLOW], ["avx", "avx2", "fma"]) or "")


@pytest.mark.parametrize(
    ("pools", "features"),
    [([], ZEN), ([{**SLOW, "architecture": "Zen"}], ZEN), ([{"internal_api": "openmp"}], ZEN), ([SLOW], ["sse4_2"])],
)
def test_nothing_is_said_where_nothing_is_slow(pools: list[object], features: list[object]) -> None:
    assert advise(pools, features) is None  # type: ignore[arg-type]


@pytest.mark.slow
def test_assess_says_so_before_the_first_trial(tmp_path: Path) -> None:
    """FAISS really runs the slow kernels here: the variable makes OpenBLAS take them."""
    code = "import faiss; from witnessmark.environment import describe_environment as d; print(d()['cpu_features'])"
    features = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    subprocess.run(
        [sys.executable, "-m", "witnessmark", "demo", "--out", str(tmp_path / "demo")], check=True, capture_output=True
    )
    demo = tmp_path / "demo"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "witnessmark", "assess", "--suite", "builtin:demo"),
            *("--baseline", str(demo / "baseline"), "--candidate", str(demo / "repaired")),
            *("--profile", str(demo / "demo.profile.json"), "--out", str(tmp_path / "run")),
        ],
        env={**os.environ, "OPENBLAS_CORETYPE": "Prescott"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert ("uses its Prescott kernels" in done.stderr) == ("avx2" in features)
