"""The journal: a run that was killed anywhere ends with the bytes of one that was not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from trial_retrievers import NOTES, Notes, OnceInTwenty, anchors, ranked
from witnessmark import assess
from witnessmark.canonical import model_bytes
from witnessmark.errors import EvidenceError
from witnessmark.models import Axis
from witnessmark.ports import RetrieverAdapter
from witnessmark.run.guard import StateGuard
from witnessmark.run.journal import read_journal
from witnessmark.runner import Run

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TESTS = Path(__file__).parents[2]


class Changes(Notes):
    """Answers the candidate in another order in a third of the questions, by what is asked alone and by the trial."""

    def __init__(self, finished: int = 0) -> None:
        super().__init__()
        self.asked = finished * 4

    def answer(self, state_name: str, request: Any) -> Any:
        trial = (self.asked - 1) // 4
        odd = state_name == "candidate" and trial % 3 == int(request.query[1:])
        return ranked(NOTES[1:] if odd else NOTES)


@contextmanager
def rebuild(number: int) -> Iterator[tuple[RetrieverAdapter, StateGuard]]:
    adapter = Notes(NOTES if number else NOTES[::-1])
    yield adapter, StateGuard(adapter, ("baseline", "candidate"))


def run(adapter: RetrieverAdapter, journal: Path | None = None, **options: Any) -> Run:
    return assess(
        adapter,
        **{
            "suite": anchors(2),
            "axes": {Axis.sweep: None, Axis.rebuild: 2},
            "rebuild": rebuild,
            "assessed_at": NOW,
            "journal": journal,
            **options,
        },
    )


def same(first: Run, second: Run) -> bool:
    return first.transcript_bytes == second.transcript_bytes and model_bytes(first.assessment) == model_bytes(
        second.assessment
    )


@pytest.fixture(scope="module")
def unbroken() -> Run:
    return run(Changes())


KILLED = """
import os, sys
from pathlib import Path
from unit_run_resume import Changes, run

def killed(progress):
    if progress.done == int(sys.argv[2]):
        os._exit(9)

run(Changes(), Path(sys.argv[1]), on_trial=killed)
"""


@pytest.mark.parametrize("trial", [1, 7, 20, 21])
def test_a_killed_run_goes_on_to_the_same_bytes(trial: int, unbroken: Run, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    (tmp_path / "unit_run_resume.py").write_text(Path(__file__).read_text(encoding="utf-8"), encoding="utf-8")
    code = subprocess.run(
        [sys.executable, "-c", KILLED, str(journal), str(trial)],
        env={"PYTHONPATH": f"{tmp_path}:{TESTS}"},
        check=False,
    ).returncode
    assert code == 9
    assert journal.read_bytes().count(b"\n") == 1 + trial

    assert same(run(Changes(min(trial, 20)), journal), unbroken)


def test_a_journal_that_is_complete_asks_nothing(unbroken: Run, tmp_path: Path) -> None:
    run(Changes(), tmp_path / "journal.jsonl")
    again = Notes()

    assert same(run(again, tmp_path / "journal.jsonl"), unbroken)
    assert again.asked == 0


def test_cut_at_every_byte_it_is_read_to_the_last_whole_line_or_refused(tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    run(Changes(), whole)
    data = whole.read_bytes()
    header, finished, _ = read_journal(whole)
    journal = tmp_path / "journal.jsonl"

    for size in range(len(data) + 1):
        journal.write_bytes(data[:size])
        lines = data[:size].count(b"\n")
        if not lines:
            with pytest.raises(EvidenceError) as refused:
                read_journal(journal)
            assert refused.value.code == "invalid_journal"
        else:
            kept = data[:size].rindex(b"\n") + 1
            assert read_journal(journal) == (header, finished[: lines - 1], kept), size


def test_cut_in_every_line_it_goes_on_to_the_same_bytes(unbroken: Run, tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    run(Changes(), whole)
    data = whole.read_bytes()
    journal = tmp_path / "journal.jsonl"
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]

    for trials, end in enumerate(ends):
        for size in {end, min(end + 1 + 7 * trials, len(data))}:
            journal.write_bytes(data[:size])
            assert same(run(Changes(min(20, data[:size].count(b"\n") - 1)), journal), unbroken), size
            assert journal.read_bytes() == data


def test_cut_in_its_header_it_stays_as_it_is(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    run(Changes(), journal)
    cut = journal.read_bytes()[:100]
    journal.write_bytes(cut)

    with pytest.raises(EvidenceError) as refused:
        run(Changes(), journal)

    assert str(refused.value) == (
        f"{journal}: the journal has no complete header, so there is nothing to go on with: "
        "wanted delete it and start the run again"
    )
    assert journal.read_bytes() == cut


def test_a_flipped_bit_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    run(Changes(), journal)
    data = bytearray(journal.read_bytes())

    for place in range(0, len(data) - 1, 97):
        journal.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(EvidenceError) as refused:
            run(Changes(20), journal)
        assert refused.value.code == "invalid_journal"


def test_a_line_that_stands_twice_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    run(Changes(), journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:4], lines[3], *lines[4:]]))

    with pytest.raises(EvidenceError) as refused:
        run(Changes(), journal)

    assert refused.value.code == "invalid_journal"


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"suite": anchors(3)}, "probe_suite_digest"),
        ({"seed": 1}, "seed"),
        ({"trials": 21}, "trials"),
        ({"material_access": "restricted"}, "material_access"),
        ({"adapter": Notes(("a", "b", "c"))}, "baseline_state"),
        ({"assessed_at": datetime(2026, 1, 2, tzinfo=UTC)}, "assessed_at"),
    ],
)
def test_another_run_is_refused(options: dict[str, Any], field: str, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    run(Changes(), journal)
    before = journal.read_bytes()

    with pytest.raises(EvidenceError) as refused:
        run(options.pop("adapter", None) or OnceInTwenty(()), journal, **options)

    assert refused.value.code == "other_run"
    assert field in str(refused.value)
    assert journal.read_bytes() == before


def test_a_journal_keeps_the_time_of_a_run_that_was_given_none(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    first = run(Changes(), journal, assessed_at=None)

    assert same(run(Changes(20), journal, assessed_at=None), first)
