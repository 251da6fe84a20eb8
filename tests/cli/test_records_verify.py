"""``witnessmark records verify``: four outcomes, both axes, exit codes."""
# ruff: noqa: E501

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from witnessmark.cli.main import main

SAID = "The nightly backup starts at 04:30 UTC."
RIGHT = f"sha256:{hashlib.sha256(SAID.encode()).hexdigest()}"
WRONG = f"sha256:{'0' * 64}"
MD5 = hashlib.md5(SAID.encode()).hexdigest()


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["records", "verify", *arguments])
    out, err = capfd.readouterr()
    return int(caught.value.code or 0), out, err


def record(folder: Path, name: str = "a.md", **fields: object) -> None:
    lines = [f"{key}: {json.dumps(value)}" for key, value in ({"auditable_memory": "0.1"} | fields).items()]
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("\n".join(["---", *lines, "---", ""]))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "runbook.md").write_text("# Runbook\n\nThe nightly  backup starts\nat 04:30 UTC.\n")
    (tmp_path / "sources" / "old.md").write_text("The nightly backup starts at 02:00 UTC.\n")
    (tmp_path / "sources" / "scan.pdf").write_bytes(b"%PDF\xff\xfe")
    return tmp_path


OUTCOMES: list[tuple[str, str | None, str, bool, str, str, int, str]] = [
    ("sources/runbook.md", RIGHT, "ok", False, "agrees", "contains", 0, "source contains the quote; stored hash agrees with the quote"),
    ("sources/runbook", RIGHT, "ok", False, "agrees", "contains", 0, "source contains the quote; stored hash agrees with the quote"),
    ("sources/runbook.md", None, "ok", True, "absent", "contains", 0, "source contains the quote; no stored hash, so only the source is checked"),
    ("sources/runbook.md", f"md5:{MD5}", "ok", False, "agrees", "contains", 0, "source contains the quote; stored hash agrees with the quote (warning: MD5)"),
    ("sources/runbook.md", MD5, "ok", False, "agrees", "contains", 0, "source contains the quote; stored hash agrees with the quote (warning: MD5)"),
    ("sources/runbook.md", RIGHT[7:], "ok", False, "agrees", "contains", 0, "source contains the quote; stored hash agrees with the quote (warning: no prefix)"),
    ("sources/runbook.md", WRONG, "anchor_tampered", False, "disagrees", "contains", 1, "source contains the quote; stored hash disagrees with the quote"),
    ("sources/old.md", WRONG, "anchor_tampered", False, "disagrees", "lacks", 1, "source lacks the quote; stored hash disagrees with the quote"),
    ("sources/runbook.md", f"md5:{'0' * 32}", "anchor_tampered", False, "disagrees", "contains", 1, "source contains the quote; stored hash disagrees with the quote (warning: MD5)"),
    ("sources/runbook.md", "crc32:00", "anchor_tampered", False, "unusable", "contains", 1, "source contains the quote; stored hash is unusable: unsupported hash algorithm: got 'crc32', wanted sha256:, or md5: in records that exist already"),
    ("sources/old.md", RIGHT, "source_drifted", False, "agrees", "lacks", 1, "source lacks the quote; stored hash agrees with the quote"),
    ("sources/old.md", None, "source_drifted", True, "absent", "lacks", 1, "source lacks the quote; no stored hash, so only the source is checked"),
    ("sources/gone.md", RIGHT, "source_missing", False, "agrees", "missing", 3, "source cannot be resolved: no such file; stored hash agrees with the quote"),
    ("sources/gone.md", None, "source_missing", False, "absent", "missing", 3, "source cannot be resolved: no such file; no stored hash, so only the source is checked"),
    ("sources/gone.md", WRONG, "source_missing", False, "disagrees", "missing", 3, "source cannot be resolved: no such file; stored hash disagrees with the quote"),
    ("sources", RIGHT, "source_missing", False, "agrees", "missing", 3, "source cannot be resolved: no such file; stored hash agrees with the quote"),
    ("sources/scan.pdf", RIGHT, "source_missing", False, "agrees", "missing", 3, "source cannot be resolved: is not UTF-8 text; stored hash agrees with the quote"),
    ("sources/runbook.md/", RIGHT, "ok", False, "agrees", "contains", 0, "source contains the quote; stored hash agrees with the quote"),
    ("x" * 300, RIGHT, "source_missing", False, "agrees", "missing", 3, "source cannot be resolved: File name too long; stored hash agrees with the quote"),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["citation", "claim"])
