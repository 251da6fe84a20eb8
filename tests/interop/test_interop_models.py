"""Digests and acceptance equal those of the public reference implementation."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

import witnessmark.models as ours
from interop.wire_strategies import (
    EVIDENCE,
    ITEMS,
    OBSERVATIONS,
    PROFILES,
    REQUESTS,
    STATES,
    SUITES,
    TIMES,
    Document,
    assessments,
    policies,
)
from witnessmark.canonical import canonical_digest, model_bytes
from witnessmark.errors import InputError

reference = pytest.importorskip("agent_manifest._memory_assessment")
reference_gate = pytest.importorskip("agent_manifest._memory_assessment_gate")

pytestmark = pytest.mark.interop

DOCUMENTS: dict[str, st.SearchStrategy[Document]] = {
    "RetrieverProfile": PROFILES,
    "RetrievalRequest": REQUESTS,
    "StateReference": STATES,
    "RuntimeObservation": OBSERVATIONS,
    "RetrievedItem": ITEMS,
    "ProbeSuite": SUITES,
    "RepeatabilityEvidence": EVIDENCE,
    "MemoryCheckpointAssessment": assessments(),
    "AssessmentGatePolicy": policies(),
}
NAMES = st.sampled_from(sorted(DOCUMENTS))


def theirs(name: str) -> Any:
    return getattr(reference, name, None) or getattr(reference_gate, name)


def accepted_by_us(name: str, document: object) -> Any:
    try:
        return getattr(ours, name).from_json(document)
    except InputError as error:
        return error


def accepted_by_them(name: str, document: object) -> Any:
    try:
        return theirs(name).model_validate(document)
    except ValidationError as error:
        return error


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
@settings(deadline=None)
@given(data=st.data())
def test_digest_is_equal_byte_for_byte(name: str, data: st.DataObject) -> None:
    document = data.draw(DOCUMENTS[name])
    their = accepted_by_them(name, document)
    our = accepted_by_us(name, document)

    assert isinstance(their, ValidationError) == isinstance(our, InputError)
    if not isinstance(our, InputError):
        assert canonical_digest(our) == reference.canonical_model_hash(their)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
@settings(deadline=None)
@given(data=st.data())
def test_what_one_writes_the_other_reads(name: str, data: st.DataObject) -> None:
    our = accepted_by_us(name, data.draw(DOCUMENTS[name]))
    if isinstance(our, InputError):
        assert name == "AssessmentGatePolicy"
        return

    their = theirs(name).model_validate_json(model_bytes(our))
    again = type(our).from_bytes(their.model_dump_json(exclude_none=True))
    with_nulls = type(our).from_bytes(their.model_dump_json())

    assert canonical_digest(again) == canonical_digest(with_nulls) == reference.canonical_model_hash(their)
    assert canonical_digest(again) == canonical_digest(our)


_OTHER_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 25),
    st.sampled_from([0.0, 1.0, 1.5, 20.0]),
    st.sampled_from(["", " ", "1", "true", "pass", "fail", "stable", "both", "scope_isolation", "0.1", "0.2"]),
    st.sampled_from(["sha256:" + "a" * 64, "sha256:" + "A" * 64, "md5:" + "a" * 32]),
    st.sampled_from(["2026-03-01", "2026-03-01T12:00:00", "2026-03-01T24:00:00Z", "2026-06-30T23:59:60Z"]),
    st.sampled_from([[], {}, ["x"], {"x": "y"}, [[]]]),
    TIMES,
)


def _places(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for step, child in steps for place in _places(child, (*path, step)))]


@st.composite
def _damaged(draw: st.DrawFn, name: str) -> Document:
    document = copy.deepcopy(draw(DOCUMENTS[name]))
    for _ in range(draw(st.integers(1, 2))):
        *parents, last = draw(st.sampled_from([place for place in _places(document) if place] or [("x",)]))
        node: Any = document
        for step in parents:
            node = node[step]
        action = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        if action == "remove" and last in (node if isinstance(node, dict) else range(len(node))):
            del node[last]
        elif action == "add" and isinstance(node, dict):
            node[draw(st.sampled_from(["extra", "seed", "required", "severity", "reasons", "max_rank"]))] = draw(
                _OTHER_VALUES
            )
        elif isinstance(node, dict) or last < len(node):
            node[last] = copy.deepcopy(draw(_OTHER_VALUES))
    return document


@settings(max_examples=500, deadline=None)
@given(name=NAMES, data=st.data())
def test_damaged_documents_are_accepted_and_refused_alike_but_for_coercion(name: str, data: st.DataObject) -> None:
    document = data.draw(_damaged(name))
    their = accepted_by_them(name, document)
    our = accepted_by_us(name, document)

    if isinstance(our, InputError):
        if not isinstance(their, ValidationError):
            # The reference turned a scalar of another type into the right one.
            assert {problem.code for problem in our.problems} == {"wrong_type"}, (document, str(our))
        return
    assert not isinstance(their, ValidationError), (document, str(their))
    assert canonical_digest(our) == reference.canonical_model_hash(their)


@settings(deadline=None)
@given(name=NAMES, data=st.data())
def test_a_refusal_names_a_place_in_the_document(name: str, data: st.DataObject) -> None:
    document = data.draw(_damaged(name))
    our = accepted_by_us(name, document)

    if isinstance(our, InputError):
        for problem in our.problems:
            node: Any = document
            pointer = (problem.where or "").removeprefix(name).strip(" ").split("/")[1:]
            steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer]
            if problem.code == "missing_field":
                steps = steps[:-1]
            for step in steps:
                node = node[int(step)] if isinstance(node, list) else node[step]


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01T12:00:00Z",
        "2026-03-01t12:00:00z",
        "2026-03-01 12:00:00Z",
        "2026-03-01_12:00Z",
        "2026-03-01T12:00:00,25Z",
        "2026-03-01T12:00:00.1234567Z",
        "2026-03-01T12:00:00+0530",
        "2026-03-01T12:00:00\u221205:30",
        "2026-03-01T12:00:00-00:00",
        "2026-03-01T12:00:00+23:59",
        "2026-03-01T12:00:00+24:00",
        "2026-03-01T12:00:00+01",
        "2026-03-01T12:00:00 Z",
        "2026-03-01T12:00:00Z ",
        " 2026-03-01T12:00:00Z",
        "2026-03-01T12:00:00Z\n",
        "2026-03-01T12Z",
        "2026-03-01T12:00:00",
        "2026-03-01T12:00:00.Z",
        "2026-03-01T24:00:00Z",
        "2016-12-31T23:59:60Z",
        "2026-02-29T12:00:00Z",
        "0000-03-01T12:00:00Z",
        "9999-12-31T23:59:59.999999Z",
        "20260301T120000Z",
        "2026-W09-7T12:00:00Z",
        "2026-03-01",
        "12:00:00Z",
        "\u0662026-03-01T12:00:00Z",
        "",
    ],
)
def test_times_are_read_alike(text: str) -> None:
    document = {
        **dict.fromkeys(
            (
                "baseline_checkpoint_digest",
                "candidate_checkpoint_digest",
                "probe_suite_digest",
                "retriever_profile_digest",
            ),
            "sha256:" + "a" * 64,
        ),
        "assessed_not_before": text,
    }
    their = accepted_by_them("AssessmentGatePolicy", document)
    our = accepted_by_us("AssessmentGatePolicy", document)

    assert isinstance(our, InputError) == isinstance(their, ValidationError)
    if not isinstance(our, InputError):
        assert canonical_digest(our) == reference.canonical_model_hash(their)


def test_members_of_the_reference_enumerations_are_accepted_by_value() -> None:
    item = ours.ItemReference(key="k", required_in=reference.RequiredIn.both)
    evidence = ours.RepeatabilityEvidence(
        trials=20, distinct_orderings_observed=1, observed_status=reference.ObservedStatus.stable
    )
    result = ours.ProbeResult(
        probe_id="p",
        required=True,
        result=reference.BehavioralResult.indeterminate,
        severity=reference.SeverityClass.behavioral,
        reasons=[reference.IndeterminateReason.id_churn],
    )

    assert item.required_in is ours.RequiredIn.both
    assert evidence.observed_status is ours.ObservedStatus.stable
    assert (result.result, result.reasons) == (
        ours.BehavioralResult.indeterminate,
        (ours.IndeterminateReason.id_churn,),
    )


def test_digests_of_the_reference_type_are_accepted_as_text() -> None:
    digest = theirs("StateReference")(checkpoint_digest="sha256:" + "a" * 64).checkpoint_digest

    state = ours.StateReference(checkpoint_digest=digest)

    assert type(state.checkpoint_digest) is str
    assert json.loads(model_bytes(state)) == {"checkpoint_digest": digest}
