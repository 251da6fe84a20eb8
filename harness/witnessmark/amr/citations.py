"""Citations and claims: the words of a source that a record rests on, as they are written down.

- A citation is a member of ``sources``; a claim is a member of ``claims`` and names its source and the words in it.
- A ref to a source obeys the same rule as any other ref, and is never the record itself, whose own front matter would
  hold every quote.
- An empty quote is malformed: it would be found in every source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from witnessmark.amr.findings import Finding
from witnessmark.amr.hashes import claim_id, parse_quote_hash
from witnessmark.amr.normalize import normalize
from witnessmark.amr.refs import canonical_ref, ref_problem
from witnessmark.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from witnessmark.canonical import JsonValue

__all__ = ["Citation", "check_citations", "citations_of"]


class Citation(NamedTuple):
    """A citation or claim that is well-formed, apart from its hash, which verification judges."""

    kind: Literal["citation", "claim"]
    pointer: str
    """Of the member of ``sources`` or ``claims``."""
    holder: str
    """Pointer of the object that holds quote and hash: the citation itself, or the claim's span."""
    ref: str
    """Of the source, as it is written."""
    quote: str
    quote_hash: str | None
    """As it is written, or None where there is none."""
    claim: Claim | None = None


class Claim(NamedTuple):
    """What a claim says beside the words that it rests on."""

    text: str
    claim_id: str | None
    """As it is written."""
    derived_id: str | None
    """What the record's ref and the claim's words give; None where the record has no ref."""
    source_declared: bool
    """Whether ``sources`` names the claim's source too."""


def citations_of(fields: Mapping[str, JsonValue], ref: str | None) -> tuple[tuple[Citation, ...], tuple[Finding, ...]]:
    """Return the citations and claims of a record in their order, and what keeps others from being one."""
    return _Reader(fields, ref).read()


def check_citations(fields: Mapping[str, JsonValue], ref: str | None) -> tuple[Finding, ...]:
    """Return what is wrong with the citations and claims of a record at level 3."""
    citations, malformed = citations_of(fields, ref)
    found = [*malformed]
    for citation in citations:
        found.extend(_hash_findings(citation))
        if citation.claim is not None:
            found.extend(_id_findings(citation, citation.claim))
    if not citations and not malformed:
        wanted = "1 or more in sources or claims"
        found.append(Finding("not_conforming", 3, "", Problem("no_citations", "record cites nothing", wanted=wanted)))
    return tuple(found)


def _hash_findings(citation: Citation) -> Iterator[Finding]:
    pointer = f"{citation.holder}/quote_hash"
    if citation.quote_hash is None:
        problem = Problem("hash_missing", "quote has no hash", wanted="quote_hash, as records stamp adds it")
        yield Finding("not_conforming", 3, citation.holder, problem)
        return
    try:
        stored = parse_quote_hash(citation.quote_hash)
    except InputError as error:
        yield Finding("invalid", 3, pointer, error.problems[0])
        return
    if stored.algorithm == "md5":
        problem = Problem("md5_hash", "MD5 is read, and never written", wanted="sha256:")
        yield Finding("warning", 3, pointer, problem)
    elif not stored.prefixed:
        what = "unprefixed digest is deprecated"
        yield Finding("warning", 3, pointer, Problem("bare_hash", what, wanted="<algorithm>:<hex>"))
    if not stored.agrees_with(citation.quote):
        problem = Problem("hash_disagrees", "hash disagrees with the quote beside it", citation.quote_hash)
        yield Finding("not_conforming", 3, pointer, problem)


def _id_findings(citation: Citation, claim: Claim) -> Iterator[Finding]:
    if claim.claim_id is not None and claim.derived_id not in (None, claim.claim_id):
        problem = Problem(
            "claim_id_mismatch",
            "claim_id is not what the record's ref and the claim's text give",
            ascii(claim.claim_id[:80]),
            claim.derived_id,
        )
        yield Finding("not_conforming", 3, f"{citation.pointer}/claim_id", problem)
    if not claim.source_declared:
        problem = Problem("source_not_declared", "sources does not name the claim's source", ascii(citation.ref))
        yield Finding("warning", 3, f"{citation.pointer}/source_id", problem)


