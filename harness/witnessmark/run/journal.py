"""The journal of finished trials: what lets a killed run go on, and end with the same bytes.

- One header, then one line a finished trial, each flushed to the disk before the next trial begins.
- Every line is canonical JSON with a digest of its own. A last line that was cut is dropped: its trial runs again.
  Any other damage is refused, and so is a journal whose header is not complete.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, Self

from pydantic import JsonValue

from witnessmark.canonical import canonical_digest, model_bytes, parse_canonical
from witnessmark.errors import EvidenceError, InputError, WitnessmarkError
from witnessmark.models import ItemPresence, MaterialAccess, StateReference, TrialGroup
from witnessmark.models.base import Count, Flag, HashValue, Many, Record, Text, Timestamp, Whole
from witnessmark.models.transcript import ObservedItem, Score
from witnessmark.run.observed import SeenItem
from witnessmark.run.tally import Answer, TrialChanges

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["Journal", "JournalHeader", "TrialLine", "read_journal"]


class JournalHeader(Record):
    """What the run is about. A resumed run has to be about the same."""

    format: Literal["witnessmark.journal/0.1"] = "witnessmark.journal/0.1"
    probe_suite_digest: HashValue
    retriever_profile_digest: HashValue
    baseline_name: Text
    candidate_name: Text
    baseline_state: StateReference
    candidate_state: StateReference
    presence: Many[ItemPresence]
    question_count: Count
    seed: Whole
    trials: Many[TrialGroup]
    rebuilds: Count
    material_access: MaterialAccess
    assessed_at: Timestamp


class JournalAnswer(Record):
    """An answer that a question did not get before."""

    question: Count
    items: Many[ObservedItem]
    scores: Many[Score] | None = None
    cut_score: Score | None = None


class TrialLine(Record):
    """What one finished trial added."""

    trial: Count
    rebuild: Flag = False
    """Whether it is a trial of the rebuild axis, which is numbered apart."""
    added: Many[JournalAnswer]
    switched: Many[Many[Count]]
    """Pairs of question and number of its ordering."""

    @classmethod
    def of(cls, trial: int, changes: TrialChanges, *, rebuild: bool = False) -> Self:
        """Return the line of a finished trial."""
        return cls(
            trial=trial,
            rebuild=rebuild,
            added=tuple(
                JournalAnswer(
                    question=question,
                    items=tuple(
                        ObservedItem(
                            item_key=item.key,
                            item_version_digest=item.version,
                            rank=item.rank,
                            scope_labels=item.labels,
                        )
                        for item in answer.items
                    ),
                    scores=None if answer.scores is None else tuple(map(repr, answer.scores)),
                    cut_score=None if answer.cut_score is None else repr(answer.cut_score),
                )
                for question, answer in changes.added
            ),
            switched=changes.switched,
        )

    def changes(self) -> TrialChanges:
        """Return what the trial changed."""
        return TrialChanges(
            added=tuple(
                (
                    item.question,
                    Answer(
                        tuple(
                            SeenItem(seen.rank, seen.item_key, seen.item_version_digest, seen.scope_labels)
                            for seen in item.items
                        ),
                        None if item.scores is None else tuple(map(float, item.scores)),
                        None if item.cut_score is None else float(item.cut_score),
                    ),
                )
                for item in self.added
            ),
            switched=tuple((pair[0], pair[1]) for pair in self.switched),
        )


class _Line(Record):
    """A line of the file: a record, and its digest."""

    digest: HashValue
    record: dict[str, JsonValue]


class Journal:
    """An open journal file."""

    def __init__(self, path: Path, header: JournalHeader, finished: tuple[TrialLine, ...], size: int) -> None:
        """Open ``path``, keep its first ``size`` bytes and go on from there."""
        self.header = header
        self.finished = finished
        """Trials that were finished before."""
        try:
            self._stream = path.open("r+b" if size else "wb")
            self._stream.truncate(size)
            self._stream.seek(size)
            if not size:
                self._write(header)
        except OSError as error:
            raise InputError(
                f"cannot write the journal: {error.strerror or error}", code="unwritable_file", where=str(path)
            ) from error

    @classmethod
    def open(cls, path: Path, header: JournalHeader, *, time_given: bool) -> Journal:
        """Begin a journal, or go on with one that is there.

        Args:
            path: the file.
            header: what the run is about.
            time_given: whether the time of the assessment was asked for; else a journal that is there keeps its own.

        Raises:
            EvidenceError: ``invalid_journal``, or ``other_run`` where it is about something else.
        """
        if not path.exists():
            return cls(path, header, (), 0)
        found, finished, size = read_journal(path)
        if not time_given:
            header = header.model_validate({**header.model_dump(), "assessed_at": found.assessed_at})
        if found != header:
            fields = [name for name in JournalHeader.model_fields if getattr(found, name) != getattr(header, name)]
            raise EvidenceError(
                "the journal is about another run",
                code="other_run",
                got=", ".join(f"{name} {getattr(found, name)}" for name in fields),
                wanted=", ".join(f"{name} {getattr(header, name)}" for name in fields),
                where=str(path),
            )
        return cls(path, header, finished, size)

    def append(self, line: TrialLine) -> None:
        """Write a finished trial; it is on the disk when this returns."""
        self._write(line)

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, record: Record) -> None:
        line = _Line(digest=canonical_digest(record), record=record.model_dump(mode="json", exclude_none=True))
        self._stream.write(model_bytes(line) + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())


def read_journal(path: Path) -> tuple[JournalHeader, tuple[TrialLine, ...], int]:
    """Return the header, the finished trials, and how many bytes of the file they take.

    Raises:
        EvidenceError: ``invalid_journal``, with the line.
        InputError: the file cannot be read.
    """
    header: JournalHeader | None = None
    trials: list[TrialLine] = []
    size = 0
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if not line.endswith(b"\n"):
                    break
                place = f"{path}:{number}"
                wrapped = _Line.from_json(parse_canonical(line[:-1], where=place), where=place)
                if canonical_digest(wrapped.record) != wrapped.digest:
                    raise EvidenceError("the line is not what its digest says", code="digest_mismatch", where=place)
                if header is None:
                    header = JournalHeader.from_json(wrapped.record, where=place)
                else:
                    trials.append(TrialLine.from_json(wrapped.record, where=place))
                size += len(line)
    except OSError as error:
        raise InputError(
            f"cannot read the journal: {error.strerror or error}", code="unreadable_file", where=str(path)
        ) from error
    except WitnessmarkError as error:
        raise EvidenceError.from_problems(
            tuple(problem._replace(code="invalid_journal") for problem in error.problems)
        ) from error
    if header is None:
        raise EvidenceError(
            "the journal has no complete header, so there is nothing to go on with",
            code="invalid_journal",
            wanted="delete it and start the run again",
            where=str(path),
        )
    return header, tuple(trials), size
