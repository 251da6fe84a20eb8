"""How strong a suite is: regressions planted in the recorded answers of a run, and evaluated as the run was."""

from __future__ import annotations

from witnessmark.strength.catalogue import Catalogue
from witnessmark.strength.cover import cover_of
from witnessmark.strength.report import suite_strength

__all__ = ["Catalogue", "cover_of", "suite_strength"]
