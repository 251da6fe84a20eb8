"""The table adapter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from witnessmark.errors import AdapterError, InputError, ProfileMismatch
from witnessmark.models import RetrievalRequest, RetrieverProfile, Target
from witnessmark.ports import ScoredRetriever
from witnessmark_adapters.table import ADAPTER, TableFile, TableRetriever, TableState

PROFILE = {
    "implementation_id": "table",
    "implementation_version": "1",
    "adapter_version": "0.1",
    "adapter_capability": "deterministic",
    "distance_metric": "fixture-order",
    "index_implementation": "table",
    "top_k": 4,
    "truncation_rule": "top-k",
    "tie_policy": "rank",
}
DIGEST = "sha256:" + "a" * 64


def item(key: str, rank: int, **more: object) -> dict[str, object]:
    return {"key": key, "version": DIGEST, "rank": rank, **more}


def state(**more: object) -> dict[str, Any]:
    return {
        "checkpoint_digest": DIGEST,
        "item_keys": ["a", "b"],
        "responses": [
            {"query": "q", "items": [item("b", 1, scope_labels=["t:x"]), item("a", 2)]},
            {"query": "q", "context": {"t": "x"}, "items": [item("a", 1)]},
        ],
        **more,
    }


def write(path: Path, states: dict[str, Any], **profile: object) -> Target:
    table = {"format": "witnessmark.table/0.1", "profile": {**PROFILE, **profile}, "states": states}
    path.write_text(json.dumps(table))
    return Target(adapter="table", options={"path": str(path)})


def test_answers_are_those_of_the_file_in_the_exact_context(tmp_path: Path) -> None:
    target = write(tmp_path / "t.json", {"baseline": state(indexed_item_count=2), "candidate": state(default=[])})
    retriever = ADAPTER.open({"baseline": target, "candidate": target}, None)
    assert retriever.profile == RetrieverProfile.from_json(PROFILE)
    assert retriever.state_reference("baseline").indexed_item_count == 2
    found = retriever.retrieve("baseline", RetrievalRequest(query="q"))
    assert [(one.item_key, one.rank, one.scope_labels) for one in found] == [("b", 1, ("t:x",)), ("a", 2, ())]
    scoped = retriever.retrieve("baseline", RetrievalRequest(query="q", context={"t": "x"}))
    assert [one.item_key for one in scoped] == ["a"]
    assert retriever.retrieve("candidate", RetrievalRequest(query="other")) == ()
    assert retriever.contains_item_key("baseline", "a")
    assert not retriever.contains_item_key("baseline", "c")
    assert retriever.runtime_observation() is None
    assert not isinstance(retriever, ScoredRetriever)


def test_an_unlisted_request_is_an_error_without_a_default(tmp_path: Path) -> None:
    retriever = ADAPTER.open({"baseline": write(tmp_path / "t.json", {"baseline": state()})}, None)
    with pytest.raises(AdapterError) as caught:
        retriever.retrieve("baseline", RetrievalRequest(query="Q", context={"t": "y"}))
    assert caught.value.code == "unknown_request"
    assert str(caught.value) == (
        "state 'baseline': table has no answer to this request: got 'Q' in {'t': 'y'}, "
        "wanted a listed request, or a default"
    )
    with pytest.raises(AdapterError) as caught:
        retriever.retrieve("candidate", RetrievalRequest(query="q"))
    assert str(caught.value) == "no such state: got 'candidate', wanted one of: baseline"


def test_scores_are_given_where_the_file_has_them(tmp_path: Path) -> None:
    responses = [{"query": "q", "items": [item("b", 1, score=0.5), item("a", 2, score=0)]}]
    target = write(tmp_path / "t.json", {"baseline": state(responses=responses)})
    retriever = ADAPTER.open({"baseline": target}, None)
    assert isinstance(retriever, ScoredRetriever)
    answer = retriever.retrieve_scored("baseline", RetrievalRequest(query="q"))
    assert answer.scores == (0.5, 0.0)
    assert answer.cut_score is None
    responses[0]["items"][1].pop("score")  # type: ignore[index, union-attr]
    with pytest.raises(InputError) as caught:
        ADAPTER.open({"baseline": write(tmp_path / "u.json", {"baseline": state(responses=responses)})}, None)
    assert str(caught.value) == "some items of the table have scores and some have none: got 1 of 2, wanted all or none"


def test_a_state_may_have_another_name_in_the_file(tmp_path: Path) -> None:
    target = write(tmp_path / "t.json", {"before": state()})
    renamed = Target(adapter="table", options={**target.options, "state": "before"})
    assert ADAPTER.open({"baseline": renamed}, None).contains_item_key("baseline", "a")
    with pytest.raises(InputError) as caught:
        ADAPTER.open({"baseline": target}, None)
    assert caught.value.code == "unknown_state"


def test_tables_under_two_profiles_are_refused(tmp_path: Path) -> None:
    states = {
        "baseline": write(tmp_path / "one.json", {"baseline": state()}),
        "candidate": write(tmp_path / "two.json", {"candidate": state()}, top_k=5),
    }
    with pytest.raises(ProfileMismatch, match="tables of 'baseline' and 'candidate' have different profiles"):
        ADAPTER.open(states, None)


@pytest.mark.parametrize(
    ("options", "code"), [({}, "missing_option"), ({"path": 1}, "missing_option"), ({"url": "x"}, "unknown_option")]
)
def test_target_options_are_closed(options: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError) as caught:
        ADAPTER.open({"baseline": Target(adapter="table", options=options)}, None)
    assert caught.value.code == code
    with pytest.raises(InputError, match="no state to open"):
        ADAPTER.open({}, None)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"note": "x"}, "unknown_field"),
        ({"responses": [{"query": "q", "items": []}, {"query": "q", "context": {}, "items": []}]}, "duplicate_id"),
        ({"default": [item("a", 0)]}, "invalid_value"),
    ],
)
def test_the_format_is_closed(change: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError) as caught:
        TableFile.from_json({"profile": PROFILE, "states": {"s": state(**change)}})
    assert caught.value.code == code


def test_the_public_reference_table_fits(specs: Path) -> None:
    vectors = json.loads((specs / "reference-vectors-v0.1.json").read_text())
    states = {name: TableState.from_json({**vectors[name], "default": []}) for name in ("baseline", "candidate")}
    retriever = TableRetriever(RetrieverProfile.from_json(vectors["profile"]), states)
    found = retriever.retrieve("candidate", RetrievalRequest(query="state", context={"mood": "b"}))
    assert [one.item_key for one in found] == ["state-b", "state-a"]
    assert retriever.retrieve("baseline", RetrievalRequest(query="scope-key")) == ()
