"""The operation log and its leaves."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.canonical import canonical_digest, parse_json
from witnessmark.checkpoint import merkle
from witnessmark.checkpoint import operations as module
from witnessmark.checkpoint.operations import (
    LogWriter,
    delete_line,
    live_items,
    operation_leaf,
    put_line,
    read_log,
    read_record,
    same_record,
    summarize_log,
)
from witnessmark.errors import EvidenceError
from witnessmark.models import MemoryRecord

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda value: not 2**53 - 1 < abs(value) < 1e21
)
VALUES = st.recursive(
    st.none() | st.booleans() | TEXTS | NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.builds(
    lambda key, text, labels, extra: MemoryRecord.from_json(
        {**extra, "key": key, "text": text, "scope_labels": labels}
    ),
    TEXTS.filter(bool),
    TEXTS,
    st.lists(TEXTS, max_size=2),
    st.dictionaries(TEXTS, VALUES, max_size=3),
)


def record(key: str, text: str = "t") -> MemoryRecord:
    return MemoryRecord(key=key, text=text)


def refusal(data: bytes) -> str:
    with pytest.raises(EvidenceError) as caught:
        summarize_log(io.BytesIO(data), "operations.jsonl", where="log")
    return f"[{caught.value.code}] {caught.value}"


def test_a_line_is_canonical_and_a_leaf_is_tagged() -> None:
    assert put_line(record("a")) == b'{"key":"a","op":"PUT","value":{"key":"a","scope_labels":[],"text":"t"}}'
    assert delete_line("a") == b'{"key":"a","op":"DEL"}'
    assert operation_leaf(b"{}") == merkle.leaf_hash(b"am-mem-kv\x00{}")


@given(st.lists(RECORDS, max_size=6), st.data())
def test_what_is_written_is_what_is_read(records: list[MemoryRecord], data: st.DataObject) -> None:
    stream = io.BytesIO()
    writer = LogWriter(stream)
    alive: dict[str, MemoryRecord] = {}
    for item in records:
        writer.put(item.key, put_line(item))
        alive[item.key] = item
        if data.draw(st.booleans()):
            key = data.draw(st.sampled_from(sorted(alive)))
            writer.delete(key, delete_line(key))
            del alive[key]
    stream.seek(0)
    assert summarize_log(stream, "operations.jsonl", where="log") == writer.summary("operations.jsonl")
    stream.seek(0)
    lines = stream.getvalue().split(b"\n")[:-1]
    assert [logged.line for logged in read_log(stream, where="log")] == lines
    assert writer.summary("x").root == merkle.root([operation_leaf(line) for line in lines])
    items = list(live_items(stream, writer.summary("x").live, where="log"))
    assert [item.record for item in items] == [alive[key] for key in sorted(alive)]
    assert [item.version_digest for item in items] == [canonical_digest(alive[key]) for key in sorted(alive)]


def test_deleting_what_is_not_there_is_no_log() -> None:
    writer = LogWriter(io.BytesIO())
    with pytest.raises(KeyError):
        writer.delete("a", delete_line("a"))
    put, delete = put_line(record("a")) + b"\n", delete_line("a") + b"\n"
    assert refusal(put + delete + delete) == ("[delete_of_absent_key] log:3: deletes a key that is not there: got 'a'")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"key":"a","op":"DEL"}', "[truncated_log] log:1: log line does not end: got 22 bytes"),
        (b"\n", "[invalid_json] log:1: line 1 column 1: not JSON: Expecting value"),
        (
            b'{"op":"DEL","key":"a"}\n',
            '[not_canonical] log:1: not in canonical form: got b\'op":"DEL","key":"a"}\' at byte 2, '
            'wanted b\'key":"a","op":"DEL"}\' (RFC 8785)',
        ),
        (
            b'{"key":"a","op":"DEL"}\r\n',
            "[not_canonical] log:1: not in canonical form: got b'\\r' at byte 22, wanted b'' (RFC 8785)",
        ),
        (b'{"key":"a","op":"ADD"}\n', "[invalid_value] log:1 /op: input should be 'PUT' or 'DEL': got 'ADD'"),
        (
            b'{"key":"a","op":"PUT"}\n',
            "[contradicts_itself] log:1: a value should come with PUT, only and always: got {'key': 'a', 'op': 'PUT'}",
        ),
        (
            b'{"key":"a","op":"PUT","value":{"key":"b","text":"t"}}\n',
            "[contradicts_itself] log:1: a record should be stored under its own key: "
            "got {'key': 'a', 'op': 'PUT', 'value': {'key': 'b', 'text': 't'}}",
        ),
        (
            b'{"key":"a","op":"PUT","value":{"key":"a","text":1}}\n',
            "[wrong_type] log:1 /value /text: input should be a valid string: got 1",
        ),
    ],
)
def test_a_line_that_is_not_an_operation_is_refused(data: bytes, message: str) -> None:
    assert refusal(data) == message


def test_a_line_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE_BYTES", 30)
    assert refusal(b'{"key":"' + b"a" * 40 + b'","op":"DEL"}\n').startswith("[too_large] log:1: log line does not end")


def test_an_offset_that_is_no_put_is_refused() -> None:
    data = delete_line("a") + b"\n"
    with pytest.raises(EvidenceError, match="log byte 0: "):
        read_record(io.BytesIO(data), 0, where="log")
    with pytest.raises(EvidenceError, match="log byte 3: line 1 column 1: not JSON"):
        read_record(io.BytesIO(data), 3, where="log")
    with pytest.raises(EvidenceError, match="log byte 0: "):
        read_record(io.BytesIO(b"[]\n"), 0, where="log")


def test_a_default_that_is_spelled_out_is_no_change() -> None:
    short = b'{"key":"a","op":"PUT","value":{"key":"a","text":"t"}}'
    assert same_record(short, put_line(record("a")))
    assert not same_record(short, put_line(record("a", "u")))


@pytest.mark.interop
class TestAgainstTheReference:
    @given(st.lists(RECORDS, min_size=1, max_size=6))
    def test_a_log_has_the_reference_root(self, records: list[MemoryRecord]) -> None:
        reference = pytest.importorskip("agent_manifest._memory_delta")
        operations = [parse_json(line) for line in written(without_nulls(records))]
        assert root_of(without_nulls(records)) == reference.build_memory_tree(operations, "kv")

    @given(RECORDS)
    def test_a_leaf_is_the_reference_encoding_with_nulls_kept(self, item: MemoryRecord) -> None:
        reference = pytest.importorskip("agent_manifest._canonicalize")
        payload = parse_json(put_line(item))
        assert put_line(item) == reference.canonicalize(payload, exclude_none=False)

    def test_a_null_member_counts_here_and_not_in_the_reference(self) -> None:
        reference = pytest.importorskip("agent_manifest._memory_delta")
        absent, null = record("a"), MemoryRecord.from_bytes(b'{"key":"a","text":"t","note":null}')
        theirs = [reference.build_memory_tree([parse_json(put_line(item))], "kv") for item in (absent, null)]
        assert theirs[0] == theirs[1] == f"sha256:{operation_leaf(put_line(absent)).hex()}"
        assert operation_leaf(put_line(absent)) != operation_leaf(put_line(null))

    def test_the_reference_leaf_of_a_deletion_has_no_value(self) -> None:
        reference = pytest.importorskip("agent_manifest._memory_delta")
        operations = [{"op": "DEL", "key": "é", "value": {"x": 1}}]
        assert f"sha256:{operation_leaf(delete_line('é')).hex()}" == reference.build_memory_tree(operations, "kv")


def written(records: list[MemoryRecord]) -> list[bytes]:
    """The log that stores the records and then deletes all of them."""
    return [put_line(item) for item in records] + [delete_line(key) for key in sorted({item.key for item in records})]


def root_of(records: list[MemoryRecord]) -> str:
    return f"sha256:{merkle.root([operation_leaf(line) for line in written(records)]).hex()}"


def without_nulls(value: Any) -> Any:
    """The same value without members of objects that are null; nulls in lists stay."""
    if isinstance(value, MemoryRecord):
        return MemoryRecord.from_json(without_nulls(value.model_dump(mode="json")))
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value
