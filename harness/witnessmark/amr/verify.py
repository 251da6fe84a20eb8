"""Verify citations: four outcomes that are never one boolean, and both axes that they come from.

- The anchor axis compares the stored hash with the stored quote; the source axis looks for the quote in the source.
- ``source_missing`` stands before ``anchor_tampered``, that before ``source_drifted``, that before ``ok``; both axes
  are reported whatever the outcome, so nothing is hidden by the order.
- Without a hash only the source axis is decided: ``ok`` and ``source_drifted`` are partial then.
- A malformed citation has no outcome: it is a problem. A record without citations has none either: it is uncited.
- Only the record and the source take part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.amr.check import problem_of
from witnessmark.amr.citations import citations_of
from witnessmark.amr.findings import placed
from witnessmark.amr.hashes import parse_quote_hash
from witnessmark.amr.normalize import normalize
from witnessmark.amr.store import Source
from witnessmark.errors import InputError
from witnessmark.models.amr import CitationVerdict, OutcomeCounts, RecordsVerification

if TYPE_CHECKING:
    from witnessmark.amr.citations import Citation
    from witnessmark.amr.store import Store
    from witnessmark.models.amr import AnchorState, CitationStatus, ClaimIdStatus, RecordProblem, SourceState

__all__ = ["verify_citation", "verify_records"]

_CACHED_SOURCES = 32
_CACHED_LENGTH = 1024 * 1024
"""Characters of the longest source that is kept for the next citation."""


def verify_records(store: Store) -> RecordsVerification:
    """Verify every citation and claim of a store.

    Raises:
        InputError: ``no_records``.
    """
    sources = _Sources(store)
    verdicts: list[CitationVerdict] = []
    problems: list[RecordProblem] = []
    uncited: list[str] = []
    count = 0
    for entry in store.entries():
        problems.extend(problem_of("unreadable", entry.ref, problem) for problem in entry.problems)
        if entry.document is None:
            continue
        count += 1
        citations, malformed = citations_of(entry.document.fields, entry.ref)
        problems.extend(
            problem_of(finding.severity, entry.ref, placed(finding, entry.document)) for finding in malformed
        )
        if not citations and not malformed:
            uncited.append(entry.ref)
        verdicts.extend(
            _verdict(citation, sources.get(citation.ref), entry.ref, entry.document.place(citation.pointer))
            for citation in citations
        )
    if not count and not problems:
        raise InputError("no record here", code="no_records", wanted="1 or more", where=str(store.path))
    return RecordsVerification(
        record_count=count,
        outcomes=_counts(verdicts),
        partial_count=sum(verdict.partial for verdict in verdicts),
        claim_id_mismatch_count=sum(verdict.claim_id_status == "mismatch" for verdict in verdicts),
        uncited=tuple(uncited),
        citations=tuple(verdicts),
        problems=tuple(problems),
    )


def verify_citation(citation: Citation, source: Source, record: str, where: str) -> CitationVerdict:
    """Return the outcome of one citation or claim from the words that it stores and the text of its source."""
    return _verdict(citation, _normalized(source), record, where)


def _normalized(source: Source) -> Source:
    return source if source.text is None else Source(normalize(source.text))


def _verdict(citation: Citation, source: Source, record: str, where: str) -> CitationVerdict:
    anchor, said = _anchor(citation)
    seen: SourceState = "missing"
    if source.text is not None:
        seen = "contains" if normalize(citation.quote) in source.text else "lacks"
    told = f"source cannot be resolved: {source.why}" if seen == "missing" else f"source {seen} the quote"
    status = _status(anchor, seen)
    claim = citation.claim
    return CitationVerdict(
        record=record,
        where=where,
        kind=citation.kind,
        ref=citation.ref,
        status=status,
        partial=anchor == "absent" and seen != "missing",
        anchor=anchor,
        source=seen,
        detail=f"{told}; {said}",
        claim_id=None if claim is None else claim.derived_id,
        claim_id_status=None if claim is None else _claim_id_status(claim.claim_id, claim.derived_id),
        source_declared=None if claim is None else claim.source_declared,
    )


def _anchor(citation: Citation) -> tuple[AnchorState, str]:
    if citation.quote_hash is None:
        return "absent", "no stored hash, so only the source is checked"
    try:
        stored = parse_quote_hash(citation.quote_hash)
    except InputError as error:
        return "unusable", f"stored hash is unusable: {error}"
    warning = "" if stored.prefixed else " (warning: no prefix)"
    if stored.algorithm == "md5":
        warning = " (warning: MD5)"
    if stored.agrees_with(citation.quote):
        return "agrees", f"stored hash agrees with the quote{warning}"
    return "disagrees", f"stored hash disagrees with the quote{warning}"


def _status(anchor: AnchorState, source: SourceState) -> CitationStatus:
    if source == "missing":
        return "source_missing"
    if anchor in ("disagrees", "unusable"):
        return "anchor_tampered"
    return "ok" if source == "contains" else "source_drifted"


def _claim_id_status(given: str | None, derived: str | None) -> ClaimIdStatus:
    if given is None or derived is None:
        return "absent"
    return "ok" if given == derived else "mismatch"


def _counts(verdicts: list[CitationVerdict]) -> OutcomeCounts:
    counts = dict.fromkeys(("ok", "anchor_tampered", "source_drifted", "source_missing"), 0)
    for verdict in verdicts:
        counts[verdict.status] += 1
    return OutcomeCounts.model_validate(counts)


class _Sources:
    """Texts of sources, normalized once for citations that follow each other; bounded."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, Source] = {}

    def get(self, ref: str) -> Source:
        if ref in self._known:
            return self._known[ref]
        source = _normalized(self._store.source(ref))
        if len(source.text or "") > _CACHED_LENGTH:
            return source
        if len(self._known) >= _CACHED_SOURCES:
            del self._known[next(iter(self._known))]
        self._known[ref] = source
        return source
