"""``withhold``: who has the salts recomputes everything, who has not is told what can be checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evidence_samples import write_key
from retrievers import FOUR, NOW, Retriever, good_answers, suite
from witnessmark.cli.main import main
from witnessmark.models.withheld import Material
from witnessmark.rundir import restored_texts, write_run
from witnessmark.runner import assess
from witnessmark.withhold import RunTexts, restore, withhold


def _run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    assert isinstance(caught.value.code, int)
    return caught.value.code, captured.out, captured.err


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A run with all its material."""
    write_run(tmp_path / "run", assess(Retriever(good_answers), suite(*FOUR), assessed_at=NOW), {"note": "small"})
    return tmp_path / "run"


@pytest.fixture
def withheld(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Path]:
    """The same run without it, and the salts."""
    out, salts = tmp_path / "public", tmp_path / "run.salts.json"
    assert _run(capsys, "withhold", whole, "--out", out, "--salts", salts)[0] == 0
    return out, salts


def strings(value: Any) -> set[str]:
    """Return every text in a document that is not a member's name."""
    if isinstance(value, dict):
        return set().union(*map(strings, value.values()))
    if isinstance(value, list):
        return set().union(*map(strings, value))
    return {value} if isinstance(value, str) else set()


def material(whole: Path) -> set[str]:
    """Return queries, keys and labels of the run."""
    probes = json.loads((whole / "suite.json").read_bytes())["probes"]
    lines = [json.loads(line) for line in (whole / "transcript.jsonl").read_bytes().splitlines()]
    keys = {item["item_key"] for line in lines for ordering in line.get("orderings", []) for item in ordering["items"]}
    return keys | {probe["query"] for probe in probes} | {line["item_key"] for line in lines if "item_key" in line}


def test_no_material_is_left(whole: Path, withheld: tuple[Path, Path]) -> None:
    out, salts = withheld
    files = sorted(path.name for path in out.iterdir())
    wanted = ["assessment.json", "environment.json", "profile.json", "suite.withheld.json", "transcript.withheld.jsonl"]
    assert files == wanted
    left: set[str] = set()
    for name in wanted[3:]:
        left |= set().union(*(strings(json.loads(line)) for line in (out / name).read_bytes().splitlines()))
    assert material(whole)
    assert not material(whole) & left
    assert (out / "assessment.json").read_bytes() == (whole / "assessment.json").read_bytes()
    assert salts.stat().st_mode & 0o077 == 0


def test_without_salts_it_is_never_verified(withheld: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(capsys, "verify", withheld[0], "--json")
    found = json.loads(out)
    assert (code, found["status"]) == (3, "consistent_not_recomputable")
    assert found["checks"][1] == (
        "material is withheld: inputs, 7 questions, their trials and how many orderings they got agree with the "
        "assessment; texts, ranks and results can be checked with the salts only"
    )


def test_with_salts_everything_is_recomputed(
    whole: Path, withheld: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    out, salts = withheld
    code, text, _ = _run(capsys, "verify", out, "--salts", salts, "--json")
    assert (code, json.loads(text)["status"]) == (0, "verified")
    texts = restored_texts(out, salts)
    assert texts.suite == (whole / "suite.json").read_bytes()
    assert texts.transcript == (whole / "transcript.jsonl").read_bytes()


def test_signatures_over_the_whole_run_still_hold(
    whole: Path, withheld: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, salts = withheld
    private, public = write_key(tmp_path, "k")
    envelope = tmp_path / "run.dsse.json"
    assert _run(capsys, "sign", whole, "--key", private, "--out", envelope)[0] == 0
    signed = ("--envelope", envelope, "--key", public)
    assert _run(capsys, "verify", out, "--salts", salts, *signed)[0] == 0
    assert _run(capsys, "verify", out, *signed)[0] == 3


def test_one_kind_alone(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, salts = tmp_path / "labels", tmp_path / "labels.salts.json"
    code, text, _ = _run(capsys, "withhold", whole, "--withhold", "labels", "--out", out, "--salts", salts, "--json")
    assert (code, json.loads(text)["withheld"]) == (0, ["labels"])
    document = json.loads((out / "suite.withheld.json").read_bytes())
    before = json.loads((whole / "suite.json").read_bytes())
    assert [probe["query"] for probe in document["probes"]] == [probe["query"] for probe in before["probes"]]
    assert {item["material"] for item in json.loads(salts.read_bytes())["disclosures"]} <= {"labels", "notes"}
    assert _run(capsys, "verify", out, "--salts", salts)[0] == 0


def test_salts_of_another_run(withheld: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(tmp_path / "o", assess(Retriever(good_answers), suite(*FOUR[:1]), assessed_at=NOW), {})
    assert _run(capsys, "withhold", tmp_path / "o", "--out", tmp_path / "p", "--salts", tmp_path / "p.salts")[0] == 0
    code, out, err = _run(capsys, "verify", withheld[0], "--salts", tmp_path / "p.salts")
    assert (code, out) == (4, "")
    assert err.startswith(f"error[digest_mismatch]: {tmp_path / 'p.salts'}: the salts are of another run: ")


def test_a_missing_salt(withheld: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    out, salts = withheld
    document = json.loads(salts.read_bytes())
    document["disclosures"].pop()
    salts.write_text(json.dumps(document))
    code, text, err = _run(capsys, "verify", out, "--salts", salts)
    assert (code, text) == (4, "")
    assert err.startswith("error[missing_salt]: the salts do not account for a withheld text: got 'withheld:sha256:")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--withhold", "scores"), "error[unknown_material]: no such material: got 'scores'"),
        (("--withhold", ""), "error[unknown_material]: no such material: got ''"),
    ],
)
def test_refusals(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], message: str
) -> None:
    arguments = ("withhold", whole, "--out", tmp_path / "w", "--salts", tmp_path / "w.salts")
    code, out, err = _run(capsys, *arguments, *more)
    assert (code, out, (tmp_path / "w").exists()) == (4, "", False)
    assert err.startswith(message)


def test_what_cannot_be_withheld_from(
    whole: Path, withheld: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = _run(capsys, "withhold", withheld[0], "--out", tmp_path / "w", "--salts", tmp_path / "w.salts")
    assert (code, err.startswith("error[not_recomputable]: ")) == (4, True)
    code, _, err = _run(capsys, "verify", whole, "--salts", withheld[1])
    assert (code, err.startswith("error[nothing_withheld]: ")) == (4, True)


def test_equal_texts_get_equal_digests_and_other_salts_others(whole: Path) -> None:
    texts = RunTexts((whole / "suite.json").read_bytes(), (whole / "transcript.jsonl").read_bytes())
    digest = "sha256:" + "0" * 64
    numbers = iter(range(1000))
    first = withhold(texts, digest, [Material.keys], new_salt=lambda: f"{next(numbers):032x}")
    second = withhold(texts, digest, [Material.keys])
    assert first.texts != second.texts
    assert restore(first.texts, first.salts) == restore(second.texts, second.salts) == texts
    assert len({item.value for item in first.salts.disclosures if item.material is Material.keys}) == len(
        [item for item in first.salts.disclosures if item.material is Material.keys]
    )
