"""The README says what is true: commands, output, exit codes, folders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from witnessmark.cli.exits import Exit
from witnessmark.cli.main import COMMANDS, main

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(marker: str) -> str:
    found = re.search(rf"<!-- {re.escape(marker)} -->\n```\w+\n(.*?)```\n", README, re.DOTALL)
    assert found, marker
    return found.group(1)


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("name", ["main", "test"])
def test_the_two_commands_are_one_line_each(name: str) -> None:
    (line,) = block(f"command: {name}").splitlines()
    assert line.startswith("python3 -m venv .venv && . .venv/bin/activate && pip install ")


def test_the_output_is_what_the_demo_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(["demo", "--out", "demo-out"])
    assert caught.value.code == 0
    printed = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert block("output: demo").splitlines() == printed


def test_the_exit_codes_are_all_of_them() -> None:
    codes = re.findall(r"^\| (\d+) \| ", README, re.MULTILINE)
    assert [int(code) for code in codes] == [int(code) for code in Exit]


def test_every_command_that_it_names_exists() -> None:
    named = re.findall(r"^(?:  )?witnessmark (\w+)", README, re.MULTILINE)
    assert named
    assert set(named) <= set(COMMANDS)


def test_every_path_that_it_names_exists() -> None:
    paths = re.findall(r"\]\(([\w./-]+)\)", README)
    paths += re.findall(r"`((?:harness|adapters|probes|profiles|vectors|tests|bench|docs|\.ci)/[\w./-]*)`", README)
    assert [path for path in paths if not (ROOT / path).exists()] == []
