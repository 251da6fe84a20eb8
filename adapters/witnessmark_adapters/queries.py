"""Query preprocessing: the steps that a profile names, applied in order before a query is embedded.

``strip`` removes white space at both ends, ``lowercase`` applies Unicode lower-casing, ``prefix:TEXT`` puts TEXT in
front, as it is, spaces included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["QueryPreprocessing"]

_PREFIX = "prefix:"
_PLAIN: dict[str, Callable[[str], str]] = {"lowercase": str.lower, "strip": str.strip}


class QueryPreprocessing:
    """The steps of ``query_preprocessing``."""

    def __init__(self, steps: Sequence[str]) -> None:
        """Read the steps.

        Raises:
            InputError: ``unknown_preprocessing``.
        """
        for number, step in enumerate(steps):
            if step not in _PLAIN and not (step.startswith(_PREFIX) and step != _PREFIX):
                raise InputError(
                    "no such preprocessing step",
                    code="unknown_preprocessing",
                    got=repr(step),
                    wanted="lowercase, strip or prefix:TEXT",
                    where=f"profile /query_preprocessing/{number}",
                )
        self._steps = tuple(steps)

    def __call__(self, query: str) -> str:
        """Return the text to embed for ``query``."""
        for step in self._steps:
            query = step[len(_PREFIX) :] + query if step.startswith(_PREFIX) else _PLAIN[step](query)
        return query
