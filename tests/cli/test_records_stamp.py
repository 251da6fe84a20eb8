"""``witnessmark records stamp``: what is added, what stays byte for byte, what is left alone."""
# ruff: noqa: E501

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from witnessmark.cli.main import main


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["records", *arguments])
    out, err = capfd.readouterr()
    return int(caught.value.code or 0), out, err


def sha(quote: str) -> str:
    return f"sha256:{hashlib.sha256(quote.encode()).hexdigest()}"


BEFORE = """---
# kept by hand
id: 007   # with zeros
title: "Backup — 04:30"
created_at: 2026-03-01T04:30:00+02:00
draft: yes
sources:
  - ref: sources/runbook.md
    # the words
    quote: >-
      starts at
      04:30 UTC
    page: 1.50
  - {ref: sources/other, quote: 'a, b'}
  - quote: "q"
    ref: sources/third
    quote_hash: %s
claims:
- text: t
  span:
     quote: it’s so
  source_id: sources/runbook
tags: [x,   y]
---

Body with  two spaces\u2003and no final line feed"""

AFTER = """---
# kept by hand
auditable_memory: "0.1"
id: 007   # with zeros
title: "Backup — 04:30"
created_at: 2026-03-01T04:30:00+02:00
draft: yes
sources:
  - ref: sources/runbook.md
    # the words
    quote_hash: "%s"
    quote: >-
      starts at
      04:30 UTC
    page: 1.50
  - {ref: sources/other, quote_hash: "%s", quote: 'a, b'}
  - quote: "q"
    ref: sources/third
    quote_hash: %s
claims:
- text: t
  span:
     quote_hash: "%s"
     quote: it’s so
  source_id: sources/runbook
tags: [x,   y]
---

Body with  two spaces\u2003and no final line feed"""


def test_what_stands_there_stays(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.md"
    file.write_bytes((BEFORE % sha("q")).encode())
    file.chmod(0o640)
    code, out, err = run(capfd, "stamp", str(tmp_path))
    assert (code, err) == (0, "1 of 1 records stamped, 0 lacked nothing, 0 left alone\n")
    assert out == (
        f"stamped: {file}: /auditable_memory, /sources/0/quote_hash, /sources/1/quote_hash, /claims/0/span/quote_hash\n"
    )
    stamped = AFTER % (sha("starts at 04:30 UTC"), sha("a, b"), sha("q"), sha("it's so"))
    assert file.read_bytes() == stamped.encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert run(capfd, "check", str(tmp_path), "--level", "3")[0] == 0

    assert run(capfd, "stamp", str(tmp_path)) == (0, "", "0 of 1 records stamped, 1 lacked nothing, 0 left alone\n")
    assert file.read_bytes() == stamped.encode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"text": "x"}', '{"auditable_memory": "0.1", "text": "x"}'),
        (
            '{\n  "n": 1.50,\n  "e": "\\ud83d\\ude00"\n}\n',
            '{\n  "auditable_memory": "0.1", "n": 1.50,\n  "e": "\\ud83d\\ude00"\n}\n',
        ),
        (
            '[{"ref": "a", "auditable_memory": "0.1"},\r\n {"ref": "b", "sources": [{"ref": "s", "quote": "q"}]}]',
            '[{"ref": "a", "auditable_memory": "0.1"},\r\n {"auditable_memory": "0.1", "ref": "b", "sources": [{"ref": "s", "quote_hash": "'
            + sha("q")
            + '", "quote": "q"}]}]',
        ),
        ('{"a/b~c": 1, "claims": []}', '{"auditable_memory": "0.1", "a/b~c": 1, "claims": []}'),
    ],
)
def test_json_is_stamped_in_its_own_spelling(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], before: str, after: str
) -> None:
    file = tmp_path / "m.json"
    file.write_bytes(before.encode())
    assert run(capfd, "stamp", str(file))[0] == 0
    assert file.read_bytes() == after.encode()
    assert run(capfd, "stamp", str(file))[0] == 0
    assert file.read_bytes() == after.encode()


