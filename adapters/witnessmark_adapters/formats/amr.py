"""Auditable Memory Records as memory records: Markdown with front matter or JSON, a file or a folder.

- The key is the record's ref without ``.md``; refs in links are keys.
- The text is the body, else the field ``text``, else the texts of the claims, a line each.
- What AMR calls malformed is refused. Whether a record conforms to a level is another question (``records check``).
- Every field is kept as it stands under ``amr``, also those that are read here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.amr.fields import check_fields, links_of
from witnessmark.amr.findings import placed
from witnessmark.amr.store import Store
from witnessmark.checkpoint.records import kept_record
from witnessmark.errors import InputError, Problem
from witnessmark_adapters.formats.gathering import Gathering, with_nulls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from witnessmark.amr.frontmatter import AmrDocument
    from witnessmark.canonical import JsonValue
    from witnessmark.models import MemoryRecord
    from witnessmark.ports import RecordFormat

__all__ = ["FORMAT", "AmrFormat"]

_LINKS = ("supersedes", "contradicts", "backed_by")
_COPIED = ("anchor", "context", "scope_labels", "environment")


class AmrFormat:
    """Reads `witnessmark.amr.store`."""

    def read(self, path: Path) -> Iterator[MemoryRecord]:
        """Yield the records below a folder, in the order of their paths."""
        gathering = Gathering(path)
        for entry in Store(path).entries():
            document = entry.document
            if document is None:
                gathering.refuse(entry.problems)
                continue
            gathering.place(entry.ref, document.place())
            findings = check_fields(document.fields, entry.ref)
            gathering.refuse(placed(finding, document) for finding in findings if finding.severity == "invalid")
            try:
                record = _record(entry.ref, document)
            except InputError as error:
                gathering.refuse(error.problems)
            else:
                if gathering.sound:
                    yield record
        gathering.finish()


def _record(ref: str, document: AmrDocument) -> MemoryRecord:
    fields = document.fields
    text = _text(document)
    if text is None:
        problem = Problem("no_text", "record has no text", wanted="a body, text, or claims", where=document.place())
        raise InputError.from_problems((problem,))
    value: dict[str, JsonValue] = {"key": ref, "text": text, "source_format": "amr"}
    for field in _COPIED:
        if fields.get(field) is not None:
            value[field] = _list(fields[field]) if field == "scope_labels" else fields[field]
    for field in _LINKS:
        if links := links_of(fields, field):
            value[field] = list(links)
    if source := _source(fields):
        value["source"] = source
    value["amr"] = with_nulls({"fields": dict(fields)}, {"fields": dict(fields)})
    return kept_record(value, document.place())


def _text(document: AmrDocument) -> str | None:
    if body := document.body.strip():
        return body
    text = document.fields.get("text")
    if isinstance(text, str):
        return text
    claims = document.fields.get("claims")
    texts = [claim.get("text") for claim in claims if isinstance(claim, dict)] if isinstance(claims, list) else []
    return "\n".join(text for text in texts if isinstance(text, str)) or None


def _list(value: JsonValue) -> JsonValue:
    return [value] if isinstance(value, str) else value


def _source(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return where the record came from: the first source it cites is a locator, the word ``source`` a label only."""
    source: dict[str, JsonValue] = {}
    label = fields.get("source")
    if isinstance(label, str) and label.strip():
        source["source_label"] = label
    cited = fields.get("sources")
    first = cited[0] if isinstance(cited, list) and cited else None
    ref = first.get("ref") if isinstance(first, dict) else None
    if isinstance(ref, str):
        source |= {"locator": f"amr:{ref}", "source_namespace": "files", "source_id": ref}
    return {**source, "refetchable": "locator" in source} if source else source


FORMAT: RecordFormat = AmrFormat()
