"""Records of the atproto lexicon ``dev.bastienrobert.memory.record`` as memory records (docs/records.md).

- Read are JSON files (one record or a list) below a folder, or a JSONL file; each is ``{uri, cid, value}`` as a server
  gives it, or the bare record in a file ``…/DID/COLLECTION/RKEY.json``, whose path is its at-uri, or ``RKEY.json``.
- The key is the at-uri. A bare record without one has its record key for a key, and replaces nothing: nobody knows
  in which repository it is.
- ``supersedes`` holds what lies in the same space and repository only; all of it is kept under ``atproto``.
- A masked record stays, with ``masked_by``: the keys of what replaced it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.amr.store import Store
from witnessmark.checkpoint.records import kept_record, read_lines
from witnessmark.errors import InputError, Problem
from witnessmark.lexicon import NSID, AtUri, check_record, masked, read_at_uri
from witnessmark.lexicon.syntax import is_tid
from witnessmark_adapters.formats.gathering import Gathering, with_nulls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from witnessmark.canonical import JsonValue
    from witnessmark.models import MemoryRecord
    from witnessmark.ports import RecordFormat

__all__ = ["FORMAT", "AtprotoFormat"]

_SPACED, _PUBLIC = 7, 3
"""Parts of the at-uri of a record, in a space and public."""


class _Found(NamedTuple):
    """A record and its surroundings, before it is checked."""

    place: Callable[[str], str]
    """File, line and pointer of a pointer into the envelope."""
    prefix: str
    """Pointer of the record in its envelope."""
    uri: JsonValue
    """As it stands in the envelope, or as the path says; None where neither does."""
    rkey: str | None
    """Of a bare record without at-uri."""
    cid: JsonValue
    value: JsonValue
    envelope: Mapping[str, JsonValue]
    """What else stands in the envelope."""


class AtprotoFormat:
    """Reads files and folders."""

    def read(self, path: Path) -> Iterator[MemoryRecord]:
        """Yield the records, in the order of their files, when all of them are read: what masks one may come last."""
        gathering = Gathering(path)
        values: dict[str, dict[str, JsonValue]] = {}
        places: dict[str, str] = {}
        for found in _found(path, gathering):
            problems = _problems(found)
            gathering.refuse(problems)
            if not problems:
                value = _value(found)
                key = str(value["key"])
                gathering.place(key, found.place(""))
                values[key], places[key] = value, found.place("")
        replaced = {key: _texts(value.get("supersedes")) for key, value in values.items()}
        for key, masks in masked(replaced).items():
            values[key]["masked_by"] = list(masks)
        records = []
        for key, value in values.items():
            try:
                records.append(kept_record(value, places[key]))
            except InputError as error:
                gathering.refuse(error.problems)
        gathering.finish()
        yield from records


def _found(path: Path, gathering: Gathering) -> Iterator[_Found]:
    if path.suffix == ".jsonl" and not path.is_dir():
        for number, line in read_lines(path):
            if isinstance(line, InputError):
                gathering.refuse(line.problems)
            else:
                yield _unwrap(line, None, _placed(f"{path}:{number}"))
        return
    for entry in Store(path).entries():
        if entry.document is None:
            gathering.refuse(entry.problems)
        elif entry.path.suffix == ".json":
            yield _unwrap(dict(entry.document.fields), entry.path, entry.document.place)


def _placed(where: str) -> Callable[[str], str]:
    return lambda pointer: f"{where} {pointer}" if pointer else where


def _unwrap(value: JsonValue, path: Path | None, place: Callable[[str], str]) -> _Found:
    if isinstance(value, Mapping) and "value" in value and "$type" not in value:
        rest = {name: child for name, child in value.items() if name not in ("uri", "cid", "value")}
        return _Found(place, "/value", value.get("uri", ""), None, value.get("cid"), value["value"], rest)
    uri = None if path is None else _uri_of(path)
    return _Found(place, "", uri, None if path is None or uri else path.stem, None, value, {})


def _uri_of(path: Path) -> str | None:
    parts = path.absolute().with_suffix("").parts if path.suffix == ".json" else ()
    for count in (_SPACED, _PUBLIC):
        text = "at://" + "/".join(parts[-count:])
        uri = read_at_uri(text)
        if uri is not None and uri.rkey is not None and (uri.space is not None) == (count == _SPACED):
            return text if str(uri.authority).startswith("did:") else None
    return None


def _problems(found: _Found) -> tuple[Problem, ...]:
    problems = list(_place_problems(found))
    for problem in check_record(found.value):
        problems.append(problem._replace(where=found.place(found.prefix + (problem.where or ""))))
    value = found.value
    if isinstance(value, Mapping) and found.uri is not None:
        for index, old in enumerate(_texts(value.get("supersedes"))):
            if old == found.uri:
                where = found.place(f"{found.prefix}/supersedes/{index}")
                problems.append(Problem("supersedes_itself", "record supersedes itself", repr(old), where=where))
    return tuple(problems)


def _place_problems(found: _Found) -> Iterator[Problem]:
    if found.uri is None:
        if found.rkey is None or not is_tid(found.rkey):
            got = None if found.rkey is None else repr(found.rkey)
            wanted = "{uri, cid, value}, or a file DID/COLLECTION/RKEY.json or RKEY.json"
            yield Problem("no_at_uri", "nothing says which record this is", got, wanted, found.place(""))
        return
    where = found.place("/uri" if found.prefix else "")
    uri = read_at_uri(found.uri) if isinstance(found.uri, str) else None
    if uri is None or uri.rkey is None:
        yield Problem("invalid_at_uri", "not the at-uri of a record", ascii(found.uri)[:80], where=where)
    elif uri.collection != NSID:
        yield Problem("wrong_collection", "record of another collection", repr(uri.collection), NSID, where)
    elif not is_tid(uri.rkey):
        yield Problem("invalid_tid", "record key is no timestamp identifier", repr(uri.rkey), where=where)
    if found.cid is not None and not isinstance(found.cid, str):
        yield Problem("wrong_type", "cid is no text", ascii(found.cid)[:80], where=found.place("/cid"))


def _value(found: _Found) -> dict[str, JsonValue]:
    """Return the memory record of a record without problems."""
    given = found.value if isinstance(found.value, Mapping) else {}
    uri = read_at_uri(str(found.uri)) if found.uri is not None else None
    kept: dict[str, JsonValue] = {"value": {name: child for name, child in given.items() if name != "content"}}
    if uri is None:
        kept["rkey"] = found.rkey
    else:
        kept |= {"uri": str(found.uri), "repo": uri.authority, "collection": uri.collection, "rkey": uri.rkey}
        if uri.space is not None:
            kept["space"] = str(uri.space)
    if found.cid is not None:
        kept["cid"] = found.cid
    if found.envelope:
        kept["envelope"] = dict(found.envelope)
    value: dict[str, JsonValue] = {
        "key": found.rkey if uri is None else str(found.uri),
        "text": given["content"],
        "scope_labels": list(_labels(given, uri)),
        "source_format": "atproto",
        "atproto": with_nulls(kept, kept),
    }
    if near := [old for old in dict.fromkeys(_texts(given.get("supersedes"))) if uri and _same_place(uri, old)]:
        value["supersedes"] = near
    if source := _source(given.get("provenance")):
        value["source"] = source
    return value


def _labels(given: Mapping[str, JsonValue], uri: AtUri | None) -> Iterator[str]:
    if uri is not None and uri.space is not None:
        yield f"space:{uri.space}"
    if isinstance(scope := given.get("scope"), str):
        yield f"scope:{scope}"


def _same_place(uri: AtUri, old: str) -> bool:
    other = read_at_uri(old)
    return other is not None and (other.space, other.authority) == (uri.space, uri.authority)


def _source(provenance: JsonValue) -> dict[str, JsonValue]:
    """Return where the record came from: ``sourceUri`` is a locator, the name of an agent a label only."""
    if not isinstance(provenance, Mapping):
        return {}
    source: dict[str, JsonValue] = {}
    if isinstance(agent := provenance.get("agent"), str) and agent.strip():
        source["source_label"] = agent
    if isinstance(uri := provenance.get("sourceUri"), str):
        source["locator"] = uri
    return {**source, "refetchable": str(source.get("locator", "")).startswith(("http:", "https:"))} if source else {}


def _texts(value: JsonValue) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


FORMAT: RecordFormat = AtprotoFormat()
