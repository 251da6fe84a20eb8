"""Run directories and the states they bind."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from witnessmark.applicability import assessment_evidence
from witnessmark.canonical import model_bytes
from witnessmark.errors import InputError
from witnessmark.models import MemoryCheckpointAssessment
from witnessmark.models.applicability import state_digest
from witnessmark.ports import Sighting
from witnessmark_adapters.observers.assessment import AssessmentObserver

from .conftest import Seek

VECTOR = Path(__file__).parents[3] / "vectors" / "gate" / "satisfied.json"


@pytest.fixture
def assessment() -> MemoryCheckpointAssessment:
    return MemoryCheckpointAssessment.from_json(json.loads(VECTOR.read_text())["assessments"][0])


@pytest.fixture
def run(tmp_path: Path, assessment: MemoryCheckpointAssessment) -> Path:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "assessment.json").write_bytes(model_bytes(assessment))
    return tmp_path / "run"


def test_an_assessment_is_its_bytes(run: Path, seek: Seek) -> None:
    wanted = hashlib.sha256((run / "assessment.json").read_bytes()).hexdigest()
    assert AssessmentObserver().observe(seek("run")) == Sighting(True, wanted)


def test_its_states_are_their_references(run: Path, seek: Seek, assessment: MemoryCheckpointAssessment) -> None:
    observer = AssessmentObserver()
    assert observer.observe(seek("run#baseline")).digest == state_digest(assessment.baseline_state)
    assert observer.observe(seek("run#candidate")).digest == state_digest(assessment.candidate_state)
    assert observer.environment(str(run)).binding.model_dump(exclude_none=True) == {
        "target_state_digest": state_digest(assessment.candidate_state)
    }


def test_evidence_of_an_assessment_binds_artifact_and_candidate(
    run: Path, seek: Seek, assessment: MemoryCheckpointAssessment
) -> None:
    document = assessment_evidence(assessment, locator="assessment:run", valid_until="2030-01-01T00:00:00Z")
    assert document.source.expected_digest == AssessmentObserver().observe(seek("run")).digest
    assert document.environment.target_state_digest == state_digest(assessment.candidate_state)
    assert document.environment.observed_at == "2026-03-01T12:00:00.000Z"
    assert document.evidence_id == f"sha256:{document.source.expected_digest}"
    with pytest.raises(InputError) as caught:
        assessment_evidence(assessment, locator="assessment:run", valid_until="2026-03-01T12:00:00Z")
    assert caught.value.code == "contradicts_itself"


def test_a_run_without_artifact_is_gone(run: Path, seek: Seek) -> None:
    (run / "assessment.json").unlink()
    assert AssessmentObserver().observe(seek("run")).exists is False
    assert AssessmentObserver().observe(seek("run#candidate")).exists is False


def test_an_artifact_that_contradicts_itself_binds_no_state(run: Path, seek: Seek) -> None:
    (run / "assessment.json").write_text("{}")
    assert AssessmentObserver().observe(seek("run")).exists is True
    assert AssessmentObserver().observe(seek("run#candidate")).exists is None
    with pytest.raises(InputError):
        AssessmentObserver().environment(str(run))


@pytest.mark.parametrize("reference", ["", "#candidate", "run#", "run#other"])
def test_invalid_locator(seek: Seek, reference: str) -> None:
    with pytest.raises(InputError) as caught:
        AssessmentObserver().observe(seek(reference))
    assert caught.value.code == "invalid_locator"
