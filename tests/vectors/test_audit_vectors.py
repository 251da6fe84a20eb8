"""The audit scenarios, found by listing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from witnessmark.models.audit import ViolationKind
from witnessmark.vectors import run_file

FOLDER = Path(__file__).resolve().parents[2] / "vectors" / "audit"
FILES = sorted(path.name for path in FOLDER.glob("*.json"))


@pytest.mark.parametrize("name", FILES)
def test_scenario(name: str) -> None:
    (outcome,) = run_file(FOLDER / name, name=name)
    assert outcome.differences == ()
    assert outcome.kind == "audit"
    assert outcome.why.endswith(".")


def test_every_scenario_has_a_vector() -> None:
    assert {name[0] for name in FILES} == set("ABCDEFGHIJKLM")


def test_every_kind_of_violation_has_a_vector() -> None:
    found = {item["kind"] for name in FILES for item in json.loads((FOLDER / name).read_text())["expected"]}
    assert found == {kind.value for kind in ViolationKind}


def test_a_vector_that_expects_something_else_is_noticed(tmp_path: Path) -> None:
    vector = json.loads((FOLDER / "B-fail-then-approve.json").read_text())
    vector["expected"].pop()
    (tmp_path / "v.json").write_text(json.dumps(vector))
    (outcome,) = run_file(tmp_path / "v.json")
    assert not outcome.agrees
