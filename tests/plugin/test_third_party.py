"""A second distribution, installed for the test and found by its entry points alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "third_party"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the distribution into a folder of its own."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"),
            *("--disable-pip-version-check", "--target", str(folder), str(SOURCE)),
        ],
        check=True,
        capture_output=True,
    )
    return folder


def witnessmark(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    program = "import sys; from witnessmark.cli.main import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def target(folder: Path, adapter: str) -> Path:
    path = folder / f"{adapter}.target.yaml"
    path.write_text(f"adapter: {adapter}\noptions: {{}}\n")
    return path


def test_adapters_and_embedders_are_listed_with_their_distribution(installed: Path) -> None:
    done = witnessmark(installed, "adapters", "list", "--json")
    assert done.returncode == 0, done.stderr
    rows = {(row["kind"], row["name"], row["distribution"].split()[0]): row for row in json.loads(done.stdout)}
    assert rows["adapter", "echo", "witnessmark-third-party"]["status"] == "ok"
    assert rows["embedder", "letters", "witnessmark-third-party"]["distribution"] == "witnessmark-third-party 2.1"
    assert rows["adapter", "faiss", "witnessmark"]["status"] == "ok"
    assert rows["adapter", "broken", "witnessmark-third-party"]["status"].startswith("broken_adapter: ")
    assert rows["adapter", "table", "witnessmark"]["status"].startswith("ambiguous_adapter: ")


def test_a_third_party_adapter_is_opened_and_pinned(installed: Path, tmp_path: Path) -> None:
    out = tmp_path / "echo.profile.json"
    done = witnessmark(installed, "profile", "pin", "--target", target(tmp_path, "echo"), "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["distribution"] == "witnessmark-third-party 2.1"
    assert json.loads(out.read_bytes())["implementation_id"] == "echo"


def test_a_duplicate_name_is_an_error_that_names_both(installed: Path, tmp_path: Path) -> None:
    out = tmp_path / "table.profile.json"
    done = witnessmark(installed, "profile", "pin", "--target", target(tmp_path, "table"), "--out", out)
    assert done.returncode == 4
    assert done.stderr.startswith("error[ambiguous_adapter]: adapter 'table' is registered twice: got ")
    assert "witnessmark_adapters.table:ADAPTER of witnessmark " in done.stderr
    assert "witnessmark_third_party:ADAPTER of witnessmark-third-party 2.1" in done.stderr
    assert not out.exists()


def test_a_provider_that_does_not_import_is_an_error_that_names_it(installed: Path, tmp_path: Path) -> None:
    out = tmp_path / "broken.profile.json"
    done = witnessmark(installed, "profile", "pin", "--target", target(tmp_path, "broken"), "--out", out)
    assert done.returncode == 4
    assert done.stderr == (
        "error[broken_adapter]: witnessmark_third_party_broken:ADAPTER: adapter 'broken' of "
        "witnessmark-third-party 2.1 does not load: RuntimeError: this provider is broken on purpose\n"
    )


def test_a_third_party_embedder_builds_and_answers(installed: Path, tmp_path: Path) -> None:
    profile = {
        "implementation_id": "faiss",
        "implementation_version": "1",
        "adapter_version": "0.1",
        "adapter_capability": "deterministic",
        "distance_metric": "l2",
        "index_implementation": "IndexFlatL2",
        "index_build_config": {"embedder": "letters"},
        "top_k": 2,
        "truncation_rule": "text:unknown;answer:top_k",
        "tie_policy": "score_desc_item_key_asc",
    }
    (tmp_path / "p.profile.json").write_text(json.dumps(profile))
    (tmp_path / "r.jsonl").write_text('{"key":"x","text":"abc"}\n{"key":"y","text":"zzz"}\n')
    built = witnessmark(
        installed,
        "checkpoint",
        "build",
        tmp_path / "r.jsonl",
        "--profile",
        tmp_path / "p.profile.json",
        "--out",
        tmp_path / "cp",
    )
    assert built.returncode == 0, built.stderr
    pinned = witnessmark(
        installed, "profile", "pin", "--target", tmp_path / "cp", "--out", tmp_path / "live.profile.json", "--json"
    )
    assert pinned.returncode == 0, pinned.stderr
    assert json.loads(pinned.stdout)["packages"]["witnessmark-third-party"] == "2.1"
    live = json.loads((tmp_path / "live.profile.json").read_bytes())
    assert live["embedding_model_id"] == "letters"
    assert live["index_build_config"]["embedding_dimension"] == 26
    without = witnessmark(tmp_path, "profile", "pin", "--target", tmp_path / "cp", "--out", tmp_path / "n.profile.json")
    assert without.returncode == 4
    assert "error[unknown_embedder]: no such embedder: got 'letters', wanted one of: " in without.stderr
