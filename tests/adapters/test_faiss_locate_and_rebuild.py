"""Where a missing item is, and what an index rebuilt in another insertion order answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retrievers import NOW, anchor, isolation, suite
from witnessmark.builtin import read_named
from witnessmark.checkpoint.build import build_checkpoint
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.checkpoint.rebuild import rebuild_checkpoint
from witnessmark.checkpoint.targets import resolve_target
from witnessmark.models import Axis, Place, RetrievalRequest, RetrieverProfile
from witnessmark.opening import open_states
from witnessmark.ports import CheckpointAdapter, ItemLocation, ItemLocator, ScoredRetriever
from witnessmark.registry import find_adapter
from witnessmark.run.rebuilt import RebuiltSource
from witnessmark.run.source import TargetSource
from witnessmark.runner import assess

if TYPE_CHECKING:
    from pathlib import Path

    from witnessmark.runner import Run

TOPICS = ("backup", "router", "invoice", "payroll", "server", "garden", "camera", "travel", "music", "coffee")


def memory(count: int) -> list[dict[str, object]]:
    return [
        {
            "key": f"m{number:04}",
            "text": f"{TOPICS[number % 10]} note {number % 37} about {TOPICS[number % 7]} and {TOPICS[number % 3]}",
            "scope_labels": [f"tenant:{'ab'[number % 2]}"],
        }
        for number in range(count)
    ]


def build(folder: Path, count: int, **changes: object) -> Path:
    value = json.loads(read_named("builtin:wordllama-flat-ip", "profile")[1])
    config = {**value["index_build_config"], **changes.pop("index_build_config", {})}  # type: ignore[dict-item]
    profile = RetrieverProfile.model_validate({**value, **changes, "index_build_config": config})
    records = folder / "records.jsonl"
    records.write_text("".join(f"{json.dumps(row)}\n" for row in memory(count)), encoding="utf-8")
    adapter, _ = find_adapter("faiss")
    assert isinstance(adapter, CheckpointAdapter)
    build_checkpoint(records, profile=profile, adapter_name="faiss", adapter=adapter, out=folder / "state")
    return folder / "state"


class TestLocate:
    @pytest.fixture(scope="class")
    @classmethod
    def state(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return build(tmp_path_factory.mktemp("locate"), 300, top_k=3)

    def locate(self, state: Path, key: str, **context: str) -> tuple[ItemLocation, dict[str, int]]:
        request = RetrievalRequest(query="router note 4", context=context)
        profile = Checkpoint.open(state).profile
        wide = RetrieverProfile.model_validate({**profile.model_dump(mode="json", exclude_none=True), "top_k": 300})
        with open_states({"s": resolve_target(state)}, wide) as retriever:
            ranks = {item.item_key: item.rank for item in retriever.retrieve("s", request)}
        with open_states({"s": resolve_target(state)}, profile) as retriever:
            assert isinstance(retriever, ItemLocator)
            return retriever.locate("s", request, key), ranks

    def test_absent(self, state: Path) -> None:
        assert self.locate(state, "nothing", tenant="a")[0] == (Place.absent, None)

    def test_filtered_out(self, state: Path) -> None:
        assert self.locate(state, "m0001", tenant="a")[0] == (Place.filtered_out, None)

    @pytest.mark.parametrize("key", ["m0000", "m0100", "m0298"])
    def test_the_rank_below_the_cut_is_the_one_that_a_longer_answer_has(self, state: Path, key: str) -> None:
        found, ranks = self.locate(state, key, tenant="a")

        assert found == (Place.below_cut, ranks[key])
        assert len(ranks) == 150


def ran(state: Path, axes: dict[Axis, int | None]) -> Run:
    target = resolve_target(state)
    source = TargetSource({"baseline": target, "candidate": target}, Checkpoint.open(state).profile)
    probes = [
        anchor(
            f"a{number}", query=f"{topic} note", context={"tenant": "a"}, anchor={"key": "m0000", "required_in": "both"}
        )
        for number, topic in enumerate(TOPICS)
    ]
    with source() as retriever:
        return assess(
            retriever,
            suite(*probes, isolation(context={"tenant": "a"})),
            assessed_at=NOW,
            axes=axes,
            source=source,
            rebuild=RebuiltSource(source),
        )


class TestRebuild:
    AXES = {Axis.sweep: None, Axis.rebuild: 2}  # noqa: RUF012

    def test_a_flat_index_answers_the_same_in_any_insertion_order(self, tmp_path: Path) -> None:
        run = ran(build(tmp_path, 300), self.AXES)

        assert run.transcript.header.rebuilds == 2
        assert len(run.transcript.rebuilt) == len(run.transcript.observations)
        assert not any(diagnosis.splits for diagnosis in run.diagnoses)

    def test_a_graph_of_low_recall_does_not_and_the_diagnosis_says_so(self, tmp_path: Path) -> None:
        state = build(
            tmp_path,
            600,
            index_implementation="IndexHNSWFlat",
            index_build_config={"M": 4, "ef_construction": 8, "ef_search": 8},
            filtering_rules=[],
        )
        run = ran(state, self.AXES)

        splits = [split for diagnosis in run.diagnoses for split in diagnosis.splits]
        assert splits
        for split in splits:
            by_axis = {item.axis: item.counts for item in split.axes}
            assert sum(by_axis[Axis.sweep]) == 20
            assert by_axis[Axis.sweep][0] == 20
            assert sum(by_axis[Axis.rebuild]) == 2
            assert split.first_difference >= 1
        # The axis is diagnostic: nothing is called unstable because of it.
        assert all(item.repeatability.distinct_orderings_observed == 1 for item in run.assessment.invocation_evidence)

    def test_the_log_stays_and_the_index_changes(self, tmp_path: Path) -> None:
        state = build(tmp_path, 50)
        adapter, _ = find_adapter("faiss")
        assert isinstance(adapter, CheckpointAdapter)

        rebuild_checkpoint(state, adapter, tmp_path / "again", order=1)

        before, after = Checkpoint.open(state), Checkpoint.open(tmp_path / "again")
        assert before.manifest.checkpoint_digest == after.manifest.checkpoint_digest
        assert before.manifest.retrieval_state_digest != after.manifest.retrieval_state_digest

    def test_scores_come_with_every_answer(self, tmp_path: Path) -> None:
        state = build(tmp_path, 50)
        with open_states({"s": resolve_target(state)}, Checkpoint.open(state).profile) as retriever:
            assert isinstance(retriever, ScoredRetriever)
            first = retriever.retrieve_scored("s", RetrievalRequest(query="coffee"))
            again = retriever.retrieve_scored("s", RetrievalRequest(query="coffee"))
        assert first == again
        assert first.items is again.items