@pytest.mark.parametrize("case", OUTCOMES)
def test_outcomes(folder: Path, capfd: pytest.CaptureFixture[str], kind: str, case: tuple[Any, ...]) -> None:
    ref, stored, status, partial, anchor, source, code, detail = case
    quoted = {"quote": SAID} | ({} if stored is None else {"quote_hash": stored})
    claim = {"text": "t", "source_id": ref, "span": quoted}
    record(folder, **({"sources": [{"ref": ref, **quoted}]} if kind == "citation" else {"claims": [claim]}))
    got_code, out, err = run(capfd, str(folder / "a.md"), "--json")
    (verdict,) = json.loads(out)["citations"]
    place = "/sources/0" if kind == "citation" else "/claims/0"
    extra = {} if kind == "citation" else {"claim_id_status": "absent", "source_declared": False}
    assert verdict.pop("claim_id", None) == (None if kind == "citation" else hashlib.sha256(b"a:t").hexdigest()[:16])
    assert verdict == {
        "record": "a",
        "where": f"{folder}/a.md:3 {place}",
        "kind": kind,
        "ref": ref,
        "status": status,
        "partial": partial,
        "anchor": anchor,
        "source": source,
        "detail": detail,
        **extra,
    }
    assert (got_code, err) == (code, "")


def test_a_source_outside_the_root_is_missing_however_it_is_reached(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = folder / "root"
    root.mkdir()
    (root / "out").symlink_to(folder / "sources")
    record(root, sources=[{"ref": "out/runbook.md", "quote": SAID}])
    code, out, _ = run(capfd, str(root), "--json")
    report = json.loads(out)
    assert code == 4
    assert [problem["code"] for problem in report["problems"]] == ["leaves_root"]
    assert [(item["status"], item["detail"]) for item in report["citations"]] == [
        ("source_missing", "source cannot be resolved: leaves the root; no stored hash, so only the source is checked")
    ]


def test_a_good_source_does_not_hide_a_bad_span(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    ref = "sources/runbook.md"
    good = {"ref": ref, "quote": SAID, "quote_hash": RIGHT}
    claims = [
        {"text": "t", "source_id": ref, "span": {"quote": SAID, "quote_hash": WRONG}, "claim_id": "0" * 16},
        {
            "text": "t",
            "source_id": ref,
            "span": {"quote": "starts", "quote_hash": WRONG},
            "claim_id": hashlib.sha256(b"a:t").hexdigest()[:16],
        },
    ]
    record(folder, sources=[good], claims=claims)
    code, out, _ = run(capfd, str(folder / "a.md"))
    wanted = hashlib.sha256(b"a:t").hexdigest()[:16]
    assert code == 1
    assert out.splitlines() == [
        f"ok: {folder}/a.md:3 /sources/0: citation of {ref}: source contains the quote; stored hash agrees with the quote",
        f"anchor_tampered: {folder}/a.md:4 /claims/0: claim of {ref}: source contains the quote; stored hash disagrees with the quote; claim_id is not {wanted}",
        f"anchor_tampered: {folder}/a.md:4 /claims/1: claim of {ref}: source contains the quote; stored hash disagrees with the quote",
        "3 citations and claims in 1 records: 1 ok, 2 anchor tampered, 0 source drifted, 0 source missing; 0 partial",
    ]


def test_a_wrong_claim_id_is_no_success(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    span = {"quote": SAID, "quote_hash": RIGHT}
    record(folder, claims=[{"text": "t", "source_id": "sources/runbook", "span": span, "claim_id": "x"}])
    code, out, _ = run(capfd, str(folder), "--json")
    report = json.loads(out)
    assert (code, report["claim_id_mismatch_count"], report["outcomes"]["ok"]) == (1, 1, 1)


def test_an_empty_quote_is_malformed_and_has_no_outcome(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record(folder, sources=[{"ref": "sources/runbook.md", "quote": " "}])
    code, out, _ = run(capfd, str(folder))
    assert code == 1
    assert out.splitlines() == [
        f"invalid[empty_quote]: {folder}/a.md:3 /sources/0/quote: quote is empty: got ' ', wanted words",
        "0 citations and claims in 1 records: 0 ok, 0 anchor tampered, 0 source drifted, 0 source missing; 0 partial",
    ]


def test_no_citation_is_never_ok(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record(folder, epistemic="fact")
    assert run(capfd, str(folder)) == (
        3,
        "uncited: a\n"
        "0 citations and claims in 1 records: 0 ok, 0 anchor tampered, 0 source drifted, 0 source missing; 0 partial\n",
        "",
    )


def test_one_unreadable_file_does_not_hide_the_others(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record(folder, sources=[{"ref": "sources/runbook", "quote": SAID, "quote_hash": WRONG}])
    (folder / "b.md").write_text("---\nk: &x 1\n---\n")
    code, out, _ = run(capfd, str(folder), "--json")
    report = json.loads(out)
    assert code == 4
    assert [problem["where"] for problem in report["problems"]] == [f"{folder}/b.md:2"]
    assert report["outcomes"] == {"ok": 0, "anchor_tampered": 1, "source_drifted": 0, "source_missing": 0}


def test_more_sources_than_are_kept_are_each_compared_with_their_own(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sources = []
    for number in [*range(40), *range(40)]:
        (folder / "sources" / f"s{number}.md").write_text(f"number {number} says so")
        sources.append({"ref": f"sources/s{number}", "quote": f"number {number} says"})
    record(folder, sources=sources)
    code, out, _ = run(capfd, str(folder), "--json")
    assert (code, json.loads(out)["outcomes"]["ok"]) == (0, 80)
