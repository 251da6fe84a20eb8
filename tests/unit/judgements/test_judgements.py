"""Judgement files are read strictly; every problem has file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from witnessmark.errors import InputError
from witnessmark.judgements import read_judgements


def refusal(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        read_judgements(path)
    return str(caught.value).replace(f"{path}", path.name)


def test_trec_qrels(tmp_path: Path) -> None:
    path = tmp_path / "some.qrels"
    path.write_bytes(b"q1 0 a 1\r\n\nq1\tQ0\tb\t-2\nq2 0 a 3")
    assert [(row.id, row.key, row.relevance) for row in read_judgements(path)] == [
        ("q1", "a", 1),
        ("q1", "b", -2),
        ("q2", "a", 3),
    ]


def test_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(
        '{"id": "q 1", "key": "a b", "relevance": 1}\n'
        '{"query": "why?", "context": {"t": "1"}, "key": "c", "relevance": 2}\n',
        encoding="utf-8",
    )
    named, asked = read_judgements(path)
    assert (named.id, named.key, named.relevance) == ("q 1", "a b", 1)
    assert (asked.query, asked.context, asked.key) == ("why?", {"t": "1"}, "c")


def test_all_problems_at_once(tmp_path: Path) -> None:
    assert refusal(tmp_path / "bad.qrels", "q1 0 a\nq1 0 a 1\nq1 0 b 0.5\nq1 0 a b 1\n").splitlines() == [
        "bad.qrels:1: line is no judgement: got 'q1 0 a', wanted id iteration key relevance, the last an integer",
        "bad.qrels:3: line is no judgement: got 'q1 0 b 0.5', wanted id iteration key relevance, the last an integer",
        "bad.qrels:4: line is no judgement: got 'q1 0 a b 1', wanted id iteration key relevance, the last an integer",
    ]
    assert refusal(tmp_path / "bad.jsonl", '{"id": "a", "key": "k", "relevance": 1.0}\n{"id"\n').splitlines() == [
        "bad.jsonl:1 /relevance: input should be a valid integer: got 1.0",
        "bad.jsonl:2 column 6: not JSON: Expecting ':' delimiter",
    ]


def test_an_item_is_judged_once(tmp_path: Path) -> None:
    assert refusal(tmp_path / "twice.qrels", "q1 0 a 1\nq2 0 a 1\nq1 0 a 1\n") == (
        "twice.qrels:3: item is judged twice: got 'a', also on line 1, wanted one line"
    )


def test_other_refusals(tmp_path: Path) -> None:
    assert refusal(tmp_path / "empty.qrels", "\n") == "empty.qrels: no judgement in the file: wanted 1 or more"
    assert refusal(tmp_path / "latin.qrels", b"q1 0 \xe9 1\n") == "latin.qrels:1: line is not UTF-8"
    text = '{"id": "a", "query": "b", "key": "k", "relevance": 1}\n'
    assert refusal(tmp_path / "both.jsonl", text).startswith(
        "both.jsonl:1: a judgement names its request by id, or by query and context"
    )
