"""``witnessmark records coverage`` and ``records check --format``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from witnessmark.cli.main import main

Run = Callable[..., tuple[int, str, str]]

ATPROTO = Path(__file__).resolve().parents[1] / "assets" / "atproto"
NONE = "no_eligible_derived_records"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(["records", *map(str, arguments)])
        shown = capsys.readouterr()
        return int(ended.value.code or 0), shown.out, shown.err

    return call


def shares(out: str) -> dict[str, Any]:
    return {item["name"].removesuffix("_coverage"): item["numerator"] for item in json.loads(out)["metrics"]}


def test_every_share_of_jsonl_records_is_apart(run: Run, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("a")
    digest = hashlib.sha256(b"a").hexdigest()
    source: dict[str, Any] = {
        "refetchable": True,
        "locator": "file:files/a.txt",
        "expected_digest": digest,
        "source_namespace": "notes",
        "source_id": "a.txt",
    }
    records: list[dict[str, Any]] = [
        {"source": source, "environment": {"repository": "r", "commit_sha": "0" * 40}},
        {"source": {**source, "expected_digest": None}},
        {"source": {**source, "locator": "file:files/gone.txt", "source_id": "gone.txt"}},
        {"source": {"refetchable": False, "locator": "agent:scholar", "source_label": "scholar"}},
        {"source": "agent:scholar"},
        {"source": {"url": "https://example.com"}},
        {"environment": {"repository": "r"}},
        {},
    ]
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(json.dumps({"key": f"k{n}", "text": "t", **item}) for n, item in enumerate(records)))

    code, out, err = run("coverage", path, "--inventory", f"notes=file:{tmp_path / 'files'}", "--json")

    assert (code, err) == (0, "")
    assert shares(out) == {
        "source_field": 2,
        "locator": 4,
        "refetchable": 3,
        "refetch_verification": 2,
        "source_enumeration": 3,
        "environment_binding": 1,
        "lineage_verification": 0,
    }
    assert {item["denominator"] for item in json.loads(out)["metrics"][:-1]} == {8}
    assert json.loads(out)["metrics"][-1]["undefined_reason"] == NONE
    assert json.loads(out)["reconciliation"]["orphans"] == ["notes:gone.txt"]


def test_sources_of_amr_are_looked_for_below_the_folder(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "amr"
    (folder / "sources").mkdir(parents=True)
    (folder / "sources" / "here.md").write_text("q")
    for name, ref in (("a", "sources/here"), ("b", "sources/gone.md"), ("c", "sources/here.md")):
        (folder / f"{name}.md").write_text(f"---\nsources: [{{ref: {ref}, quote: q}}]\n---\n{name}\n")
    (folder / "d.md").write_text("---\nsource: runbook\n---\nd\n")

    code, out, _ = run("coverage", folder, "--format", "amr", "--inventory", f"files=file:{folder}", "--json")

    assert code == 0
    # Gone is verified; what is there has no digest to compare with.
    assert shares(out) == {
        "source_field": 1,
        "locator": 3,
        "refetchable": 3,
        "refetch_verification": 1,
        "source_enumeration": 3,
        "environment_binding": 0,
        "lineage_verification": 0,
    }


def test_a_malformed_source_is_refused_with_all_others(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(
        '{"key":"a","text":"t","source":{"refetchable":true}}\n'
        '{"key":"b","text":"t","environment":{"commit_sha":"x"}}\n'
        '{"key":"c","text":"t"}\n'
    )

    code, out, err = run("coverage", path)

    assert (code, out) == (4, "")
    assert [line.split(": ", 1)[0] for line in err.splitlines()] == [
        "error[contradicts_itself]",
        "error[invalid_value]",
    ]
    assert "record 'a' /source: " in err
    assert "record 'b' /environment /commit_sha: " in err


def test_the_table_is_for_people(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"key":"a","text":"t","source":"me"}\n')

    code, out, _ = run("coverage", path)

    assert code == 0
    assert [line.split() for line in out.splitlines() if line.lstrip().startswith(("source_f", "locator"))] == [
        ["source_field_coverage", "1", "1", "1.000"],
        ["locator_coverage", "0", "1", "0.000"],
    ]


def test_sound_records_are_reported_with_what_is_masked(run: Run) -> None:
    code, out, err = run("check", ATPROTO / "sound", "--format", "atproto", "--json")
    report = json.loads(out)

    assert (code, err) == (0, "")
    assert (report["format"], report["record_format"]) == ("witnessmark.format-check/0.1", "atproto")
    assert (report["record_count"], len(report["masked"]), report["problems"]) == (26, 7, [])


def test_faulty_records_are_reported_whole(run: Run) -> None:
    faulty = ATPROTO / "faulty"
    code, out, err = run("check", faulty, "--format", "atproto", "--json")
    report = json.loads(out)

    assert (code, err) == (4, "")
    assert "record_count" not in report
    assert len(report["problems"]) == 20
    assert report["problems"][5] == {
        "code": "invalid_datetime",
        "where": f"{faulty}/date.json:7 /value/createdAt",
        "message": "not a datetime: got '2026-01-05'",
    }


def test_a_broken_rule_is_no_unreadable_file(run: Run) -> None:
    date = ATPROTO / "faulty" / "date.json"

    assert run("check", date, "--format", "atproto")[:2] == (
        1,
        f"invalid[invalid_datetime]: {date}:7 /value/createdAt: not a datetime: got '2026-01-05'\n1 problems\n",
    )


def test_an_unknown_format_is_an_error(run: Run) -> None:
    code, out, err = run("check", ATPROTO, "--format", "csv")

    assert (code, out) == (4, "")
    assert err.startswith("error[unknown_record_format]: no such record format: got 'csv', wanted one of: amr, ")
