"""Memory records from JSONL."""

from __future__ import annotations

from pathlib import Path

import pytest

from witnessmark.canonical import canonical_bytes, canonical_digest, model_bytes, parse_canonical
from witnessmark.checkpoint import records as module
from witnessmark.checkpoint.operations import put_line
from witnessmark.checkpoint.records import read_records
from witnessmark.errors import InputError
from witnessmark.models import MemoryRecord

A, B = b'{"key":"a","text":"one"}', b'{"key":"b","text":"two"}'


def refused(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        list(read_records(path))
    return [str(problem).replace(f"{path.parent}/", "") for problem in caught.value.problems]


def codes(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        list(read_records(path))
    return [problem.code for problem in caught.value.problems]


@pytest.mark.parametrize(
    "data",
    [
        A + b"\n" + B + b"\n",
        A + b"\n" + B,
        A + b"\r\n" + B + b"\r\n",
        b"\n" + A + b"\n \t\n\r\n" + B + b"\n\n",
        b" " + A + b"\t\n" + B,
    ],
    ids=["plain", "no final line feed", "crlf", "blank lines", "spaces around"],
)
def test_ways_to_write_the_same_two_records(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(data)
    assert [record.key for record in read_records(path)] == ["a", "b"]


def test_any_other_field_is_kept_and_counts(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    deep = '{"b":[null,{"a":true}],"ü":-0.0}'
    line = f'{{"key":"ключ","text":"é","scope_labels":["t:1"],"nothing":null,"n":1.50,"deep":{deep}}}'
    path.write_text(line, encoding="utf-8")
    (record,) = read_records(path)
    plain = {
        "key": "ключ",
        "text": "é",
        "scope_labels": ["t:1"],
        "n": 1.5,
        "deep": {"b": [None, {"a": True}], "ü": 0},
    }
    assert model_bytes(record) == canonical_bytes(plain)
    assert canonical_digest(record) == canonical_digest(plain)
    assert parse_canonical(put_line(record)) == {"op": "PUT", "key": "ключ", "value": plain}


def test_null_is_absence_at_any_depth_but_not_in_lists() -> None:
    with_nulls = MemoryRecord.from_bytes(b'{"key":"a","text":"t","note":null,"x":{"y":null,"z":[null,{"w":null}]}}')
    without = MemoryRecord.from_bytes(b'{"key":"a","text":"t","x":{"z":[null,{}]}}')
    assert put_line(with_nulls) == put_line(without)
    assert canonical_digest(with_nulls) == canonical_digest(without)
    assert b'"z":[null,{}]' in put_line(without)


def test_every_problem_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    lines = [
        A,
        b'{"key":"b","text":}',
        b'{"key":7,"text":"t","scope_labels":["x",1]}',
        b"[1]",
        b'{"key":"a","text":"again"}',
        b'{"key":"","text":"t"}',
        b'{"key":"c"}',
        b'{"key":"d","text":"t","x":1e400}',
        b'{"key":"e","text":"t","x":{"y":1e20}}',
        b'{"key":"f","text":"t","text":"t"}',
    ]
    path.write_bytes(b"\n".join(lines))
    assert refused(path) == [
        "r.jsonl:2 column 19: not JSON: Expecting value",
        "r.jsonl:3 /key: input should be a valid string: got 7",
        "r.jsonl:3 /scope_labels/1: input should be a valid string: got 1",
        "r.jsonl:4: input should be a valid dictionary or instance of MemoryRecord: got [1]",
        "r.jsonl:5: key stands twice: got 'a', also on line 1, wanted one record a key",
        "r.jsonl:6 /key: string should have at least 1 character: got ''",
        "r.jsonl:7 /text: field required",
        "r.jsonl:8 /x: number is not finite: got 1e400, wanted a finite number",
        "r.jsonl:9 /x/y: number is written as an inexact integer: got 1e20, wanted at most ±(2^53−1), or 1e21 or more",
        "r.jsonl:10 /text: key stands twice in one object: got 'text'",
    ]


@pytest.mark.parametrize(
    ("code", "data"),
    [
        ("byte_order_mark", b"\xef\xbb\xbf" + A),
        ("invalid_utf8", b'{"key":"a","text":"\xff"}'),
        ("lone_surrogate", b'{"key":"a","text":"\\ud800"}'),
        ("integer_out_of_range", b'{"key":"a","text":"t","n":9007199254740992}'),
        ("integer_out_of_range", b'{"key":"a","text":"t","n":-9007199254740993.0}'),
        ("invalid_json", A + B),
        ("no_records", b""),
        ("no_records", b"\n \n"),
    ],
)
def test_refused_under_its_code(tmp_path: Path, code: str, data: bytes) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(data)
    assert codes(path) == [code]


def nested(depth: int) -> bytes:
    return b'{"key":"a","text":"t","x":' + b"[" * depth + b"]" * depth + b"}"


def test_a_record_is_only_as_deep_as_its_log_line_may_be(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(nested(62))
    (record,) = read_records(path)
    assert parse_canonical(put_line(record)) is not None
    path.write_bytes(nested(63))
    assert codes(path) == ["too_deep"]


@pytest.mark.parametrize("number", [9007199254740991.0, 1e21, -1e300, 1e-7, 0.1, -0.0, 5e-324])
def test_a_number_that_is_kept_comes_back_from_its_line(tmp_path: Path, number: float) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(f'{{"key":"a","text":"t","n":{number!r}}}')
    (record,) = read_records(path)
    line = put_line(record)
    assert canonical_bytes(parse_canonical(line)) == line


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.jsonl") == ["none.jsonl: cannot read file: No such file or directory"]
    assert codes(tmp_path) == ["unreadable_file"]


def test_a_line_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_LINE_BYTES", len(A))
    path = tmp_path / "r.jsonl"
    path.write_bytes(A + b"\r\n" + A + b" \n")
    assert refused(path) == [f"r.jsonl:2: line is too long: wanted at most {len(A)} bytes"]


def test_reading_stops_after_many_problems(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"{}\n" * 1000)
    found = codes(path)
    assert found == ["missing_field"] * 50 + ["too_many_problems"]


def test_no_record_is_given_out_after_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(A + b"\n{}\n" + B)
    given = []
    with pytest.raises(InputError):
        for record in read_records(path):
            given.append(record.key)
    assert given == ["a"]
