"""Every flipped bit and every truncation of a run's files is refused: nothing altered is ever called verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retrievers import FOUR, NOW, Retriever, good_answers, suite
from witnessmark.cli.main import main
from witnessmark.errors import WitnessmarkError
from witnessmark.models.verification import VerificationStatus
from witnessmark.rundir import verify, write_run
from witnessmark.runner import assess

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = ("assessment.json", "transcript.jsonl", "suite.json", "profile.json")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A small run: one probe of each of two kinds."""
    write_run(tmp_path / "run", assess(Retriever(good_answers), suite(*FOUR[:2]), assessed_at=NOW), {"note": "small"})
    assert verify(tmp_path / "run").status is VerificationStatus.verified
    return tmp_path / "run"


def flips(data: bytes) -> Iterator[bytes]:
    for place in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[place] ^= 1 << bit
            yield bytes(changed)


def truncations(data: bytes) -> Iterator[bytes]:
    return (data[:size] for size in range(len(data)))


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("damage", [flips, truncations])
@pytest.mark.parametrize("name", FILES)
def test_every_alteration_is_refused(run: Path, name: str, damage: type[Iterator[bytes]]) -> None:
    path = run / name
    data = path.read_bytes()
    tried = 0
    for altered in damage(data):
        path.write_bytes(altered)
        with pytest.raises(WitnessmarkError):
            verify(run)
        tried += 1
    assert tried >= len(data)
    path.write_bytes(data)
    assert verify(run).status is VerificationStatus.verified


@pytest.mark.parametrize("name", FILES)
def test_the_command_line_calls_it_invalid_evidence(run: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = run / name
    data = path.read_bytes()
    for altered in (data[:-1], data[1:], b"", data.replace(b"0", b"1", 1), data + b"\n", data.replace(b":", b": ", 1)):
        path.write_bytes(altered)
        with pytest.raises(SystemExit) as stopped:
            main(["verify", str(run)])
        assert stopped.value.code == 4
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("error[")
        assert "Traceback" not in err
