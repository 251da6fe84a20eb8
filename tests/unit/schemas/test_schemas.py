from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError

from witnessmark.errors import InputError
from witnessmark.schemas import FORMATS, build_schema, read_schema, schema_id
from witnessmark.schemas.__main__ import main, outdated, write
from witnessmark.vectors import default_vectors

VALID = sorted((default_vectors() / "models" / "valid").glob("*.json"))
ASSESSMENTS = sorted((default_vectors() / "assessment").rglob("*.json"))
GATES = sorted((default_vectors() / "gate").glob("*.json"))


def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(read_schema(name), format_checker=FormatChecker())


def test_shipped_schemas_are_what_the_models_give() -> None:
    assert outdated() == []


@pytest.mark.parametrize("name", FORMATS)
def test_schema_is_valid_2020_12_with_a_stable_id(name: str) -> None:
    schema = read_schema(name)

    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == schema_id(name) == f"urn:witnessmark:schema:{name}:0.1"
    assert schema["title"] == name


def _part(name: str) -> Draft202012Validator:
    """Validate a record that is part of a format: its schema is among the definitions of that format."""
    for whole in map(read_schema, FORMATS):
        definitions = cast("dict[str, dict[str, object]]", whole.get("$defs", {}))
        if name in definitions:
            return Draft202012Validator({**definitions[name], "$defs": definitions})
    raise LookupError(name)


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_valid_vector_validates(path: Path) -> None:
    vector = json.loads(path.read_text())
    # An item of an answer is in no file; the transcript's items have its shape.
    name = {"RetrievedItem": "ObservedItem"}.get(vector["model"], vector["model"])
    validator = _validator(name) if name in FORMATS else _part(name)

    validator.validate(vector["document"])
    validator.validate(vector["full"])


@pytest.mark.parametrize("path", ASSESSMENTS, ids=lambda path: path.stem)
def test_assessment_vector_inputs_validate(path: Path) -> None:
    vector = json.loads(path.read_text())

    _validator("RetrieverProfile").validate(vector["profile"])
    _validator("ProbeSuite").validate(vector["suite"])


@pytest.mark.parametrize("path", GATES, ids=lambda path: path.stem)
def test_gate_vector_documents_validate(path: Path) -> None:
    vector = json.loads(path.read_text())

    _validator("AssessmentGatePolicy").validate(vector["policy"])
    _validator("AssessmentGateEvaluation").validate(vector["expected"])
    for assessment in vector["assessments"]:
        _validator("MemoryCheckpointAssessment").validate(assessment)


@pytest.mark.parametrize("code", ["unknown_field", "missing_field"])
def test_invalid_vector_of_a_closed_record_does_not_validate(code: str) -> None:
    seen = 0
    for path in sorted((default_vectors() / "models" / "invalid").glob(f"{code}-*.json")):
        vector = json.loads(path.read_text())
        seen += 1
        with pytest.raises(ValidationError):
            _validator(vector["model"]).validate(vector["document"])
    assert seen >= 3


def test_unknown_format() -> None:
    for function in (build_schema, read_schema):
        with pytest.raises(
            InputError, match="no such format: got 'Nothing', wanted one of: ApplicabilityCheck, Assess"
        ) as caught:
            function("Nothing")
        assert caught.value.code == "unknown_format"


def test_check_names_what_differs(tmp_path: Path) -> None:
    write(tmp_path)
    assert outdated(tmp_path) == []

    (tmp_path / "Target.schema.json").write_text("{}")
    (tmp_path / "ProbeSuite.schema.json").unlink()
    (tmp_path / "Old.schema.json").write_text("{}")

    assert outdated(tmp_path) == ["Old.schema.json", "ProbeSuite.schema.json", "Target.schema.json"]


def test_check_exits_1_where_something_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("witnessmark.schemas.__main__.outdated", lambda: ["Target.schema.json"])

    result = CliRunner().invoke(main, ["--check"])

    assert (result.exit_code, result.stderr) == (1, "out of date: Target.schema.json\n")


def test_generator_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "witnessmark.schemas", "--check"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
