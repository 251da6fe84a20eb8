"""Quality under judgements: equal to what two other implementations say, and the worst request first."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from datetime import UTC, datetime
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from witnessmark import RetrievedItem, RetrieverProfile, StateReference, assess
from witnessmark.errors import InputError
from witnessmark.models import ProbeSuite, RetrievalRequest, Transcript
from witnessmark.models.quality import Judgement
from witnessmark.quality import measure, measure_run
from witnessmark.run.questions import probe_requests

KEYS = "abcdefghijkl"
DIGEST = f"sha256:{'0' * 64}"
ANSWERS = st.dictionaries(st.sampled_from(KEYS), st.integers(0, 3), max_size=10)
"""Scores by key: few values, so that most answers have ties."""
RELEVANCE = st.dictionaries(st.sampled_from(KEYS), st.integers(0, 3), min_size=1).filter(lambda it: any(it.values()))


def ranked(scores: dict[str, int]) -> list[str]:
    return sorted(scores, key=lambda key: (-scores[key], key))


def test_known_values() -> None:
    found = measure(["x", "b", "a"], {"a": 3, "b": 1, "c": 2}, 3)
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert found.ndcg == pytest.approx((1 / math.log2(3) + 3 / 2) / ideal)
    assert (found.recall, found.reciprocal_rank) == (2 / 3, 1 / 2)
    perfect = measure(["a", "c", "b"], {"a": 3, "b": 1, "c": 2, "d": -1}, 3)
    assert (perfect.ndcg, perfect.recall, perfect.reciprocal_rank) == (1.0, 1.0, 1.0)
    nothing = measure(["x", "a"], {"a": 1}, 1)
    assert (nothing.ndcg, nothing.recall, nothing.reciprocal_rank) == (0.0, 0.0, 0.0)


@pytest.mark.oracles
@settings(max_examples=60, deadline=None)
@given(answer=ANSWERS.filter(bool), relevance=RELEVANCE, k=st.integers(1, 12))
def test_ir_measures_says_the_same(answer: dict[str, int], relevance: dict[str, int], k: int) -> None:
    oracle = pytest.importorskip("ir_measures")
    # Ranks as scores: ties are in the order (-score, key) here, and in another one there.
    run = {"q": {key: float(-rank) for rank, key in enumerate(ranked(answer))}}
    wanted = oracle.calc_aggregate([oracle.nDCG @ k, oracle.R @ k, oracle.RR @ k], {"q": relevance}, run)
    found = measure(ranked(answer), relevance, k)
    assert found.ndcg == pytest.approx(wanted[oracle.nDCG @ k], abs=1e-9)
    assert found.recall == pytest.approx(wanted[oracle.R @ k], abs=1e-9)
    assert found.reciprocal_rank == pytest.approx(wanted[oracle.RR @ k], abs=1e-9)


RANX = """
import json, sys, ranx
qrels, run = json.load(sys.stdin)
run = ranx.Run(run)
ranx.evaluate(ranx.Qrels(qrels), run, ["ndcg@5", "recall@5", "mrr@5"])
scores = {metric: {name: float(value) for name, value in found.items()} for metric, found in run.scores.items()}
print(json.dumps(scores))
"""


@pytest.mark.oracles
@pytest.mark.slow
def test_ranx_says_the_same() -> None:
    if find_spec("ranx") is None:
        pytest.skip("ranx is not installed (the extra oracles)")
    rng = random.Random(7)
    cases = {}
    for number in range(100):
        answer = {key: rng.randrange(4) for key in rng.sample(KEYS, rng.randint(1, 10))}
        relevance = {key: rng.randrange(4) for key in rng.sample(KEYS, rng.randint(1, 12))} | {rng.choice(KEYS): 1}
        cases[f"q{number:03}"] = (ranked(answer), relevance)
    documents = [
        {name: relevance for name, (_, relevance) in cases.items()},
        {name: {key: float(-rank) for rank, key in enumerate(order)} for name, (order, _) in cases.items()},
    ]
    # A process of its own without the compiler: compiling takes longer than everything else here.
    done = subprocess.run(
        [sys.executable, "-c", RANX],
        input=json.dumps(documents),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    wanted = json.loads(done.stdout)
    for name, (order, relevance) in cases.items():
        found = measure(order, relevance, 5)
        assert found.ndcg == pytest.approx(wanted["ndcg@5"][name], abs=1e-9)
        assert found.recall == pytest.approx(wanted["recall@5"][name], abs=1e-9)
        assert found.reciprocal_rank == pytest.approx(wanted["mrr@5"][name], abs=1e-9)


class Shelf:
    """Answers from fixed lists."""

    profile = RetrieverProfile(
        implementation_id="shelf",
        implementation_version="1",
        adapter_version="1",
        adapter_capability="deterministic",
        distance_metric="none",
        index_implementation="none",
        top_k=3,
        truncation_rule="none",
        tie_policy="rank",
    )

    def state_reference(self, state_name: str) -> StateReference:
        return StateReference(checkpoint_digest=DIGEST)

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        return True

    def retrieve(self, state_name: str, request: RetrievalRequest) -> list[RetrievedItem]:
        keys = request.query if state_name == "baseline" else request.query[::-1]
        return [RetrievedItem(item_key=key, item_version_digest=DIGEST, rank=rank) for rank, key in enumerate(keys, 1)]

    def runtime_observation(self) -> None:
        return None


SUITE = ProbeSuite.model_validate(
    {
        "probes": [
            {
                "kind": "anchor_preservation",
                "probe_id": f"probe/{query}",
                "query": query,
                "anchor": {"key": "a", "required_in": "both"},
                "max_rank": 3,
            }
            for query in ("abc", "xyz", "pq")
        ]
    }
)


@pytest.fixture(scope="module")
def transcript() -> Transcript:
    return assess(Shelf(), SUITE, assessed_at=datetime(2026, 1, 1, tzinfo=UTC)).transcript


def judged(**values: object) -> Judgement:
    return Judgement.model_validate({"relevance": 1} | values)


def test_the_worst_is_first_and_what_is_not_judged_is_counted(transcript: Transcript) -> None:
    rows = (
        judged(id="probe/xyz", key="z"),
        judged(query="abc", key="a"),
        judged(id="elsewhere", key="a"),
        judged(id="probe/pq", key="p", relevance=0),
    )
    report = measure_run(transcript, rows, probe_requests(SUITE), k=3)
    assert [item.request.query for item in report.requests] == ["abc", "xyz"]
    worst, best = report.requests
    assert worst.change.model_dump() == {"ndcg": -0.5, "recall": 0.0, "reciprocal_rank": pytest.approx(-2 / 3)}
    assert best.change.model_dump() == {"ndcg": 0.5, "recall": 0.0, "reciprocal_rank": pytest.approx(2 / 3)}
    assert (report.k, report.judged, report.unjudged, report.not_asked) == (3, 2, 1, ("'elsewhere'",))
    assert report.baseline is not None and report.baseline == report.candidate
    assert report.baseline.ndcg == 0.75


def test_judgements_of_other_requests_only_are_refused(transcript: Transcript) -> None:
    with pytest.raises(InputError) as caught:
        measure_run(transcript, [judged(query="abc", context={"a": "b"}, key="a")], probe_requests(SUITE), k=3)
    assert str(caught.value) == (
        "no judged request was asked of both states: got 'abc' {'a': 'b'}, "
        "wanted ids of plain requests or of probes, or their queries and contexts"
    )


def test_two_names_of_one_request_may_not_contradict_each_other(transcript: Transcript) -> None:
    rows = [judged(query="abc", key="a"), judged(id="probe/abc", key="a", relevance=2)]
    with pytest.raises(InputError) as caught:
        measure_run(transcript, rows, probe_requests(SUITE), k=3)
    assert str(caught.value) == (
        "request 'probe/abc': two judgements of one request contradict each other: "
        "got relevances 1 and 2 of item 'a', wanted one relevance"
    )
