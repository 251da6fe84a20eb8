"""Auditable Memory Records 0.1: what a record says of its strength, its links and its citations (docs/records.md).

Everything here is a pure function, but for `witnessmark.amr.store`, which reads files.
"""

from __future__ import annotations
