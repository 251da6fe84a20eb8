"""Adapter ``table``: fixture answers from a JSON file, word for word, for tests and for reference vectors.

A table file (``witnessmark.table/0.1``) has a profile and, for each state, digests, item keys and the answers to exact
requests. A request that is not in the table is an error, unless the state has ``default``: then that is the answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from witnessmark.canonical import canonical_digest
from witnessmark.errors import AdapterError, InputError, ProfileMismatch
from witnessmark.files import read_bytes
from witnessmark.models import RetrievalRequest, RetrievedItem, RetrieverProfile, StateReference
from witnessmark.models.base import Count, HashValue, Many, Positive, Record, Text, TextMap
from witnessmark.ports import ScoredAnswer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from witnessmark.models import Target

__all__ = [
    "ADAPTER",
    "ScoredTableRetriever",
    "TableAdapter",
    "TableFile",
    "TableItem",
    "TableResponse",
    "TableRetriever",
    "TableState",
]

Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]


class TableItem(Record):
    """One item of a fixture answer."""

    key: Text
    version: HashValue
    rank: Positive
    scope_labels: Many[Text] = ()
    score: Number | None = None
    """Larger is better. In a file, every item has one or none has."""


class TableResponse(Record):
    """The answer to one exact request."""

    query: Text
    context: TextMap = Field(default_factory=dict)
    items: Many[TableItem]


class TableState(Record):
    """One state of a table."""

    checkpoint_digest: HashValue
    retrieval_state_digest: HashValue | None = None
    indexed_item_count: Count | None = None
    item_keys: Many[Text]
    responses: Many[TableResponse]
    default: Many[TableItem] | None = None
    """The answer to every request that is not listed; absent: such a request is an error."""

    @model_validator(mode="after")
    def _requests_once(self) -> TableState:
        seen: set[str] = set()
        for response in self.responses:
            digest = _digest(response.query, response.context)
            if digest in seen:
                raise PydanticCustomError(
                    "duplicate_id",
                    "the request {query} stands twice with this context",
                    {"query": repr(response.query)},
                )
            seen.add(digest)
        return self


class TableFile(Record):
    """``witnessmark.table/0.1``."""

    format: Literal["witnessmark.table/0.1"] = "witnessmark.table/0.1"
    profile: RetrieverProfile
    states: dict[Text, TableState]


class TableRetriever:
    """Answers from tables; gives no scores."""

    def __init__(self, profile: RetrieverProfile, states: Mapping[str, TableState]) -> None:
        """Take a profile, and the table of each state by name."""
        self._profile = profile
        self._states = dict(states)
        self._keys = {name: frozenset(state.item_keys) for name, state in self._states.items()}
        self._answers = {
            name: {_digest(answer.query, answer.context): answer.items for answer in state.responses}
            for name, state in self._states.items()
        }

    @property
    def profile(self) -> RetrieverProfile:
        """The table's profile."""
        return self._profile

    def state_reference(self, state_name: str) -> StateReference:
        """Return the digests that the table states."""
        state = self._state(state_name)
        return StateReference(
            checkpoint_digest=state.checkpoint_digest,
            retrieval_state_digest=state.retrieval_state_digest,
            indexed_item_count=state.indexed_item_count,
        )

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        """Tell whether the table lists an item."""
        self._state(state_name)
        return item_key in self._keys[state_name]

    def retrieve(self, state_name: str, request: RetrievalRequest) -> Sequence[RetrievedItem]:
        """Return the answer to exactly this query in exactly this context.

        Raises:
            AdapterError: ``unknown_state`` or ``unknown_request``.
        """
        return tuple(
            RetrievedItem(
                item_key=item.key, item_version_digest=item.version, rank=item.rank, scope_labels=item.scope_labels
            )
            for item in self._rows(state_name, request)
        )

    def runtime_observation(self) -> None:
        """Report nothing: nothing runs."""

    def _rows(self, state_name: str, request: RetrievalRequest) -> tuple[TableItem, ...]:
        state = self._state(state_name)
        rows = self._answers[state_name].get(_digest(request.query, request.context), state.default)
        if rows is None:
            raise AdapterError(
                "table has no answer to this request",
                code="unknown_request",
                got=f"{request.query!r} in {dict(request.context)!r}",
                wanted="a listed request, or a default",
                where=f"state {state_name!r}",
            )
        return rows

    def _state(self, name: str) -> TableState:
        state = self._states.get(name)
        if state is None:
            known = ", ".join(sorted(self._states)) or "none"
            raise AdapterError("no such state", code="unknown_state", got=repr(name), wanted=f"one of: {known}")
        return state


class ScoredTableRetriever(TableRetriever):
    """Answers from tables in which every item has a score."""

    def retrieve_scored(self, state_name: str, request: RetrievalRequest) -> ScoredAnswer:
        """Return the answer with its scores.

        Raises:
            AdapterError: as `retrieve`, or ``missing_score``.
        """
        scores = [item.score for item in self._rows(state_name, request)]
        known = [score for score in scores if score is not None]
        if len(known) != len(scores):
            raise AdapterError("an item has no score", code="missing_score", where=f"state {state_name!r}")
        return ScoredAnswer(self.retrieve(state_name, request), tuple(known))


class TableAdapter:
    """Opens table files (entry point ``table``). Options: ``path``; ``state`` where the file names it otherwise."""

    def open(self, states: Mapping[str, Target], profile: RetrieverProfile | None) -> TableRetriever:
        """Open states. The profile is the table's own, whatever is asked for.

        Raises:
            InputError: an option or a file is not usable.
            ProfileMismatch: two tables have different profiles.
        """
        if not states:
            raise InputError("no state to open", code="missing_state")
        tables: dict[str, TableState] = {}
        profiles: dict[str, RetrieverProfile] = {}
        for name, target in states.items():
            profiles[name], tables[name] = _load(name, target)
        (first, own), *others = profiles.items()
        for name, other in others:
            if other != own:
                raise ProfileMismatch(f"tables of {first!r} and {name!r} have different profiles")
        scores = [
            item.score
            for table in tables.values()
            for items in (*(response.items for response in table.responses), table.default or ())
            for item in items
        ]
        given = [score for score in scores if score is not None]
        if given and len(given) != len(scores):
            raise InputError(
                "some items of the table have scores and some have none",
                code="missing_score",
                got=f"{len(given)} of {len(scores)}",
                wanted="all or none",
            )
        return (ScoredTableRetriever if given else TableRetriever)(own, tables)


ADAPTER = TableAdapter()


def _digest(query: str, context: Mapping[str, str]) -> str:
    return canonical_digest({"query": query, "context": dict(context)})


def _load(name: str, target: Target) -> tuple[RetrieverProfile, TableState]:
    options = dict(target.options)
    path, state = options.pop("path", None), options.pop("state", name)
    if options:
        raise InputError(
            "a table target has no such option",
            code="unknown_option",
            got=repr(sorted(options)[0]),
            wanted="path, state",
            where="target /options",
        )
    if not isinstance(path, str) or not isinstance(state, str):
        raise InputError(
            "a table target needs a file", code="missing_option", wanted="path: a table file", where="target /options"
        )
    table = TableFile.from_bytes(read_bytes(Path(path)), where=path)
    if state not in table.states:
        known = ", ".join(sorted(table.states)) or "none"
        raise InputError(
            "table has no such state", code="unknown_state", got=repr(state), wanted=f"one of: {known}", where=path
        )
    return table.profile, table.states[state]