class _Reader:
    def __init__(self, fields: Mapping[str, JsonValue], ref: str | None) -> None:
        self._fields = fields
        self._ref = ref
        self._citations: list[Citation] = []
        self._findings: list[Finding] = []
        self._declared: set[str] = set()

    def read(self) -> tuple[tuple[Citation, ...], tuple[Finding, ...]]:
        for index, item in enumerate(self._list("sources")):
            self._source(item, f"/sources/{index}")
        seen: set[tuple[str, str, str]] = set()
        for index, item in enumerate(self._list("claims")):
            self._claim(item, f"/claims/{index}", seen)
        return tuple(self._citations), tuple(self._findings)

    def _list(self, field: str) -> list[JsonValue]:
        value = self._fields.get(field)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        self._add(f"/{field}", "wrong_type", f"{field} is no list", ascii(value)[:80], "a list of objects")
        return []

    def _source(self, item: JsonValue, pointer: str) -> None:
        if not isinstance(item, dict):
            self._add(pointer, "wrong_type", "citation is no object", ascii(item)[:80], "ref, quote and quote_hash")
            return
        ref = self._source_ref(item, "ref", pointer, "citation", "missing_ref")
        quoted = self._quote(item, pointer, "citation")
        if ref is not None:
            self._declared.add(canonical_ref(ref))
        if ref is not None and quoted is not None:
            self._citations.append(Citation("citation", pointer, pointer, ref, *quoted))

    def _claim(self, item: JsonValue, pointer: str, seen: set[tuple[str, str, str]]) -> None:
        if not isinstance(item, dict):
            self._add(pointer, "wrong_type", "claim is no object", ascii(item)[:80], "text, source_id and span")
            return
        text = self._text(item, "text", pointer, "claim")
        ref = self._source_ref(item, "source_id", pointer, "claim", "missing_source_id")
        given = item.get("claim_id")
        if given is not None and not isinstance(given, str):
            self._add(f"{pointer}/claim_id", "wrong_type", "claim_id is not text", ascii(given)[:80], "text; quote it")
            return
        span = item.get("span")
        if not isinstance(span, dict):
            if span is None:
                self._add(pointer, "missing_span", "claim missing span", None, "quote and quote_hash")
            else:
                shown = ascii(span)[:80]
                self._add(f"{pointer}/span", "wrong_type", "span is no object", shown, "quote and quote_hash")
            return
        quoted = self._quote(span, f"{pointer}/span", "span")
        if text is None or ref is None or quoted is None:
            return
        binding = (normalize(text), canonical_ref(ref), normalize(quoted[0]))
        if binding in seen:
            problem = Problem("duplicate_claim", "claim stands twice with the same span", ascii(text)[:80])
            self._findings.append(Finding("warning", 3, pointer, problem))
        seen.add(binding)
        derived = None if self._ref is None else claim_id(self._ref, text)
        claim = Claim(text, given, derived, canonical_ref(ref) in self._declared)
        self._citations.append(Citation("claim", pointer, f"{pointer}/span", ref, *quoted, claim))

    def _source_ref(
        self, item: Mapping[str, JsonValue], field: str, pointer: str, noun: str, missing: str
    ) -> str | None:
        value = item.get(field)
        if value is None:
            self._add(pointer, missing, f"{noun} missing {field}", None, "a ref")
            return None
        problem = ref_problem(value)
        if problem is not None:
            self._findings.append(Finding("invalid", 3, f"{pointer}/{field}", problem))
            return None
        ref = str(value)
        if self._ref is not None and canonical_ref(ref) == canonical_ref(self._ref):
            self._add(f"{pointer}/{field}", "self_citation", "record cites itself", ascii(ref), "another source")
            return None
        return ref

    def _text(self, item: Mapping[str, JsonValue], field: str, pointer: str, noun: str) -> str | None:
        value = item.get(field)
        if value is None:
            self._add(pointer, f"missing_{field}", f"{noun} missing {field}", None, "text")
        elif not isinstance(value, str):
            self._add(f"{pointer}/{field}", "wrong_type", f"{field} is not text", ascii(value)[:80], "text; quote it")
        elif not normalize(value):
            self._add(f"{pointer}/{field}", f"empty_{field}", f"{field} is empty", ascii(value)[:80], "words")
        else:
            return value
        return None

    def _quote(self, item: Mapping[str, JsonValue], pointer: str, noun: str) -> tuple[str, str | None] | None:
        quote = self._text(item, "quote", pointer, noun)
        stored = item.get("quote_hash")
        if stored is not None and not isinstance(stored, str):
            where, wanted = f"{pointer}/quote_hash", "text; quote it"
            self._add(where, "wrong_type", "quote_hash is not text", ascii(stored)[:80], wanted)
            return None
        return None if quote is None else (quote, stored)

    def _add(self, pointer: str, code: str, what: str, got: str | None, wanted: str) -> None:
        self._findings.append(Finding("invalid", 3, pointer, Problem(code, what, got, wanted)))
