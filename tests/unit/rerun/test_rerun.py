"""Comparing a run with an earlier one: orderings, places, environments, and a report that fits itself."""

from __future__ import annotations

import pytest

from witnessmark.errors import InputError
from witnessmark.models.rerun import Change, RerunReport
from witnessmark.rerun import compare_environments


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
