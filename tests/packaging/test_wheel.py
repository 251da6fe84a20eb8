"""The wheel holds the four packages, the reference vectors, and nothing else; public names resolve from it alone."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "harness/witnessmark": "witnessmark",
    "adapters/witnessmark_adapters": "witnessmark_adapters",
    "probes/witnessmark_probes": "witnessmark_probes",
    "profiles/witnessmark_profiles": "witnessmark_profiles",
    "vectors": "witnessmark/reference_vectors",
}
METADATA = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = out.iterdir()
    return built


def tracked() -> set[str]:
    """Paths in the wheel of every file of the sources that is not made by running them."""
    return {
        f"{inside}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, inside in PACKAGES.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_its_files_are_those_of_the_packages_and_the_vectors(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    metadata = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    assert names - metadata == tracked()
    assert {name.split("/", 1)[1] for name in metadata} == METADATA


def test_nothing_unprefixed_reaches_the_site_packages(wheel: Path) -> None:
    top = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    version = wheel.name.split("-")[1]
    assert top == {
        "witnessmark",
        "witnessmark_adapters",
        "witnessmark_probes",
        "witnessmark_profiles",
        f"witnessmark-{version}.dist-info",
    }


def test_public_names_and_packaged_vectors_work_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    """The source tree is out of reach: only the unpacked wheel and the installed dependencies are."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import witnessmark\n"
        "assert witnessmark.__file__.startswith(sys.argv[1]), witnessmark.__file__\n"
        "for name in witnessmark.__all__: getattr(witnessmark, name)\n"
        "from witnessmark.cli.main import main\n"
        "main(['vectors', 'run'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "site")], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
