"""Exact bounds on a rate, against closed forms, an independent sum and a table."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from witnessmark.bounds import upper_bound


@pytest.mark.parametrize(
    ("events", "trials", "bound"),
    [
        # 1 - 0.05 ** (1 / n) where nothing happened.
        (0, 1, 0.95),
        (0, 20, 0.13911),
        (0, 59, 0.04951),
        (0, 100, 0.02951),
        # Clopper-Pearson tables, one-sided 95 %.
        (1, 20, 0.21611),
        (2, 20, 0.28262),
        (10, 20, 0.69805),
        (1, 10, 0.39416),
        (5, 10, 0.77756),
    ],
)
def test_known_values(events: int, trials: int, bound: float) -> None:
    assert upper_bound(events, trials) == pytest.approx(bound, abs=5e-6)


def test_nothing_in_twenty_leaves_room_for_13_9_percent_and_59_trials_are_the_first_below_5() -> None:
    assert f"{upper_bound(0, 20):.1%}" == "13.9%"
    assert upper_bound(0, 58) > 0.05 > upper_bound(0, 59)


@given(st.integers(1, 60).flatmap(lambda trials: st.tuples(st.integers(0, trials - 1), st.just(trials))))
def test_the_bound_is_where_so_few_events_become_five_percent_likely(case: tuple[int, int]) -> None:
    events, trials = case
    rate = Fraction(upper_bound(events, trials))
    likely = sum(comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(events + 1))
    assert float(likely) == pytest.approx(0.05, abs=1e-9)


@given(st.integers(1, 200), st.data())
def test_more_events_raise_it_and_more_trials_lower_it(trials: int, data: st.DataObject) -> None:
    events = data.draw(st.integers(0, trials - 1))
    assert events / trials < upper_bound(events, trials) <= upper_bound(events + 1, trials)
    assert upper_bound(events, trials + 1) < upper_bound(events, trials)


def test_higher_confidence_gives_a_wider_bound() -> None:
    assert upper_bound(0, 20, confidence=0.99) > upper_bound(0, 20) > upper_bound(0, 20, confidence=0.5)


def test_no_trials_and_nothing_but_events_bound_nothing() -> None:
    assert upper_bound(0, 0) == 1.0
    assert upper_bound(20, 20) == 1.0


@pytest.mark.parametrize(("events", "trials"), [(-1, 20), (21, 20)])
def test_events_beyond_the_trials_are_refused(events: int, trials: int) -> None:
    with pytest.raises(ValueError, match=f"^events: got {events}, wanted 0 to 20$"):
        upper_bound(events, trials)
