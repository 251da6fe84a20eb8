"""Sources that auditable memory records cite: ``amr:REF``, below the folder of the records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.amr.refs import ref_problem
from witnessmark.amr.store import Store
from witnessmark.canonical import sha256_digest
from witnessmark.errors import InputError
from witnessmark.ports import Sighting

if TYPE_CHECKING:
    from witnessmark.ports import Sought

__all__ = ["AmrObserver"]


class AmrObserver:
    """Finds a source as `witnessmark.amr.store` does: with or without ``.md``, and never outside the folder."""

    def observe(self, sought: Sought) -> Sighting:
        """Return the SHA-256 of the source's text, encoded in UTF-8.

        Raises:
            InputError: ``malformed_ref``.
        """
        problem = ref_problem(sought.reference)
        if problem is not None:
            raise InputError.from_problems((problem.at(f"amr:{sought.reference}"),))
        source = Store(sought.folder).source(sought.reference)
        if source.text is not None:
            return Sighting(True, digest=sha256_digest(source.text.encode("utf-8")).removeprefix("sha256:"))
        gone = source.why == "no such file"
        return Sighting(False if gone else None, note=f"amr:{sought.reference}: {source.why}")
