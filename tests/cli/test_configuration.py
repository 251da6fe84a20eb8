"""`witnessmark.yaml` against the commands themselves: every option can stand in it, and means the same there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

from witnessmark.cli.config import find_config, load_defaults
from witnessmark.cli.location import Location
from witnessmark.cli.main import cli, main
from witnessmark.errors import InputError


class Setting(NamedTuple):
    """One option of one command, as the file spells it."""

    path: tuple[str, ...]
    name: str
    option: click.Option

    def __str__(self) -> str:
        return " ".join((*self.path, self.name))


def settings(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[Setting]:
    """Yield every option of every command below a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from settings(command, (*path, name))
        for option in command.params:
            if isinstance(option, click.Option):
                (spelled,) = [item.removeprefix("--") for item in option.opts if item.startswith("--")]
                yield Setting((*path, name), spelled, option)


SETTINGS = list(settings(cli))

PLAIN_TEXT = {
    "applicability check now",
    "applicability check target",
    "applicability coverage inventory",
    "applicability coverage target",
    "assess assessed-at",
    "assess axes",
    "assess dask",
    "assess target",
    "assess withhold",
    "audit now",
    "audit target",
    "checkpoint build format",
    "demo assessed-at",
    "gate now",
    "gate target",
    "gate verifier",
    "log approve approver",
    "log approve at",
    "log approve reason",
    "log init origin",
    "policy make not-after",
    "policy make not-before",
    "records relations of",
    "records check format",
    "records coverage format",
    "records coverage inventory",
    "records coverage target",
    "suite check format",
    "withhold withhold",
}
"""Options whose text is no path. One that may be a path has the type `Location`, so that a file can hold it."""


def sample(option: click.Option) -> Any:
    """Return a value that an option takes."""
    kind = option.type
    if isinstance(kind, click.Choice):
        value: Any = list(kind.choices)[-1]
    elif isinstance(kind, click.types.BoolParamType):
        value = True
    elif isinstance(kind, click.FloatRange) and kind.max is not None:
        value = kind.max
    elif isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        value = 3
    else:
        value = "some/value"
    return [value, value] if option.multiple else value


def written(folder: Path, value: object) -> Path:
    path = folder / "witnessmark.yaml"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_there_are_options() -> None:
    assert len(SETTINGS) > 50


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_option_of_every_command_can_stand_in_the_file(setting: Setting, tmp_path: Path) -> None:
    value: Any = {setting.name: sample(setting.option)}
    for name in reversed(setting.path):
        value = {name: value}

    found: Any = load_defaults(written(tmp_path, value), cli)

    for name in setting.path:
        found = found[name]
    command: Any = cli
    for name in setting.path:
        command = command.get_command(click.Context(command), name)
    context = click.Context(command, default_map=found)
    given = setting.option.consume_value(context, {})[0]
    expected = sample(setting.option)
    if isinstance(setting.option.type, click.Path | Location):
        below = str(tmp_path / "some/value")
        expected = [below, below] if setting.option.multiple else below
    assert given == expected


def test_text_is_known_to_be_a_path_or_to_be_none() -> None:
    text = {str(setting) for setting in SETTINGS if type(setting.option.type) is click.types.StringParamType}

    assert text == PLAIN_TEXT


@pytest.mark.parametrize("value", ["builtin:demo", "sha256:" + "0" * 64, "/an/absolute/path"])
def test_what_is_no_relative_path_stays(value: str, tmp_path: Path) -> None:
    found: Any = load_defaults(written(tmp_path, {"assess": {"suite": value}}), cli)

    assert found == {"assess": {"suite_name": value}}


class TestTrials:
    def test_the_section_sets_options_of_assess(self, tmp_path: Path) -> None:
        section = {
            "total": 40,
            "axes": {"sweep": None, "process": 4},
            "seed": 7,
            "workers": 2,
            "dask": "tcp://127.0.0.1:8786",
            "timeout": 1.5,
            "retries": 0,
            "self-check": True,
        }

        found = load_defaults(written(tmp_path, {"assess": {"exit-zero": True}, "trials": section}), cli)

        assert found == {
            "assess": {
                "exit_zero": True,
                "trials": 40,
                "axes": "sweep,process:4",
                "seed": 7,
                "workers": 2,
                "dask": "tcp://127.0.0.1:8786",
                "timeout": 1.5,
                "retries": 0,
                "self_check": True,
            }
        }

    def test_axes_may_be_text(self, tmp_path: Path) -> None:
        found = load_defaults(written(tmp_path, {"trials": {"axes": "sweep,batch"}}), cli)

        assert found == {"assess": {"axes": "sweep,batch"}}

    def test_the_documented_example(self, tmp_path: Path) -> None:
        text = (Path(__file__).parents[2] / "docs" / "trials.md").read_text(encoding="utf-8")
        path = tmp_path / "witnessmark.yaml"
        path.write_text(text.partition("```yaml\n")[2].partition("```")[0], encoding="utf-8")

        found: Any = load_defaults(path, cli)

        assert found["assess"]["axes"] == "sweep,batch:10,process:4,rebuild:2"
        assert found["assess"]["baseline"] == str(tmp_path / "checkpoints/live")
        assert found["gate"] == {"policy_path": str(tmp_path / "release.policy.json")}


class TestFinding:
    def test_the_nearest_one_above(self, tmp_path: Path) -> None:
        below = tmp_path / "a" / "b"
        below.mkdir(parents=True)
        far = written(tmp_path, {})
        assert find_config(below) == far

        near = written(tmp_path / "a", {})
        assert find_config(below) == near

    def test_a_repository_is_where_it_ends(self, tmp_path: Path) -> None:
        below = tmp_path / "repository" / "b"
        below.mkdir(parents=True)
        written(tmp_path, {})
        (tmp_path / "repository" / ".git").mkdir()

        assert find_config(below) is None

    def test_the_root_of_a_repository_counts(self, tmp_path: Path) -> None:
        (tmp_path / ".git").mkdir()

        assert find_config(tmp_path) is None
        assert find_config(tmp_path) != (path := written(tmp_path, {}))
        assert find_config(tmp_path) == path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "assess:\n  trials: many\n",
            "FILE:2 /assess/trials: not a value of --trials: 'many' is not a valid integer.",
        ),
        (
            "trials:\n  seed: 1\n  workers: 0\n",
            "FILE:3 /trials/workers: not a value of --workers: 0 is not in the range x>=1.",
        ),
        (
            "trials:\n  axes: 3\n",
            "FILE:2 /trials/axes: not a mapping: got 3, wanted name: value",
        ),
        (
            "audit:\n  key: a.pem\n",
            "FILE:2 /audit/key: not a value of --key: Value must be an iterable.",
        ),
        (
            "profile:\n  pin: [1]\n",
            "FILE:2 /profile/pin: not a mapping: got [1], wanted name: value",
        ),
    ],
)
def test_a_value_of_another_type_is_an_error_with_its_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "witnessmark.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_defaults(path, cli)
    assert refused.value.code == "wrong_type"
    assert str(refused.value) == message.replace("FILE", str(path))

    with pytest.raises(SystemExit) as stopped:
        main(["--config", str(path), "adapters", "list"])
    assert stopped.value.code == 4
    assert capsys.readouterr().err == f"error[wrong_type]: {refused.value}\n"
