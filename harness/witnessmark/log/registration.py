"""A run's place in a log: entered before its first trial, and found again when the run goes on.

- What is going to be entered is written down first: a kill in between neither enters a start twice nor loses it.
- The end is entered before the run directory appears, so that nobody can look at the outcome and then keep silent.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.canonical import model_bytes
from witnessmark.errors import EvidenceError, InputError
from witnessmark.files import read_bytes, write_bytes
from witnessmark.log.store import Log
from witnessmark.models.log import RunAbandoned, RunEnded, RunStarted
from witnessmark.models.session import Registered

if TYPE_CHECKING:
    from witnessmark.models import MemoryCheckpointAssessment

__all__ = ["Registration"]


class Registration:
    """The entries that a log has, or is going to have, of one run."""

    def __init__(self, path: Path, record: Registered) -> None:
        self._path = path
        self.log = Path(record.log)
        self._entry = record.entry

    @classmethod
    def plan(cls, path: Path, log: Path) -> None:
        """Write down in ``path`` that a run is going to be entered in ``log``.

        Raises:
            InputError: there is no such log, or ``unwritable_file``.
            EvidenceError: it is not a log.
        """
        Log.open(log).close()
        write_bytes(path, model_bytes(Registered(log=str(log.absolute()))))

    @classmethod
    def find(cls, path: Path) -> Registration | None:
        """Return what `plan` wrote, or None where the run is for no log.

        Raises:
            EvidenceError: the file is damaged.
        """
        if not path.is_file():
            return None
        try:
            return cls(path, Registered.from_bytes(read_bytes(path), where=str(path)))
        except InputError as error:
            raise EvidenceError.from_problems(error.problems) from error

    def start(self, entry: RunStarted) -> int:
        """Enter the start of the run, unless it is there, and return its index.

        Raises:
            EvidenceError: the log is damaged.
            InputError: it cannot be written.
        """
        with Log.open(self.log) as log:
            if self._entry is not None:
                found = self._find(log)
                if found is not None:
                    return found
            else:
                self._entry = entry
                write_bytes(self._path, model_bytes(Registered(log=str(self.log), entry=entry)))
            return log.append(self._entry)

    def end(self, assessment: MemoryCheckpointAssessment, assessment_digest: str, transcript_digest: str) -> None:
        """Enter what the run left, unless that is there.

        Raises:
            EvidenceError: ``contradicted_log``: the log has another end of this run; or it is damaged.
            InputError: it cannot be written.
        """
        with Log.open(self.log) as log:
            start = self._find(log)
            if start is None:
                raise EvidenceError(
                    "the log no longer has the start of this run", code="contradicted_log", where=str(self.log)
                )
            entry = RunEnded(
                start=start,
                assessment_digest=assessment_digest,
                transcript_digest=transcript_digest,
                assessed_at=assessment.assessed_at,
                result=assessment.result,
            )
            for index, known in log.entries():
                if isinstance(known, RunEnded | RunAbandoned) and known.start == start:
                    if known == entry:
                        return
                    raise EvidenceError(
                        "the log has another end of this run",
                        code="contradicted_log",
                        got=f"entry {index}",
                        where=str(self.log),
                    )
            log.append(entry)

    def abandon(self, reason: str) -> None:
        """Enter that the run ended without an assessment, where its start is in the log.

        Raises:
            EvidenceError: the log is damaged.
            InputError: it cannot be written.
        """
        with Log.open(self.log) as log:
            start = self._find(log)
            if start is not None:
                log.append(RunAbandoned(start=start, reason=reason))

    def _find(self, log: Log) -> int | None:
        if self._entry is None:
            return None
        # From the end: a run began not long ago.
        for index in range(log.size - 1, -1, -1):
            if log.entry(index) == self._entry:
                return index
        return None
