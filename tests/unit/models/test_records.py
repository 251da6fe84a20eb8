"""What vectors cannot say of the models: Python values, messages, and how problems find their place."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import ValidationError

from witnessmark.canonical import canonical_digest, model_bytes
from witnessmark.errors import CanonicalError, InputError
from witnessmark.models import (
    AdapterCapability,
    AssessmentGatePolicy,
    Coverage,
    ItemReference,
    MemoryCheckpointAssessment,
    ProbeSuite,
    RequiredIn,
    RetrievalRequest,
    RetrievedItem,
    RetrieverProfile,
    ScopeIsolationProbe,
    SeverityClass,
)
from witnessmark.models.base import validation_problems

DIGEST = "sha256:" + "a" * 64
PROFILE: dict[str, Any] = {
    "implementation_id": "table",
    "implementation_version": "1",
    "adapter_version": "1",
    "adapter_capability": "deterministic",
    "distance_metric": "ip",
    "index_implementation": "flat",
    "top_k": 3,
    "truncation_rule": "none",
    "tie_policy": "key",
}
POLICY: dict[str, Any] = dict.fromkeys(
    ("baseline_checkpoint_digest", "candidate_checkpoint_digest", "probe_suite_digest", "retriever_profile_digest"),
    DIGEST,
)


def problems(action: Callable[[], object]) -> list[str]:
    with pytest.raises(InputError) as caught:
        action()
    return [f"[{problem.code}] {problem}" for problem in caught.value.problems]


def profile(**changes: object) -> RetrieverProfile:
    return RetrieverProfile(**{**PROFILE, **changes})


class TestLists:
    @pytest.mark.parametrize("value", [["a", "b"], ("a", "b")])
    def test_lists_and_tuples_are_stored_as_tuples(self, value: object) -> None:
        assert profile(filtering_rules=value).filtering_rules == ("a", "b")

    @pytest.mark.parametrize(
        "value", [{"a"}, frozenset("a"), deque("a"), (c for c in "a"), {"a": 1}, {"a": 1}.keys(), "a", b"a", None]
    )
    def test_whatever_has_no_order_or_is_used_up_is_wrong_type(self, value: object) -> None:
        with pytest.raises(ValidationError, match="Input should be a list"):
            profile(filtering_rules=value)


class TestScalars:
    @pytest.mark.parametrize("value", [1.0, "1", True, None, b"1"])
    def test_integers_are_not_coerced(self, value: object) -> None:
        with pytest.raises(ValidationError):
            profile(top_k=value)

    @pytest.mark.parametrize("value", [1, "true", None, 0.0])
    def test_booleans_are_not_coerced(self, value: object) -> None:
        with pytest.raises(ValidationError):
            ScopeIsolationProbe(probe_id="p", query="q", forbidden_item_keys=["k"], required=value)

    @pytest.mark.parametrize("value", [1, b"q", None, True])
    def test_text_is_not_coerced(self, value: object) -> None:
        with pytest.raises(ValidationError):
            RetrievalRequest(query=value)

    def test_a_rate_may_be_an_integer(self) -> None:
        rate = Coverage(required_probe_count=1, passed=1, failed=0, indeterminate=0, indeterminate_rate=0)

        assert b'"indeterminate_rate":0,' in model_bytes(rate)

    @pytest.mark.parametrize("value", [True, "0", float("nan"), float("inf"), -0.1, 1.1])
    def test_a_rate_is_a_number_from_0_to_1(self, value: object) -> None:
        with pytest.raises(ValidationError):
            Coverage(required_probe_count=1, passed=1, failed=0, indeterminate=0, indeterminate_rate=value)

    def test_settings_keep_their_types(self) -> None:
        config = {"text": "1", "whole": 1, "flag": True, "nothing": None}

        kept = profile(index_build_config=config).index_build_config

        assert {name: type(value) for name, value in kept.items()} == {
            "text": str,
            "whole": int,
            "flag": bool,
            "nothing": type(None),
        }

    def test_settings_made_of_enumerations_become_plain(self) -> None:
        class Name(StrEnum):
            a = "x"

        class Mixed(str, Enum):  # noqa: UP042
            a = "y"

        class Level(IntEnum):
            one = 1

        kept = profile(reranker_config={"a": Name.a, "b": Mixed.a, "c": Level.one}).reranker_config

        assert kept == {"a": "x", "b": "y", "c": 1}
        assert [type(value) for value in kept.values()] == [str, str, int]

    @pytest.mark.parametrize("value", [1.0, b"x", [], {}, (), object()])
    def test_settings_of_other_types_are_wrong_type(self, value: object) -> None:
        with pytest.raises(ValidationError, match="a string, an integer, a boolean or null"):
            profile(reranker_config={"a": value})

    def test_maps_are_read_from_any_mapping(self) -> None:
        assert RetrievalRequest(query="q", context=MappingProxyType({"a": "b"})).context == {"a": "b"}

    def test_a_null_setting_has_the_digest_of_its_absence(self) -> None:
        assert canonical_digest(profile(reranker_config={"a": None})) == canonical_digest(profile())
        assert profile(reranker_config={"a": None}).model_dump()["reranker_config"] == {"a": None}


class TestEnumerations:
    def test_members_and_values_are_accepted(self) -> None:
        class Foreign(str, Enum):  # noqa: UP042
            both = "both"

        wanted = ItemReference(key="k", required_in=RequiredIn.both)

        assert ItemReference(key="k", required_in="both") == wanted
        assert ItemReference(key="k", required_in=Foreign.both) == wanted
        assert ItemReference(key="k", required_in=Foreign.both).required_in is RequiredIn.both

    @pytest.mark.parametrize("value", ["Both", "", 1, None, ["both"]])
    def test_anything_else_is_refused(self, value: object) -> None:
        with pytest.raises(ValidationError):
            ItemReference(key="k", required_in=value)


class TestTimes:
    def test_a_zone_is_kept(self) -> None:
        east = datetime(2026, 3, 1, 14, tzinfo=timezone(timedelta(hours=2)))
        policy = AssessmentGatePolicy(**POLICY, assessed_not_before=east)

        assert policy.model_dump(mode="json")["assessed_not_before"] == "2026-03-01T14:00:00+02:00"
        assert policy.assessed_not_before == datetime(2026, 3, 1, 12, tzinfo=UTC)

    def test_naive_timestamp(self) -> None:
        with pytest.raises(ValidationError, match="should name its time zone"):
            AssessmentGatePolicy(**POLICY, assessed_not_before=datetime(2026, 3, 1))

    @pytest.mark.parametrize("value", [date(2026, 3, 1), 0, 1.5, b"2026-03-01T12:00:00Z", "1772366400", "now"])
    def test_other_types_and_numbers_as_text_are_wrong_type(self, value: object) -> None:
        with pytest.raises(ValidationError, match="RFC 3339"):
            AssessmentGatePolicy(**POLICY, assessed_not_before=value)


class TestRecords:
    def test_are_frozen(self) -> None:
        request = RetrievalRequest(query="q")

        with pytest.raises(ValidationError, match="frozen"):
            request.query = "r"  # type: ignore[misc]

    def test_are_equal_by_content(self) -> None:
        assert profile() == RetrieverProfile.from_json(PROFILE)
        assert profile().adapter_capability is AdapterCapability.deterministic

    def test_severity_defaults_are_the_kinds_own(self) -> None:
        assert ScopeIsolationProbe(probe_id="p", query="q", forbidden_item_keys=("k",)).severity is (
            SeverityClass.confidentiality
        )

    def test_are_read_from_bytes_strictly(self) -> None:
        assert RetrievalRequest.from_bytes(b'{"query":"q"}') == RetrievalRequest(query="q")
        with pytest.raises(CanonicalError, match=r"^r\.json /query: key stands twice"):
            RetrievalRequest.from_bytes(b'{"query":"q","query":"r"}', where="r.json")
        with pytest.raises(CanonicalError, match="too large"):
            RetrievalRequest.from_bytes(b'{"query":"q"}', max_bytes=5)

    def test_names_that_differ_by_normalization_are_different(self) -> None:
        composed, decomposed = RetrievalRequest(query="\xe9"), RetrievalRequest(query="e\u0301")

        assert canonical_digest(composed) != canonical_digest(decomposed)


class TestProblems:
    def test_every_field_is_reported_with_file_and_pointer(self) -> None:
        document = {"item_key": 1, "rank": 0, "scope_labels": ["a", 2], "x/y": None}

        assert problems(lambda: RetrievedItem.from_json(document, where="a.json")) == [
            "[wrong_type] a.json /item_key: input should be a valid string: got 1",
            "[missing_field] a.json /item_version_digest: field required",
            "[invalid_value] a.json /rank: input should be greater than or equal to 1: got 0",
            "[wrong_type] a.json /scope_labels/1: input should be a valid string: got 2",
            "[unknown_field] a.json /x~1y: extra inputs are not permitted: got None",
        ]

    def test_the_record_is_the_place_where_there_is_no_file(self) -> None:
        assert problems(lambda: RetrievalRequest.from_json({})) == [
            "[missing_field] RetrievalRequest /query: field required"
        ]

    def test_the_whole_document_has_no_pointer(self) -> None:
        assert problems(lambda: RetrievalRequest.from_json([1], where="r.json")) == [
            "[wrong_type] r.json: input should be a valid dictionary or instance of RetrievalRequest: got [1]"
        ]

    def test_the_tag_of_a_probe_is_no_part_of_its_pointer(self) -> None:
        probe = {
            "kind": "scope_isolation",
            "probe_id": 1,
            "scope_isolation": {"query": "q"},
            "forbidden_item_keys": [1],
        }

        assert [line.split(": ")[0] for line in problems(lambda: ProbeSuite.from_json({"probes": [probe]}))] == [
            "[wrong_type] ProbeSuite /probes/0/probe_id",
            "[missing_field] ProbeSuite /probes/0/query",
            "[wrong_type] ProbeSuite /probes/0/forbidden_item_keys/0",
            "[unknown_field] ProbeSuite /probes/0/scope_isolation",
        ]

    def test_a_probe_without_a_known_kind(self) -> None:
        found = problems(lambda: ProbeSuite.from_json({"probes": [{}, {"kind": "x"}, 5]}))

        assert [line.split(": ")[0] for line in found] == [
            "[invalid_value] ProbeSuite /probes/0",
            "[invalid_value] ProbeSuite /probes/1",
            "[wrong_type] ProbeSuite /probes/2",
        ]

    def test_a_key_of_a_map_is_its_own_place(self) -> None:
        document: dict[str, Any] = {"query": "q", "context": {1: "a"}}

        assert problems(lambda: RetrievalRequest.from_json(document)) == [
            "[wrong_type] RetrievalRequest /context/1: input should be a valid string: got 1"
        ]
        document = {"query": "q", "context": {2: {}}}
        assert problems(lambda: RetrievalRequest.from_json(document)) == [
            "[wrong_type] RetrievalRequest /context/2: input should be a valid string: got 2",
            "[wrong_type] RetrievalRequest /context/2: input should be a valid string: got {}",
        ]

    def test_null_is_no_record(self) -> None:
        assert problems(lambda: RetrievalRequest.from_json(None, where="r.json"))[0].startswith("[wrong_type] r.json: ")

    def test_a_long_value_is_shortened(self) -> None:
        (problem,) = problems(lambda: RetrievalRequest.from_json({"query": ["\xe9" * 100]}))

        assert problem.endswith("got ['" + "\\xe9" * 18 + "\\xe...")
        assert len(problem.split("got ")[1]) == 80

    def test_without_the_document_the_location_is_pydantics(self) -> None:
        with pytest.raises(ValidationError) as caught:
            ProbeSuite(probes=[{"kind": "scope_isolation"}])
        found = validation_problems(caught.value)

        assert [problem.where for problem in found] == [
            "/probes/0/scope_isolation/probe_id",
            "/probes/0/scope_isolation/query",
        ]

    def test_a_contradiction_says_got_and_wanted(self) -> None:
        document = {
            "baseline_state": {"checkpoint_digest": DIGEST},
            "candidate_state": {"checkpoint_digest": DIGEST},
            "probe_suite_digest": DIGEST,
            "retriever_profile_digest": DIGEST,
            "assessed_at": "2026-03-01T12:00:00Z",
            "material_access": "public",
            "invocation_evidence": [],
            "probe_results": [{"probe_id": "p", "required": True, "result": "pass", "severity": "behavioral"}],
            "coverage": {
                "required_probe_count": 1,
                "passed": 0,
                "failed": 0,
                "indeterminate": 0,
                "indeterminate_rate": 0,
            },
            "security_flags": {},
            "result": "pass",
        }

        (problem,) = problems(lambda: MemoryCheckpointAssessment.from_json(document, where="a.json"))

        assert problem.startswith("[contradicts_itself] a.json: coverage.passed is 0, the probe results give 1: got {")
