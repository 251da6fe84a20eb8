"""The evaluator's edges that no JSON vector can hold: Python values, and the error messages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from witnessmark.applicability import evaluate, reserved_keys
from witnessmark.errors import InputError
from witnessmark.models import (
    ApplicabilityStatus,
    ApplicabilityVerdict,
    Dimension,
    EnvironmentBinding,
    LineageDependency,
    LineageState,
    Record,
    SourceObservation,
)

A, B = "a" * 64, "b" * 64
NOON = datetime(2026, 8, 11, 12, tzinfo=UTC)
OK: dict[str, Any] = {
    "locator": "https://example.test/x",
    "refetchable": True,
    "exists": True,
    "expected_digest": A,
    "observed_digest": A,
}


def refused(**arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        evaluate(**{"source": OK, "stored": {}, "current": {}, "now": NOON, **arguments})
    return f"[{caught.value.code}] {caught.value}"


def test_records_and_mappings_give_the_same_verdict() -> None:
    stored = {"tenant": "a", "valid_until": "2026-08-11T12:00:00.000Z"}
    lineage = {"dependency_id": "d", "state": "erased"}
    over_mappings = evaluate(source=OK, stored=stored, current={}, lineage=[lineage], now="2026-08-11T12:00:00Z")
    over_records = evaluate(
        source=SourceObservation(**OK),
        stored=EnvironmentBinding.from_json(stored),
        current=EnvironmentBinding(),
        lineage=(LineageDependency(dependency_id="d", state=LineageState.erased),),
        now=NOON,
    )
    assert over_mappings == over_records
    assert over_records.reasons == (
        "environment_expired:valid_until",
        "environment_mismatch:tenant",
        "lineage_invalidated:d:erased",
    )


def test_a_key_that_is_no_text_rejects_in_its_printed_form() -> None:
    verdict = evaluate(source=OK, stored={}, current={}, caller_metadata={7: 1, None: 2, "note": 3}, now=NOON)
    assert (verdict.status, verdict.reasons) == (
        ApplicabilityStatus.REJECT,
        ("reserved_metadata:7", "reserved_metadata:None"),
    )


@pytest.mark.parametrize(
    "key",
    [
        "warrant",
        "environment_verified",
        "provenance_verified",
        "source_verified",
        "applicability_verdict",
        "_cml_",
        "_cml_environment_verified",
    ],
)
def test_every_reserved_key_rejects_even_without_a_source(key: str) -> None:
    nothing = {"locator": None, "refetchable": False, "exists": None}
    verdict = evaluate(source=nothing, stored={}, current={}, caller_metadata={key: False}, now=NOON)
    assert (verdict.status, verdict.reasons) == (ApplicabilityStatus.REJECT, (f"reserved_metadata:{key}",))


@pytest.mark.parametrize("metadata", [None, {}, {"note": {"warrant": True}}, {"Warrant": 1}, {"_CML_x": 1}])
def test_harmless_metadata_says_nothing(metadata: dict[str, object] | None) -> None:
    assert reserved_keys(metadata) == ()
    assert evaluate(source=OK, stored={}, current={}, caller_metadata=metadata, now=NOON).may_influence_action


def test_the_zone_of_now_is_looked_at() -> None:
    stored = {"valid_until": "2026-08-11T12:00:00Z"}
    east = timezone(timedelta(hours=2))
    late = evaluate(source=OK, stored=stored, current={}, now=datetime(2026, 8, 11, 14, tzinfo=east))
    early = evaluate(source=OK, stored=stored, current={}, now=datetime(2026, 8, 11, 13, 59, tzinfo=east))
    assert (late.status, early.status) == (ApplicabilityStatus.REVALIDATE, ApplicabilityStatus.MATCH)


def test_a_naive_now_is_an_error_only_where_the_binding_expires() -> None:
    naive = datetime(2026, 8, 11, 12)
    assert evaluate(source=OK, stored={}, current={}, now=naive).status is ApplicabilityStatus.MATCH
    assert refused(stored={"valid_until": "2026-08-11T13:00:00Z"}, now=naive) == (
        "[naive_timestamp] now: now names no time zone: got 2026-08-11T12:00:00, wanted for example +00:00"
    )


def test_malformed_input_is_an_error_before_any_outcome() -> None:
    assert refused(caller_metadata={"warrant": 1}, current={"commit_sha": "x"}).startswith(
        "[invalid_value] current /commit_sha: string should match pattern"
    )


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("source", "https://example.test", "a SourceObservation or a mapping"),
        ("stored", None, "a EnvironmentBinding or a mapping"),
        ("current", SourceObservation(**OK), "a EnvironmentBinding or a mapping"),
        ("lineage", {"dependency_id": "d"}, "a list or tuple"),
        ("lineage", frozenset(), "a list or tuple"),
        ("caller_metadata", "warrant", "a mapping or nothing"),
        ("caller_metadata", (), "a mapping or nothing"),
        ("now", None, "a datetime or an instant such as 2026-08-11T12:00:00Z"),
        ("now", 0, "a datetime or an instant such as 2026-08-11T12:00:00Z"),
    ],
)
def test_wrong_type(name: str, value: object, wanted: str) -> None:
    assert refused(**{name: value}) == f"[wrong_type] {name}: wrong type: got {type(value).__name__}, wanted {wanted}"


def test_wrong_type_of_a_dependency_names_its_place() -> None:
    assert refused(lineage=[{"dependency_id": "d", "state": "active"}, "e"]) == (
        "[wrong_type] lineage[1]: wrong type: got str, wanted a LineageDependency or a mapping"
    )


def test_invalid_instant_of_now() -> None:
    assert refused(now="2026-08-11T12:00:00+00:00") == (
        "[invalid_instant] now: now is not an RFC 3339 time in UTC, with Z and no fraction or exactly three digits of "
        "one: got '2026-08-11T12:00:00+00:00'"
    )


def test_the_dimensions_are_those_of_the_binding() -> None:
    assert [*EnvironmentBinding.model_fields] == [*Dimension, "observed_at", "valid_until"]


@pytest.mark.parametrize(
    "contradiction",
    [
        {"status": "MATCH", "reasons": [], "may_influence_action": False},
        {"status": "MATCH", "reasons": ["x"], "may_influence_action": True},
        {"status": "DRIFT", "reasons": ["x"], "may_influence_action": True},
        {"status": "DRIFT", "reasons": [], "may_influence_action": False},
        {"status": "MATCH", "reasons": [], "may_influence_action": True, "authorizes_action": True},
    ],
)
def test_a_verdict_that_contradicts_itself_is_refused(contradiction: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        ApplicabilityVerdict.from_json(contradiction)


@pytest.mark.parametrize("record", [SourceObservation, EnvironmentBinding, LineageDependency, ApplicabilityVerdict])
def test_records_are_closed_and_frozen(record: type[Record]) -> None:
    assert record.model_config["frozen"]
    assert record.model_config["extra"] == "forbid"
