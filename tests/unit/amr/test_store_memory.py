"""Memory of a check does not grow with what the records hold."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

from witnessmark.amr.check import check_records
from witnessmark.amr.store import Store


def peak(folder: Path) -> int:
    """Return the bytes that Python held at most while it checked a folder."""
    tracemalloc.start()
    try:
        check_records(Store(folder), 1)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_one_file_is_held_at_a_time(tmp_path: Path) -> None:
    text = '---\nauditable_memory: "0.1"\n---\n' + "x" * 200_000
    for count in (2, 40):
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            (folder / f"r{number}.md").write_text(text)
    few, many = peak(tmp_path / "2"), peak(tmp_path / "40")
    assert many < few + 200_000
