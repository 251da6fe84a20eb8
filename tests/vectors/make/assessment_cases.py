"""Whole assessments: tables that answer, and by hand what has to come out."""

from __future__ import annotations

from anchor_cases import anchor_cases
from correction_cases import correction_cases
from differentiation_cases import differentiation_cases
from scope_cases import scope_cases
from suite_cases import suite_cases


def files() -> dict[str, object]:
    """Return the assessment vectors by path."""
    groups = {
        "correction": correction_cases(),
        "anchor": anchor_cases(),
        "scope": scope_cases(),
        "differentiation": differentiation_cases(),
        "suite": suite_cases(),
    }
    return {
        f"assessment/{group}/{name}.json": value for group, cases in groups.items() for name, value in cases.items()
    }
