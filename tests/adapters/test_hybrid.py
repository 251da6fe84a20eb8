"""The hybrid adapter: reciprocal-rank fusion of two retrievers, each in a checkpoint directory of its own."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.checkpoint.rebuild import rebuild_checkpoint, with_insertion_seed
from witnessmark.checkpoint.targets import resolve_target
from witnessmark.errors import AdapterError, InputError, ProfileMismatch
from witnessmark.models import Place, RetrievalRequest, RetrievedItem, RetrieverProfile, Target
from witnessmark.opening import open_states
from witnessmark.pin import pin_target
from witnessmark.plugins import Registered
from witnessmark.ports import (
    BatchRetriever,
    Call,
    CheckpointAdapter,
    Closeable,
    ItemLocator,
    ObservableRetriever,
    ScoredRetriever,
    TruncationReporter,
)
from witnessmark_adapters import hybrid_part
from witnessmark_adapters.hybrid_fusion import fuse
from witnessmark_adapters.hybrid_pipeline import ADAPTER, HybridRetriever
from witnessmark_adapters.hybrid_settings import read_settings
from witnessmark_adapters.states import open_checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MakeTarget = Any
RECORDS = [
    ("backup/new", "The nightly backup starts at 03:30.", []),
    ("backup/old", "The nightly backup starts at 01:00.", []),
    ("contract/a", "The hosting contract renews in May.", ["tenant:a"]),
    ("contract/b", "The hosting contract renews in June.", ["tenant:b"]),
    ("copy/1", "Restart the queue worker first.", []),
    ("copy/2", "Restart the queue worker first.", []),
    ("copy/3", "Restart the queue worker first.", []),
    ("empty", "", []),
]
VECTORS = {
    "implementation_id": "faiss",
    "distance_metric": "cosine",
    "index_implementation": "IndexFlatIP",
    "index_build_config:embedder": "wordllama",
    "index_build_config:embedding_dimension": 64,
}
WORDS = {"implementation_id": "fts5", "distance_metric": "bm25", "index_implementation": "fts5"}


def hybrid(
    first: Mapping[str, object] = VECTORS,
    second: Mapping[str, object] = WORDS,
    config: Mapping[str, object] | None = None,
    **fields: object,
) -> RetrieverProfile:
    flat = {f"first:{key}": value for key, value in first.items()}
    flat |= {f"second:{key}": value for key, value in second.items()}
    return RetrieverProfile.from_json(
        {
            "implementation_id": "hybrid",
            "implementation_version": "1",
            "adapter_version": "0.1",
            "adapter_capability": "deterministic",
            "distance_metric": "reciprocal_rank_fusion",
            "index_implementation": "hybrid",
            "truncation_rule": "text:parts;answer:top_k",
            "tie_policy": "score_desc_item_key_asc",
            "top_k": 3,
            **fields,
            "index_build_config": {**flat, **(config or {})},
        }
    )


def ask(query: str, **context: str) -> RetrievalRequest:
    return RetrievalRequest(query=query, context=context)


def keys(answer: Any) -> list[str]:
    return [item.item_key for item in answer.items]


@pytest.fixture
def opened() -> Any:
    """Open targets, and close them after the test."""
    retrievers: list[HybridRetriever] = []

    def opening(profile: RetrieverProfile | None = None, **states: Target) -> Any:
        retrievers.append(ADAPTER.open(states, profile))
        return retrievers[-1]

    yield opening
    for retriever in retrievers:
        retriever.close()


def literal(rankings: Sequence[Sequence[str]], weights: Sequence[int], k: int) -> list[tuple[str, Fraction]]:
    """Reciprocal-rank fusion as it is defined, over fractions."""
    found = sorted({key for ranking in rankings for key in ranking})
    scores = {
        key: sum(
            (
                Fraction(w, k + ranking.index(key) + 1)
                for ranking, w in zip(rankings, weights, strict=True)
                if key in ranking
            ),
            Fraction(0),
        )
        for key in found
    }
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


RANKINGS = st.lists(st.sampled_from("abcdefghijkl"), unique=True, max_size=12)


@settings(max_examples=300, deadline=None)
@given(
    rankings=st.tuples(RANKINGS, RANKINGS),
    weights=st.tuples(st.integers(1, 100), st.integers(1, 100)),
    k=st.integers(1, 1000),
)
def test_fusing_is_the_definition_and_exact(rankings: Any, weights: tuple[int, int], k: int) -> None:
    fused = fuse(rankings, weights, k)
    expected = literal(rankings, weights, k)
    assert [(item.key, item.score) for item in fused] == [(key, float(score)) for key, score in expected]
    swapped = fuse(rankings[::-1], weights[::-1], k)
    assert swapped == fused


@settings(max_examples=300, deadline=None)
@given(
    places=st.tuples(*[st.integers(1, 1000) | st.none()] * 4),
    weights=st.tuples(st.integers(1, 100), st.integers(1, 100)),
    k=st.integers(1, 1000),
)
def test_two_sums_that_differ_are_two_scores(places: Any, weights: tuple[int, int], k: int) -> None:
    sums = [
        sum((Fraction(w, k + place) for w, place in zip(weights, pair, strict=True) if place), Fraction(0))
        for pair in (places[:2], places[2:])
    ]
    assert (sums[0] == sums[1]) == (float(sums[0]) == float(sums[1]))
    assert sums[0] == sums[1] or abs(sums[0] - sums[1]) >= Fraction(6, 10**14)


PAIRS = {
    "faiss+fts5": (VECTORS, WORDS),
    "fts5+fts5": (WORDS, {**WORDS, "index_build_config:stemmer": "porter"}),
    "two embeddings": (VECTORS, {**VECTORS, "index_build_config:embedding_dimension": 128}),
    "a hybrid in a hybrid": (
        VECTORS,
        {
            "implementation_id": "hybrid",
            "distance_metric": "reciprocal_rank_fusion",
            "index_implementation": "hybrid",
            **{f"index_build_config:first:{key}": value for key, value in VECTORS.items()},
            **{f"index_build_config:second:{key}": value for key, value in WORDS.items()},
        },
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_answers_are_the_fusion_of_what_the_parts_answer_alone(name: str, make_target: MakeTarget, opened: Any) -> None:
    config = {"k": 7, "depth": 5, "second_weight": 3}
    profile = hybrid(*PAIRS[name], config=config, filtering_rules=["scope:tenant:shared"], top_k=4)
    target = make_target("base", RECORDS, profile)
    retriever = opened(base=target)
    assert retriever.profile == ADAPTER.complete_profile(profile)
    folder = Path(str(target.options["path"]))
    requests = [
        ask(query, **context)
        for query in ("When does the backup start?", "restart worker", "hosting contract", "", "🚰")
        for context in ({}, {"tenant": "a"})
    ]
    rankings: list[list[list[str]]] = []
    for part in ("first", "second"):
        alone = Checkpoint.open(folder / "index" / part)
        assert alone.profile.top_k == 5
        with open_states({"s": resolve_target(folder / "index" / part)}, alone.profile) as own:
            rankings.append([[item.item_key for item in own.retrieve("s", request)] for request in requests])
    for request, *found in zip(requests, *rankings, strict=True):
        answer = retriever.retrieve_scored("base", request)
        expected = literal(found, (1, 3), 7)
        assert list(zip(keys(answer), answer.scores, strict=True)) == [(key, float(s)) for key, s in expected[:4]]
        assert answer.cut_score == (float(expected[4][1]) if len(expected) > 4 else None)
        assert [item.rank for item in answer.items] == list(range(1, len(answer.items) + 1))


def test_every_capability_is_there_and_names_what_the_parts_are(make_target: MakeTarget, opened: Any) -> None:
    retriever = opened(base=make_target("base", RECORDS, hybrid()))
    capabilities = (ScoredRetriever, BatchRetriever, Closeable, ObservableRetriever, ItemLocator, TruncationReporter)
    for capability in capabilities:
        assert isinstance(retriever, capability)
    assert isinstance(ADAPTER, CheckpointAdapter)
    assert set(retriever.package_versions()) == {"faiss-cpu", "numpy", "sqlite", "tokenizers", "wordllama"}
    assert {"first/accents", "second/accents"} <= set(retriever.fingerprints())
    seen = retriever.runtime_observation()
    assert seen.runtime_id.startswith("first: faiss-cpu ")
    assert "; second: SQLite " in seen.runtime_id
    assert seen.embedding_dimension == 64


def test_builds_are_byte_identical_and_a_pin_opens_again(make_target: MakeTarget, opened: Any) -> None:
    first, second = make_target("one", RECORDS, hybrid()), make_target("two", RECORDS, hybrid())
    one, two = Path(str(first.options["path"])), Path(str(second.options["path"]))
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert all((one / path).read_bytes() == (two / path).read_bytes() for path in names)
    assert [str(path) for path in names if path.parts[:1] == ("index",)] == [
        "index/first/checkpoint.json",
        "index/first/index/items.jsonl",
        "index/first/index/profile.json",
        "index/first/index/vectors.faiss",
        "index/first/operations.jsonl",
        "index/profile.json",
        "index/second/checkpoint.json",
        "index/second/index/items.jsonl",
        "index/second/index/lexical.sqlite",
        "index/second/index/profile.json",
        "index/second/operations.jsonl",
    ]
    pinned = pin_target(first)
    assert pinned.profile.index_build_config["package:sqlite"] == pinned.pin.packages["sqlite"]
    with open_states({"one": first, "two": second}, pinned.profile) as retriever:
        assert retriever.profile == pinned.profile
        assert retriever.state_reference("one") == retriever.state_reference("two")
        assert retriever.state_reference("one").indexed_item_count == len(RECORDS)
    assert ADAPTER.complete_profile(pinned.profile) == pinned.profile


def test_every_setting_of_a_part_changes_the_profile_digest(make_target: MakeTarget, opened: Any) -> None:
    states = {
        "baseline": make_target("base", RECORDS, hybrid()),
        "candidate": make_target("cand", RECORDS, hybrid(second={**WORDS, "index_build_config:stemmer": "porter"})),
    }
    with pytest.raises(ProfileMismatch) as caught:
        ADAPTER.open(states, None)
    assert [problem.where for problem in caught.value.problems] == [
        "index_build_config/second:index_build_config:stemmer",
        "index_build_config/second:tokenizer_id",
    ]
    # A part's own states are compared too, when the profile comes from outside.
    with pytest.raises(ProfileMismatch, match="state 'baseline' and state 'candidate' differ"):
        ADAPTER.open(states, ADAPTER.complete_profile(hybrid()))


def test_no_item_of_another_tenant_whatever_the_depth(make_target: MakeTarget, opened: Any) -> None:
    many = [
        (f"{tenant}/{number:02}", f"hosting contract {number}", [f"tenant:{tenant}"])
        for tenant in "ab"
        for number in range(30)
    ]
    profile = hybrid(config={"depth": 4}, filtering_rules=["scope:tenant:strict"], top_k=4)
    retriever = opened(base=make_target("base", many, profile))
    for tenant in "ab":
        found = keys(retriever.retrieve_scored("base", ask("hosting contract 7", tenant=tenant)))
        assert len(found) == 4
        assert {key[0] for key in found} == {tenant}
    assert keys(retriever.retrieve_scored("base", ask("hosting contract 7"))) == []
    located = [retriever.locate("base", ask("hosting", tenant="a"), key) for key in ("b/01", "a/29", "none")]
    assert [item.place for item in located] == [Place.filtered_out, Place.below_cut, Place.absent]
    assert located[1].rank is None


def test_an_item_that_no_part_finds_is_unreachable(make_target: MakeTarget, opened: Any) -> None:
    parts = (WORDS, {**WORDS, "index_build_config:stemmer": "porter"})
    retriever = opened(base=make_target("base", RECORDS, hybrid(*parts)))
    assert retriever.locate("base", ask("worker"), "copy/3") == (Place.below_cut, 3)
    assert retriever.locate("base", ask("worker"), "backup/new") == (Place.unreachable, None)


def test_a_batch_answers_as_single_calls_do(make_target: MakeTarget, opened: Any) -> None:
    profile = hybrid(filtering_rules=["scope:tenant:shared"], query_preprocessing=["strip", "lowercase"])
    states = {"base": make_target("base", RECORDS, profile), "cand": make_target("cand", RECORDS[1:], profile)}
    retriever = opened(**states)
    calls = [
        Call(state, ask(query, **context))
        for state in states
        for query in ("backup time", " BACKUP time ", "contract", "", "NOT worker")
        for context in ({}, {"tenant": "a"})
    ]
    answers = retriever.retrieve_batch(calls)
    assert answers == [retriever.retrieve_scored(*call) for call in calls]
    assert retriever.retrieve_batch(calls[::-1]) == answers[::-1]
    assert retriever.retrieve_batch([]) == []
    assert answers[0] == answers[2]
    with pytest.raises(AdapterError, match="no such state: got 'other', wanted one of: base, cand"):
        retriever.retrieve("other", ask("x"))
    again = retriever.reopen()
    retriever.close()
    with pytest.raises(AdapterError, match="the retriever is closed"):
        retriever.retrieve("base", ask("x"))
    assert again.retrieve_batch(calls) == answers
    again.close()


def test_a_rebuild_fills_both_parts_in_another_order(make_target: MakeTarget, tmp_path: Path, opened: Any) -> None:
    target = make_target("base", RECORDS, hybrid())
    source = Path(str(target.options["path"]))
    rebuild_checkpoint(source, ADAPTER, tmp_path / "again", order=3)
    profile = with_insertion_seed(Checkpoint.open(source).profile, 3)
    for part in ("first", "second"):
        assert Checkpoint.open(tmp_path / "again/index" / part).profile.index_build_config["insertion_seed"] == 3
    with open_states({"s": resolve_target(tmp_path / "again")}, profile) as rebuilt:
        plain = opened(s=target)
        for query in ("backup", "queue worker", "contract"):
            assert list(rebuilt.retrieve("s", ask(query))) == list(plain.retrieve("s", ask(query)))


class _Sorted:
    """Somebody's adapter: the five methods and nothing else, items by key."""

    def __init__(self, states: Mapping[str, Target], profile: RetrieverProfile | None, broken: str) -> None:
        self._states = {name: open_checkpoint(target, "sorted") for name, target in states.items()}
        self._broken = broken
        self.profile = profile or next(iter(self._states.values())).profile

    def state_reference(self, state_name: str) -> Any:
        return self._states[state_name].state_reference()

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        return item_key in self._states[state_name]

    def retrieve(self, state_name: str, request: RetrievalRequest) -> list[RetrievedItem]:
        found = [
            RetrievedItem(
                item_key=item.record.key,
                item_version_digest="sha256:" + "0" * 64 if self._broken == "version" else item.version_digest,
                rank=rank + (self._broken == "ranks"),
                scope_labels=item.record.scope_labels,
            )
            for rank, item in enumerate(self._states[state_name].items(), 1)
        ]
        return found[: self.profile.top_k] * (1 + (self._broken == "twice"))

    def runtime_observation(self) -> None:
        return None


