"""What an answer has to be. A retriever that breaks this is an adapter error: no artifact (design of the run §5).

- Items have a rank from 1, a key, a version digest and scope labels; no rank and no key stands twice.
- There are at most ``top_k`` items, and no rank is above ``top_k``.
- Scores, where given, are finite, one an item, and do not rise with the rank.
- Where the profile declares ``score_desc_item_key_asc``, equal scores are in ascending key order.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from witnessmark.errors import AdapterError
from witnessmark.models import Record
from witnessmark.models.base import HASH_PATTERN, validation_problems
from witnessmark.run.observed import SeenItem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.models import RetrieverProfile

__all__ = ["SCORE_THEN_KEY", "RawItem", "as_record", "check_answer", "item_fields"]

R = TypeVar("R", bound=Record)

SCORE_THEN_KEY = "score_desc_item_key_asc"
"""The tie policy that can be checked from outside: higher score first, then ascending item key."""

item_fields = attrgetter("rank", "item_key", "item_version_digest", "scope_labels")
_HASH = re.compile(HASH_PATTERN.removesuffix("$") + r"\Z")


def as_record(record_type: type[R], value: object, what: str) -> R:
    """Return our record for what an adapter gave: ours, or another implementation's model of the same shape.

    Raises:
        AdapterError: ``invalid_record``.
    """
    if isinstance(value, record_type):
        return value
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    try:
        return record_type.model_validate(value)
    except ValidationError as error:
        problems = validation_problems(error, where=f"{what} of the adapter")
        raise AdapterError.from_problems(tuple(item._replace(code="invalid_record") for item in problems)) from error


RawItem = tuple[object, object, object, object]
"""Rank, key, version digest and scope labels, as an adapter gave them."""


def check_answer(
    raw: Sequence[RawItem],
    scores: Sequence[float] | None,
    cut_score: float | None,
    profile: RetrieverProfile,
    where: str,
    known: dict[RawItem, SeenItem],
) -> tuple[tuple[SeenItem, ...], tuple[float, ...] | None, float | None]:
    """Check one answer and return its items by rank, with their scores.

    Args:
        raw: (rank, key, version digest, scope labels) an item, as the adapter gave them.
        scores: one an item, or None.
        cut_score: best score below the cut, or None.
        profile: the pinned profile.
        where: which answer this is, for messages.
        known: items that were checked before; new ones are added, so that equal items are one object.

    Raises:
        AdapterError: the answer breaks the contract.
    """
    items = [_known_item(fields, position, where, known) for position, fields in enumerate(raw)]
    order: Sequence[int] = range(len(items))
    if any(first.rank >= second.rank for first, second in pairwise(items)):
        order = sorted(order, key=lambda index: items[index].rank)
    ranked = tuple(items[index] for index in order)
    _check_shape(ranked, profile.top_k, where)
    if scores is None:
        return ranked, None, None
    if len(scores) != len(items):
        raise AdapterError(
            "answer has another number of scores than items",
            code="score_count",
            got=str(len(scores)),
            wanted=str(len(items)),
            where=where,
        )
    by_rank = tuple(float(scores[index]) for index in order)
    cut = None if cut_score is None else float(cut_score)
    _check_scores(ranked, by_rank, cut, profile.tie_policy, where)
    return ranked, by_rank, cut


def _known_item(fields: RawItem, position: int, where: str, known: dict[RawItem, SeenItem]) -> SeenItem:
    try:
        item = known.get(fields)
    except TypeError:  # labels in a list have no hash
        return _item(fields, position, where)
    # Python holds True equal to 1: what is found may have been checked under another type.
    if item is None or type(fields[0]) is not int:
        item = known[fields] = _item(fields, position, where)
    return item


def _item(fields: RawItem, position: int, where: str) -> SeenItem:
    rank, key, version, labels = fields
    if type(rank) is not int or rank < 1:
        _refuse("rank", rank, "an integer of 1 or more", position, where)
    if not isinstance(key, str):
        _refuse("item_key", key, "a string", position, where)
    if not isinstance(version, str) or not _HASH.match(version):
        _refuse("item_version_digest", version, "sha256: or shake256: and 64 hexadecimal digits", position, where)
    if not isinstance(labels, list | tuple) or not all(isinstance(label, str) for label in labels):
        _refuse("scope_labels", labels, "a list of strings", position, where)
    return SeenItem(rank, str(key), str(version), tuple(sorted(str(label) for label in labels)))


def _refuse(name: str, got: object, wanted: str, position: int, where: str) -> NoReturn:
    raise AdapterError(
        f"items[{position}].{name}", code="invalid_item", got=ascii(got)[:80], wanted=wanted, where=where
    )


def _check_shape(ranked: Sequence[SeenItem], top_k: int, where: str) -> None:
    if len(ranked) > top_k:
        raise AdapterError(
            "answer has more items than top_k",
            code="too_many_items",
            got=str(len(ranked)),
            wanted=f"at most {top_k}",
            where=where,
        )
    if ranked and ranked[-1].rank > top_k:
        raise AdapterError(
            "rank is above top_k",
            code="rank_above_top_k",
            got=str(ranked[-1].rank),
            wanted=f"at most {top_k}",
            where=where,
        )
    for name, place in (("rank", 0), ("item_key", 1)):
        if len({item[place] for item in ranked}) != len(ranked):
            values = [item[place] for item in ranked]
            twice = next(value for index, value in enumerate(values) if value in values[:index])
            raise AdapterError(
                f"{name} stands twice in one answer", code=f"duplicate_{name}", got=repr(twice), where=where
            )


def _check_scores(
    ranked: Sequence[SeenItem], scores: Sequence[float], cut: float | None, tie_policy: str | None, where: str
) -> None:
    below = () if cut is None else (cut,)
    for score in (*scores, *below):
        if not math.isfinite(score):
            raise AdapterError("score is not finite", code="non_finite_score", got=repr(score), where=where)
    for index in range(1, len(scores)):
        if scores[index] > scores[index - 1]:
            raise AdapterError(
                f"score rises from rank {ranked[index - 1].rank} to rank {ranked[index].rank}",
                code="rank_score_inversion",
                got=f"{scores[index - 1]!r} then {scores[index]!r}",
                wanted="scores that do not rise with the rank",
                where=where,
            )
        if (
            tie_policy == SCORE_THEN_KEY
            and scores[index] == scores[index - 1]
            and ranked[index].key < ranked[index - 1].key
        ):
            raise AdapterError(
                "equal scores are not in the declared order",
                code="tie_policy_not_applied",
                got=f"{ranked[index - 1].key!r} before {ranked[index].key!r}, both {scores[index]!r}",
                wanted=SCORE_THEN_KEY,
                where=where,
            )
    if cut is not None and scores and cut > scores[-1]:
        raise AdapterError(
            "an item below the cut scores higher than the last one above it",
            code="rank_score_inversion",
            got=f"{cut!r} below {scores[-1]!r}",
            where=where,
        )
