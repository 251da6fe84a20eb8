"""Targets from arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from witnessmark.checkpoint.targets import resolve_target
from witnessmark.errors import EvidenceError, InputError
from witnessmark.models import Target


def write(tmp_path: Path, text: str, name: str = "server.target.yaml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def refusals(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        resolve_target(path)
    return [f"[{problem.code}] {problem}".replace(f"{path.parent}/", "") for problem in caught.value.problems]


def test_a_checkpoint_directory_names_its_adapter(
    tmp_path: Path, build: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = build("cp", {"a": "one"})
    wanted = Target(adapter="plain", options={"path": str(folder)})
    assert resolve_target(folder) == wanted
    (tmp_path / "current").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    assert resolve_target("cp") == resolve_target("current") == resolve_target("./cp/") == wanted


def test_a_directory_that_is_no_checkpoint_is_refused(tmp_path: Path, build: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"not a checkpoint directory: wanted a folder with checkpoint\.json"):
        resolve_target(tmp_path)
    folder = build("cp", {"a": "one"})
    (folder / "checkpoint.json").write_text("{}")
    with pytest.raises(EvidenceError, match="checkpoint.json /operation_count: field required"):  # noqa: RUF043
        resolve_target(folder)


def test_a_file_names_an_adapter_and_its_options(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "# a server\nadapter: table\noptions:\n  path: data/../t.json\n  cache_path: /var/c\n  limit: 5\n  pathway: x\n"
        "  nested:\n    - {model_path: m}\n    - path: [one, two]\n  path_count: 3\n  nothing:\n",
    )
    assert resolve_target(path) == Target(
        adapter="table",
        options={
            "path": str(tmp_path / "t.json"),
            "cache_path": "/var/c",
            "limit": 5,
            "pathway": "x",
            "nested": [
                {"model_path": str(tmp_path / "m")},
                {"path": [str(tmp_path / "one"), str(tmp_path / "two")]},
            ],
            "path_count": 3,
            "nothing": None,
        },
    )


def test_options_may_be_left_out(tmp_path: Path) -> None:
    assert resolve_target(str(write(tmp_path, "adapter: table\n"))) == Target(adapter="table")


def test_what_is_wrong_with_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    assert refusals(write(tmp_path, "options:\n  - 1\n# more\nurl: x\nsome/key: 2\n")) == [
        "[missing_field] server.target.yaml:1 /adapter: field required",
        "[wrong_type] server.target.yaml:1 /options: input should be a valid dictionary: got [1]",
        "[unknown_field] server.target.yaml:4 /url: extra inputs are not permitted: got 'x'",
        "[unknown_field] server.target.yaml:5 /some~1key: extra inputs are not permitted: got 2",
    ]
    assert refusals(write(tmp_path, "- adapter\n")) == [
        "[wrong_type] server.target.yaml:1: input should be a valid dictionary or instance of Target: got ['adapter']"
    ]
    assert refusals(write(tmp_path, "adapter: a\noptions:\n  path: 1\n  path: 2\n")) == [
        "[duplicate_key] server.target.yaml:4 /options/path: key stands twice in one mapping: got also on line 3"
    ]


def test_anything_else_is_no_target(tmp_path: Path) -> None:
    wanted = "wanted a checkpoint directory or a *.target.yaml file"
    assert refusals(write(tmp_path, "adapter: a\n", "server.yaml")) == [
        f"[unknown_target] no such target: got 'server.yaml', {wanted}".replace("'server.yaml'", "'server.yaml'")
    ]
    with pytest.raises(InputError, match="no such target: got 'nowhere'"):
        resolve_target("nowhere")
    assert refusals(tmp_path / "none.target.yaml") == [
        "[unreadable_file] none.target.yaml: cannot read file: No such file or directory"
    ]