class _SortedAdapter:
    def __init__(self, broken: str = "") -> None:
        self._broken = broken

    def open(self, states: Mapping[str, Target], profile: RetrieverProfile | None) -> Any:
        return _Sorted(states, profile, self._broken)

    def complete_profile(self, profile: RetrieverProfile) -> RetrieverProfile:
        value = profile.model_dump(mode="json", exclude_none=True)
        for field in ("implementation_version", "adapter_version", "truncation_rule"):
            value[field] = value[field] or "1"
        return RetrieverProfile.from_json(value)

    def build_index(self, items: Any, count: int, profile: RetrieverProfile, directory: Path) -> dict[str, Any]:
        return {} if self._broken == "lazy" else {"seen": len(list(items))}


SORTED = {
    "implementation_id": "sorted",
    "distance_metric": "none",
    "index_implementation": "none",
    "opaque_components:0": "their sorting",
    "seed": 4,
}
OPAQUE = ["first:their sorting"]


@pytest.fixture
def third_party(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Register adapters by name beside those that are installed."""
    more: dict[str, Any] = {"sorted": _SortedAdapter()}
    load = hybrid_part.load_plugin

    def found(group: str, name: str, noun: str) -> Any:
        return (more[name], Registered(name, "theirs 1", "theirs")) if name in more else load(group, name, noun)

    monkeypatch.setattr(hybrid_part, "load_plugin", found)
    yield more


def test_any_adapter_that_builds_checkpoints_is_a_part(
    third_party: dict[str, Any], make_target: MakeTarget, opened: Any
) -> None:
    profile = hybrid(first=SORTED, opaque_components=OPAQUE)
    retriever = opened(base=make_target("base", RECORDS, profile))
    assert retriever.profile == ADAPTER.complete_profile(profile)
    assert retriever.profile.opaque_components == ("first:their sorting",)
    assert retriever.profile.index_build_config["first:seed"] == 4
    assert not isinstance(retriever, ItemLocator)
    answer = retriever.retrieve_scored("base", ask("worker"))
    expected = literal([[key for key, _, _ in RECORDS], ["copy/1", "copy/2", "copy/3"]], (1, 1), 60)
    assert keys(answer) == [key for key, _ in expected[:3]]


def test_a_part_that_claims_nothing_makes_the_hybrid_claim_nothing(third_party: dict[str, Any]) -> None:
    profile = hybrid(
        first={**SORTED, "adapter_capability": "unsupported_or_unknown"},
        adapter_capability="unsupported_or_unknown",
        opaque_components=OPAQUE,
    )
    assert ADAPTER.complete_profile(profile).adapter_capability.value == "unsupported_or_unknown"
    with pytest.raises(ProfileMismatch, match="adapter_capability"):
        ADAPTER.complete_profile(
            hybrid(first={**SORTED, "adapter_capability": "unsupported_or_unknown"}, opaque_components=OPAQUE)
        )


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (
            "ranks",
            "part 'first', adapter 'sorted': ranks are not 1, 2, 3 ...: got 2, 3, 4, 5, 6, 7, 8, 9, "
            "wanted every rank once, at most 100",
        ),
        (
            "twice",
            "part 'first', adapter 'sorted': ranks are not 1, 2, 3 ...: "
            "got 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, wanted every rank once, at most 100",
        ),
        ("version", "'copy/1': the parts have different records under one key: "),
    ],
)
def test_a_part_that_breaks_the_contract_is_named(
    broken: str, message: str, third_party: dict[str, Any], make_target: MakeTarget, opened: Any
) -> None:
    third_party["sorted"] = _SortedAdapter(broken)
    retriever = opened(base=make_target("base", RECORDS, hybrid(first=SORTED, opaque_components=OPAQUE)))
    with pytest.raises(AdapterError) as caught:
        retriever.retrieve("base", ask("worker"))
    assert str(caught.value).startswith(message)


def test_a_part_that_indexes_nothing_is_an_error(third_party: dict[str, Any], make_target: MakeTarget) -> None:
    third_party["sorted"] = _SortedAdapter("lazy")
    with pytest.raises(AdapterError) as caught:
        make_target("base", RECORDS, hybrid(first=SORTED, opaque_components=OPAQUE))
    assert str(caught.value) == "part 'first': adapter 'sorted' did not index every record: got 0, wanted 8"


def test_parts_of_other_memories_are_refused(make_target: MakeTarget, seal: Any, tmp_path: Path) -> None:
    one = make_target("one", RECORDS, hybrid())
    two = make_target("two", [*RECORDS[:-1], ("zz", "another", [])], hybrid())
    folder = tmp_path / "mixed"
    shutil.copytree(str(one.options["path"]), folder)
    shutil.rmtree(folder / "index/second")
    shutil.copytree(Path(str(two.options["path"])) / "index/second", folder / "index/second")
    target = seal(folder)
    with pytest.raises(InputError) as caught:
        ADAPTER.open({"s": target}, None)
    assert caught.value.code == "index_mismatch"
    assert "the parts hold other records" in str(caught.value)


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        (
            hybrid(config={"depth": 2}),
            "profile /index_build_config/depth: index setting is not usable: got 2, wanted at least top_k, which is 3",
        ),
        (
            hybrid(config={"k": True}),
            "profile /index_build_config/k: index setting is not usable: got True, "
            "wanted a whole number from 1 to 1000",
        ),
        (
            hybrid(config={"third:implementation_id": "fts5"}),
            "profile /index_build_config/third:implementation_id: a hybrid has no such setting: "
            "got 'third:implementation_id', wanted one of: k, depth, first_weight, second_weight, insertion_seed, "
            "package:NAME, first:FIELD, second:FIELD",
        ),
        (
            hybrid(second={key: value for key, value in WORDS.items() if key != "implementation_id"}),
            "profile /index_build_config/second:implementation_id: index setting is missing: "
            "wanted the name of an adapter that builds checkpoint directories",
        ),
        (
            hybrid(config={"first:query_preprocessing:1": "strip"}),
            "profile /index_build_config/first:query_preprocessing: index setting is not usable: "
            "got 1, wanted places from 0, without a gap",
        ),
    ],
)
def test_unusable_settings(profile: RetrieverProfile, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_settings(profile)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "key", ["first:top_k", "first:filtering_rules", "second:index_build_config:package:numpy", "first:"]
)
def test_what_is_the_hybrids_is_not_a_parts(key: str) -> None:
    with pytest.raises(InputError) as caught:
        read_settings(hybrid(config={key: "5"}))
    assert caught.value.code == "unknown_index_setting"
    assert f"got {key!r}, wanted {key.partition(':')[0]}: and one of: adapter_capability, " in str(caught.value)


def test_what_a_part_refuses_names_the_part() -> None:
    with pytest.raises(InputError) as caught:
        ADAPTER.complete_profile(hybrid(second={**WORDS, "index_build_config:k1": "2"}))
    assert str(caught.value) == (
        "part 'second' profile /index_build_config/k1: index setting is not usable: "
        "got '2', wanted '1.2', which is fixed"
    )
    with pytest.raises(InputError) as caught:
        ADAPTER.complete_profile(hybrid(second={**WORDS, "implementation_id": "table"}))
    assert caught.value.code == "cannot_build"


def test_the_profile_survives_being_written_and_read(make_target: MakeTarget) -> None:
    profile = ADAPTER.complete_profile(
        hybrid(
            first={**VECTORS, "query_preprocessing:0": "strip", "query_preprocessing:1": "prefix:query: "},
            config={"package:numpy": None},
        )
    )
    again = RetrieverProfile.from_bytes(json.dumps(profile.model_dump(mode="json", exclude_none=True)))
    assert again == profile == ADAPTER.complete_profile(again)
    assert read_settings(again).parts["first"].query_preprocessing == ("strip", "prefix:query: ")
