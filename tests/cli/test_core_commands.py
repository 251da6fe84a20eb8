"""Exit codes, messages and JSON of gate, verify, policy and digest; and what the top level makes of errors."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest

from retrievers import FOUR, NOW, Retriever, always, good_answers, suite
from witnessmark.canonical import canonical_digest
from witnessmark.cli import main as entry
from witnessmark.cli.main import COMMANDS, cli, main
from witnessmark.errors import InputError
from witnessmark.rundir import write_run
from witnessmark.runner import assess

if TYPE_CHECKING:
    from pathlib import Path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main(list(arguments))
    out, err = capsys.readouterr()
    assert isinstance(stopped.value.code, int)
    return stopped.value.code, out, err


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A run that passes."""
    write_run(tmp_path / "good", assess(Retriever(good_answers), suite(*FOUR), assessed_at=NOW), {})
    return tmp_path / "good"


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A run of the same inputs that fails."""
    write_run(tmp_path / "bad", assess(Retriever(always("old", "rule")), suite(*FOUR), assessed_at=NOW), {})
    return tmp_path / "bad"


def policy(capsys: pytest.CaptureFixture[str], about: Path, *options: str) -> str:
    out = about.with_suffix(".policy.json")
    code, _, err = run(capsys, "policy", "make", "--run", str(about), "--out", str(out), *options)
    assert (code, err) == (0, f"wrote {out}\n")
    return str(out)


class TestGate:
    def test_satisfied_is_exit_0(self, good: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, err = run(capsys, "gate", "--policy", policy(capsys, good), str(good))

        assert code == 0
        assert out == "gate: satisfied\npresented 1, applicable 1: pass\n"
        assert "a satisfied gate approves nothing" in err

    def test_a_fail_beside_a_pass_is_exit_1(self, good: Path, bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = run(capsys, "gate", "--policy", policy(capsys, good), str(good), str(bad), "--json")

        assert code == 1
        assert json.loads(out) == {
            "satisfied": False,
            "presented_assessment_count": 2,
            "applicable_assessment_count": 2,
            "applicable_results": ["pass", "fail"],
            "non_applicable_mismatches": [],
            "reasons": ["applicable_assessment_failed"],
        }

    def test_no_evidence_is_exit_1(self, good: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = run(capsys, "gate", "--policy", policy(capsys, good))

        assert code == 1
        assert "reasons: no_applicable_assessment" in out

    def test_outside_the_window_is_not_applicable(self, good: Path, capsys: pytest.CaptureFixture[str]) -> None:
        late = policy(capsys, good, "--not-before", "2026-03-01T12:00:01Z")

        code, out, _ = run(capsys, "gate", "--policy", late, str(good))

        assert code == 1
        assert "not applicable because of: before_evidence_window" in out

    def test_the_bounds_of_the_window_are_included(self, good: Path, capsys: pytest.CaptureFixture[str]) -> None:
        window = ("--not-before", "2026-03-01T13:00:00+01:00", "--not-after", "2026-03-01T12:00:00Z")

        assert run(capsys, "gate", "--policy", policy(capsys, good, *window), str(good))[0] == 0

    def test_altered_evidence_is_exit_4_and_no_refusal(self, good: Path, capsys: pytest.CaptureFixture[str]) -> None:
        asked = policy(capsys, good)
        path = good / "assessment.json"
        path.write_bytes(path.read_bytes().replace(b'"passed":4', b'"passed":3'))

        code, out, err = run(capsys, "gate", "--policy", asked, str(good))

        assert (code, out) == (4, "")
        assert "coverage.passed is 3, the probe results give 4" in err

    def test_a_logical_policy_leaves_out_the_indexes(self, good: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = policy(capsys, good, "--logical")

        code, _, err = run(capsys, "gate", "--policy", path, str(good))

        assert code == 0
        assert "pins the logical candidate only" in err

    @pytest.mark.parametrize("missing", ["policy", "evidence"])
    def test_a_missing_file_is_exit_4(self, good: Path, missing: str, capsys: pytest.CaptureFixture[str]) -> None:
        asked = policy(capsys, good)
        gone = str(good / "gone.json")
        arguments = ("--policy", gone, str(good)) if missing == "policy" else ("--policy", asked, gone)

        code, _, err = run(capsys, "gate", *arguments)

        assert (code, err) == (4, f"error[unreadable_file]: {gone}: cannot read file: No such file or directory\n")


class TestVerify:
    def test_a_fail_is_verified_as_well(self, bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = run(capsys, "verify", str(bad))

        assert code == 0
        assert out.splitlines()[-1] == "outcome stated: fail (verifying evidence does not change it)"

    def test_it_needs_no_adapter(self, good: Path) -> None:
        code = (
            "import sys\n"
            "for name in ('witnessmark_adapters', 'faiss', 'wordllama', 'tokenizers'): sys.modules[name] = None\n"
            "from witnessmark.cli.main import main; main()"
        )
        made = subprocess.run(
            [sys.executable, "-c", code, "verify", str(good)], capture_output=True, text=True, check=False
        )

        assert (made.returncode, made.stderr) == (0, "")
        assert "\nverified: sha256:" in made.stdout

    def test_an_artifact_alone_is_consistent_not_recomputable(
        self, good: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        alone = tmp_path / "alone" / "assessment.json"
        alone.parent.mkdir()
        alone.write_bytes((good / "assessment.json").read_bytes())

        code, out, _ = run(capsys, "verify", str(alone), "--json")

        assert code == 3
        assert json.loads(out)["status"] == "consistent_not_recomputable"

    def test_a_verdict_that_the_transcript_does_not_give_is_refused(
        self, good: Path, bad: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (good / "transcript.jsonl").write_bytes((bad / "transcript.jsonl").read_bytes())

        code, out, err = run(capsys, "verify", str(good))

        assert (code, out) == (4, "")
        assert err.startswith(f"error[inconsistent_result]: {good / 'assessment.json'}: the assessment is not what")

    @pytest.mark.parametrize("name", ["suite.json", "profile.json"])
    def test_a_run_directory_without_a_part_is_incomplete(
        self, good: Path, name: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (good / name).unlink()

        code, _, err = run(capsys, "verify", str(good))

        assert (code, err) == (
            4,
            f"error[incomplete_run]: {good / name}: run directory is incomplete: wanted {name}\n",
        )


class TestDigest:
    def test_a_record_is_recognized(self, good: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, out, _ = run(capsys, "digest", str(good / "suite.json"))

        assert (code, out) == (0, f"{canonical_digest(suite(*FOUR))}  {good / 'suite.json'} (ProbeSuite)\n")

    def test_other_json_has_a_canonical_digest(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "x.json"
        path.write_text('{ "b": 1, "a": [1.0, "é"] }', encoding="utf-8")

        code, out, _ = run(capsys, "digest", str(path), "--json")

        assert code == 0
        assert json.loads(out)["canonical_digest"] == canonical_digest({"a": [1, "é"], "b": 1})

    def test_a_duplicate_key_has_no_digest(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "x.json"
        path.write_text('{"a": 1, "a": 2}', encoding="utf-8")

        code, _, err = run(capsys, "digest", str(path))

        assert (code, err) == (
            4,
            f"error[duplicate_key]: {path} /a: key stands twice in one object: got 'a'\n",
        )


class TestTopLevel:
    @pytest.mark.parametrize(
        "arguments",
        [("nothing",), ("gate",), ("assess",), ("verify",), ("gate", "--policy"), ("verify", "--bogus", "x")],
    )
    def test_usage_errors_are_exit_2(self, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
        code, out, err = run(capsys, *arguments)

        assert (code, out) == (2, "")
        assert "Traceback" not in err

    def test_a_bug_is_exit_70_and_says_so(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "witnessmark.cli.digest", _command(RuntimeError("surprise")))

        code, _, err = run(capsys, "digest", "x")

        assert code == 70
        assert err.endswith("This is a bug in witnessmark, not a verdict. Please report it with the lines above.\n")

    def test_our_errors_are_exit_4_one_line_a_problem(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        error = InputError.from_problems((*InputError("one", code="a").problems, *InputError("two", code="b").problems))
        monkeypatch.setitem(sys.modules, "witnessmark.cli.digest", _command(error))

        assert run(capsys, "digest", "x") == (4, "", "error[a]: one\nerror[b]: two\n")

    def test_an_interrupt_is_exit_130(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "witnessmark.cli.digest", _command(KeyboardInterrupt()))

        assert run(capsys, "digest", "x")[0] == 130

    @pytest.mark.parametrize("name", COMMANDS)
    def test_the_summary_of_a_command_is_the_first_line_of_its_help(self, name: str) -> None:
        command = cli.get_command(click.Context(cli), name)

        assert command is not None
        assert COMMANDS[name].summary == (command.help or "").splitlines()[0]

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_prints_json(self, name: str) -> None:
        def options(command: click.Command) -> set[str]:
            return {option for parameter in command.params for option in parameter.opts}

        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        commands = command.commands.values() if isinstance(command, click.Group) else [command]
        assert all("--json" in options(item) for item in commands)


def _command(error: BaseException) -> object:
    """Return something like a command's module whose command raises."""

    @click.command(name="digest")
    @click.argument("file")
    def command(file: str) -> None:
        raise error

    return type("Module", (), {"command": command, "__name__": entry.__name__})
