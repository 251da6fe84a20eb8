"""What the package of probes ships: templates that compile, and the demo's memory and suite."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from witnessmark.canonical import parse_json
from witnessmark.models import MemoryRecord, ProbeSuite
from witnessmark.suite_advice import advise, item_keys
from witnessmark.suites import load_suite

SHIPPED = Path(str(files("witnessmark_probes")))
TEMPLATES = sorted((SHIPPED / "templates").iterdir())
PLANTED_KEYS = {
    "backup/time/2",
    "cedar/goal",
    "cedar/retention",
    "dune/goal",
    "dune/retention",
    "osprey/contract",
}


def records(name: str) -> dict[str, MemoryRecord]:
    lines = (SHIPPED / "demo" / f"{name}.records.jsonl").read_bytes().splitlines()
    found = [MemoryRecord.from_json(parse_json(line)) for line in lines]
    assert len({record.key for record in found}) == len(found)
    return {record.key: record for record in found}


def test_there_is_a_template_for_each_kind() -> None:
    kinds = {"anchor_preservation", "correction_precedence", "scope_isolation", "state_conditioned_differentiation"}
    assert {path.name.removesuffix(".suite.yaml") for path in TEMPLATES} == kinds


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_compiles_and_shows_every_field_of_its_kind(path: Path) -> None:
    suite = load_suite(path)
    kind = path.name.removesuffix(".suite.yaml")
    first = suite.probes[0]
    assert first.kind == kind
    assert first.model_fields_set == set(type(first).model_fields)
    assert [item.code for item in advise(suite) if item.probe_id is not None] == []


def test_the_demo_suite_gets_no_warning_on_the_repaired_memory() -> None:
    texts = {key: record.text for key, record in records("repaired").items()}
    assert advise(load_suite("builtin:demo"), texts) == ()


def test_the_demo_suite_covers_every_kind_and_tenant() -> None:
    suite = load_suite("builtin:demo")
    assert {probe.kind for probe in suite.probes} == {path.name.removesuffix(".suite.yaml") for path in TEMPLATES}
    named = {key for probe in suite.probes for key in item_keys(probe)}
    tenants = {label for record in records("baseline").values() for label in record.scope_labels if "tenant:" in label}
    assert tenants == {"tenant:larkfield", "tenant:osprey"}
    assert {key for key in records("candidate") if key.split("/")[0] in {"larkfield", "osprey"}} <= named


def test_every_superseded_memory_has_its_probe() -> None:
    pairs = {
        (old, record.key)
        for record in records("repaired").values()
        for old in (record.model_extra or {}).get("supersedes", [])
    }
    probed = {
        (probe.superseded.key, probe.correction.key)
        for probe in load_suite("builtin:demo").probes
        if probe.kind == "correction_precedence"
    }
    assert probed == pairs


def test_the_repair_differs_from_the_candidate_only_where_regressions_were_planted() -> None:
    baseline, candidate, repaired = records("baseline"), records("candidate"), records("repaired")
    assert {key for key in candidate.keys() & repaired.keys() if candidate[key] != repaired[key]} == PLANTED_KEYS
    assert {key: repaired[key] for key in baseline} == baseline
    assert {key.rpartition("/")[0] for key in candidate.keys() - repaired.keys()} == {"payment/restart-log"}


def test_the_demo_suite_is_plain_json() -> None:
    text = (SHIPPED / "demo.suite.json").read_text(encoding="utf-8")
    assert ProbeSuite.from_bytes(text) == load_suite("builtin:demo")
    assert len(json.loads(text)["probes"]) == 25
