"""Git repositories."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from witnessmark.errors import InputError
from witnessmark.models import Dimension
from witnessmark.ports import Sighting
from witnessmark_adapters.observers import gitcommand
from witnessmark_adapters.observers.git import GitObserver

from .conftest import Seek, Work

OBSERVER = GitObserver()


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_file_is_read_at_the_head_not_at_the_stored_commit(work: Work, seek: Seek) -> None:
    first = work.commit(rule="one")
    assert OBSERVER.observe(seek(f"repo@{first}:rule")) == Sighting(True, digest("one"))
    work.commit(rule="two")
    assert OBSERVER.observe(seek(f"repo@{first}:rule")) == Sighting(True, digest("two"))


def test_uncommitted_contents_count(work: Work, seek: Seek) -> None:
    first = work.commit(rule="one", other="x")
    (work.path / "rule").write_text("edited")
    assert OBSERVER.observe(seek(f"repo@{first}:rule")) == Sighting(
        True, digest("edited"), note="rule has uncommitted changes"
    )
    assert OBSERVER.observe(seek(f"repo@{first}:other")) == Sighting(True, digest("x"))
    work("add", "rule")
    assert OBSERVER.observe(seek(f"repo@{first}:rule")).digest == digest("edited")


def test_a_removed_file_is_gone_committed_or_not(work: Work, seek: Seek) -> None:
    first = work.commit(rule="one")
    (work.path / "rule").unlink()
    assert OBSERVER.observe(seek(f"repo@{first}:rule")).exists is False
    work.commit()
    assert OBSERVER.observe(seek(f"repo@{first}:rule")) == Sighting(False)


def test_a_path_is_a_name_not_a_pattern(work: Work, seek: Seek) -> None:
    first = work.commit(**{"rule": "one", "--help": "text", ":(top)x": "y"})
    assert OBSERVER.observe(seek(f"repo@{first}:r*")) == Sighting(False)
    assert OBSERVER.observe(seek(f"repo@{first}:--help")) == Sighting(True, digest("text"))
    assert OBSERVER.observe(seek(f"repo@{first}::(top)x")) == Sighting(True, digest("y"))


def test_a_commit_that_the_repository_does_not_know_decides_nothing(work: Work, seek: Seek) -> None:
    work.commit(rule="one")
    assert OBSERVER.observe(seek(f"repo@{'1' * 40}:rule")) == Sighting(
        None, note=f"commit {'1' * 40} is not in the repository"
    )


def test_a_folder_exists_without_a_digest(work: Work, seek: Seek) -> None:
    (work.path / "docs").mkdir()
    first = work.commit(**{"docs/a": "x"})
    assert OBSERVER.observe(seek(f"repo@{first}:docs")) == Sighting(True, note="docs is no file but a tree")


def test_a_link_is_where_it_points(work: Work, seek: Seek) -> None:
    first = work.commit(rule="one")
    (work.path / "link").symlink_to("rule")
    assert OBSERVER.observe(seek(f"repo@{first}:link")).digest == digest("rule")
    work.commit()
    assert OBSERVER.observe(seek(f"repo@{first}:link")) == Sighting(True, digest("rule"))


def test_a_linked_folder_does_not_lead_out(work: Work, seek: Seek, tmp_path: Path) -> None:
    (work.path / "docs").mkdir()
    first = work.commit(**{"docs/a": "x"})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a").write_text("x")
    (work.path / "docs" / "a").unlink()
    (work.path / "docs").rmdir()
    (work.path / "docs").symlink_to(tmp_path / "outside")
    assert OBSERVER.observe(seek(f"repo@{first}:docs/a")) == Sighting(None, note="docs/a leads out of the working tree")


def test_a_bare_repository_has_a_head_too(work: Work, seek: Seek, tmp_path: Path) -> None:
    first = work.commit(rule="one")
    work("clone", "-q", "--bare", str(work.path), str(tmp_path / "bare.git"))
    assert OBSERVER.observe(seek(f"bare.git@{first}:rule")) == Sighting(True, digest("one"))
    assert OBSERVER.environment(str(tmp_path / "bare.git")).binding.commit_sha == first
    assert OBSERVER.inventory("ns", str(tmp_path / "bare.git")).complete


def test_a_repository_may_be_named_as_the_target_is(work: Work, seek: Seek) -> None:
    first = work.commit(rule="one")
    work("remote", "add", "origin", "https://git.example/r.git")
    sought = seek(f"https://git.example/r.git@{first}:rule", targets=(str(work.path),))
    assert OBSERVER.observe(sought) == Sighting(True, digest("one"))
    elsewhere = OBSERVER.observe(seek(f"https://git.example/other.git@{first}:rule", targets=(str(work.path),)))
    assert elsewhere.exists is None


def test_no_repository_and_no_commit_are_unknown(tmp_path: Path, seek: Seek, work: Work) -> None:
    nowhere = OBSERVER.observe(seek(f"nothing@{'1' * 40}:rule"))
    assert nowhere.exists is None
    assert nowhere.note is not None
    assert OBSERVER.observe(seek(f"repo@{'1' * 40}:rule")).exists is None


@pytest.mark.parametrize(
    "reference",
    ["repo:rule", "repo@main:rule", "repo@123:rule", f"@{'1' * 40}:x", f"r@{'1' * 40}:", f"r@{'1' * 40}:../x",
     f"r@{'1' * 40}:/etc/passwd", f"r@{'A' * 40}:x"],
)  # fmt: skip
def test_invalid_locator(seek: Seek, reference: str) -> None:
    with pytest.raises(InputError) as caught:
        OBSERVER.observe(seek(reference))
    assert caught.value.code == "invalid_locator"


def test_the_environment_is_repository_branch_and_commit(work: Work) -> None:
    first = work.commit(rule="one")
    seen = OBSERVER.environment(str(work.path))
    assert seen.binding.model_dump(exclude_none=True) == {
        "repository": str(work.path),
        "branch": "main",
        "commit_sha": first,
    }
    assert seen.doubtful == ()
    work("remote", "add", "origin", "https://git.example/r.git")
    work("checkout", "-q", "--detach")
    seen = OBSERVER.environment(str(work.path))
    assert (seen.binding.repository, seen.binding.branch) == ("https://git.example/r.git", None)


@pytest.mark.parametrize("name", ["rule", "untracked"])
def test_a_dirty_working_tree_makes_the_commit_doubtful(work: Work, name: str) -> None:
    first = work.commit(rule="one")
    (work.path / name).write_text("changed")
    seen = OBSERVER.environment(str(work.path))
    assert (seen.binding.commit_sha, seen.doubtful) == (first, (Dimension.commit_sha,))
    assert seen.note == f"{work.path} has uncommitted changes"


def test_a_target_that_is_no_repository_is_an_error(tmp_path: Path) -> None:
    for look in (OBSERVER.environment, lambda argument: OBSERVER.inventory("ns", argument)):
        with pytest.raises(InputError) as caught:
            look(str(tmp_path / "nothing"))
        assert caught.value.code == "unreadable_target"


def test_an_inventory_lists_the_head_and_is_complete_while_nothing_has_changed(work: Work) -> None:
    (work.path / "d").mkdir()
    work.commit(**{"d/b": "x", "a": "y", "ä": "z"})
    inventory = OBSERVER.inventory("ns", str(work.path))
    assert (inventory.source_ids, inventory.complete) == (("a", "d/b", "ä"), True)
    (work.path / "new").write_text("")
    assert not OBSERVER.inventory("ns", str(work.path)).complete


def test_the_callers_git_variables_do_not_lead_elsewhere(
    work: Work, seek: Seek, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = work.commit(rule="one")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert OBSERVER.observe(seek(f"repo@{first}:rule")) == Sighting(True, digest("one"))


def test_a_repository_cannot_have_commands_run(work: Work, seek: Seek, tmp_path: Path) -> None:
    first = work.commit(rule="one")
    work("config", "core.fsmonitor", f"touch {tmp_path / 'ran'}; false")
    assert OBSERVER.observe(seek(f"repo@{first}:rule")) == Sighting(True, digest("one"))
    assert OBSERVER.environment(str(work.path)).binding.commit_sha == first
    assert not (tmp_path / "ran").exists()


def test_git_that_takes_too_long_is_unknown(work: Work, seek: Seek, monkeypatch: pytest.MonkeyPatch) -> None:
    first = work.commit(rule="one")

    def slow(*arguments: object, **options: object) -> None:
        raise subprocess.TimeoutExpired("git", 1)

    monkeypatch.setattr(gitcommand.subprocess, "run", slow)
    sighting = OBSERVER.observe(seek(f"repo@{first}:rule"))
    assert sighting == Sighting(None, note=f"git rev-parse in {work.path} took more than 20 s")


def test_git_that_is_not_there_is_unknown(work: Work, seek: Seek, monkeypatch: pytest.MonkeyPatch) -> None:
    first = work.commit(rule="one")
    monkeypatch.setenv("PATH", "")
    sighting = OBSERVER.observe(seek(f"repo@{first}:rule"))
    assert sighting.exists is None
    assert sighting.note == "cannot run git: No such file or directory"
