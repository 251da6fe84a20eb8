"""String formats against the protocol's public vectors, and what these leave open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from witnessmark.lexicon.place import AtUri, SpaceId, read_at_uri
from witnessmark.lexicon.syntax import is_datetime, is_did, is_handle, is_nsid, is_record_key, is_tid, is_uri

FORMATS: dict[str, Callable[[str], object]] = {
    "aturi": read_at_uri,
    "datetime": is_datetime,
    "recordkey": is_record_key,
    "tid": is_tid,
    "uri": is_uri,
}
SPACE = "at://did:plc:space1/space/com.example.group/3jzfcijpj2z2a"
RECORD = "did:plc:author/dev.bastienrobert.memory.record/3jzfcijpj2z2a"


def cases(path: Path) -> list[str]:
    """The lines of a vector file; a hash at the start of a line makes it a comment, blank lines are none."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]


@pytest.mark.specs
def test_agrees_with_every_public_vector(specs: Path) -> None:
    counts: dict[str, int] = {}
    wrong: list[str] = []
    for path in sorted((specs / "atproto-syntax").glob("*.txt")):
        name, _, outcome = path.stem.split("_")
        lines = cases(path)
        counts[path.stem] = len(lines)
        wrong += [f"{path.stem}: {line}" for line in lines if bool(FORMATS[name](line)) != (outcome == "valid")]

    assert wrong == []
    assert len(counts) == 11
    assert {name.split("_")[0] for name in counts} == set(FORMATS)
    assert min(counts.values()) >= 4
    assert sum(counts.values()) > 200


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("2026-02-28T00:00:00Z", True),
        ("2026-02-29T00:00:00Z", False),
        ("2024-02-29T23:59:59+23:59", True),
        ("2024-02-29T23:59:59+24:00", False),
        ("2024-02-29T23:59:60Z", False),
        ("0000-02-29T00:00:00Z", True),
        ("0000-01-01T01:00:00+01:00", True),
        ("0000-01-01T00:59:59+01:00", False),
        ("2026-01-01T00:00:00-00:00", False),
        ("2026-01-01T00:00:00-00:01", True),
        ("٢٠٢٦-01-01T00:00:00Z", False),
        ("2026-01-01T00:00:00Z\n", False),
    ],
)
def test_a_datetime_is_a_time_that_exists(text: str, valid: bool) -> None:
    assert is_datetime(text) is valid


def test_identifiers_have_their_limits() -> None:
    assert is_did("did:web:" + "a" * 2040)
    assert not is_did("did:web:" + "a" * 2041)
    assert not is_did("did:plc:a:")
    assert is_handle("a." * 125 + "abc")
    assert not is_handle("a." * 126 + "ab")
    assert is_nsid("com.example.fooBar")
    assert not is_nsid("com.example")
    assert not is_nsid("com.example.foo-bar")
    assert not is_nsid("1com.example.foo")
    assert not is_nsid("space")


@pytest.mark.parametrize(
    "text",
    ["at://user.example.com", f"at://{RECORD}", "at://did:web:a/com.example.foo", SPACE, f"{SPACE}/{RECORD}"],
)
def test_an_at_uri_is_written_as_it_was_read(text: str) -> None:
    assert str(read_at_uri(text)) == text


def test_a_record_in_a_space_has_a_space_and_an_author() -> None:
    assert read_at_uri(f"{SPACE}/{RECORD}") == AtUri(
        "did:plc:author",
        "dev.bastienrobert.memory.record",
        "3jzfcijpj2z2a",
        SpaceId("did:plc:space1", "com.example.group", "3jzfcijpj2z2a"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "at://did:plc:space1/space",
        "at://did:plc:space1/space/com.example.group",
        f"{SPACE}/",
        f"{SPACE}/did:plc:author",
        f"{SPACE}/did:plc:author/dev.bastienrobert.memory.record",
        f"{SPACE}/{RECORD}/more",
        f"{SPACE}/user.example.com/dev.bastienrobert.memory.record/3jzfcijpj2z2a",
        "at://user.example.com/space/com.example.group/k",
        "at://did:plc:space1/space/group/k",
        "at://did:plc:space1/space/com.example.group/..",
    ],
)
def test_half_a_space_is_no_at_uri(text: str) -> None:
    assert read_at_uri(text) is None
