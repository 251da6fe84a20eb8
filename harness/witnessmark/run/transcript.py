"""The transcript as lines: written from what was observed, read back and checked (docs/formats.md).

- Every line is the RFC 8785 form of one record and ends with a newline; anything else is refused.
- The lines before the first diagnosis are the observed part. The artifact commits to their SHA-256.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_bytes, canonical_digest, model_bytes, parse_canonical, plain_bytes
from witnessmark.errors import EvidenceError, WitnessmarkError
from witnessmark.models import (
    ItemPresence,
    LocatedItem,
    Observation,
    ObservedOrdering,
    ProbeDiagnosis,
    RebuiltObservation,
    Transcript,
    TranscriptHeader,
    TruncatedText,
)
from witnessmark.ports import ItemLocation, Truncation
from witnessmark.run.observed import Observed, SeenItem, SeenOrdering
from witnessmark.run.questions import Asked
from witnessmark.run.truncations import Truncations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from witnessmark.canonical import JsonValue
    from witnessmark.models import RetrievalRequest

__all__ = ["ReadTranscript", "diagnosis_lines", "observed_digest", "observed_lines", "read_transcript", "to_observed"]


def observed_lines(
    header: TranscriptHeader, requests: Mapping[Asked, RetrievalRequest], observed: Observed
) -> Iterator[bytes]:
    """Yield the lines of the observed part: header, presence, observations."""
    yield model_bytes(header) + b"\n"
    for (state_name, item_key), present in observed.presence.items():
        line: dict[str, JsonValue] = {
            "line": "presence",
            "state_name": state_name,
            "item_key": item_key,
            "present": present,
        }
        yield plain_bytes(line) + b"\n"
    write = _Writer()
    for asked, orderings in observed.answers.items():
        yield write.observation(asked, requests[asked], orderings)
    for asked, orderings in observed.rebuilt.items():
        yield write.rebuild(asked, orderings)
    for (asked, item_key), location in observed.locations.items():
        yield (
            model_bytes(
                LocatedItem(
                    state_name=asked.state_name,
                    request_digest=asked.request_digest,
                    item_key=item_key,
                    place=location.place,
                    rank=location.rank,
                )
            )
            + b"\n"
        )
    for text in _truncated_texts(observed.truncations):
        yield model_bytes(text) + b"\n"


def diagnosis_lines(diagnoses: Iterable[ProbeDiagnosis]) -> Iterator[bytes]:
    """Yield one line a diagnosis."""
    return (plain_bytes(diagnosis.model_dump(mode="json", exclude_none=True)) + b"\n" for diagnosis in diagnoses)


def observed_digest(lines: Iterable[bytes]) -> str:
    """Return the ``sha256:`` digest over the bytes of ``lines``, newlines included."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
    return f"sha256:{digest.hexdigest()}"


class ReadTranscript(NamedTuple):
    """A transcript that was read, and the digest of its observed part as it stood in the file."""

    transcript: Transcript
    digest: str


