"""The item table."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from witnessmark.errors import InputError
from witnessmark.models import MemoryRecord
from witnessmark.ports import IndexItem
from witnessmark_adapters.items import ItemLine, ItemTable, write_item

if TYPE_CHECKING:
    from pathlib import Path

DIGESTS = ["sha256:" + format(number, "064x") for number in range(3)]


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    labels = [("tenant:a", "x"), (), ("tenant:a", "x")]
    keys = ["a", "ä", "\U0001f600"]
    stream, previous = io.BytesIO(), None
    for key, label, digest in zip(keys, labels, DIGESTS, strict=True):
        record = MemoryRecord(key=key, text="t", scope_labels=label)
        previous = write_item(stream, IndexItem(record, digest), previous)
    path = tmp_path / "items.jsonl"
    path.write_bytes(stream.getvalue())
    table = ItemTable.load(path)
    assert [table.version(ordinal) for ordinal in range(3)] == DIGESTS
    assert [table.scope_labels(ordinal) for ordinal in range(3)] == labels
    assert table.keys == keys
    assert len(table) == 3
    assert len(table.label_sets) == 2
    assert all(key in table for key in keys)
    assert "b" not in table
    assert 5 not in table


@pytest.mark.parametrize("keys", [["b", "a"], ["a", "a"]])
def test_items_out_of_order_are_an_error(keys: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        ItemTable(ItemLine(key=key, scope_labels=(), version=DIGESTS[0]) for key in keys)
    assert str(caught.value) == (
        f"items: items are not in ascending key order: got {keys[1]!r} after {keys[0]!r}, "
        "wanted every key once, ascending"
    )


def test_unsupported_digest_is_an_error() -> None:
    version = "shake256:" + "0" * 64
    with pytest.raises(InputError) as caught:
        ItemTable([ItemLine(key="a", scope_labels=(), version=version)])
    assert caught.value.code == "unsupported_digest"


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(b'{"key":"a","scope_labels":[],"version":"x"}\n')
    with pytest.raises(InputError, match=r"items.jsonl:1 /version"):
        ItemTable.load(path)
    with pytest.raises(InputError) as caught:
        ItemTable.load(tmp_path / "absent")
    assert caught.value.code == "unreadable_file"
