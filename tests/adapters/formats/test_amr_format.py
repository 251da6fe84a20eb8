"""The record format ``amr``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from witnessmark.checkpoint.formats import open_records
from witnessmark.checkpoint.operations import put_line
from witnessmark.errors import InputError
from witnessmark.models import MemoryRecord

NEW = """---
auditable_memory: "0.1"
epistemic: inference
confidence: 0.8
created_at: 2026-01-05T09:00:00Z
scope_labels: [team:ops]
supersedes: [ops/old.md]
contradicts: [ops/other]
backed_by: ops/log
anchor: true
context: {project: cedar}
source: runbook
sources:
  - ref: sources/runbook.md
    quote: The backup starts at 04:30.
zest: {a: null, b: [null, 1]}
---

The backup starts at 04:30.
"""


def read(path: Path) -> list[MemoryRecord]:
    return list(open_records(path, "amr"))


def refused(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(path)
    return [f"{problem.code} {problem}".replace(f"{path}/", "") for problem in caught.value.problems]


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_record_has_the_names_that_every_format_shares_and_all_of_its_fields(tmp_path: Path) -> None:
    write(tmp_path, "ops/new.md", NEW)
    (record,) = read(tmp_path)
    kept: dict[str, Any] = json.loads(put_line(record))["value"]
    fields = kept.pop("amr")

    assert kept == {
        "key": "ops/new",
        "text": "The backup starts at 04:30.",
        "scope_labels": ["team:ops"],
        "supersedes": ["ops/old"],
        "contradicts": ["ops/other"],
        "backed_by": ["ops/log"],
        "anchor": True,
        "context": {"project": "cedar"},
        "source": {
            "source_label": "runbook",
            "locator": "amr:sources/runbook.md",
            "source_namespace": "files",
            "source_id": "sources/runbook.md",
            "refetchable": True,
        },
        "source_format": "amr",
    }
    assert fields == {
        "fields": {
            "auditable_memory": "0.1",
            "epistemic": "inference",
            "confidence": 0.8,
            "created_at": "2026-01-05T09:00:00Z",
            "scope_labels": ["team:ops"],
            "supersedes": ["ops/old.md"],
            "contradicts": ["ops/other"],
            "backed_by": "ops/log",
            "anchor": True,
            "context": {"project": "cedar"},
            "source": "runbook",
            "sources": [{"ref": "sources/runbook.md", "quote": "The backup starts at 04:30."}],
            "zest": {"b": [None, 1]},
        },
        "nulls": ["/fields/zest/a"],
    }


def test_json_records_and_claims_are_read_too(tmp_path: Path) -> None:
    claims = [{"text": "One.", "source_id": "s", "span": {"quote": "q"}}]
    write(tmp_path, "a.json", json.dumps([{"ref": "x/one.md", "text": "T"}, {"ref": "x/two", "claims": claims}]))
    write(tmp_path, "note.md", "No front matter: a document.\n")

    assert [(record.key, record.text) for record in read(tmp_path)] == [("x/one", "T"), ("x/two", "One.")]


def test_a_markdown_file_needs_no_name_of_its_format(tmp_path: Path) -> None:
    path = write(tmp_path, "new.md", NEW)

    assert [record.key for record in open_records(path)] == ["new"]


def test_faults_are_reported_together_each_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, "bom.md", b"\xef\xbb\xbf---\na: 1\n---\nx\n")
    write(tmp_path, "bytes.md", b"---\na: 1\n---\ncaf\xe9\n")
    write(tmp_path, "empty.md", "---\na: 1\n---\n")
    write(tmp_path, "fine.md", "---\na: 1\n---\nx\n")
    write(tmp_path, "itself.md", "---\nsupersedes: [itself.md]\n---\nx\n")
    write(tmp_path, "key.md", "---\na: 1\na: 2\n---\nx\n")
    write(tmp_path, "labels.md", "---\nscope_labels: {a: 1}\n---\nx\n")
    write(tmp_path, "ref.md", "---\ncontradicts: [../../etc/passwd]\n---\nx\n")
    write(tmp_path, "twice.json", '{"text": "x"}')
    write(tmp_path, "twice.md", "---\na: 1\n---\nx\n")
    write(tmp_path, "word.md", "---\nepistemic: Fact\n---\nx\n")

    assert refused(tmp_path) == [
        "byte_order_mark bom.md:1: starts with a byte order mark: wanted plain UTF-8",
        "invalid_utf8 bytes.md:4: not UTF-8: got byte 0xe9 at offset 16",
        "no_text empty.md:2: record has no text: wanted a body, text, or claims",
        "self_link itself.md:2 /supersedes/0: record supersedes itself: got 'itself.md', "
        "wanted a ref of another record",
        "duplicate_key key.md:3 /a: key stands twice in one mapping: got also on line 2",
        "wrong_type labels.md:2 /scope_labels: input should be a list: got {'a': 1}",
        "malformed_ref ref.md:2 /contradicts/0: malformed ref: got '../../etc/passwd', "
        "wanted ASCII letters, digits and . _ / -, a letter or digit first, no ..",
        f"duplicate_key twice.md:2: key stands twice: got 'twice', also at {tmp_path}/twice.json:1, "
        "wanted one record a key".replace(f"{tmp_path}/", ""),
        "epistemic_not_in_vocabulary word.md:2 /epistemic: epistemic value not in closed vocabulary: got 'Fact', "
        "wanted one of: fact, inference, open_question, unverified, or no field",
    ]