def md(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", ""])


LEFT_ALONE = {
    "another version": (md("auditable_memory: '0.2'"), "invalid[unknown_version]"),
    "an invalid word": (md("epistemic: Fact"), "invalid[epistemic_not_in_vocabulary]"),
    "a malformed ref": (md("sources: [{ref: ../s, quote: q}]"), "invalid[malformed_ref]"),
    "a self link": (md("backed_by: [m]"), "invalid[self_link]"),
    "an inferred link": (md("backed_by: [{ref: x, score: 0.9}]"), "invalid[inferred_link]"),
    "an empty quote": (md("sources: [{ref: s, quote: ''}]"), "invalid[empty_quote]"),
    "a tampered hash": (md("sources:", "  - ref: s", "    quote: q", f"    quote_hash: {sha('other')}", "  - {ref: s, quote: r}"), "not_conforming[hash_disagrees]"),
    "an unusable hash": (md("sources: [{ref: s, quote: q, quote_hash: deadbeef}]"), "invalid[unknown_digest_length]"),
    "a wrong claim id": (md("claims: [{text: t, source_id: s, claim_id: x, span: {quote: q}}]"), "not_conforming[claim_id_mismatch]"),
    "a declaration of null": (md("auditable_memory: null"), "not_conforming[cannot_stamp]"),
    "a hash of null": (md("auditable_memory: '0.1'", "sources: [{ref: s, quote: q, quote_hash: null}]"), "not_conforming[cannot_stamp]"),
    "an explicit key": (md("? title", ": t"), "not_conforming[cannot_stamp]"),
    "no member": (md("{}"), "not_conforming[cannot_stamp]"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_a_record_that_would_not_conform_is_left_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    text, wanted = LEFT_ALONE[name]
    (tmp_path / "m.md").write_text(text)
    (tmp_path / "z.md").write_text(md("k: v"))
    code, out, err = run(capfd, "stamp", str(tmp_path))
    assert (code, err) == (1, "1 of 2 records stamped, 0 lacked nothing, 1 left alone\n")
    assert out.startswith(f"{wanted}: {tmp_path}/m.md")
    assert (tmp_path / "m.md").read_text() == text
    assert (tmp_path / "z.md").read_text() == md('auditable_memory: "0.1"', "k: v")


def test_the_whole_message_of_what_cannot_be_stamped(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.md"
    file.write_text(md("k: v", "auditable_memory: null"))
    assert run(capfd, "stamp", str(tmp_path))[1] == (
        f"not_conforming[cannot_stamp]: {file}:4 /auditable_memory: nothing can be added: key stands twice in one mapping: "
        "got also on line 2\n"
    )


@pytest.mark.parametrize(
    "stored", [hashlib.md5(b"q").hexdigest(), f"md5:{hashlib.md5(b'q').hexdigest()}", sha("q")[7:]]
)
def test_old_hashes_are_neither_replaced_nor_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], stored: str
) -> None:
    file = tmp_path / "m.md"
    file.write_text(md(f"sources: [{{ref: s, quote: q, quote_hash: '{stored}'}}, {{ref: s, quote: r}}]"))
    assert run(capfd, "stamp", str(tmp_path))[0] == 0
    assert file.read_text() == md(
        'auditable_memory: "0.1"',
        f"sources: [{{ref: s, quote: q, quote_hash: '{stored}'}}, {{ref: s, quote_hash: \"{sha('r')}\", quote: r}}]",
    )


def test_two_records_with_one_ref_are_left_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.md").write_text(md("k: v"))
    (tmp_path / "m.json").write_text('{"k": "v"}')
    code, out, _ = run(capfd, "stamp", str(tmp_path), "--json")
    report = json.loads(out)
    assert (code, report["refused_count"], report["stamped"]) == (1, 2, [])
    assert {problem["code"] for problem in report["problems"]} == {"duplicate_ref"}


def test_out_leaves_the_records_as_they_are(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    records, out = tmp_path / "records", tmp_path / "out"
    (records / "ops").mkdir(parents=True)
    (records / "ops" / "a.md").write_text(md("k: v"))
    (records / "b.md").write_text(md("auditable_memory: '0.1'"))
    code, printed, _ = run(capfd, "stamp", str(records), "--out", str(out), "--json")
    assert code == 0
    assert json.loads(printed) == {
        "format": "witnessmark.records-stamp/0.1",
        "record_count": 2,
        "stamped": [{"record": "ops/a", "where": f"{records}/ops/a.md", "added": ["/auditable_memory"]}],
        "unchanged_count": 1,
        "refused_count": 0,
        "problems": [],
    }
    assert (records / "ops" / "a.md").read_text() == md("k: v")
    assert [path.relative_to(out).as_posix() for path in out.rglob("*.md")] == ["ops/a.md"]
    assert (out / "ops" / "a.md").read_text() == md('auditable_memory: "0.1"', "k: v")
    assert run(capfd, "stamp", str(records), "--out", str(out))[2].startswith("error[output_exists]: ")


def test_a_file_that_cannot_be_read_is_exit_4_and_the_rest_is_stamped(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.md").write_text("---\nk: &x 1\n---\n")
    (tmp_path / "b.md").write_text(md("k: v"))
    code, out, _ = run(capfd, "stamp", str(tmp_path))
    assert code == 4
    assert out.splitlines() == [
        f"unreadable[yaml_alias]: {tmp_path}/a.md:2: anchor: got &x, wanted the value without it",
        f"stamped: {tmp_path}/b.md: /auditable_memory",
    ]


def test_a_link_inside_the_root_stays_a_link(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.md").write_text(md("k: v"))
    (tmp_path / "a.md").symlink_to("b.md")
    assert run(capfd, "stamp", str(tmp_path / "a.md"))[0] == 0
    assert (tmp_path / "a.md").is_symlink()
    assert (tmp_path / "b.md").read_text() == md('auditable_memory: "0.1"', "k: v")


def test_nothing_is_no_success(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    message = f"error[no_records]: {tmp_path}: no record here: wanted 1 or more\n"
    assert run(capfd, "stamp", str(tmp_path)) == (4, "", message)
