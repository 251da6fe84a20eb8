"""Withhold the material of a run: salted digests in its place, and the salts apart (docs/evidence.md).

- A withheld text is replaced by ``withheld:`` and the SHA-256 over the RFC 8785 bytes of ``[salt, material, text]``.
- Equal texts of one run get equal digests: who repeats, what ranks where and which labels meet stays visible.
- Putting the texts back gives the bytes that were withheld, and nothing but these.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_bytes, parse_canonical, sha256_digest
from witnessmark.errors import EvidenceError, InputError, WitnessmarkError
from witnessmark.models.withheld import Disclosure, Material, SaltFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from witnessmark.canonical import JsonValue

__all__ = ["MEMBERS", "PREFIX", "RunTexts", "Withheld", "parse_material", "restore", "withhold"]

PREFIX = "withheld:"
"""What every digest in place of a text begins with."""

MEMBERS = {
    "query": Material.queries,
    "context": Material.queries,
    "context_a": Material.queries,
    "context_b": Material.queries,
    "key": Material.keys,
    "item_key": Material.keys,
    "forbidden_item_keys": Material.keys,
    "a_required_keys": Material.keys,
    "a_forbidden_keys": Material.keys,
    "b_required_keys": Material.keys,
    "b_forbidden_keys": Material.keys,
    "scope_labels": Material.labels,
    "forbidden_scope_labels": Material.labels,
    "notes": Material.notes,
}
"""Members of suites and transcripts that hold material; every text below one is of its kind."""


class RunTexts(NamedTuple):
    """The two files of a run that hold material."""

    suite: bytes
    transcript: bytes


class Withheld(NamedTuple):
    """A run's files without the material, and the salts."""

    texts: RunTexts
    salts: SaltFile


def parse_material(text: str) -> frozenset[Material]:
    """Return the kinds that ``queries,keys,labels`` names.

    Raises:
        InputError: ``unknown_material``.
    """
    offered = [item.value for item in Material if item is not Material.notes]
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in offered:
            raise InputError(
                "no such material", code="unknown_material", got=repr(name), wanted=f"some of: {', '.join(offered)}"
            )
    return frozenset(map(Material, names))


def withhold(
    texts: RunTexts,
    assessment_digest: str,
    materials: Iterable[Material],
    *,
    new_salt: Callable[[], str] = lambda: secrets.token_hex(16),
) -> Withheld:
    """Replace material by salted digests.

    Args:
        texts: suite and transcript of a verified run.
        assessment_digest: of the run's assessment.
        materials: what to withhold; notes are withheld with anything.
        new_salt: gives 32 hexadecimal digits, others at each call.
    """
    wanted = {*materials, Material.notes}
    known: dict[tuple[Material, str], Disclosure] = {}

    def hide(material: Material, text: str) -> str:
        # A text that only looks withheld is withheld as well: it could not be told from one that is.
        if material not in wanted and not text.startswith(PREFIX):
            return text
        if (material, text) not in known:
            known[material, text] = Disclosure(salt=new_salt(), material=material, value=text)
        return _digest(known[material, text])

    hidden = _mapped(texts, hide)
    return Withheld(hidden, SaltFile(assessment_digest=assessment_digest, disclosures=tuple(known.values())))


def restore(texts: RunTexts, salts: SaltFile) -> RunTexts:
    """Put withheld texts back.

    Raises:
        EvidenceError: ``missing_salt``: a digest is not that of any text in ``salts``; or a file is malformed.
    """
    known = {(item.material, _digest(item)): item.value for item in salts.disclosures}

    def show(material: Material, text: str) -> str:
        if (material, text) in known:
            return known[material, text]
        if text.startswith(PREFIX):
            raise EvidenceError(
                "the salts do not account for a withheld text", code="missing_salt", got=ascii(text), wanted="its salt"
            )
        return text

    return _mapped(texts, show)


def _digest(disclosure: Disclosure) -> str:
    # As a list, so that no two disclosures can be spelled alike.
    parts: list[JsonValue] = [disclosure.salt, disclosure.material.value, disclosure.value]
    return PREFIX + sha256_digest(canonical_bytes(parts))


def _mapped(texts: RunTexts, change: Callable[[Material, str], str]) -> RunTexts:
    lines = texts.transcript.split(b"\n")
    if lines.pop():
        raise EvidenceError("transcript is cut off", code="invalid_transcript", wanted="a final newline")
    return RunTexts(
        suite=_changed(texts.suite, change, "suite"),
        transcript=b"".join(
            _changed(line, change, f"transcript:{number}") + b"\n" for number, line in enumerate(lines, start=1)
        ),
    )


def _changed(data: bytes, change: Callable[[Material, str], str], where: str) -> bytes:
    try:
        return canonical_bytes(_walk(parse_canonical(data, where=where), None, change))
    except EvidenceError:
        raise
    except WitnessmarkError as error:
        raise EvidenceError.from_problems(error.problems) from error


def _walk(value: JsonValue, material: Material | None, change: Callable[[Material, str], str]) -> JsonValue:
    if isinstance(value, dict):
        return {name: _walk(item, material or MEMBERS.get(name), change) for name, item in value.items()}
    if isinstance(value, list):
        return [_walk(item, material, change) for item in value]
    if isinstance(value, str) and material is not None:
        return change(material, value)
    return value
