"""The record format ``atproto`` over records of every kind."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from witnessmark.canonical import canonical_digest
from witnessmark.checkpoint.formats import open_records
from witnessmark.checkpoint.operations import put_line
from witnessmark.errors import InputError
from witnessmark.models import MemoryRecord

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "atproto"
SOUND, FAULTY = ASSETS / "sound", ASSETS / "faulty"
NSID = "dev.bastienrobert.memory.record"
ANA = f"at://did:plc:ana2k7/{NSID}/"
KITCHEN = f"at://did:plc:team4x/space/com.example.team/kitchen/did:plc:ana2k7/{NSID}/"
TID = "3l22x7p2mq2a2"


def read(path: Path) -> list[MemoryRecord]:
    return list(open_records(path, "atproto"))


def extra(record: MemoryRecord) -> dict[str, Any]:
    return record.model_extra or {}


def refused(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(path)
    return [f"{problem.code} {problem}".replace(f"{path}/", "") for problem in caught.value.problems]


def bare(**changes: Any) -> dict[str, Any]:
    return {"$type": NSID, "content": "x", "createdAt": "2026-01-05T09:00:00Z", **changes}


def test_there_are_forty_records_with_every_outcome() -> None:
    assert len(list(SOUND.iterdir())) == 26
    assert len(list(FAULTY.iterdir())) == 20


def test_a_chain_a_merge_and_cycles_mask_within_one_space_and_repository() -> None:
    assert {record.key: extra(record)["masked_by"] for record in read(SOUND) if "masked_by" in extra(record)} == {
        f"{ANA}3l24x7p2mq2a2": [f"{ANA}3l25x7p2mq2a2"],
        f"{ANA}3l25x7p2mq2a2": [f"{ANA}3l26x7p2mq2a2"],
        f"{ANA}3l27x7p2mq2a2": [f"{ANA}3l2bx7p2mq2a2"],
        f"{ANA}3l2ax7p2mq2a2": [f"{ANA}3l2bx7p2mq2a2"],
        f"{ANA}3l2ex7p2mq2a2": [f"{ANA}3l2gx7p2mq2a2"],
        f"{ANA}3l2fx7p2mq2a2": [f"{ANA}3l2gx7p2mq2a2"],
        f"{KITCHEN}3l2ix7p2mq2a2": [f"{KITCHEN}3l2jx7p2mq2a2"],
    }


def test_replacements_from_elsewhere_are_kept_and_mean_nothing() -> None:
    elsewhere = {
        record.key: extra(record)["atproto"]["value"]["supersedes"]
        for record in read(SOUND)
        if "supersedes" in extra(record)["atproto"]["value"] and "supersedes" not in extra(record)
    }

    assert sorted(elsewhere.values()) == [[f"{ANA}3l23x7p2mq2a2"], *[[f"{KITCHEN}3l2jx7p2mq2a2"]] * 3]


def test_scopes_and_spaces_are_labels_apart() -> None:
    labels = {record.scope_labels for record in read(SOUND)}

    assert labels == {
        (),
        ("scope:home",),
        ("scope:work",),
        ("space:at://did:plc:team4x/space/com.example.team/kitchen",),
        ("space:at://did:plc:team4x/space/com.example.team/kitchen", "scope:home"),
        ("space:at://did:plc:team4x/space/com.example.team/garden",),
    }


def test_a_label_of_a_writer_is_no_locator() -> None:
    sources = [extra(record)["source"] for record in read(SOUND) if "source" in extra(record)]

    assert sources == [
        {"source_label": "codex", "locator": "https://notes.example/trains", "refetchable": True},
        {"source_label": "claude-code", "refetchable": False},
    ]


def restored(record: MemoryRecord) -> dict[str, Any]:
    """Undo the reading, from what a checkpoint keeps of the record."""
    value = json.loads(put_line(record))["value"]
    kept = copy.deepcopy(value["atproto"])
    for pointer in kept.pop("nulls", []):
        *path, name = pointer.removeprefix("/").split("/")
        node = kept
        for step in path:
            node = node[step]
        node[name] = None
    whole = {"uri": kept["uri"], "cid": kept["cid"], "value": {**kept["value"], "content": value["text"]}}
    return {**whole, **kept.get("envelope", {})}


def test_nothing_is_lost() -> None:
    originals = {value["uri"]: value for value in (json.loads(path.read_text()) for path in SOUND.iterdir())}
    records = read(SOUND)

    assert len(records) == len(originals) == 26
    assert {record.key: restored(record) for record in records} == originals


def test_no_state_of_a_retriever_is_in_a_record() -> None:
    names = {name for record in read(SOUND) for name in extra(record)}

    assert names == {"atproto", "masked_by", "source", "source_format", "supersedes"}


def test_faults_are_reported_together_each_with_its_place() -> None:
    key = f"'{ANA}3l3lx7p2mq2a2'"
    twice = f"'{ANA}3l3ox7p2mq2a2'"
    assert refused(FAULTY) == [
        "no_at_uri bare.json:1: nothing says which record this is: got 'bare', "
        "wanted {uri, cid, value}, or a file DID/COLLECTION/RKEY.json or RKEY.json",
        "byte_order_mark bom.json: starts with a byte order mark: wanted plain UTF-8",
        "too_many_bytes bytes.json:6 /value/content: text is too long: got 10002 bytes, wanted at most 10000",
        "too_many_graphemes bytes.json:6 /value/content: text is too long: got 5001 graphemes, wanted at most 2500",
        "wrong_collection collection.json:1 /uri: record of another collection: got 'app.bsky.feed.post', "
        f"wanted {NSID}",
        "invalid_datetime date.json:7 /value/createdAt: not a datetime: got '2026-01-05'",
        "two_event_times event-twice.json:11 /value/occurredAt: time of the event stands twice: got 'occurrence', "
        "wanted one of the two names",
        "float_value float.json:8 /value/confidence: the data model has no floats: got 0.9, wanted an integer, or text",
        "too_many_graphemes graphemes.json:6 /value/content: text is too long: got 2501 graphemes, wanted at most 2500",
        f"supersedes_itself itself.json:9 /value/supersedes/0: record supersedes itself: got {key}",
        "duplicate_key key-twice.json /value/content: key stands twice in one object: got 'content'",
        "invalid_utf8 latin1.json: not UTF-8: got byte 0xe9 at offset 146",
        "missing_field no-content.json:4 /value: property is missing: wanted content",
        f"missing_field no-type.json:4 /value/$type: record does not say what it is: wanted $type '{NSID}'",
        "null_value null.json:8 /value/updatedAt: null is a value, not absence: got None, "
        "wanted text, a datetime, or no such property",
        "invalid_at_uri page.json:9 /value/supersedes/0: not an at-uri: got 'https://example.com'",
        "unknown_value precision.json:10 /value/occurrence/precision: value is not one of a closed set: got 'hour', "
        "wanted year, month, day, instant",
        "invalid_tid rkey.json:1 /uri: record key is no timestamp identifier: got 'self'",
        "too_many_items too-many.json:8 /value/supersedes: list is too long: got 21 items, wanted at most 20",
        f"duplicate_key twice-b.json:1: key stands twice: got {twice}, "
        f"also at {FAULTY}/twice-a.json:1, wanted one record a key".replace(f"{FAULTY}/", ""),
    ]


def test_lines_of_jsonl_are_records_with_lines(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    lines = [json.dumps(json.loads(file.read_text())) for file in sorted(SOUND.iterdir())]
    path.write_text("\n".join(lines))

    assert [canonical_digest(record) for record in read(path)] == [canonical_digest(record) for record in read(SOUND)]

    path.write_text("\n".join([lines[0], "{", '{"uri": "at://x", "value": {}}', json.dumps(bare())]))
    assert [problem.replace(f"{path}", "F") for problem in refused(path)] == [
        "invalid_json F:2 column 2: not JSON: Expecting property name enclosed in double quotes",
        "invalid_at_uri F:3 /uri: not the at-uri of a record: got 'at://x'",
        f"missing_field F:3 /value/$type: record does not say what it is: wanted $type '{NSID}'",
        "missing_field F:3 /value: property is missing: wanted content",
        "missing_field F:3 /value: property is missing: wanted createdAt",
        "no_at_uri F:4: nothing says which record this is: "
        "wanted {uri, cid, value}, or a file DID/COLLECTION/RKEY.json or RKEY.json",
    ]


def test_the_path_of_a_bare_record_is_its_at_uri(tmp_path: Path) -> None:
    space = "did:plc:team4x/space/com.example.team/kitchen/"
    for folder in ("did:plc:ana2k7", f"{space}did:plc:ana2k7"):
        file = tmp_path / folder / NSID / f"{TID}.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(bare()))

    assert [record.key for record in read(tmp_path)] == [
        f"at://did:plc:ana2k7/{NSID}/{TID}",
        f"at://{space}did:plc:ana2k7/{NSID}/{TID}",
    ]


def test_a_record_of_nowhere_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / f"{TID}.json").write_text(json.dumps(bare(supersedes=[f"{ANA}{TID}"])))
    (record,) = read(tmp_path)

    assert record.key == TID
    assert extra(record) == {
        "source_format": "atproto",
        "atproto": {
            "rkey": TID,
            "value": {"$type": NSID, "createdAt": "2026-01-05T09:00:00Z", "supersedes": [f"{ANA}{TID}"]},
        },
    }


def test_a_link_that_leaves_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text("{}")
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "a.json").symlink_to(tmp_path / "outside.json")

    assert refused(tmp_path / "records") == ["leaves_root a.json: symbolic link leaves the root: wanted files below it"]


def test_problems_are_bounded(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number:02}.json").write_text("[1")

    assert len(refused(tmp_path)) == 51
    assert refused(tmp_path)[-1].startswith("too_many_problems")


def test_an_empty_folder_has_no_record(tmp_path: Path) -> None:
    assert refused(tmp_path) == [f"no_records {tmp_path}: no record here: wanted 1 or more"]
