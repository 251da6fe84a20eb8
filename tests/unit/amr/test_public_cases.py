"""The public conformance cases of AMR 0.1, each mapped to what this implementation does."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from witnessmark.amr.check import check_records
from witnessmark.amr.fields import check_fields, declares, epistemic_of, links_of
from witnessmark.amr.frontmatter import parse_markdown
from witnessmark.amr.normalize import normalize
from witnessmark.amr.store import Store
from witnessmark.yamlsource import load_yaml

pytestmark = pytest.mark.specs

FILES = {"normalize.yaml": 10, "level1-marked.yaml": 15, "level2-linked.yaml": 12, "level3-cited.yaml": 16}
CODES = {
    "unrecognized auditable_memory version": "unknown_version",
    "epistemic value not in closed vocabulary": "epistemic_not_in_vocabulary",
    "confidence out of range": "confidence_out_of_range",
    "malformed ref": "malformed_ref",
    "inferred relation serialized as declared typed link": "inferred_link",
    "unrecognized bare digest length": "unknown_digest_length",
    "unsupported hash algorithm": "unsupported_hash_algorithm",
    "claim missing source_id": "missing_source_id",
}


def cases(specs: Path, name: str) -> dict[str, Any]:
    value, _ = load_yaml((specs / "amr-conformance" / name).read_bytes(), name)
    assert isinstance(value, dict)
    found = {case["id"]: case for case in value["cases"]}
    assert len(found) == len(value["cases"]) == FILES[name]
    return found


def markdown(fields: Mapping[str, object]) -> bytes:
    lines = [f"{name}: {json.dumps(value)}" for name, value in fields.items()]
    return "\n".join(["---", *lines, "---", "", "Body.", ""]).encode()


def reread(fields: Mapping[str, object]) -> Mapping[str, Any]:
    """Return the fields as they come back from Markdown: they have to be what was written."""
    got = parse_markdown(markdown(fields), "case.md").fields
    assert got == fields
    return got


def invalid(fields: Mapping[str, Any], ref: str = "case") -> list[str]:
    return [finding.problem.code for finding in check_fields(fields, ref) if finding.severity == "invalid"]


def test_there_are_53() -> None:
    assert sum(FILES.values()) == 53


@pytest.mark.parametrize("number", range(1, 11))
def test_normalize(specs: Path, number: int) -> None:
    case = cases(specs, "normalize.yaml")[f"norm-{number:03}"]
    assert normalize(case["input"]) == case["expect"]
    assert normalize(case["expect"]) == case["expect"]


PLAIN_LEVEL_1 = ["l1-000", "l1-000b", "l1-000c", *(f"l1-{number:03}" for number in range(1, 12))]


@pytest.mark.parametrize("name", PLAIN_LEVEL_1)
def test_level_1(specs: Path, name: str) -> None:
    case = cases(specs, "level1-marked.yaml")[name]
    expect = case["expect"]
    fields = reread(case["input"])
    codes = invalid(fields)
    assert (codes == []) == expect["valid"]
    if not expect["valid"]:
        assert codes == [CODES[expect["error"]]]
        return
    conforms = all(finding.severity == "warning" for finding in check_fields(fields, "case", 1))
    assert conforms == expect.get("conforms_level_1", declares(fields))
    if "epistemic" in expect:
        assert epistemic_of(fields) == expect["epistemic"]
    if "must_not_equal" in expect:
        assert epistemic_of(fields) != expect["must_not_equal"]
    for kept in ("auditable_memory", "confidence"):
        if kept in expect:
            assert fields[kept] == expect[kept]


def test_level_1_is_found_by_scanning_for_the_field(specs: Path, tmp_path: Path) -> None:
    case = cases(specs, "level1-marked.yaml")["l1-000d"]
    for name in case["input"]["corpus"]:
        (tmp_path / f"{name}.md").write_bytes(markdown({case["input"]["all_carry"]: "0.1"}))
    (tmp_path / "other.md").write_bytes(markdown({"title": "no record"}))
    report = check_records(Store(tmp_path), 1)
    assert case["expect"]["discoverable_by_field_scan"]
    assert (report.record_count, report.declared_count) == (3, 2)


@pytest.mark.parametrize("name", [f"l2-{number:03}" for number in range(1, 9)])
def test_level_2_refs(specs: Path, name: str) -> None:
    case = cases(specs, "level2-linked.yaml")[name]
    codes = invalid(reread(case["input"]))
    assert (codes == []) == case["expect"]["valid"]
    if not case["expect"]["valid"]:
        assert codes == [CODES[case["expect"]["error"]]]


@pytest.mark.parametrize("name", ["l2-009", "l2-010"])
def test_level_2_a_contradiction_resolves_nothing(specs: Path, tmp_path: Path, name: str) -> None:
    case = cases(specs, "level2-linked.yaml")[name]
    for part in ("record", "other"):
        fields = {"auditable_memory": "0.1", **case["input"][part]}
        (tmp_path / f"{fields['ref']}.md").write_bytes(markdown(fields))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    report = check_records(Store(tmp_path), 2)
    assert case["expect"]["valid"]
    assert (report.conforming_count, report.problems) == (2, ())
    assert [entry.ref for entry in Store(tmp_path).entries()] == ["a", "b"]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_level_2_relations_are_exact(specs: Path) -> None:
    case = cases(specs, "level2-linked.yaml")["l2-011"]
    assert invalid(case["input"]["record"], "a") == []
    assert set(links_of(case["input"]["record"], "contradicts")) == set(case["expect"]["returns"])


def test_level_2_inferred_links_are_refused(specs: Path) -> None:
    case = cases(specs, "level2-linked.yaml")["l2-012"]
    said = {**case["input"]["attempted"], "derivation": case["input"]["derivation"]}
    scored = {"backed_by": [{"ref": ref, "score": 0.91} for ref in case["input"]["attempted"]["backed_by"]]}
    assert invalid(reread(said)) == invalid(reread(scored)) == [CODES[case["expect"]["error"]]]
