"""Broken memory records: every command answers or refuses, and a stamp only ever inserts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from witnessmark.amr.check import check_records
from witnessmark.amr.relations import relations_of
from witnessmark.amr.stamp import stamp_records
from witnessmark.amr.store import Store
from witnessmark.amr.verify import verify_records
from witnessmark.errors import InputError

MEMORY = Path(__file__).resolve().parents[1] / "assets" / "amr" / "memory"
JSON = (
    b'{"auditable_memory": "0.1", "sources": [{"ref": "a", "quote": "q"}], "e": "\\ud83d\\ude00"}',
    b'[{"ref": "a", "claims": [{"text": "t", "source_id": "s", "span": {"quote": "q"}}]},\n\t{"x": 1}]',
)
PIECES = (
    *(bytes([byte]) for byte in b"\n \t:-\"'{}[]#|>~/?,\r\x00\xff"),
    *(b"---\n", b"&a", b"*a", b"!!str ", b"null", b"\xc2\x85", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\\ud800", b".."),
    *(b'auditable_memory: "0.1"\n', b"quote: ", b"? ", b", ", b"1e999"),
)


def broken(rng: random.Random, seeds: list[bytes]) -> bytes:
    """Return a record with up to four pieces put in, some in place of what stood there."""
    data = rng.choice(seeds)
    for _ in range(rng.randint(0, 4)):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice(PIECES) + data[at + rng.choice((0, 0, 1, 3)) :]
    return data


@pytest.mark.parametrize("seed", range(4))
def test_nothing_but_answers_and_refusals(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    seeds = [path.read_bytes() for path in sorted(MEMORY.rglob("*.md"))] + list(JSON) * 5
    answered = refused = stamped = 0
    for _ in range(120):
        data = broken(rng, seeds)
        path = tmp_path / ("x.json" if data[:1] in (b"{", b"[") else "x.md")
        path.write_bytes(data)
        store = Store(path)
        written: list[bytes] = []
        try:
            check_records(store, 3)
            verify_records(store)
            relations_of(store)
            stamp_records(store, lambda _, new, into=written: into.append(new))
            answered += 1
        except InputError:
            refused += 1
        for new in written:
            left = iter(new)
            assert all(byte in left for byte in data), "a stamp took something away"
            path.write_bytes(new)
            again = stamp_records(store, lambda _, new: pytest.fail(f"stamped twice: {new!r}"))
            assert again.stamped == ()
            stamped += 1
        path.unlink()
    assert answered > 60
    assert refused > 0
    assert stamped > 0
