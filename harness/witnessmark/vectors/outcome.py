"""What running one vector gave."""

from __future__ import annotations

from witnessmark.models.base import Flag, Record, Text

__all__ = ["VectorOutcome", "agree"]


class VectorOutcome(Record):
    """Whether this implementation agrees with one vector."""

    vector: Text
    """File, relative to the folder that was run, and the case where a file holds several."""
    kind: Text
    agrees: Flag
    differences: tuple[Text, ...] = ()
    """One line a difference: what was expected and what came."""
    why: Text
    """What the vector is there for."""


def agree(name: str, kind: str, why: str, expected: dict[str, object], got: dict[str, object]) -> VectorOutcome:
    """Return the outcome of comparing what a vector expects with what came, by name."""
    differences = tuple(
        f"{key}: expected {expected[key]!r}, got {got.get(key)!r}" for key in expected if expected[key] != got.get(key)
    )
    return VectorOutcome(vector=name, kind=kind, agrees=not differences, differences=differences, why=why)
