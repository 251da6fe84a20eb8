"""``witnessmark suite check``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from witnessmark.cli.main import main

SOURCE = """\
probes:
  - kind: scope_isolation
    probe_id: leak
    query: What is the password?
    context: {tenant: acme}
    forbidden_item_keys: [globex/1, globex/2, globex/3]
"""


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    assert isinstance(caught.value.code, int)
    return caught.value.code


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "s.suite.yaml"
    path.write_text(SOURCE)
    return path


def test_check_prints_probes_and_digest_and_warns_on_stderr(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("suite", "check", str(source)) == 0
    out, err = capsys.readouterr()
    assert "leak" in out
    assert "globex/1, globex/2 and 1 more" in out
    assert "1 probes, 1 required\nprobe suite digest sha256:" in out
    assert err == (
        "warning[isolation_without_liveness]: leak: no anchor with the same query and context: "
        "an empty answer would pass\n"
    )


def test_check_as_json_is_one_document(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("suite", "check", str(source), "--json") == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == ""
    assert document["probes"] == [
        {"probe_id": "leak", "kind": "scope_isolation", "required": True, "severity": "confidentiality"}
    ]
    assert [(item["code"], item["probe_id"]) for item in document["warnings"]] == [
        ("isolation_without_liveness", "leak")
    ]
    assert document["probe_suite_digest"].startswith("sha256:")


def test_check_compares_with_records(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = tmp_path / "r.jsonl"
    records.write_text('{"key": "globex/1", "text": "x"}\n{"key": "globex/2", "text": "x"}\n')
    assert run("suite", "check", str(source), "--records", str(records)) == 0
    assert "warning[unknown_item]: leak: names 'globex/3', which the records do not hold" in capsys.readouterr().err


def test_a_broken_suite_is_exit_4_with_file_and_line(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source.write_text(SOURCE.replace("query:", "qery:"))
    assert run("suite", "check", str(source)) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.split(": ")[0] for line in err.splitlines()] == ["error[missing_field]", "error[unknown_field]"]
    assert f"{source}:2 /probes/0/" in err
    assert f"{source}:4 /probes/0/" in err
