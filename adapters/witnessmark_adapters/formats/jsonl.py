"""JSONL, one memory record a line: the format that is ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.checkpoint.records import read_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from witnessmark.models import MemoryRecord
    from witnessmark.ports import RecordFormat

__all__ = ["FORMAT", "JsonlFormat"]


class JsonlFormat:
    """Reads `witnessmark.checkpoint.records`."""

    def read(self, path: Path) -> Iterator[MemoryRecord]:
        """Yield the records of a JSONL file, in its order."""
        return read_records(path)


FORMAT: RecordFormat = JsonlFormat()