def read_transcript(data: bytes, *, where: str = "transcript.jsonl", withheld: bool = False) -> ReadTranscript:
    """Parse and check a transcript.

    Args:
        data: the bytes of ``transcript.jsonl``.
        where: for messages.
        withheld: whether digests may stand for material: a request need not have its digest then.

    Raises:
        EvidenceError: ``invalid_transcript``: a line is not canonical, not of its kind, out of order or inconsistent;
            names the line.
    """
    if not data.endswith(b"\n"):
        raise EvidenceError("transcript is cut off", code="invalid_transcript", wanted="a final newline", where=where)
    lines = data.split(b"\n")[:-1]
    header: TranscriptHeader | None = None
    presence: list[ItemPresence] = []
    observations: list[Observation] = []
    rebuilt: list[RebuiltObservation] = []
    locations: list[LocatedItem] = []
    truncations: list[TruncatedText] = []
    diagnoses: list[ProbeDiagnosis] = []
    digest = hashlib.sha256()
    stage = 0
    for number, line in enumerate(lines, start=1):
        place = f"{where}:{number}"
        try:
            value = parse_canonical(line, where=place)
            kind = value.get("line") if isinstance(value, dict) else None
            position = _ORDER.get(kind, -1) if isinstance(kind, str) else -1
            if position < stage or (position == 0) != (number == 1):
                raise EvidenceError(
                    "line is of no known kind or out of order",
                    code="invalid_transcript",
                    got=ascii(kind),
                    wanted=" then ".join(_ORDER),
                    where=place,
                )
            stage = position
            if position < _DIAGNOSIS:
                digest.update(line + b"\n")
            if position == 0:
                header = TranscriptHeader.from_json(value, where=place)
            elif position == 1:
                presence.append(ItemPresence.from_json(value, where=place))
            elif position == 2:
                observations.append(_checked(Observation.from_json(value, where=place), place, withheld))
            elif position == 3:
                rebuilt.append(RebuiltObservation.from_json(value, where=place))
                _check_orderings(rebuilt[-1].orderings, place)
            elif position == 4:
                locations.append(LocatedItem.from_json(value, where=place))
            elif position == 5:
                truncations.append(TruncatedText.from_json(value, where=place))
            else:
                diagnoses.append(ProbeDiagnosis.from_json(value, where=place))
        except EvidenceError:
            raise
        except WitnessmarkError as error:
            raise EvidenceError.from_problems(error.problems) from error
    if header is None:
        raise EvidenceError("transcript is empty", code="invalid_transcript", where=where)
    transcript = Transcript.model_construct(
        header=header,
        presence=tuple(presence),
        observations=tuple(observations),
        rebuilt=tuple(rebuilt),
        locations=tuple(locations),
        truncations=tuple(truncations),
        diagnoses=tuple(diagnoses),
    )
    return ReadTranscript(transcript, f"sha256:{digest.hexdigest()}")


def to_observed(transcript: Transcript, *, where: str = "transcript.jsonl") -> Observed:
    """Return what probes are evaluated on.

    Raises:
        EvidenceError: ``invalid_transcript``: a question stands twice or its trials are not those of the plan.
    """
    header = transcript.header
    answers: dict[Asked, list[SeenOrdering]] = {}
    rebuilt: dict[Asked, list[SeenOrdering]] = {}
    for observations, found, trials in (
        (transcript.observations, answers, sum(group.count for group in header.trials)),
        (transcript.rebuilt, rebuilt, header.rebuilds),
    ):
        for observation in observations:
            asked = Asked(observation.state_name, observation.request_digest)
            orderings = [_seen(ordering) for ordering in observation.orderings]
            runs = sorted(run for ordering in orderings for run in ordering.runs)
            # Counted by their ends: a run of trials in a file may be as long as its writer likes.
            ends = [-1, *(last for _, last in runs)]
            gapless = all(first == before + 1 for (first, _), before in zip(runs, ends, strict=False))
            if asked in found or not gapless or ends[-1] != trials - 1:
                raise EvidenceError(
                    "observations do not cover the planned trials once each",
                    code="invalid_transcript",
                    got=f"{runs} of {asked.request_digest} on {asked.state_name!r}",
                    wanted=f"trials 0 to {trials - 1}" if trials else "no trials",
                    where=where,
                )
            found[asked] = orderings
    return Observed(
        answers=answers,
        presence={(item.state_name, item.item_key): item.present for item in transcript.presence},
        groups=header.trials,
        rebuilt=rebuilt,
        locations={
            (Asked(item.state_name, item.request_digest), item.item_key): ItemLocation(item.place, item.rank)
            for item in transcript.locations
        },
        truncations=Truncations(
            {
                (text.state_name, text.item_key): Truncation(text.tokens, text.limit)
                for text in transcript.truncations
                if text.state_name is not None and text.item_key is not None
            },
            {
                text.request_digest: Truncation(text.tokens, text.limit)
                for text in transcript.truncations
                if text.request_digest is not None
            },
        ),
    )


_ORDER = {"run": 0, "presence": 1, "observation": 2, "rebuild": 3, "location": 4, "truncation": 5, "diagnosis": 6}
_DIAGNOSIS = _ORDER["diagnosis"]


