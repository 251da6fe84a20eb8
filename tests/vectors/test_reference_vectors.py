"""Every vector file, found by listing, and what keeps the vectors honest."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import rfc8785

from witnessmark.errors import InputError
from witnessmark.vectors import default_vectors, run_file, run_vectors, vector_files
from witnessmark.vectors.text import CanonicalVector, run_canonical

VECTORS = Path(__file__).resolve().parents[2] / "vectors"
FILES = [path.relative_to(VECTORS).as_posix() for path in vector_files(VECTORS)]


@pytest.mark.parametrize("name", FILES)
def test_agrees_with(name: str) -> None:
    (outcome,) = run_file(VECTORS / name, name=name)

    assert outcome.differences == ()
    assert outcome.agrees
    assert outcome.why.endswith(".")


def test_every_kind_has_vectors() -> None:
    kinds = [outcome.kind for outcome in run_vectors(VECTORS)]

    assert {kind: kinds.count(kind) >= 30 for kind in ("canonical", "model", "assessment", "gate")} == {
        "canonical": True,
        "model": True,
        "assessment": True,
        "gate": True,
    }


def test_files_are_what_the_hand_written_cases_give() -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "make"), "--check"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_the_cases_do_not_import_the_implementation() -> None:
    sources = "".join(path.read_text() for path in (Path(__file__).parent / "make").glob("*.py"))

    assert "import witnessmark" not in sources
    assert "from witnessmark" not in sources


@pytest.mark.specs
def test_agrees_with_all_nine_public_reference_vectors(specs: Path) -> None:
    outcomes = run_vectors(specs / "reference-vectors-v0.1.json")

    assert len(outcomes) == 9
    assert [outcome for outcome in outcomes if not outcome.agrees] == []


def _sorted_by(key: Callable[[str], object]) -> Callable[[object], bytes]:
    def canonicalize(value: object) -> bytes:
        if isinstance(value, dict):
            members = sorted(value.items(), key=lambda member: key(member[0]))  # type: ignore[arg-type,return-value]
            return b"{" + b",".join(rfc8785.dumps(k) + b":" + canonicalize(v) for k, v in members) + b"}"
        if isinstance(value, list):
            return b"[" + b",".join(canonicalize(child) for child in value) + b"]"
        return rfc8785.dumps(value)  # type: ignore[arg-type]

    return canonicalize


def _texts(change: Callable[[str], str]) -> Callable[[object], bytes]:
    def walk(value: object) -> object:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, list):
            return [walk(child) for child in value]
        if isinstance(value, dict):
            return {change(key): walk(child) for key, child in value.items()}
        return value

    return lambda value: rfc8785.dumps(walk(value))  # type: ignore[arg-type]


def _written(change: Callable[[bytes], bytes]) -> Callable[[object], bytes]:
    return lambda value: change(rfc8785.dumps(value))  # type: ignore[arg-type]


def _json(**options: object) -> Callable[[object], bytes]:
    settings = {"sort_keys": True, "separators": (",", ":"), "ensure_ascii": False} | options
    return lambda value: json.dumps(value, **settings).encode()  # type: ignore[arg-type]


def _numbers(change: Callable[[float], object]) -> Callable[[object], bytes]:
    def walk(value: object) -> object:
        if type(value) in (int, float):
            return change(value)  # type: ignore[arg-type]
        if isinstance(value, list):
            return [walk(child) for child in value]
        if isinstance(value, dict):
            return {key: walk(child) for key, child in value.items()}
        return value

    return lambda value: rfc8785.dumps(walk(value))  # type: ignore[arg-type]


WRONG: dict[str, Callable[[object], bytes]] = {
    "keys by code point": _sorted_by(lambda key: key),
    "keys by UTF-8 bytes": _sorted_by(lambda key: key.encode()),
    "keys by little-endian UTF-16": _sorted_by(lambda key: key.encode("utf-16-le")),
    "keys without case": _sorted_by(lambda key: key.lower().encode("utf-16-be")),
    "keys by length": _sorted_by(lambda key: (len(key), key.encode("utf-16-be"))),
    "keys as they come": _sorted_by(lambda key: 0),
    "keys by their escaped form": _sorted_by(lambda key: json.dumps(key)),
    "NFC": _texts(lambda text: unicodedata.normalize("NFC", text)),
    "NFD": _texts(lambda text: unicodedata.normalize("NFD", text)),
    "NFKC": _texts(lambda text: unicodedata.normalize("NFKC", text)),
    "stripped strings": _texts(str.strip),
    "escaped U+2028": _written(lambda data: data.replace("\u2028".encode(), b"\\u2028")),
    "escaped U+2029": _written(lambda data: data.replace("\u2029".encode(), b"\\u2029")),
    "escaped U+007F": _written(lambda data: data.replace(b"\x7f", b"\\u007f")),
    "escaped C1 controls": _written(lambda data: data.replace("\x80".encode(), b"\\u0080")),
    "escaped slash": _written(lambda data: data.replace(b"/", b"\\/")),
    "escaped HTML": _written(lambda data: data.replace(b"<", b"\\u003c")),
    "upper-case escapes": _written(lambda data: data.replace(b"\\u001f", b"\\u001F")),
    "no short escapes": _written(lambda data: data.replace(b"\\b", b"\\u0008")),
    "final newline": _written(lambda data: data + b"\n"),
    "byte order mark dropped": _written(lambda data: data.replace("\ufeff".encode(), b"")),
    "ASCII only": _json(ensure_ascii=True),
    "spaces": _json(separators=(", ", ": ")),
    "unsorted": _json(sort_keys=False),
    "Python floats": _json(),
    "numbers as doubles with fraction": _written(lambda data: data.replace(b"[1,-2,", b"[1.0,-2.0,")),
    "exponent without sign": _written(lambda data: data.replace(b"e+", b"e")),
    "six digits": _numbers(lambda number: float(f"{number:.6g}")),
    "single precision exponents": _numbers(lambda number: 0 if 0 < abs(number) < 1e-300 else number),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_canonicalizer_breaks_a_vector(mistake: str) -> None:
    vectors = [
        CanonicalVector.from_bytes(path.read_bytes()) for path in vector_files(VECTORS / "canonical" / "accepted")
    ]

    broken = [vector for vector in vectors if not run_canonical("x", vector, WRONG[mistake]).agrees]

    assert broken, f"no vector notices: {mistake}"


def test_the_right_canonicalizer_breaks_none() -> None:
    vectors = [CanonicalVector.from_bytes(path.read_bytes()) for path in vector_files(VECTORS / "canonical")]

    assert all(run_canonical("x", vector, rfc8785.dumps).agrees for vector in vectors)  # type: ignore[arg-type]


def _changed(tmp_path: Path, name: str, **changes: object) -> tuple[str, ...]:
    document = json.loads((VECTORS / name).read_text()) | changes
    copy = tmp_path / Path(name).name
    copy.write_text(json.dumps(document))
    (outcome,) = run_file(copy)
    assert outcome.agrees == (not outcome.differences)
    return outcome.differences


def test_a_changed_expectation_is_a_difference(tmp_path: Path) -> None:
    digest = "sha256:" + "0" * 64
    gate = json.loads((VECTORS / "gate/fail.json").read_text())["expected"] | {"presented_assessment_count": 2}
    gate["non_applicable_mismatches"] = ["probe_suite"]
    expected = json.loads((VECTORS / "assessment/scope/fail-key.json").read_text())["expected"]

    assert _changed(tmp_path, "canonical/accepted/literals.json", canonical_hex="00") == (
        "canonical_hex: expected '00', got '5b747275652c66616c73652c6e756c6c5d'",
    )
    assert _changed(tmp_path, "canonical/refused/duplicate_key-top.json", pointer="/b") == (
        "pointer: expected '/b', got '/a'",
    )
    assert _changed(tmp_path, "canonical/refused/duplicate_key-top.json", text="{}")[-2:] == (
        "error: expected 'duplicate_key', got None",
        "pointer: expected '/a', got None",
    )
    assert len(_changed(tmp_path, "models/valid/request-minimal.json", digest=digest)) == 1
    assert _changed(tmp_path, "models/invalid/missing_field-query.json", pointer="/context") == (
        "pointer: expected '/context', got '/query'",
    )
    assert len(_changed(tmp_path, "gate/fail.json", expected=gate)) == 2
    assert _changed(tmp_path, "assessment/scope/fail-key.json", expected=expected | {"result": "pass"}) == (
        "result: expected 'pass', got 'fail'",
    )
    assert _changed(tmp_path, "assessment/suite/error-duplicate_rank.json", error="other") == (
        "error: expected 'other', got 'duplicate_rank'",
    )


def test_unknown_format(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"format": "other/1"}')

    with pytest.raises(InputError, match=r"no vector of a known format: got 'other/1'") as caught:
        run_vectors(tmp_path)

    assert caught.value.code == "unknown_format"


def test_unknown_format_of_an_array(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("[]")

    with pytest.raises(InputError) as caught:
        run_file(tmp_path / "x.json")

    assert caught.value.code == "unknown_format"


def test_unknown_model(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        _changed(tmp_path, "models/valid/request-minimal.json", model="MIN_TRIALS")

    assert caught.value.code == "unknown_model"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("canonical/accepted/literals.json", {"error": "invalid_json"}),
        ("canonical/accepted/literals.json", {"text_hex": "00"}),
        ("models/valid/request-minimal.json", {"pointer": ""}),
        ("models/valid/request-minimal.json", {"text": "{}"}),
        ("assessment/scope/pass.json", {"error": "x"}),
    ],
)
def test_a_vector_that_is_two_cases_is_contradicts_itself(
    tmp_path: Path, name: str, changes: dict[str, object]
) -> None:
    with pytest.raises(InputError) as caught:
        _changed(tmp_path, name, **changes)

    assert caught.value.code == "contradicts_itself"


def test_no_vectors(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        run_vectors(tmp_path)

    assert caught.value.code == "no_vectors"


def test_the_default_folder_holds_these_vectors() -> None:
    assert len(vector_files(default_vectors())) == len(FILES)
