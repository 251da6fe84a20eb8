"""The faiss adapter from checkpoint directory to answers."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import faiss
import numpy as np
import pytest

from witnessmark.canonical import canonical_digest, model_bytes
from witnessmark.checkpoint.build import build_checkpoint
from witnessmark.checkpoint.directory import retrieval_state_digest
from witnessmark.checkpoint.layout import INDEX, MANIFEST, PROFILE, index_entries
from witnessmark.errors import AdapterError, InputError, ProfileMismatch
from witnessmark.models import CheckpointManifest, Place, RetrievalRequest, RetrieverProfile, Target
from witnessmark.plugins import Registered
from witnessmark.ports import BatchRetriever, Call, CheckpointAdapter, Closeable, ObservableRetriever, ScoredRetriever
from witnessmark_adapters import embedding
from witnessmark_adapters.faiss_pipeline import ADAPTER
from witnessmark_adapters.faiss_state import INDEX_FILE

if TYPE_CHECKING:
    from collections.abc import Callable

MakeProfile = Any
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
CONFIGS: dict[str, dict[str, object]] = {
    "IndexFlatIP": {},
    "IndexFlatL2": {},
    "IndexHNSWFlat": {"M": 4, "ef_construction": 20, "ef_search": 30},
    "IndexIVFFlat": {"nlist": 3, "nprobe": 2, "training_seed": 7},
    "IndexScalarQuantizer": {"quantizer": "8bit"},
    "IndexRefineFlat": {"base": "IndexScalarQuantizer", "quantizer": "4bit", "k_factor": 2},
}


def ask(query: str, **context: str) -> RetrievalRequest:
    return RetrievalRequest(query=query, context=context)


def kind(make_profile: MakeProfile, name: str, **fields: object) -> RetrieverProfile:
    metric = "l2" if name == "IndexFlatL2" else "cosine"
    profile: RetrieverProfile = make_profile(CONFIGS[name], index_implementation=name, distance_metric=metric, **fields)
    return profile


def keys(answer: Any) -> list[str]:
    return [item.item_key for item in answer.items]


def test_every_capability_is_there(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    retriever = ADAPTER.open({"baseline": make_target("base", RECORDS, make_profile())}, None)
    for capability in (ScoredRetriever, BatchRetriever, Closeable, ObservableRetriever):
        assert isinstance(retriever, capability)
    assert isinstance(ADAPTER, CheckpointAdapter)


@pytest.mark.parametrize("name", CONFIGS)
def test_builds_are_byte_identical_and_open_as_what_they_are(
    name: str, make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    profile = kind(make_profile, name)
    first, second = make_target("one", RECORDS, profile), make_target("two", RECORDS, profile)
    one, two = Path(str(first.options["path"])), Path(str(second.options["path"]))
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert [str(path) for path in names] == [
        "checkpoint.json",
        "index/items.jsonl",
        "index/profile.json",
        "index/vectors.faiss",
        "operations.jsonl",
    ]
    assert all((one / path).read_bytes() == (two / path).read_bytes() for path in names)
    retriever = ADAPTER.open({"one": first, "two": second}, None)
    assert retriever.profile == ADAPTER.complete_profile(profile)
    assert retriever.state_reference("one") == retriever.state_reference("two")
    assert retriever.state_reference("one").indexed_item_count == len(RECORDS)


@pytest.mark.parametrize("name", CONFIGS)
def test_copies_come_in_key_order_and_the_cut_score_is_told(
    name: str, make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    retriever = ADAPTER.open({"base": make_target("base", RECORDS, kind(make_profile, name, top_k=2))}, None)
    answer = retriever.retrieve_scored("base", ask("Restart the queue worker first."))
    assert keys(answer) == ["copy/1", "copy/2"]
    assert answer.scores[0] == answer.scores[1] == answer.cut_score
    assert [item.rank for item in answer.items] == [1, 2]


@pytest.mark.parametrize("name", CONFIGS)
def test_insertion_order_does_not_change_exact_answers(
    name: str, make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    plain = kind(make_profile, name, top_k=5)
    config = {**plain.index_build_config, "insertion_seed": 11}
    shuffled = RetrieverProfile.from_json({**plain.model_dump(mode="json"), "index_build_config": config})
    one = ADAPTER.open({"base": make_target("one", RECORDS, plain)}, None)
    two = ADAPTER.open({"base": make_target("two", RECORDS, shuffled)}, None)
    assert two.profile.index_build_config["insertion_seed"] == 11
    for query in ("When is the backup?", "queue worker", "contract", ""):
        first = one.retrieve_scored("base", ask(query))
        second = two.retrieve_scored("base", ask(query))
        if name != "IndexIVFFlat":
            assert first == second
        assert all(two.contains_item_key("base", key) for key in keys(second))


def test_a_scope_rule_keeps_other_tenants_out(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    profile = make_profile(filtering_rules=["scope:tenant:shared"], top_k=8)
    retriever = ADAPTER.open({"base": make_target("base", RECORDS, profile)}, None)
    query = "When does the hosting contract renew?"
    assert keys(retriever.retrieve_scored("base", ask(query, tenant="a")))[0] == "contract/a"
    for context in ({"tenant": "a"}, {"tenant": "b"}, {"tenant": "c"}, {"tenant": ""}, {}):
        found = keys(retriever.retrieve_scored("base", ask(query, **context)))
        expected = {"a": ["contract/a"], "b": ["contract/b"]}.get(context.get("tenant", ""), [])
        assert [key for key in found if key.startswith("contract/")] == expected
        assert len(found) == 6 + len(expected)
    strict = make_profile(filtering_rules=["scope:tenant:strict"])
    closed = ADAPTER.open({"base": make_target("strict", RECORDS, strict)}, None)
    assert keys(closed.retrieve_scored("base", ask(query))) == []
    assert keys(closed.retrieve_scored("base", ask(query, tenant="b"))) == ["contract/b"]


@pytest.mark.parametrize("name", CONFIGS)
def test_a_batch_answers_as_single_calls_do(name: str, make_profile: MakeProfile, make_target: MakeTarget) -> None:
    profile = kind(make_profile, name, filtering_rules=["scope:tenant:shared"], query_preprocessing=["strip"])
    states = {"base": make_target("base", RECORDS, profile), "cand": make_target("cand", RECORDS[1:], profile)}
    retriever = ADAPTER.open(states, None)
    queries = ["backup time", " backup time ", "contract", "restart the worker", "", "backup time"]
    calls = [
        Call(state, ask(query, **context))
        for state in states
        for query in queries
        for context in ({}, {"tenant": "a"}, {"tenant": "b"})
    ]
    assert retriever.retrieve_batch(calls) == [retriever.retrieve_scored(*call) for call in calls]
    assert retriever.retrieve_batch(calls[::-1]) == retriever.retrieve_batch(calls)[::-1]
    assert retriever.retrieve_batch([]) == []


def test_each_distinct_query_is_embedded_once_for_all_states(
    make_profile: MakeProfile, make_target: MakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = make_profile(query_preprocessing=["lowercase"])
    states = {"base": make_target("base", RECORDS, profile), "cand": make_target("cand", RECORDS, profile)}
    retriever = ADAPTER.open(states, None)
    embedded: list[list[str]] = []
    embed = embedding.CheckedEmbedder.embed

    def counted(self: Any, texts: list[str]) -> Any:
        embedded.append(list(texts))
        return embed(self, texts)

    monkeypatch.setattr(embedding.CheckedEmbedder, "embed", counted)
    retriever.retrieve_batch([Call(state, ask(query)) for state in states for query in ("Backup", "BACKUP", "queue")])
    assert embedded == [["backup", "queue"]]


def test_the_profile_is_read_from_what_is_there_not_echoed(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    target = make_target("base", RECORDS, kind(make_profile, "IndexHNSWFlat", quantization="int8"))
    asked = make_profile(
        {"M": 8, "ef_construction": 99, "ef_search": 50, "package:numpy": "0.1", "embedding_dimension": 128},
        index_implementation="IndexHNSWFlat",
        quantization="float32",
        top_k=7,
        query_preprocessing=["strip"],
        distance_metric="l2",
        embedding_model_id="another",
    )
    live = ADAPTER.open({"base": target}, asked).profile
    assert live.index_build_config == {
        "M": 4,
        "ef_construction": 20,
        "ef_search": 50,
        "embedder": "wordllama",
        "embedding_dimension": 64,
        "package:numpy": np.__version__,
    }
    assert (live.quantization, live.distance_metric) == ("int8", "cosine")
    assert live.embedding_model_id == "wordllama/l2_supercat_256"
    assert (live.top_k, live.query_preprocessing) == (7, ("strip",))


def test_states_of_two_retrievers_are_refused_field_by_field(
    make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    states = {
        "baseline": make_target("base", RECORDS, make_profile()),
        "candidate": make_target("cand", RECORDS, make_profile(quantization="int8")),
    }
    with pytest.raises(ProfileMismatch) as caught:
        ADAPTER.open(states, None)
    assert str(caught.value) == (
        "quantization: state 'baseline' and state 'candidate' differ: "
        "got state 'candidate': 'int8', wanted state 'baseline': 'float32'"
    )


def test_completing_fills_in_and_refuses_what_is_stated_otherwise(make_profile: MakeProfile) -> None:
    completed = ADAPTER.complete_profile(make_profile({"package:faiss-cpu": None}))
    assert completed.quantization == "float32"
    assert completed.index_build_config["package:faiss-cpu"] == "1.15.1"
    assert ADAPTER.complete_profile(completed) == completed
    wrong = make_profile(
        {"package:numpy": "0.1", "package:no-such-thing": None},
        embedding_model_revision="main",
        tie_policy="insertion order",
        reranker_id="some reranker",
        truncation_rule="top-k",
    )
    with pytest.raises(ProfileMismatch) as caught:
        ADAPTER.complete_profile(wrong)
    assert [problem.where for problem in caught.value.problems] == [
        "embedding_model_revision",
        "index_build_config/package:numpy",
        "truncation_rule",
        "reranker_id",
        "tie_policy",
    ]


def test_a_profile_that_claims_no_determinism_is_not_this_pipeline(make_profile: MakeProfile) -> None:
    profile = make_profile(adapter_capability="unsupported_or_unknown", tie_policy=None)
    with pytest.raises(ProfileMismatch, match="adapter_capability"):
        ADAPTER.complete_profile(profile)


def test_too_few_items_for_the_lists_is_an_error(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    profile = make_profile({"nlist": 9}, index_implementation="IndexIVFFlat")
    with pytest.raises(InputError) as caught:
        make_target("base", RECORDS, profile)
    assert caught.value.code == "too_few_items"
    assert str(caught.value) == (
        "profile /index_build_config/nlist: IndexIVFFlat cannot be trained on so few items: "
        "got 8, wanted at least 9 items, which is nlist"
    )


NOTES = [(f"note/{number:02}", f"Host {number % 20} runs job {number % 20}.", []) for number in range(40)]
QUANTIZED = {"nlist": 2, "nprobe": 2, "m": 8, "nbits": 4, "training_seed": 7}


def test_a_product_quantized_index_is_built_pinned_and_searched(
    make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    profile = make_profile(QUANTIZED, index_implementation="IndexIVFPQ", top_k=5)
    first, second = make_target("one", NOTES, profile), make_target("two", NOTES, profile)
    retriever = ADAPTER.open({"one": first, "two": second}, None)
    assert retriever.state_reference("one") == retriever.state_reference("two")
    assert retriever.profile == ADAPTER.complete_profile(profile)
    assert {name: retriever.profile.index_build_config[name] for name in QUANTIZED} == QUANTIZED
    answer = retriever.retrieve_scored("one", ask("Host 3 runs job 3."))
    place = keys(answer).index("note/03")
    assert keys(answer)[place + 1] == "note/23"
    assert answer.scores[place] == answer.scores[place + 1]
    assert retriever.locate("one", ask("Host 3 runs job 3."), "note/11").place is Place.below_cut


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"m": 7},
            "profile /index_build_config/m: vectors cannot be cut into so many equal parts: "
            "got 7, wanted a divisor of the dimension, which is {dimension}",
        ),
        (
            {"nbits": 8},
            "profile /index_build_config/nbits: IndexIVFPQ cannot be trained on so few items: "
            "got 40, wanted at least 256 items, which is 2 to the power of nbits",
        ),
    ],
)
def test_a_product_quantizer_that_does_not_fit_is_an_error(
    config: dict[str, object], message: str, make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    profile = make_profile({**QUANTIZED, **config}, index_implementation="IndexIVFPQ")
    with pytest.raises(InputError) as caught:
        make_target("base", NOTES, profile)
    dimension = profile.index_build_config.get("embedding_dimension", 256)
    assert str(caught.value) == message.format(dimension=dimension)


@pytest.mark.parametrize(
    ("options", "code"),
    [({}, "missing_option"), ({"path": 5}, "missing_option"), ({"path": "x", "k": 1}, "unknown_option")],
)
def test_target_options_are_closed(options: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError) as caught:
        ADAPTER.open({"base": Target(adapter="faiss", options=options)}, None)
    assert caught.value.code == code
    with pytest.raises(InputError, match="no state to open"):
        ADAPTER.open({}, None)


def test_unknown_and_closed_states_are_errors(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    retriever = ADAPTER.open({"base": make_target("base", RECORDS, make_profile())}, None)
    with pytest.raises(AdapterError) as caught:
        retriever.retrieve("other", ask("x"))
    assert str(caught.value) == "no such state: got 'other', wanted one of: base"
    again = retriever.reopen()
    retriever.close()
    retriever.close()
    with pytest.raises(AdapterError, match="the retriever is closed"):
        retriever.retrieve("base", ask("x"))
    assert again.retrieve("base", ask("backup"))
    assert again.contains_item_key("base", "copy/1")
    assert not again.contains_item_key("base", "copy")


def test_pinning_observations(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    target = make_target("base", RECORDS, make_profile())
    retriever = ADAPTER.open({"base": target}, None)
    assert set(retriever.package_versions()) == {"faiss-cpu", "numpy", "tokenizers", "wordllama"}
    plain = retriever.fingerprints()
    lowered = ADAPTER.open({"base": target}, make_profile(query_preprocessing=["lowercase"])).fingerprints()
    assert plain["lower"] != plain["upper"]
    assert lowered["lower"] == lowered["upper"] == plain["lower"]
    observation = retriever.runtime_observation()
    assert observation.embedding_dimension == 64


def rebind(folder: Path) -> None:
    """Make the manifest agree again with a changed ``index/``, as somebody who rebuilt it wrongly would."""
    manifest = CheckpointManifest.from_bytes((folder / MANIFEST).read_bytes())
    profile = RetrieverProfile.from_bytes((folder / PROFILE).read_bytes())
    entries, digest = index_entries(folder), canonical_digest(profile)
    value = manifest.model_dump(mode="json") | {
        "profile_digest": digest,
        "index_files": [entry.model_dump(mode="json") for entry in entries],
        "retrieval_state_digest": retrieval_state_digest(entries, digest, manifest.adapter, manifest.index_settings),
    }
    (folder / MANIFEST).write_bytes(model_bytes(CheckpointManifest.from_json(value)))


def replace_index(folder: Path, change: Callable[[Any], Any]) -> None:
    path = str(folder / INDEX / INDEX_FILE)
    faiss.write_index(change(faiss.read_index(path)), path)
    rebind(folder)


def other_vectors(index: Any, change: Callable[[Any], Any], make: Any = faiss.IndexFlatIP) -> Any:
    vectors = change(index.reconstruct_n(0, index.ntotal))
    made = make(vectors.shape[1])
    made.add(np.ascontiguousarray(vectors, dtype=np.float32))
    return made


def with_nan(vectors: Any) -> Any:
    vectors[3, 5] = np.nan
    return vectors


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (
            lambda index: other_vectors(index, lambda v: v, faiss.IndexFlatL2),
            "index_mismatch",
            "index is not what its profile says: index implementation: got IndexFlatL2, wanted IndexFlatIP",
        ),
        (
            lambda index: other_vectors(index, lambda v: v[:, :32]),
            "index_mismatch",
            "index is not what its profile says: dimension: got 32, wanted 64",
        ),
        (
            lambda index: other_vectors(index, lambda v: v[1:]),
            "index_mismatch",
            "index is not what its profile says: number of vectors: got 7, wanted 8",
        ),
        (
            lambda index: other_vectors(index, with_nan),
            "non_finite_vector",
            "stored vector is not finite: got vector 3",
        ),
        (
            lambda index: other_vectors(index, lambda v: v * 2),
            "not_normalized",
            "vectors are not normalized, as the cosine metric needs: got length 2 of vector 0, wanted length 1",
        ),
        (
            lambda index: faiss.IndexLSH(64, 8),
            "unknown_index_implementation",
            "index file holds another kind of index: got IndexLSH",
        ),
    ],
    ids=["implementation", "dimension", "count", "nan", "length", "kind"],
)
def test_an_index_that_is_not_what_its_profile_says_is_refused(
    change: Callable[[Any], Any], code: str, message: str, make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    target = make_target("base", RECORDS, make_profile())
    folder = Path(str(target.options["path"]))
    replace_index(folder, change)
    with pytest.raises(InputError) as caught:
        ADAPTER.open({"base": target}, None)
    assert caught.value.code == code
    assert str(caught.value) == f"{folder / INDEX / INDEX_FILE}: {message}"


def test_an_index_built_with_other_weights_is_refused(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    target = make_target("base", RECORDS, make_profile())
    folder = Path(str(target.options["path"]))
    profile = RetrieverProfile.from_bytes((folder / PROFILE).read_bytes()).model_dump(mode="json", exclude_none=True)
    profile["embedding_model_revision"] = "sha256:" + "0" * 64
    (folder / PROFILE).write_bytes(model_bytes(RetrieverProfile.from_json(profile)))
    rebind(folder)
    with pytest.raises(InputError, match="index was built with another embedding: embedding_model_revision") as caught:
        ADAPTER.open({"base": target}, None)
    assert caught.value.code == "embedding_space_mismatch"


def test_a_broken_index_file_is_refused(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    target = make_target("base", RECORDS, make_profile())
    folder = Path(str(target.options["path"]))
    (folder / INDEX / INDEX_FILE).write_bytes(b"not an index")
    rebind(folder)
    with pytest.raises(InputError, match="not a FAISS index") as caught:
        ADAPTER.open({"base": target}, None)
    assert caught.value.code == "unreadable_index"


def test_a_changed_state_reference_is_seen(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    one, two = make_target("one", RECORDS, make_profile()), make_target("two", RECORDS[1:], make_profile())
    retriever = ADAPTER.open({"base": one}, None)
    before = retriever.state_reference("base")
    folder = Path(str(one.options["path"]))
    shutil.rmtree(folder)
    shutil.copytree(str(two.options["path"]), folder)
    assert retriever.state_reference("base") != before


class _Fake:
    """An embedder that returns what it is told to."""

    dimension = 64
    identity: ClassVar[dict[str, str]] = {}

    def __init__(self, value: float, dtype: Any = np.float32) -> None:
        self.value, self.dtype = value, dtype

    def load(self, options: object) -> _Fake:
        return self

    def embed(self, texts: list[str]) -> Any:
        return np.full((len(texts), 64), self.value, dtype=self.dtype)


@pytest.mark.parametrize(
    ("fake", "code"),
    [
        (_Fake(np.nan), "non_finite_vector"),
        (_Fake(np.inf), "non_finite_vector"),
        (_Fake(1.0, np.float64), "embedding_shape"),
    ],
)
def test_an_embedder_that_breaks_its_promise_is_an_adapter_error(
    fake: _Fake, code: str, make_profile: MakeProfile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = Registered("fake", "fakes 1.0", "fakes:EMBEDDER")
    monkeypatch.setattr(embedding, "load_plugin", lambda *_: (fake, source))
    records = tmp_path / "records.jsonl"
    records.write_text('{"key":"a","text":"t"}\n')
    with pytest.raises(AdapterError) as caught:
        build_checkpoint(
            records,
            profile=make_profile(truncation_rule="text:unknown;answer:top_k"),
            adapter_name="faiss",
            adapter=ADAPTER,
            out=tmp_path / "out",
        )
    assert caught.value.code == code
    assert not (tmp_path / "out").exists()


def test_a_score_that_overflows_is_an_adapter_error(
    make_profile: MakeProfile, make_target: MakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding, "load_plugin", lambda *_: (_Fake(1e30), Registered("fake", "fakes 1.0", "f:E")))
    profile = make_profile(distance_metric="inner_product", truncation_rule="text:unknown;answer:top_k")
    profile = RetrieverProfile.from_json(
        {**profile.model_dump(mode="json"), "index_build_config": {"embedder": "fake"}}
    )
    retriever = ADAPTER.open({"base": make_target("base", RECORDS, profile)}, None)
    with pytest.raises(AdapterError) as caught:
        retriever.retrieve("base", ask("x"))
    assert caught.value.code == "non_finite_score"
