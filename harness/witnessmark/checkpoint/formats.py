"""Memory records in whatever format they are kept, by the name of the format.

- Where no format is named, the name of the file decides, never its contents: a folder has no format by itself.
- A format is somebody else's code: what it yields is a record with a key of its own, or an error of the adapter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.checkpoint.records import read_records
from witnessmark.errors import AdapterError, InputError, WitnessmarkError
from witnessmark.models import MemoryRecord
from witnessmark.plugins import RECORD_FORMATS, registered
from witnessmark.registry import find_record_format

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["format_of", "open_records"]

_DEFAULT = "jsonl"
_BY_SUFFIX = {".md": "amr"}


def format_of(path: Path) -> str:
    """Return the format that a path stands for by itself.

    Raises:
        InputError: ``ambiguous_record_format``: ``path`` is a folder.
    """
    if path.is_dir():
        known = ", ".join(sorted({item.name for item in registered(RECORD_FORMATS)}))
        raise InputError(
            "a folder does not say what format its records have",
            code="ambiguous_record_format",
            wanted=f"--format, one of: {known}",
            where=str(path),
        )
    return _BY_SUFFIX.get(path.suffix, _DEFAULT)


def open_records(path: Path, name: str | None = None) -> Iterator[MemoryRecord]:
    """Yield the records of a file or folder.

    Args:
        path: file or folder.
        name: entry point name of the format, or None for `format_of`.

    Raises:
        InputError: the format is not known or cannot be loaded, or what is wrong with the records, at their end.
        AdapterError: ``adapter_failed``, ``not_a_record`` or ``duplicate_key``: the format broke its contract.
    """
    if name is None and format_of(path) == _DEFAULT:
        return read_records(path)
    chosen = name or format_of(path)
    reader, _ = find_record_format(chosen)
    try:
        return _checked(iter(reader.read(path)), chosen)
    except WitnessmarkError:
        raise
    except Exception as error:
        raise _failed(chosen, error) from error


def _checked(records: Iterator[MemoryRecord], name: str) -> Iterator[MemoryRecord]:
    seen: set[str] = set()
    while True:
        try:
            record = next(records, None)
        except WitnessmarkError:
            raise
        except Exception as error:
            raise _failed(name, error) from error
        if record is None:
            return
        if not isinstance(record, MemoryRecord):
            raise AdapterError(
                f"record format {name!r} yields something else",
                code="not_a_record",
                got=type(record).__name__,
                wanted="MemoryRecord",
            )
        if record.key in seen:
            raise AdapterError(f"record format {name!r} yields a key twice", code="duplicate_key", got=repr(record.key))
        seen.add(record.key)
        yield record


def _failed(name: str, error: Exception) -> AdapterError:
    return AdapterError(f"record format {name!r} failed: {type(error).__name__}: {error}", code="adapter_failed")
