"""``witnessmark records relations``: exact sets, both ways, nothing resolved."""
# ruff: noqa: E501

from __future__ import annotations

import json
from pathlib import Path

import pytest

from witnessmark.cli.main import main


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["records", "relations", *arguments])
    out, err = capfd.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, links in {
        "a": "contradicts: [c.md, b]\nbacked_by: [src/one]",
        "b": "contradicts: [a]\nbacked_by: [src/one, gone]",
        "c": "title: silent",
        "src/one": "title: source",
        "z": "title: nobody",
    }.items():
        path = tmp_path / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'---\nauditable_memory: "0.1"\n{links}\n---\n')
    return tmp_path


def test_every_relation_is_an_exact_set(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, str(folder), "--json")
    empty: list[str] = []
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "format": "witnessmark.records-relations/0.1",
        "record_count": 5,
        "records": [
            {"record": "a", "present": True, "backed_by": ["src/one"], "backs": empty, "contradicts": ["b", "c"], "contradicted_by": ["b"]},
            {"record": "b", "present": True, "backed_by": ["gone", "src/one"], "backs": empty, "contradicts": ["a"], "contradicted_by": ["a"]},
            {"record": "c", "present": True, "backed_by": empty, "backs": empty, "contradicts": empty, "contradicted_by": ["a"]},
            {"record": "gone", "present": False, "backed_by": empty, "backs": ["b"], "contradicts": empty, "contradicted_by": empty},
            {"record": "src/one", "present": True, "backed_by": empty, "backs": ["a", "b"], "contradicts": empty, "contradicted_by": empty},
        ],
        "one_sided": [{"record": "a", "contradicts": "c"}],
        "problems": [],
    }  # fmt: skip


def test_it_changes_no_file(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*.md")}
    run(capfd, str(folder))
    assert {path: path.read_bytes() for path in folder.rglob("*.md")} == before


@pytest.mark.parametrize("ref", ["a", "a.md"])
def test_of_one_record(folder: Path, capfd: pytest.CaptureFixture[str], ref: str) -> None:
    code, out, _ = run(capfd, str(folder), "--of", ref)
    assert code == 0
    assert [
        " ".join(line.split()) for line in out.splitlines() if line.strip() and not line.strip().startswith("─")
    ] == [
        "record backed by backs contradicts contradicted by",
        "a src/one b b",
        "c",
        "one-sided: a contradicts c, which does not say so",
        "5 records read; contradictions resolve nothing",
    ]


def test_of_a_record_without_relations_is_empty(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, str(folder), "--of", "z", "--json")
    assert code == 0
    assert json.loads(out)["records"] == [
        {"record": "z", "present": True, "backed_by": [], "backs": [], "contradicts": [], "contradicted_by": []}
    ]


def test_of_nothing_is_an_error(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, str(folder), "--of", "nowhere") == (
        4,
        "",
        f"error[unknown_record]: {folder}: no such record, and no link to it: got 'nowhere'\n",
    )


def test_a_malformed_link_is_exit_1_and_in_no_set(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "m.md").write_text('---\nauditable_memory: "0.1"\ncontradicts: ["../x", m, c]\n---\n')
    code, out, _ = run(capfd, str(folder), "--of", "m", "--json")
    report = json.loads(out)
    assert code == 1
    assert report["records"][0]["contradicts"] == ["c"]
    assert [(item["severity"], item["code"], item["where"]) for item in report["problems"]] == [
        ("invalid", "malformed_ref", f"{folder}/m.md:3 /contradicts/0"),
        ("invalid", "self_link", f"{folder}/m.md:3 /contradicts/1"),
    ]


def test_an_unreadable_file_is_exit_4_because_no_set_is_exact_then(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "m.md").write_text("---\nk: [\n---\n")
    code, out, _ = run(capfd, str(folder), "--of", "a", "--json")
    report = json.loads(out)
    assert code == 4
    assert report["records"][0]["contradicts"] == ["b", "c"]
    assert [item["severity"] for item in report["problems"]] == ["unreadable"]


def test_nothing_is_no_success(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    message = f"error[no_records]: {tmp_path}: no record here: wanted 1 or more\n"
    assert run(capfd, str(tmp_path)) == (4, "", message)
