"""Suites from files: JSON and YAML give the same suite, and every problem has a file, a line and a pointer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from witnessmark.canonical import canonical_digest
from witnessmark.errors import InputError
from witnessmark.suites import load_suite, parse_suite

SOURCE = """\
version: "0.1"
probes:
  - kind: anchor_preservation
    probe_id: a
    query: Who are you?
    anchor: {key: identity, required_in: both}
    max_rank: 1
  - kind: scope_isolation
    probe_id: b
    query: What is the password?
    context: {tenant: acme}
    forbidden_item_keys: [globex/1]
"""


def problems(text: str, name: str = "s.suite.yaml") -> list[str]:
    with pytest.raises(InputError) as caught:
        parse_suite(text.encode(), name)
    return [f"[{problem.code}] {problem.where}: {problem.what}" for problem in caught.value.problems]


def test_yaml_and_json_compile_to_the_same_suite(tmp_path: Path) -> None:
    yaml_path, json_path = tmp_path / "s.suite.yaml", tmp_path / "s.suite.json"
    yaml_path.write_text(SOURCE)
    suite = load_suite(yaml_path)
    json_path.write_text(json.dumps(suite.model_dump(mode="json")))
    assert load_suite(str(json_path)) == suite
    assert canonical_digest(load_suite(json_path)) == canonical_digest(suite)


def test_a_shipped_suite_is_found_by_name() -> None:
    assert len(load_suite("builtin:demo").probes) == 25


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError) as caught:
        load_suite("builtin:nothing")
    assert str(caught.value) == "no such suite: got 'builtin:nothing', wanted one of: demo"


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_suite(tmp_path / "none.suite.yaml")
    assert caught.value.code == "unreadable_file"


def test_every_problem_of_a_yaml_source_has_its_line() -> None:
    broken = SOURCE.replace("max_rank: 1", "max_rank: 0").replace("tenant: acme", "tenant: 3")
    assert problems(broken) == [
        "[invalid_value] s.suite.yaml:7 /probes/0/max_rank: input should be greater than or equal to 1",
        "[wrong_type] s.suite.yaml:11 /probes/1/context/tenant: input should be a valid string",
    ]


def test_a_missing_field_is_placed_at_its_probe() -> None:
    (found,) = problems(SOURCE.replace("    query: Who are you?\n", ""))
    assert found == "[missing_field] s.suite.yaml:3 /probes/0/query: field required"


def test_an_unknown_field_is_placed_at_its_line() -> None:
    (found,) = problems(SOURCE.replace("    max_rank: 1\n", "    max_rank: 1\n    maxrank: 2\n"))
    assert found == "[unknown_field] s.suite.yaml:8 /probes/0/maxrank: extra inputs are not permitted"


def test_a_problem_of_the_whole_suite_is_placed_at_its_start() -> None:
    (found,) = problems(SOURCE.replace("probe_id: b", "probe_id: a"))
    assert found == "[duplicate_id] s.suite.yaml:1: probe_id a stands twice"


def test_json_problems_have_lines_too() -> None:
    text = '{\n  "version": "0.1",\n  "probes": [\n    {"kind": "scope_isolation",\n     "probe_id": "b"}\n  ]\n}\n'
    (found,) = problems(text, "s.suite.json")
    assert found.startswith("[missing_field] s.suite.json:4 /probes/0/")


def test_json_that_is_no_yaml_keeps_its_pointer() -> None:
    text = '{"version": "0.1",\n\t"probes": [{"kind": "scope_isolation",\n\t"probe_id": "b", "query": "\\/"}]}'
    (found,) = problems(text, "s.suite.json")
    assert found.startswith("[nothing_to_check] s.suite.json /probes/0")


def test_syntax_errors_come_from_the_strict_readers() -> None:
    assert problems("a: 1\na: 2\n") == ["[duplicate_key] s.suite.yaml:2 /a: key stands twice in one mapping"]
    assert problems('{"a": 1, "a": 2}', "s.suite.json") == [
        "[duplicate_key] s.suite.json /a: key stands twice in one object"
    ]
