"""Exit codes, the same for every command (README)."""

from __future__ import annotations

from enum import IntEnum

from witnessmark.models import BehavioralResult

__all__ = ["INTERRUPTED", "Exit", "exit_for"]

INTERRUPTED = 130
"""What shells report of a command that an interrupt ended."""


class Exit(IntEnum):
    """What a command's exit code means."""

    OK = 0
    """Pass, gate satisfied, verified."""
    FAIL = 1
    """Fail, gate not satisfied."""
    USAGE = 2
    INDETERMINATE = 3
    INVALID = 4
    """Invalid input or evidence; nothing was written."""
    BUG = 70
    """An error of ours, never a verdict."""


def exit_for(result: BehavioralResult) -> Exit:
    """Return the exit code of an assessment's result."""
    return {
        BehavioralResult.pass_: Exit.OK,
        BehavioralResult.fail: Exit.FAIL,
        BehavioralResult.indeterminate: Exit.INDETERMINATE,
    }[result]
