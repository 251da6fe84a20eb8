"""Environment variables."""

from __future__ import annotations

import pytest

from witnessmark.errors import InputError
from witnessmark_adapters.observers.env import EnvObserver


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_TENANT", "acme")
    monkeypatch.setenv("AGENT_COMMIT", "1" * 40)
    monkeypatch.setenv("AGENT_BLANK", " ")
    monkeypatch.delenv("AGENT_UNSET", raising=False)


def test_declared_variables_only() -> None:
    seen = EnvObserver().environment("tenant=AGENT_TENANT, commit_sha=AGENT_COMMIT")
    assert seen.binding.model_dump(exclude_none=True) == {"tenant": "acme", "commit_sha": "1" * 40}
    assert seen.doubtful == ()


@pytest.mark.parametrize("variable", ["AGENT_UNSET", "AGENT_BLANK"])
def test_unset_variable(variable: str) -> None:
    with pytest.raises(InputError) as caught:
        EnvObserver().environment(f"actor={variable}")
    assert f"[{caught.value.code}] {caught.value}" == (
        f"[unset_variable] env:actor={variable}: declared variable is not set: got {variable}"
    )


@pytest.mark.parametrize(
    "argument", ["", "tenant", "tenant=", "region=AGENT_TENANT", "tenant=AGENT_TENANT,tenant=AGENT_COMMIT", "tenant=A,"]
)
def test_invalid_target(argument: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A", "a")
    with pytest.raises(InputError) as caught:
        EnvObserver().environment(argument)
    assert caught.value.code == "invalid_target"


def test_a_value_in_another_format_is_an_error() -> None:
    with pytest.raises(InputError) as caught:
        EnvObserver().environment("commit_sha=AGENT_TENANT")
    assert str(caught.value).startswith("env:commit_sha=AGENT_TENANT /commit_sha: string should match pattern")
