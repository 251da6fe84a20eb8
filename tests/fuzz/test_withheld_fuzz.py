"""Every flipped bit and truncation of a run without its material, of its salts and of its signatures is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from evidence_samples import real_run, write_key
from witnessmark.cli.main import main
from witnessmark.errors import WitnessmarkError
from witnessmark.models.verification import VerificationStatus
from witnessmark.models.withheld import Material
from witnessmark.rundir import verify, write_withheld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Case(NamedTuple):
    """A run without its material, its salts, signatures over it, and the key."""

    run: Path
    salts: Path
    envelope: Path
    public: Path


@pytest.fixture
def case(tmp_path: Path) -> Case:
    """One probe, one item."""
    whole = real_run(tmp_path / "whole")
    private, public = write_key(tmp_path, "k")
    envelope = tmp_path / "run.dsse.json"
    with pytest.raises(SystemExit) as stopped:
        main(["sign", str(whole), "--key", str(private), "--out", str(envelope)])
    assert stopped.value.code == 0
    materials = [Material.queries, Material.keys, Material.labels]
    write_withheld(whole, tmp_path / "run", tmp_path / "run.salts.json", materials)
    made = Case(tmp_path / "run", tmp_path / "run.salts.json", envelope, public)
    assert verify(made.run, salts=made.salts).status is VerificationStatus.verified
    return made


def flips(data: bytes, step: int = 1) -> Iterator[bytes]:
    """Yield the bytes with one bit of them changed, for every bit or every so many."""
    for bit in range(0, 8 * len(data), step):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        yield bytes(changed)


def damaged(data: bytes) -> Iterator[bytes]:
    """Yield every flip and every truncation."""
    yield from flips(data)
    yield from (data[:size] for size in range(len(data)))


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("name", ["transcript.withheld.jsonl", "suite.withheld.json", "run.salts.json"])
def test_with_salts_every_alteration_is_refused(case: Case, name: str) -> None:
    path = case.salts if name == case.salts.name else case.run / name
    data = path.read_bytes()
    for altered in damaged(data):
        path.write_bytes(altered)
        with pytest.raises(WitnessmarkError):
            verify(case.run, salts=case.salts)


@pytest.mark.parametrize("name", ["transcript.withheld.jsonl", "suite.withheld.json", "profile.json"])
def test_without_salts_nothing_is_ever_verified(case: Case, name: str) -> None:
    path = case.run / name
    for altered in flips(path.read_bytes(), step=11):
        path.write_bytes(altered)
        try:
            status = verify(case.run).status
        except WitnessmarkError:
            continue
        assert status is VerificationStatus.consistent


def test_altered_signatures_are_exit_4_on_the_command_line(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    data = case.envelope.read_bytes()
    signed = ("--salts", str(case.salts), "--envelope", str(case.envelope), "--key", str(case.public))
    for altered in (*flips(data, step=97), *(data[:size] for size in range(0, len(data), 41))):
        case.envelope.write_bytes(altered)
        with pytest.raises(SystemExit) as stopped:
            main(["verify", str(case.run), *signed])
        out, err = capsys.readouterr()
        assert (stopped.value.code, out) == (4, "")
        assert err.startswith("error[")
        assert "Traceback" not in err
