"""Records by the name of their format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from witnessmark.checkpoint import formats as module
from witnessmark.checkpoint.formats import format_of, open_records
from witnessmark.errors import AdapterError, InputError
from witnessmark.models import MemoryRecord

LINE = '{"key":"a","text":"one","supersedes":["b"]}\n'


class Yielding:
    """A format that yields what it was given, then raises."""

    def __init__(self, *found: object, fault: Exception | None = None) -> None:
        self.found = found
        self.fault = fault

    def read(self, path: Path) -> Iterator[object]:
        yield from self.found
        if self.fault is not None:
            raise self.fault


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "memory.jsonl"
    path.write_text(LINE)
    return path


def installed(monkeypatch: pytest.MonkeyPatch, reader: object) -> None:
    monkeypatch.setattr(module, "find_record_format", lambda name: (reader, None))


def read(path: Path, name: str | None = None) -> list[str]:
    return [record.key for record in open_records(path, name)]


@pytest.mark.parametrize("name", [None, "jsonl"])
def test_jsonl_is_read_with_and_without_its_name(records: Path, name: str | None) -> None:
    (record,) = open_records(records, name)

    assert record == MemoryRecord.from_json({"key": "a", "text": "one", "supersedes": ["b"]})


@pytest.mark.parametrize("name", ["m.jsonl", "m.json", "m", "m.yaml"])
def test_a_file_is_jsonl(tmp_path: Path, name: str) -> None:
    assert format_of(tmp_path / name) == "jsonl"


def test_a_markdown_file_is_amr(tmp_path: Path) -> None:
    assert format_of(tmp_path / "a.md") == "amr"


def test_a_folder_has_no_format_by_itself(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path)

    (problem,) = caught.value.problems
    assert problem.code == "ambiguous_record_format"
    assert str(problem).startswith(
        f"{tmp_path}: a folder does not say what format its records have: wanted --format, one of: "
    )
    assert "jsonl" in str(problem)


def test_an_unknown_format_names_those_there_are(records: Path) -> None:
    with pytest.raises(InputError, match=r"^no such record format: got 'csv', wanted one of: .*jsonl") as caught:
        read(records, "csv")

    assert caught.value.code == "unknown_record_format"


def test_a_format_yields_its_records(monkeypatch: pytest.MonkeyPatch, records: Path) -> None:
    installed(monkeypatch, Yielding(MemoryRecord(key="b", text="t"), MemoryRecord(key="a", text="t")))

    assert read(records, "own") == ["b", "a"]


@pytest.mark.parametrize(
    ("reader", "message"),
    [
        (
            Yielding(MemoryRecord(key="a", text="t"), MemoryRecord(key="a", text="u")),
            "record format 'own' yields a key twice: got 'a'",
        ),
        (Yielding({"key": "a"}), "record format 'own' yields something else: got dict, wanted MemoryRecord"),
        (Yielding(fault=KeyError("x")), "record format 'own' failed: KeyError: 'x'"),
        (object(), "record format 'own' failed: AttributeError: 'object' object has no attribute 'read'"),
    ],
    ids=["key twice", "no record", "fault", "no format"],
)
def test_a_format_that_breaks_its_contract_is_an_adapter_error(
    monkeypatch: pytest.MonkeyPatch, records: Path, reader: object, message: str
) -> None:
    installed(monkeypatch, reader)

    with pytest.raises(AdapterError) as caught:
        read(records, "own")

    assert str(caught.value) == message


def test_what_is_wrong_with_records_passes_as_it_is(monkeypatch: pytest.MonkeyPatch, records: Path) -> None:
    installed(monkeypatch, Yielding(fault=InputError("no", code="mine", where="f:1")))

    with pytest.raises(InputError, match=r"^f:1: no$"):
        read(records, "own")
