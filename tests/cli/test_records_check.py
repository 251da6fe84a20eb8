# ruff: noqa: E501
"""``witnessmark records check``: whole reports over folders, good and bad."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from witnessmark.cli.main import main


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["records", *arguments])
    out, err = capfd.readouterr()
    return int(caught.value.code or 0), out, err


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


MARKED = '---\nauditable_memory: "0.1"\nepistemic: fact\n---\n\nThe backup starts at four.\n'


def test_records_that_conform(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(
        tmp_path,
        {
            "ops/backup.md": MARKED,
            "ops/restore.json": '{"auditable_memory": "0.1", "backed_by": ["ops/backup.md"], "text": "…"}',
            "notes.json": '[{"auditable_memory": "0.1", "ref": "n/1"}, {"auditable_memory": "0.1", "ref": "n/2"}]',
            "README.md": "# No record\n",
            ".git/x.md": MARKED,
            "data.txt": "x",
        },
    )
    assert run(capfd, "check", str(tmp_path), "--level", "2") == (
        0,
        "4 of 4 records conform to level 2; 4 declare themselves, 0 files cannot be read\n"
        "1 fact, 0 inference, 0 open question, 0 unverified, 3 unmarked (not fact), 0 invalid\n",
        "",
    )


def test_a_record_that_does_not_conform_is_exit_1(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(
        tmp_path,
        {"a.md": MARKED, "b.md": "---\ntitle: b\nepistemic: Fact\n---\n", "c.json": '{\n"contradicts":\n["a", "x"]}'},
    )
    code, out, err = run(capfd, "check", str(tmp_path), "--level", "2")
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        f'not_conforming[not_declared]: {tmp_path}/b.md:2: no auditable_memory declaration: wanted "0.1"',
        f"invalid[epistemic_not_in_vocabulary]: {tmp_path}/b.md:3 /epistemic: epistemic value not in closed vocabulary: "
        "got 'Fact', wanted one of: fact, inference, open_question, unverified, or no field",
        f'not_conforming[not_declared]: {tmp_path}/c.json:1: no auditable_memory declaration: wanted "0.1"',
        f"warning[unresolved_link]: {tmp_path}/c.json:2 /contradicts: link to a record that is not here: got 'x'",
        "1 of 3 records conform to level 2; 1 declare themselves, 0 files cannot be read",
        "1 fact, 0 inference, 0 open question, 0 unverified, 1 unmarked (not fact), 1 invalid",
    ]


def test_json_is_the_report(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"a.md": MARKED, "b.md": "---\nk: v\n---\n"})
    code, out, _ = run(capfd, "check", str(tmp_path), "--level", "1", "--json")
    assert code == 1
    assert json.loads(out) == {
        "format": "witnessmark.records-check/0.1",
        "level": 1,
        "record_count": 2,
        "declared_count": 1,
        "conforming_count": 1,
        "unreadable_count": 0,
        "document_count": 0,
        "epistemic": {"fact": 1, "inference": 0, "open_question": 0, "unverified": 0, "unmarked": 1, "invalid": 0},
        "problems": [
            {
                "severity": "not_conforming",
                "code": "not_declared",
                "record": "b",
                "where": f"{tmp_path}/b.md:2",
                "message": 'no auditable_memory declaration: wanted "0.1"',
            }
        ],
    }


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
BAD: dict[str, tuple[str | bytes, str]] = {
    "alias": (f"---\nauditable_memory: '0.1'\n{BOMB}---\n", "unreadable[yaml_alias]: {}:3: anchor: got &a, wanted the value without it"),
    "bom": (b"\xef\xbb\xbf---\nk: v\n---\n", "unreadable[byte_order_mark]: {}:1: starts with a byte order mark: wanted plain UTF-8"),
    "crlf": ("---\r\nk: v\r\n---\r\n", "unreadable[carriage_return]: {}:1: carriage return in the front matter: got U+000D, wanted line feeds"),
    "crlf2": ("---\nk: v\nl: w\r\n---\n", "unreadable[carriage_return]: {}:3: carriage return in the front matter: got U+000D, wanted line feeds"),
    "duplicate": ("---\nk: v\nl: w\nk: x\n---\n", "unreadable[duplicate_key]: {}:4 /k: key stands twice in one mapping: got also on line 2"),
    "empty": ("---\n---\n", "unreadable[invalid_yaml]: {}:1: holds no document"),
    "huge": ("---\nk: " + "x" * (10 << 20) + "\n---\n", "unreadable[too_large]: {}:1: front matter is too large: got 10485764 bytes, wanted at most 1048576"),
    "latin1": (b"---\nk: v\nl: caf\xe9\n---\n", "unreadable[invalid_utf8]: {}:3: not UTF-8: got byte 0xe9 at offset 15"),
    "latin1body": (b"---\nk: v\n---\n\ncaf\xe9\n", "unreadable[invalid_utf8]: {}:5: not UTF-8: got byte 0xe9 at offset 17"),
    "list": ("---\n- k\n---\n", "unreadable[not_a_mapping]: {}:2: front matter is no mapping: wanted name: value"),
    "open": ("---\nk: v\n", "unreadable[front_matter_not_closed]: {}:1: front matter is not closed: wanted a line ---"),
    "separator": ("---\nk: v\nl: 'a\u2028b'\n---\n", "unreadable[line_separator]: {}:3: line break that most editors do not show in the front matter: got U+2028, wanted line feeds"),
    "syntax": ("---\nk: v\nl: [\n---\n", "unreadable[invalid_yaml]: {}:4: not YAML: expected the node content, but found '<stream end>'"),
    "tab": ("---\nk:\n\tl: v\n---\n", "unreadable[tab_character]: {}:3: line is indented with a tab: wanted spaces"),
    "tag": ("---\nk: !!python/object:os.system x\n---\n", "unreadable[yaml_tag]: {}:2: tag: got tag:yaml.org,2002:python/object:os.system, wanted plain data"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_read_is_exit_4_and_the_rest_is_still_reported(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    text, message = BAD[name]
    write(tmp_path, {"a.md": MARKED, "m.md": text, "z.md": "---\nk: v\n---\n"})
    code, out, err = run(capfd, "check", str(tmp_path), "--level", "1")
    assert (code, err) == (4, "")
    assert out.splitlines()[:-1] == [
        message.format(tmp_path / "m.md"),
        f'not_conforming[not_declared]: {tmp_path}/z.md:2: no auditable_memory declaration: wanted "0.1"',
        "1 of 2 records conform to level 1; 1 declare themselves, 1 files cannot be read",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', "unreadable[duplicate_key]: {} /a: key stands twice in one object: got 'a'"),
        ('[{"ref": "x"}, 7]', 'unreadable[not_a_mapping]: {} /1: record is no object: wanted {{"name": value}}'),
        ("7", 'unreadable[not_a_mapping]: {}: record is no object: wanted {{"name": value}}'),
        ("{\n1}", "unreadable[invalid_json]: {}: line 2 column 1: not JSON: Expecting property name enclosed in double quotes"),
    ],
)  # fmt: skip
def test_json_that_is_no_record_is_exit_4(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    write(tmp_path, {"m.json": text, "z.md": MARKED})
    code, out, _ = run(capfd, "check", str(tmp_path), "--level", "1")
    assert code == 4
    assert out.splitlines()[0] == message.format(tmp_path / "m.json")
    assert "1 of 1 records conform" in out


def test_links_that_leave_the_root_are_not_followed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(
        tmp_path,
        {"root/a.md": MARKED, "root/sub/b.md": MARKED, "outside/secret.md": "---\nauditable_memory: '0.9'\n---\n"},
    )
    (root / "d").symlink_to(outside)
    (root / "f.md").symlink_to(outside / "secret.md")
    (root / "loop").symlink_to(root)
    (root / "same.md").symlink_to(root / "a.md")
    (root / "gone.md").symlink_to(root / "nowhere.md")
    code, out, _ = run(capfd, "check", str(root), "--level", "1")
    assert code == 4
    assert out.splitlines()[:-1] == [
        f"unreadable[leaves_root]: {root}/d: symbolic link leaves the root: wanted files below it",
        f"unreadable[leaves_root]: {root}/f.md: symbolic link leaves the root: wanted files below it",
        "2 of 2 records conform to level 1; 2 declare themselves, 2 files cannot be read",
    ]


def test_two_records_with_one_ref(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"a.json": '{"auditable_memory": "0.1"}', "a.md": MARKED})
    code, out, _ = run(capfd, "check", str(tmp_path), "--level", "1")
    assert code == 1
    assert out.splitlines()[:-1] == [
        f"invalid[duplicate_ref]: {tmp_path}/a.md:2: two records with one ref: got 'a', also {tmp_path}/a.json:1",
        "1 of 2 records conform to level 1; 2 declare themselves, 0 files cannot be read",
    ]


def test_a_record_that_contradicts_and_supersedes_itself(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = '---\nauditable_memory: "0.1"\ncontradicts:\n  - ops/a\nsupersedes: ops/a.md\n---\n'
    write(tmp_path, {"ops/a.md": text})
    code, out, _ = run(capfd, "check", str(tmp_path), "--level", "2")
    place = f"{tmp_path}/ops/a.md"
    assert code == 1
    assert out.splitlines()[:2] == [
        f"invalid[self_link]: {place}:4 /contradicts/0: record links to itself: got 'ops/a', wanted a ref of another record",
        f"invalid[self_link]: {place}:5 /supersedes: record supersedes itself: got 'ops/a.md', wanted a ref of another record",
    ]


def test_one_file_and_its_root(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"ops/a.md": '---\nauditable_memory: "0.1"\nbacked_by: [ops/a]\n---\n'})
    file = str(tmp_path / "ops" / "a.md")
    assert run(capfd, "check", file, "--level", "2")[0] == 0
    assert run(capfd, "check", file, "--level", "2", "--root", str(tmp_path))[0] == 1
    assert run(capfd, "check", file, "--root", str(tmp_path / "other")) == (
        4,
        "",
        f"error[outside_root]: {file}: path is not below the root: got {file}, wanted {tmp_path}/other\n",
    )


def test_nothing_is_no_success(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"README.md": "# No record\n"})
    message = f"error[no_records]: {tmp_path}: no record here: wanted 1 or more\n"
    assert run(capfd, "check", str(tmp_path)) == (4, "", message)
    missing = tmp_path / "nowhere"
    assert run(capfd, "check", str(missing)) == (
        4,
        "",
        f"error[unreadable_file]: {missing}: no such file or folder\n",
    )
