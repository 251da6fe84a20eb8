"""What moved is counted from the transcript; overlap measures agree with their definitions."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark import RetrievedItem, RetrieverProfile, StateReference, assess
from witnessmark.canonical import canonical_digest
from witnessmark.models import ProbeSuite, RetrievalRequest
from witnessmark.models.moved import MovedReport
from witnessmark.moved import overlap, rank_biased_overlap, what_moved

KEYS = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=10)
DIGEST = f"sha256:{'0' * 64}"


def reference_rbo(first: list[str], second: list[str], p: float = 0.9) -> float:
    """Equation 32 of the paper, term by term, with sets instead of running counts."""
    short, long = sorted((first, second), key=len)
    if not short:
        return 0.0 if long else 1.0
    s, size = len(short), len(long)

    def shared(depth: int) -> int:
        return len(set(short[:depth]) & set(long[:depth]))

    total = sum(shared(d) / d * p**d for d in range(1, size + 1))
    total += sum(shared(s) * (d - s) / (s * d) * p**d for d in range(s + 1, size + 1))
    return (1 - p) / p * total + ((shared(size) - shared(s)) / size + shared(s) / s) * p**size


@given(first=KEYS, second=KEYS)
def test_rank_biased_overlap_is_its_definition_and_symmetric(first: list[str], second: list[str]) -> None:
    found = rank_biased_overlap(first, second)
    assert math.isclose(found, reference_rbo(first, second), abs_tol=1e-12)
    assert 0.0 <= found <= 1.0
    if len(first) == len(second):
        assert found == rank_biased_overlap(second, first)


def test_known_values() -> None:
    assert rank_biased_overlap("abc", "abc") == pytest.approx(1.0)
    assert rank_biased_overlap("abc", "xyz") == 0.0
    # 0.1/0.9 * (0 * 0.9 + 2/2 * 0.81) + 2/2 * 0.81
    assert rank_biased_overlap("ab", "ba") == pytest.approx(0.9)
    assert (overlap("abc", "cbx", 3), overlap("ab", "abcd", 10), overlap("", "", 5)) == (2 / 3, 0.5, 1.0)


class Shelf:
    """Answers from fixed lists; the baseline's answer to ``odd`` changes once in twenty calls."""

    profile = RetrieverProfile(
        implementation_id="shelf",
        implementation_version="1",
        adapter_version="1",
        adapter_capability="deterministic",
        distance_metric="none",
        index_implementation="none",
        top_k=4,
        truncation_rule="none",
        tie_policy="rank",
    )

    def __init__(self) -> None:
        self.calls = 0
        self.answers = {
            ("baseline", "same"): "abcd",
            ("candidate", "same"): "abcd",
            ("baseline", "swap"): "abcd",
            ("candidate", "swap"): "bacd",
            ("baseline", "odd"): "abcd",
            ("candidate", "odd"): "wxyz",
        }

    def state_reference(self, state_name: str) -> StateReference:
        return StateReference(checkpoint_digest=DIGEST)

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        return True

    def retrieve(self, state_name: str, request: RetrievalRequest) -> list[RetrievedItem]:
        keys = self.answers[state_name, request.query]
        if (state_name, request.query) == ("baseline", "odd"):
            self.calls += 1
            keys = "dcba" if self.calls == 7 else keys
        return [RetrievedItem(item_key=key, item_version_digest=DIGEST, rank=rank) for rank, key in enumerate(keys, 1)]

    def runtime_observation(self) -> None:
        return None


@pytest.fixture(scope="module")
def report() -> MovedReport:
    suite = ProbeSuite.model_validate(
        {
            "probes": [
                {
                    "kind": "anchor_preservation",
                    "probe_id": query,
                    "query": query,
                    "anchor": {"key": "a", "required_in": "both"},
                    "max_rank": 4,
                }
                for query in ("same", "swap", "odd")
            ]
        }
    )
    run = assess(Shelf(), suite, assessed_at=datetime(2026, 1, 1, tzinfo=UTC))
    return what_moved(run.transcript, suite, top_k=4, assessment_digest=canonical_digest(run.assessment))


def test_the_worst_request_is_first(report: MovedReport) -> None:
    assert [item.request.query for item in report.requests] == ["odd", "swap", "same"]


def test_named_items_are_told_with_their_ranks(report: MovedReport) -> None:
    odd, swap, same = report.requests
    assert [(move.item_key, move.baseline_rank, move.candidate_rank) for move in odd.moves] == [("a", 1, None)]
    assert [(move.item_key, move.baseline_rank, move.candidate_rank) for move in swap.moves] == [("a", 1, 2)]
    assert same.moves == ()


def test_the_ordering_that_came_most_often_counts(report: MovedReport) -> None:
    assert report.requests[0].lost == ("a", "b", "c", "d")
    assert report.requests[0].gained == ("w", "x", "y", "z")


def test_the_summary_adds_up(report: MovedReport) -> None:
    summary = report.summary
    assert (summary.requests, summary.unchanged) == (3, 1)
    assert (summary.named_items_moved, summary.named_items_unreachable) == (2, 1)
    assert summary.mean_overlap == pytest.approx(2 / 3)
