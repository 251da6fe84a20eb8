"""Comparing a run with an earlier one: orderings, places, environments, and a report that fits itself."""

from __future__ import annotations

import pytest

from witnessmark.errors import InputError
from witnessmark.models import Axis, TrialGroup
from witnessmark.models.rerun import Change, Reproduction, RerunReport
from witnessmark.rerun import compare_answers, compare_environments
from witnessmark.run.observed import Observed, SeenItem, SeenOrdering
from witnessmark.run.questions import Asked
from witnessmark.run.truncations import Truncations


@pytest.mark.parametrize(
    ("recorded", "observed", "changes"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("/a", 1, 2)]),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, [("/a/b/1", 2, 3)]),
        ({"a": [1]}, {"a": [1, 2]}, [("/a", [1], [1, 2])]),
        ({"a": 1, "b": 1}, {"b": 1, "c": 1}, [("/a", 1, None), ("/c", None, 1)]),
        ({"a/b": {"c~d": 1}}, {"a/b": {"c~d": 2}}, [("/a~1b/c~0d", 1, 2)]),
    ],
)
def test_environments_are_compared_place_by_place(
    recorded: object, observed: object, changes: list[tuple[str, object, object]]
) -> None:
    found = list(compare_environments(recorded, observed))  # type: ignore[arg-type]
    assert found == [Change(where=where, recorded=then, observed=now) for where, then, now in changes]  # type: ignore[arg-type]


ASKED = Asked("candidate", "sha256:" + "1" * 64)
GROUPS = (
    TrialGroup(axis=Axis.sweep, first=0, count=3),
    TrialGroup(axis=Axis.process, first=3, count=2),
)


def ordering(keys: str, *runs: tuple[int, int]) -> SeenOrdering:
    """Return an ordering of one-letter items that came in runs of trials."""
    items = tuple(SeenItem(rank, key, "sha256:" + "0" * 64, ()) for rank, key in enumerate(keys, start=1))
    return SeenOrdering(items, None, None, list(runs))


def seen(*orderings: SeenOrdering, rebuilt: SeenOrdering | None = None) -> Observed:
    """Return what was observed of the one question."""
    again = {} if rebuilt is None else {ASKED: [rebuilt]}
    return Observed({ASKED: list(orderings)}, {}, GROUPS, again, {}, Truncations({}, {}))


STEADY = ordering("abc", (0, 4))


@pytest.mark.parametrize(
    ("recorded", "observed", "found"),
    [
        (seen(STEADY), seen(STEADY), [("sweep", None), ("process", None)]),
        (seen(STEADY), seen(ordering("acb", (0, 4))), [("sweep", 2), ("process", 2)]),
        (seen(STEADY), seen(ordering("ab", (0, 4))), [("sweep", 3), ("process", 3)]),
        # Another ordering in a fresh process only.
        (seen(STEADY), seen(ordering("abc", (0, 2)), ordering("bac", (3, 4))), [("sweep", None), ("process", 1)]),
        # The same two orderings, in other trials of the axis.
        (
            seen(ordering("abc", (0, 0), (3, 4)), ordering("acb", (1, 2))),
            seen(ordering("abc", (0, 1), (3, 4)), ordering("acb", (2, 2))),
            [("sweep", None), ("process", None)],
        ),
        (
            seen(STEADY, rebuilt=ordering("abc", (0, 1))),
            seen(STEADY, rebuilt=ordering("cba", (0, 1))),
            [("sweep", None), ("process", None), ("rebuild", 1)],
        ),
        (seen(STEADY), seen(), [("sweep", 1), ("process", 1)]),
    ],
)
def test_answers_are_compared_axis_by_axis(
    recorded: Observed, observed: Observed, found: list[tuple[str, int | None]]
) -> None:
    for pair in ((recorded, observed), (observed, recorded)):
        answers = list(compare_answers(*pair))
        assert [(item.axis.value, item.first_difference) for item in answers] == found
        assert all((item.status is Reproduction.reproduced) == (item.first_difference is None) for item in answers)


REPORT = {
    "reproduced": True,
    "assessment_digest": "sha256:" + "0" * 64,
    "answers": [
        {
            "state_name": "candidate",
            "request_digest": "sha256:" + "1" * 64,
            "axis": "sweep",
            "status": "reproduced",
            "recorded": 1,
            "observed": 1,
        }
    ],
}


def test_a_report_that_contradicts_itself_is_refused() -> None:
    RerunReport.from_json(REPORT)
    answer = {**REPORT["answers"][0], "status": "diverged", "first_difference": 2}  # type: ignore[index,dict-item]
    with pytest.raises(InputError, match="reproduced is not what answers, states and results give"):
        RerunReport.from_json({**REPORT, "answers": [answer]})
    with pytest.raises(InputError, match="a first difference should come with diverged answers"):
        RerunReport.from_json({**REPORT, "answers": [{**answer, "first_difference": None}]})
    RerunReport.from_json({**REPORT, "answers": [answer], "reproduced": False})
