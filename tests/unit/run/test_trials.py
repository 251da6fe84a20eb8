"""What a run says of its trials, and how it ends when the adapter does not answer."""

from __future__ import annotations

from datetime import UTC, datetime
from time import monotonic

import pytest

from trial_retrievers import NOTES, Located, Notes, OnceInTwenty, Passing, Sleeper, anchors, ranked
from witnessmark import assess
from witnessmark.errors import AdapterError, InputError
from witnessmark.models import Axis, Place
from witnessmark.ports import ItemLocation
from witnessmark.run.patience import Patience
from witnessmark.run.plan import make_plan
from witnessmark.runner import Workforce

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class TestSplits:
    def test_orderings_are_counted_by_axis_with_their_first_difference(self) -> None:
        (diagnosis,) = assess(OnceInTwenty(ranked(("a", "c", "b"))), anchors(1), assessed_at=NOW).diagnoses
        (split,) = diagnosis.splits

        assert split.state_name == "candidate"
        assert [(item.axis, item.counts) for item in split.axes] == [(Axis.sweep, (19, 1))]
        assert split.first_difference == 2
        assert split.score_multisets is None
        assert (diagnosis.trials_held, diagnosis.trials_run) == (20, 20)
        assert (
            "2 orderings in state 'candidate', first difference at rank 2: trials per ordering by axis: sweep 19+1"
            in diagnosis.notes
        )

    def test_what_never_differs_has_no_split(self) -> None:
        assert [item.splits for item in assess(Notes(), anchors(2), assessed_at=NOW).diagnoses] == [(), ()]


class TestMissingItems:
    @pytest.mark.parametrize(
        ("location", "said"),
        [
            (ItemLocation(Place.absent), "is not in the state"),
            (ItemLocation(Place.filtered_out), "is filtered out by scope"),
            (ItemLocation(Place.below_cut, 7), "ranks below top_k (rank 7)"),
            (ItemLocation(Place.unreachable), "is in the state, but the index never returns it"),
        ],
    )
    def test_the_place_is_named(self, location: ItemLocation, said: str) -> None:
        run = assess(Located(NOTES, location), anchors(1), assessed_at=NOW)

        assert run.assessment.result.value == "fail"
        assert f"item 'a' {said}: missing in 20 of 20 trials, state 'candidate'" in run.diagnoses[0].notes
        (line,) = run.transcript.locations
        assert (line.state_name, line.item_key, line.place, line.rank) == ("candidate", "a", *location)


class TestPatience:
    def test_a_call_that_does_not_return_is_interrupted(self) -> None:
        started = monotonic()

        with pytest.raises(AdapterError) as stopped:
            assess(Sleeper(), anchors(), assessed_at=NOW, workforce=Workforce(patience=Patience(timeout=0.4)))

        assert monotonic() - started < 5
        assert stopped.value.code == "adapter_timeout"
        message = str(stopped.value)
        assert "the adapter did not answer in time: wanted an answer within 0.4 s" in message
        assert "probe 'p" in message and "state '" in message and "query 'q" in message

    def test_an_error_that_passes_changes_nothing(self) -> None:
        patience = Workforce(patience=Patience(retries=2, pause=0))
        expected = assess(Notes(), anchors(), assessed_at=NOW)

        found = assess(Passing(2), anchors(), assessed_at=NOW, workforce=patience)

        assert found.transcript_bytes == expected.transcript_bytes
        assert found.assessment == expected.assessment

    def test_an_error_that_stays_stops_the_run(self) -> None:
        with pytest.raises(AdapterError) as stopped:
            assess(Passing(3), anchors(), assessed_at=NOW, workforce=Workforce(patience=Patience(retries=2, pause=0)))

        assert stopped.value.code == "adapter_unavailable"
        assert "the store is busy" in str(stopped.value)
        assert "probe 'p" in str(stopped.value)

    def test_any_other_error_is_not_tried_again(self) -> None:
        class Broken(Notes):
            def answer(self, state_name: str, request: object) -> tuple[()]:
                raise ValueError(f"question {self.asked}")

        with pytest.raises(AdapterError) as stopped:
            assess(Broken(), anchors(), assessed_at=NOW)

        assert stopped.value.code == "adapter_failed"
        assert str(stopped.value).endswith("the adapter failed: ValueError: question 1")


class TestPlans:
    def test_processes_and_rebuilds_get_two_trials_each(self) -> None:
        plan = make_plan(20, 0, {Axis.sweep: None, Axis.process: None, Axis.rebuild: None})

        assert [(group.axis, group.first, group.count) for group in plan.groups] == [
            (Axis.sweep, 0, 18),
            (Axis.process, 18, 2),
        ]
        assert plan.rebuilds == 2

    def test_a_process_needs_something_to_open(self) -> None:
        with pytest.raises(InputError) as refused:
            assess(Notes(), anchors(), axes={Axis.sweep: 18, Axis.process: 2}, assessed_at=NOW)

        assert refused.value.code == "cannot_reopen"

    def test_a_rebuild_needs_something_to_build(self) -> None:
        with pytest.raises(InputError) as refused:
            assess(Notes(), anchors(), axes={Axis.sweep: None, Axis.rebuild: 1}, assessed_at=NOW)

        assert refused.value.code == "cannot_rebuild"

    def test_a_batch_needs_an_adapter_that_has_one(self) -> None:
        with pytest.raises(AdapterError) as refused:
            assess(Notes(), anchors(), axes={Axis.batch: None}, assessed_at=NOW)

        assert refused.value.code == "axis_unsupported"
