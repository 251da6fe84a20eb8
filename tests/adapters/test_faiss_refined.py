"""IndexRefineFlat: a coarse index finds, whole vectors score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest

from witnessmark.checkpoint.rebuild import rebuild_checkpoint
from witnessmark.errors import InputError
from witnessmark.models import Place, RetrievalRequest, Target
from witnessmark.ports import Call
from witnessmark_adapters.faiss_index import VectorIndex
from witnessmark_adapters.faiss_kinds import describe, new_index, read_index, write_index
from witnessmark_adapters.faiss_pipeline import ADAPTER
from witnessmark_adapters.faiss_settings import read_settings
from witnessmark_adapters.faiss_state import INDEX_FILE

MakeProfile = Any
MakeTarget = Any
TOPICS = ("backup", "router", "invoice", "payroll", "server", "garden", "camera", "travel", "music", "coffee")
NOTES = [
    (
        f"note/{number:03}",
        f"{TOPICS[number % 10]} note {number % 61} about {TOPICS[number % 7]} and {TOPICS[number % 3]}",
        [f"tenant:{'ab'[number % 2]}"],
    )
    for number in range(200)
]
BASES: dict[str, dict[str, object]] = {
    "IndexScalarQuantizer": {"quantizer": "4bit"},
    "IndexIVFPQ": {"nlist": 4, "nprobe": 3, "m": 8, "nbits": 4, "training_seed": 7},
    "IndexIVFFlat": {"nlist": 4, "nprobe": 2, "training_seed": 7},
    "IndexHNSWFlat": {"M": 6, "ef_construction": 20, "ef_search": 12},
}
QUERIES = ("router note 4", "coffee and backup", "payroll note 12 about travel", "", "garden")


def refined(make_profile: MakeProfile, base: str, config: dict[str, object] | None = None, **fields: object) -> Any:
    settings = {"base": base, "k_factor": 3, **BASES[base], **(config or {})}
    return make_profile(settings, index_implementation="IndexRefineFlat", **({"top_k": 5} | fields))


def ask(query: str, **context: str) -> RetrievalRequest:
    return RetrievalRequest(query=query, context=context)


@pytest.mark.parametrize("metric", ["cosine", "inner_product", "l2"])
@pytest.mark.parametrize("base", BASES)
def test_scores_are_those_of_a_flat_index(
    base: str, metric: str, make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    flat_kind = "IndexFlatL2" if metric == "l2" else "IndexFlatIP"
    flat = make_profile(index_implementation=flat_kind, distance_metric=metric, top_k=len(NOTES))
    exact = ADAPTER.open({"s": make_target("flat", NOTES, flat)}, None)
    profile = refined(make_profile, base, distance_metric=metric)
    coarse = ADAPTER.open({"s": make_target("refined", NOTES, profile)}, None)
    for query in QUERIES:
        whole = exact.retrieve_scored("s", ask(query))
        scores = {item.item_key: score for item, score in zip(whole.items, whole.scores, strict=True)}
        found = coarse.retrieve_scored("s", ask(query))
        assert len(found.items) == 5
        assert [scores[item.item_key] for item in found.items] == list(found.scores)
        assert sorted(found.items, key=lambda item: (-scores[item.item_key], item.item_key)) == list(found.items)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", [None, 11])
def test_builds_are_byte_identical_and_open_as_what_they_are(
    base: str, seed: int | None, make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    profile = refined(make_profile, base, {"insertion_seed": seed})
    first, second = make_target("one", NOTES, profile), make_target("two", NOTES, profile)
    one, two = (Path(str(target.options["path"])) / "index" / INDEX_FILE for target in (first, second))
    assert one.read_bytes() == two.read_bytes()
    retriever = ADAPTER.open({"one": first, "two": second}, None)
    assert retriever.profile == ADAPTER.complete_profile(profile)
    config = retriever.profile.index_build_config
    assert {name: config[name] for name in BASES[base]} == BASES[base]
    assert (config["base"], config["k_factor"], config.get("insertion_seed")) == (base, 3, seed)
    assert retriever.retrieve_scored("one", ask("garden")) == retriever.retrieve_scored("two", ask("garden"))


def test_a_larger_factor_finds_what_the_coarse_index_alone_misses(
    make_profile: MakeProfile, make_target: MakeTarget
) -> None:
    states = {"s": make_target("s", NOTES, refined(make_profile, "IndexIVFPQ", {"nprobe": 4, "k_factor": 1}))}
    flat = ADAPTER.open({"s": make_target("flat", NOTES, make_profile(top_k=5))}, None)
    overlap = {}
    for factor in (1, 10):
        asked = refined(make_profile, "IndexIVFPQ", {"nprobe": 4, "k_factor": factor})
        opened = ADAPTER.open(states, asked)
        assert opened.profile.index_build_config["k_factor"] == factor
        overlap[factor] = sum(
            len({item.item_key for item in opened.retrieve("s", ask(note[1]))} & wanted)
            for note in NOTES[::10]
            for wanted in [{item.item_key for item in flat.retrieve("s", ask(note[1]))}]
        )
    assert overlap[10] > overlap[1]


@pytest.mark.parametrize("base", BASES)
def test_scope_batch_and_locate(base: str, make_profile: MakeProfile, make_target: MakeTarget) -> None:
    profile = refined(make_profile, base, {"k_factor": 2}, filtering_rules=["scope:tenant:shared"])
    retriever = ADAPTER.open({"s": make_target("s", NOTES, profile)}, None)
    for query in QUERIES:
        found = retriever.retrieve("s", ask(query, tenant="a"))
        assert len(found) == 5
        assert {label for item in found for label in item.scope_labels} == {"tenant:a"}
        calls = [Call("s", ask(query, tenant=tenant)) for tenant in "ab"]
        assert retriever.retrieve_batch(calls) == [retriever.retrieve_scored(*call) for call in calls]
    assert retriever.locate("s", ask("garden", tenant="a"), "nothing").place is Place.absent
    assert retriever.locate("s", ask("garden", tenant="a"), "note/001").place is Place.filtered_out
    present = {item.item_key for item in retriever.retrieve("s", ask("garden", tenant="a"))}
    behind = [retriever.locate("s", ask("garden", tenant="a"), key) for key, _, _ in NOTES[::2] if key not in present]
    assert {place.place for place in behind} <= {Place.below_cut, Place.unreachable}
    ranks = [place.rank for place in behind if place.rank is not None]
    assert len(set(ranks)) == len(ranks) > 5


def test_copies_at_the_cut_come_in_key_order(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    copies = [(f"copy/{number:02}", "Restart the queue worker first.", []) for number in range(30)]
    for seed in (None, 3):
        profile = refined(make_profile, "IndexScalarQuantizer", {"insertion_seed": seed, "k_factor": 1}, top_k=4)
        retriever = ADAPTER.open({"s": make_target(f"s{seed}", [*copies, *NOTES], profile)}, None)
        answer = retriever.retrieve_scored("s", ask("Restart the queue worker first."))
        assert [item.item_key for item in answer.items] == ["copy/00", "copy/01", "copy/02", "copy/03"]
        assert answer.scores[-1] == answer.cut_score


def made(make_profile: MakeProfile, **config: object) -> Any:
    settings = read_settings(refined(make_profile, "IndexScalarQuantizer", config))
    index = new_index(settings, 8)
    vectors = np.eye(8, dtype=np.float32)
    index.train(vectors)
    index.add(vectors)
    return index


def test_a_written_index_tells_its_factor_and_its_base(make_profile: MakeProfile, tmp_path: Path) -> None:
    write_index(made(make_profile, k_factor=7), tmp_path / "x")
    found = describe(read_index(tmp_path / "x"), "x")
    assert found.parameters == {"base": "IndexScalarQuantizer", "k_factor": 7, "quantizer": "4bit"}
    assert (found.implementation, found.inner_product, found.dimension, found.total) == ("IndexRefineFlat", True, 8, 8)
    odd = made(make_profile)
    odd.k_factor = 2.5
    assert describe(odd, "x").parameters["k_factor"] == "2.5"


def test_whole_vectors_have_to_be_of_unit_length_whatever_the_base_keeps(make_profile: MakeProfile) -> None:
    index = made(make_profile)
    VectorIndex(index).check_unit_length()
    settings = read_settings(refined(make_profile, "IndexScalarQuantizer"))
    longer = new_index(settings, 8)
    longer.train(np.eye(8, dtype=np.float32))
    longer.add(np.eye(8, dtype=np.float32) * np.float32(1.01))
    with pytest.raises(InputError) as caught:
        VectorIndex(longer).check_unit_length()
    assert str(caught.value) == (
        "index: vectors are not normalized, as the cosine metric needs: got length 1.01 of vector 0, wanted length 1"
    )
    assert isinstance(index, faiss.IndexRefineFlat)


def test_too_few_items_for_the_base_is_an_error(make_profile: MakeProfile, make_target: MakeTarget) -> None:
    with pytest.raises(InputError) as caught:
        make_target("s", NOTES[:10], refined(make_profile, "IndexIVFPQ"))
    assert caught.value.code == "too_few_items"
    assert str(caught.value) == (
        "profile /index_build_config/nbits: IndexRefineFlat cannot be trained on so few items: "
        "got 10, wanted at least 16 items, which is 2 to the power of nbits"
    )


def test_a_rebuilt_one_answers_the_same_where_its_base_looks_at_everything(
    make_profile: MakeProfile, make_target: MakeTarget, tmp_path: Path
) -> None:
    target = make_target("s", NOTES, refined(make_profile, "IndexScalarQuantizer", {"k_factor": 20}))
    rebuild_checkpoint(Path(str(target.options["path"])), ADAPTER, tmp_path / "again", order=1)
    again = ADAPTER.open({"s": Target(adapter="faiss", options={"path": str(tmp_path / "again")})}, None)
    first = ADAPTER.open({"s": target}, None)
    assert first.state_reference("s").retrieval_state_digest != again.state_reference("s").retrieval_state_digest
    for query in QUERIES:
        assert first.retrieve_scored("s", ask(query)) == again.retrieve_scored("s", ask(query))