def _truncated_texts(truncations: Truncations) -> Iterator[TruncatedText]:
    for (state_name, item_key), found in truncations.items.items():
        yield TruncatedText(state_name=state_name, item_key=item_key, tokens=found.tokens, limit=found.limit)
    for digest, found in truncations.queries.items():
        yield TruncatedText(request_digest=digest, tokens=found.tokens, limit=found.limit)


def _checked(observation: Observation, place: str, withheld: bool) -> Observation:
    if not withheld and canonical_digest(observation.request) != observation.request_digest:
        raise EvidenceError(
            "request_digest is not the digest of the request",
            code="digest_mismatch",
            got=observation.request_digest,
            wanted=canonical_digest(observation.request),
            where=place,
        )
    _check_orderings(observation.orderings, place)
    return observation


def _check_orderings(orderings: Sequence[ObservedOrdering], place: str) -> None:
    for ordering in orderings:
        ranks = [item.rank for item in ordering.items]
        if ranks != sorted(set(ranks)) or len({item.item_key for item in ordering.items}) != len(ranks):
            raise EvidenceError("ordering is not by rank", code="invalid_transcript", got=str(ranks), where=place)
        if ordering.scores is not None and len(ordering.scores) != len(ranks):
            raise EvidenceError("scores do not match the items", code="invalid_transcript", where=place)
        if any(len(run) != 2 or run[0] > run[1] for run in ordering.trials):
            raise EvidenceError("trials are not runs [first, last]", code="invalid_transcript", where=place)


def _seen(ordering: ObservedOrdering) -> SeenOrdering:
    return SeenOrdering(
        items=tuple(
            SeenItem(item.rank, item.item_key, item.item_version_digest, item.scope_labels) for item in ordering.items
        ),
        scores=None if ordering.scores is None else tuple(map(float, ordering.scores)),
        cut_score=None if ordering.cut_score is None else float(ordering.cut_score),
        runs=[(first, last) for first, last in ordering.trials],
    )


class _Writer:
    """Writes observations, the bulk of a transcript: canonical JSON, put together from parts that come again.

    Members are written in the order of their names, and everything from outside through the canonicalizer.
    """

    def __init__(self) -> None:
        self._items: dict[SeenItem, bytes] = {}

    def observation(self, asked: Asked, request: RetrievalRequest, orderings: Iterable[SeenOrdering]) -> bytes:
        asks = canonical_bytes({"context": request.context, "query": request.query})
        return b'{"line":"observation","orderings":[%b],"request":%b,%b}\n' % (
            self._orderings(orderings),
            asks,
            _asked_members(asked),
        )

    def rebuild(self, asked: Asked, orderings: Iterable[SeenOrdering]) -> bytes:
        return b'{"line":"rebuild","orderings":[%b],%b}\n' % (self._orderings(orderings), _asked_members(asked))

    def _orderings(self, orderings: Iterable[SeenOrdering]) -> bytes:
        return b",".join(map(self._ordering, orderings))

    def _ordering(self, ordering: SeenOrdering) -> bytes:
        cut = b"" if ordering.cut_score is None else b'"cut_score":"%b",' % _score(ordering.cut_score)
        items = b",".join(map(self._item, ordering.items))
        scores = b""
        if ordering.scores is not None:
            scores = b'"scores":[%b],' % b",".join(b'"%b"' % _score(score) for score in ordering.scores)
        runs = b",".join(b"[%d,%d]" % run for run in ordering.runs)
        return b'{%b"items":[%b],%b"trials":[%b]}' % (cut, items, scores, runs)

    def _item(self, item: SeenItem) -> bytes:
        written = self._items.get(item)
        if written is None:
            written = self._items[item] = plain_bytes(
                {
                    "item_key": item.key,
                    "item_version_digest": item.version,
                    "rank": item.rank,
                    "scope_labels": item.labels,
                }
            )
        return written


def _asked_members(asked: Asked) -> bytes:
    return b'"request_digest":%b,"state_name":%b' % (plain_bytes(asked.request_digest), plain_bytes(asked.state_name))


def _score(score: float) -> bytes:
    return repr(score).encode()
