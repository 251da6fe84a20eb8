"""The public conformance cases of AMR 0.1, each mapped to what this implementation does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from witnessmark.amr.check import check_records
from witnessmark.amr.fields import check_fields, declares, epistemic_of, links_of
from witnessmark.amr.frontmatter import parse_markdown
from witnessmark.amr.hashes import claim_id, parse_quote_hash
from witnessmark.amr.normalize import normalize
from witnessmark.amr.store import Store
from witnessmark.amr.verify import verify_records
from witnessmark.models.amr import CitationVerdict
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


VERIFIED = ["l3-001", "l3-002", "l3-003", "l3-004", "l3-005", "l3-005b", "l3-005c"]


def verified(case: Mapping[str, Any], folder: Path) -> CitationVerdict:
    """Write record and source into an empty folder, as somebody gets them who has nothing else, and verify."""
    fields = reread({"auditable_memory": "0.1", **case["input"]})
    (folder / "record.md").write_bytes(markdown(fields))
    if "source_contains" in case:
        (source,) = [folder / item["ref"] for item in fields["sources"]]
        source.parent.mkdir(parents=True)
        source.write_text(case["source_contains"], encoding="utf-8")
    report = verify_records(Store(folder / "record.md", root=folder))
    assert report.problems == ()
    (verdict,) = report.citations
    return verdict


@pytest.mark.parametrize("name", VERIFIED)
def test_level_3_outcomes(specs: Path, tmp_path: Path, name: str) -> None:
    case = cases(specs, "level3-cited.yaml")[name]
    verdict = verified(case, tmp_path)
    expect = case["expect"]
    assert verdict.status == expect["status"]
    assert verdict.status not in expect.get("must_not_report", [])
    assert verdict.partial == expect.get("partial", name == "l3-005")


@pytest.mark.parametrize("name", ["l3-006", "l3-006b", "l3-006c", "l3-007"])
def test_level_3_hashes(specs: Path, name: str) -> None:
    case = cases(specs, "level3-cited.yaml")[name]
    fields, expect = reread(case["input"]), case["expect"]
    codes = invalid(fields)
    assert (codes == []) == expect["valid"]
    if not expect["valid"]:
        assert codes == [CODES[expect["error"]]]
        return
    read = parse_quote_hash(fields["sources"][0]["quote_hash"])
    assert read.algorithm == expect["interpreted_as"] != expect.get("must_not_interpret_as")
    warned = [item.problem.code for item in check_fields(fields, "case") if item.severity == "warning"]
    assert warned == ["md5_hash" if read.algorithm == "md5" else "bare_hash"]


def test_level_3_claim_ids(specs: Path) -> None:
    found = cases(specs, "level3-cited.yaml")
    first, second = ((found[name]["input"], found[name]["expect"]) for name in ("l3-008", "l3-009"))
    assert claim_id(first[0]["record_ref"], first[0]["claim_text"]) == first[1]["claim_id"]
    assert claim_id(second[0]["record_ref"], second[0]["claim_text"]) != second[1]["claim_id_differs_from"]


def test_level_3_a_claim_names_its_source(specs: Path) -> None:
    case = cases(specs, "level3-cited.yaml")["l3-010"]
    assert invalid(reread(case["input"])) == [CODES[case["expect"]["error"]]]
    assert not case["expect"]["valid"]


def test_level_3_an_anchor_id_is_carried_verbatim(specs: Path) -> None:
    case = cases(specs, "level3-cited.yaml")["l3-011"]
    fields = reread(case["input"])
    assert invalid(fields) == []
    assert fields["claims"][0]["anchor_id"] == case["input"]["claims"][0]["anchor_id"]
    assert case["expect"]["anchor_id_roundtrips_verbatim"]


def test_level_3_record_and_source_are_enough(specs: Path, tmp_path: Path) -> None:
    """The verdict is recomputed here with hashlib and the words of the specification, and is the same elsewhere."""
    found = cases(specs, "level3-cited.yaml")
    assert found["l3-012"]["expect"]["verifiable"]
    verdicts = []
    for name in VERIFIED:
        for place in ("here", "elsewhere"):
            (tmp_path / name / place).mkdir(parents=True)
            verdicts.append(verified(found[name], tmp_path / name / place))
        first, second = verdicts[-2:]
        assert first.model_dump(exclude={"where"}) == second.model_dump(exclude={"where"})
    (source,) = found["l3-001"]["input"]["sources"]
    assert "sha256:" + hashlib.sha256(source["quote"].encode()).hexdigest() == source["quote_hash"]


def test_every_case_is_mapped(specs: Path) -> None:
    mapped = {f"norm-{number:03}" for number in range(1, 11)} | set(PLAIN_LEVEL_1) | {"l1-000d"}
    mapped |= {f"l2-{number:03}" for number in range(1, 13)} | set(VERIFIED) | {"l3-006", "l3-006b", "l3-006c"}
    mapped |= {f"l3-{number:03}" for number in range(7, 13)}
    assert {name for file in FILES for name in cases(specs, file)} == mapped
    assert len(mapped) == 53
