"""What ``witnessmark`` offers is what it says, and costs nothing before it is used."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import witnessmark

WIRE_MODELS = [
    "RetrieverProfile",
    "StateReference",
    "RuntimeObservation",
    "RetrievedItem",
    "RetrievalRequest",
    "ItemReference",
    "CorrectionPrecedenceProbe",
    "AnchorPreservationProbe",
    "ScopeIsolationProbe",
    "StateConditionedDifferentiationProbe",
    "ProbeSuite",
    "RepeatabilityEvidence",
    "InvocationEvidence",
    "ProbeResult",
    "Coverage",
    "SecurityFlags",
    "MemoryCheckpointAssessment",
    "AssessmentGatePolicy",
    "AssessmentGateEvaluation",
]
HEAVY = ("numpy", "faiss", "pydantic", "click", "rich", "yaml", "tokenizers", "wordllama")


def test_the_names_are_sorted_and_each_once() -> None:
    assert witnessmark.__all__ == sorted(set(witnessmark.__all__))


@pytest.mark.parametrize("name", witnessmark.__all__)
def test_every_name_resolves(name: str) -> None:
    assert getattr(witnessmark, name) is getattr(witnessmark, name)


@pytest.mark.parametrize("name", WIRE_MODELS)
def test_every_model_of_the_wire_contract_is_public(name: str) -> None:
    model = getattr(witnessmark, name)
    assert model.__name__ == name
    assert model.model_config["extra"] == "forbid"
    assert model.model_config["frozen"] is True


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'witnessmark' has no attribute 'approve'"):
        _ = witnessmark.approve


def test_the_signature_of_assess_begins_as_promised() -> None:
    given = inspect.signature(witnessmark.assess).parameters
    assert list(given)[:8] == [
        "adapter",
        "suite",
        "baseline",
        "candidate",
        "trials",
        "seed",
        "material_access",
        "assessed_at",
    ]
    assert all(given[name].kind is inspect.Parameter.KEYWORD_ONLY for name in list(given)[2:])
    assert [given[name].default for name in list(given)[2:8]] == ["baseline", "candidate", 20, 0, "public", None]


def test_nothing_approves() -> None:
    assert [name for name in witnessmark.__all__ if "approve" in name.lower()] == []


def test_importing_loads_nothing_heavy() -> None:
    code = f"import sys, witnessmark; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
