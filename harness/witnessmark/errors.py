"""Errors that Witnessmark raises, each with a stable code.

::

    WitnessmarkError
    ├── InputError             a file, option or object given to us is malformed
    │   ├── CanonicalError     not representable as strict JSON / RFC 8785
    │   └── ProfileMismatch    the pinned profile is not what the live retriever is
    ├── AdapterError           a retriever broke its contract or failed
    │   ├── TransientError     a failure that an adapter declares to be passing: the call may be made again
    │   └── StateChanged       a state reference changed while it was being assessed
    └── EvidenceError          evidence is malformed, contradicts itself or was altered

All of them mean exit code 4 on the command line: nothing was written. A message says what, got, wanted, where.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "AdapterError",
    "CanonicalError",
    "EvidenceError",
    "InputError",
    "Problem",
    "ProfileMismatch",
    "StateChanged",
    "TransientError",
    "WitnessmarkError",
]


class Problem(NamedTuple):
    """One thing that is wrong, in parts, so that a caller can print or serialize it."""

    code: str
    """Stable machine-readable code, snake_case."""
    what: str
    """What is wrong, as a clause without a final full stop."""
    got: str | None = None
    """The offending value as shown to the reader, or None where there is none to show."""
    wanted: str | None = None
    """What would have been accepted, or None where it is evident."""
    where: str | None = None
    """File, line and JSON pointer or field path, or None where there is no place."""

    def __str__(self) -> str:
        """Return ``where: what: got X, wanted Y``, leaving out the parts that are absent."""
        details = [
            f"{label} {value}" for label, value in (("got", self.got), ("wanted", self.wanted)) if value is not None
        ]
        text = f"{self.what}: {', '.join(details)}" if details else self.what
        return f"{self.where}: {text}" if self.where else text

    def at(self, where: str) -> Problem:
        """Return this problem with ``where`` put in front of the place it already names."""
        return self._replace(where=f"{where} {self.where}" if self.where else where)


class WitnessmarkError(Exception):
    """Base of every error we raise on purpose; carries at least one `Problem`."""

    default_code = "error"

    def __init__(
        self,
        what: str,
        *,
        code: str | None = None,
        got: object = None,
        wanted: str | None = None,
        where: str | None = None,
    ) -> None:
        shown = None if got is None else str(got)
        self.problems: tuple[Problem, ...] = (Problem(code or self.default_code, what, shown, wanted, where),)
        super().__init__(str(self))

    @classmethod
    def from_problems(cls, problems: tuple[Problem, ...]) -> WitnessmarkError:
        """Return one error for several problems found together.

        Raises:
            ValueError: ``problems`` is empty.
        """
        if not problems:
            raise ValueError("an error needs at least one problem")
        first = problems[0]
        error = cls(first.what, code=first.code)
        error.problems = problems
        return error

    @property
    def code(self) -> str:
        """Return the code of the first problem."""
        return self.problems[0].code

    def at(self, where: str) -> WitnessmarkError:
        """Return the same kind of error with ``where`` put in front of every place it names."""
        return type(self).from_problems(tuple(problem.at(where) for problem in self.problems))

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class InputError(WitnessmarkError):
    """Something given to us is malformed; nothing was written."""

    default_code = "invalid_input"


class CanonicalError(InputError):
    """A value or text is not strict JSON, or has no RFC 8785 form."""

    default_code = "not_canonical"


class ProfileMismatch(InputError):
    """The live retriever is not the one that the profile pins; one problem a field."""

    default_code = "profile_mismatch"


class AdapterError(WitnessmarkError):
    """A retriever broke its contract, or failed in a way that is no answer; no artifact is written."""

    default_code = "adapter_contract"


class TransientError(AdapterError):
    """Raised by an adapter whose failure may pass, such as a lost connection; the call is made again, a few times."""

    default_code = "adapter_unavailable"


class StateChanged(AdapterError):
    """A state reference read during the run differs from the one read before it."""

    default_code = "state_changed_during_run"


class EvidenceError(WitnessmarkError):
    """Evidence is malformed, contradicts itself, or is not what its digest says."""

    default_code = "invalid_evidence"
