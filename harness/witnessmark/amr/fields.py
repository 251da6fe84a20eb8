"""The rules of AMR for the fields of one record, level by level.

- Level 1: the record declares itself, as ``"0.1"`` and nothing else; ``epistemic`` is one of four words or absent, and
  absence is a state of its own, never ``fact``; ``confidence`` is a number from 0 to 1 and promotes nothing.
- Level 2: links are lists of well-formed refs, written by whoever vouches for them. A link that says how it was
  computed is refused, and so is a link to the record itself.
- Level 3: `witnessmark.amr.citations`.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from witnessmark.amr.citations import check_citations
from witnessmark.amr.findings import Finding
from witnessmark.amr.refs import canonical_ref, ref_problem
from witnessmark.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from witnessmark.amr.findings import Level
    from witnessmark.canonical import JsonValue

__all__ = ["DECLARATION", "LINK_FIELDS", "VERSION", "Epistemic", "check_fields", "declares", "epistemic_of", "links_of"]

DECLARATION = "auditable_memory"
"""The field by which a record is found to be one."""
VERSION = "0.1"
LINK_FIELDS = ("backed_by", "contradicts")


class Epistemic(StrEnum):
    """How strongly a record is believed. Where nothing is said, there is no value."""

    fact = "fact"
    inference = "inference"
    open_question = "open_question"
    unverified = "unverified"


_INFERENCE = frozenset(
    {
        "cosine",
        "derivation",
        "derived",
        "distance",
        "inferred",
        "method",
        "overlap",
        "probability",
        "rank",
        "score",
        "similarity",
        "weight",
    }
)
"""Members of a link by which it says that it was computed."""
_COMPUTED = re.compile(r"cosine|similarit|embedding|proximity|co-?occurren|overlap|nearest|cluster", re.IGNORECASE)


def declares(fields: Mapping[str, JsonValue]) -> bool:
    """Tell whether a record declares itself under the version that we know."""
    value = fields.get(DECLARATION)
    return value == VERSION or (isinstance(value, float) and value == float(VERSION))


def epistemic_of(fields: Mapping[str, JsonValue]) -> Epistemic | None:
    """Return what a record says of its strength; None is unmarked, which is no value and not fact.

    Raises:
        ValueError: it says something that is no value.
    """
    value = fields.get("epistemic")
    return None if value is None else Epistemic(str(value))


def links_of(fields: Mapping[str, JsonValue], field: str) -> tuple[str, ...]:
    """Return the refs of a link field that are well-formed, canonical, each once, in their order.

    A record that says that its links were computed declares none.
    """
    value = None if _is_computed(fields) else fields.get(field)
    items = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(dict.fromkeys(canonical_ref(item) for item in items if ref_problem(item) is None))


def check_fields(fields: Mapping[str, JsonValue], ref: str | None, level: Level = 3) -> tuple[Finding, ...]:
    """Return what is wrong with a record at a level, field by field; ``ref`` names it, where it has a name."""
    found = [*_declaration(fields), *_epistemic(fields), *_confidence(fields)]
    if level > 1:
        if ref is not None and (problem := ref_problem(ref)) is not None:
            found.append(Finding("not_conforming", 2, "", problem._replace(what="record has no well-formed ref")))
        for field in LINK_FIELDS:
            found.extend(_links(fields, field, ref))
        found.extend(_supersedes(fields, ref))
        found.extend(_derivation(fields))
    if level > 2:
        found.extend(check_citations(fields, ref))
    return tuple(found)


def _declaration(fields: Mapping[str, JsonValue]) -> Iterator[Finding]:
    value = fields.get(DECLARATION)
    wanted = f'"{VERSION}"'
    if value is None:
        problem = Problem("not_declared", "no auditable_memory declaration", wanted=wanted)
        yield Finding("not_conforming", 1, "", problem)
    elif not declares(fields):
        problem = Problem("unknown_version", "unrecognized auditable_memory version", ascii(value)[:80], wanted)
        yield Finding("invalid", 1, f"/{DECLARATION}", problem)
    elif value != VERSION:
        problem = Problem("version_is_a_number", "version is a number", str(value), f"it in quotes: {wanted}")
        yield Finding("warning", 1, f"/{DECLARATION}", problem)


def _epistemic(fields: Mapping[str, JsonValue]) -> Iterator[Finding]:
    value = fields.get("epistemic")
    if value is not None and (not isinstance(value, str) or value not in Epistemic.__members__):
        wanted = f"one of: {', '.join(Epistemic)}, or no field"
        problem = Problem(
            "epistemic_not_in_vocabulary", "epistemic value not in closed vocabulary", ascii(value)[:80], wanted
        )
        yield Finding("invalid", 1, "/epistemic", problem)


def _confidence(fields: Mapping[str, JsonValue]) -> Iterator[Finding]:
    value = fields.get("confidence")
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        problem = Problem("wrong_type", "confidence is no number", ascii(value)[:80], "a number from 0 to 1")
        yield Finding("invalid", 1, "/confidence", problem)
    elif not 0 <= value <= 1:
        problem = Problem("confidence_out_of_range", "confidence out of range", str(value), "a number from 0 to 1")
        yield Finding("invalid", 1, "/confidence", problem)


def _links(fields: Mapping[str, JsonValue], field: str, ref: str | None) -> Iterator[Finding]:
    value = fields.get(field)
    if value is None:
        return
    if isinstance(value, str):
        problem = Problem("link_is_no_list", "link is no list", ascii(value)[:80], "a list of refs")
        yield Finding("warning", 2, f"/{field}", problem)
        value = [value]
    if not isinstance(value, list):
        problem = Problem("malformed_ref", "links are no list", ascii(value)[:80], "a list of refs")
        yield Finding("invalid", 2, f"/{field}", problem)
        return
    seen: set[str] = set()
    for index, item in enumerate(value):
        pointer = f"/{field}/{index}"
        problem_found = _link_problem(item)
        if problem_found is not None:
            yield Finding("invalid", 2, pointer, problem_found)
            continue
        target = canonical_ref(str(item))
        if ref is not None and target == canonical_ref(ref):
            problem = Problem("self_link", "record links to itself", ascii(item), "a ref of another record")
            yield Finding("invalid", 2, pointer, problem)
        elif target in seen:
            problem = Problem("duplicate_link", "link stands twice", ascii(item), "each ref once")
            yield Finding("warning", 2, pointer, problem)
        seen.add(target)


def _link_problem(item: JsonValue) -> Problem | None:
    if isinstance(item, dict):
        computed = sorted(_INFERENCE & item.keys())
        if computed:
            return Problem(
                "inferred_link",
                "inferred relation serialized as declared typed link",
                f"a link with {', '.join(computed)}",
                "a ref that somebody vouches for",
            )
    return ref_problem(item)


def _is_computed(fields: Mapping[str, JsonValue]) -> bool:
    value = fields.get("derivation")
    return isinstance(value, str) and _COMPUTED.search(value) is not None


def _derivation(fields: Mapping[str, JsonValue]) -> Iterator[Finding]:
    value = fields.get("derivation")
    linked = [field for field in LINK_FIELDS if fields.get(field)]
    if linked and _is_computed(fields):
        problem = Problem(
            "inferred_link",
            "inferred relation serialized as declared typed link",
            ascii(value)[:80],
            f"{' and '.join(linked)} only where somebody vouches for them",
        )
        yield Finding("invalid", 2, "/derivation", problem)


def _supersedes(fields: Mapping[str, JsonValue], ref: str | None) -> Iterator[Finding]:
    # No field of AMR, but one that records carry; what it says must not be about the record itself.
    value = fields.get("supersedes")
    items = value if isinstance(value, list) else [value]
    for index, item in enumerate(items):
        if ref is not None and isinstance(item, str) and canonical_ref(item) == canonical_ref(ref):
            pointer = f"/supersedes/{index}" if isinstance(value, list) else "/supersedes"
            problem = Problem("self_link", "record supersedes itself", ascii(item), "a ref of another record")
            yield Finding("invalid", 2, pointer, problem)
