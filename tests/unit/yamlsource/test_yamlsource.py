"""YAML that people write: what it means, what is refused, and on which line."""

from __future__ import annotations

import random

import pytest
import yaml

from witnessmark.errors import InputError
from witnessmark.yamlsource import MAX_YAML_BYTES, key_places, line_of, load_yaml


def refused(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(InputError) as caught:
        load_yaml(data, "s.yaml")
    return f"[{caught.value.code}] {caught.value}"


def test_values_mean_what_they_mean_in_json() -> None:
    value, _ = load_yaml(b"a: true\nb: null\nc: -3\nd: 1.5e2\ne:\nf: [x, 'y', \"z\"]\ng: |\n  two\n  lines\n", "s.yaml")
    assert value == {"a": True, "b": None, "c": -3, "d": 150.0, "e": None, "f": ["x", "y", "z"], "g": "two\nlines\n"}


@pytest.mark.parametrize(
    "word",
    [
        "yes",
        "no",
        "on",
        "off",
        "True",
        "NULL",
        "~",
        "0x1f",
        "010",
        "1_000",
        "1:30",
        ".nan",
        "+1",
        "<<",
        "=",
        "2026-05-01",
    ],
)
def test_what_others_read_otherwise_has_to_be_quoted(word: str) -> None:
    assert refused(f"a: x\nv: {word}\n") == (
        "[ambiguous_yaml] s.yaml:2 /v: plain text that others read as something else: "
        f"got {word}, wanted it in quotes, or a JSON value"
    )
    assert load_yaml(f"v: '{word}'\n".encode(), "s.yaml")[0] == {"v": word}


@pytest.mark.parametrize("word", ["nope", "tenant:acme", "v1.2", "0.1.0", "C:\\x", "a~b", "yes and no"])
def test_plain_words_are_text(word: str) -> None:
    assert load_yaml(f"v: {word}\n".encode(), "s.yaml")[0] == {"v": word}


def test_a_quoted_number_is_text() -> None:
    assert load_yaml(b"'1': \"2\"\n", "s.yaml")[0] == {"1": "2"}


def test_every_value_knows_its_line() -> None:
    _, lines = load_yaml(
        b"# c\nversion: '0.1'\nprobes:\n  - id: a\n    q:\n      x\n  - {id: b,\n     q: y}\n", "s.yaml"
    )
    assert lines == {
        "": 2,
        "/version": 2,
        "/probes": 3,
        "/probes/0": 4,
        "/probes/0/id": 4,
        "/probes/0/q": 5,
        "/probes/1": 7,
        "/probes/1/id": 7,
        "/probes/1/q": 8,
    }


def test_a_missing_member_is_placed_at_what_holds_it() -> None:
    _, lines = load_yaml(b"probes:\n  - id: a\n  - id: b\n", "s.yaml")
    assert line_of(lines, "/probes/1/query") == 3
    assert line_of(lines, "/nothing") == 1
    assert line_of({}, "/nothing") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", "[duplicate_key] s.yaml:4 /b/c: key stands twice in one mapping: got also on line 3"),  # noqa: E501
        ("a: &x 1\n", "[yaml_alias] s.yaml:1: anchor: got &x, wanted the value without it"),
        ("a: 1\nb: *x\n", "[yaml_alias] s.yaml:2: alias: got *x, wanted the value written out"),
        ("a: !!python/object:os.system x\n", "[yaml_tag] s.yaml:1: tag: got tag:yaml.org,2002:python/object:os.system, wanted plain data"),  # noqa: E501
        ("a: !!str 1\n", "[yaml_tag] s.yaml:1: tag: got tag:yaml.org,2002:str, wanted plain data"),
        ("a: 1\n---\nb: 2\n", "[several_documents] s.yaml:3: holds more than one document: wanted one"),
        ("", "[invalid_yaml] s.yaml:1: holds no document"),
        ("# only a comment\n", "[invalid_yaml] s.yaml:1: holds no document"),
        ("a:\n\tb: 1\n", "[tab_character] s.yaml:2: line is indented with a tab: wanted spaces"),
        ("1: x\n", "[key_is_not_text] s.yaml:1: key is not text: got 1, wanted text; quote it"),
        ("a:\n  ? [b]\n  : c\n", "[key_is_not_text] s.yaml:2 /a: key is not text: got a list or mapping, wanted text; quote it"),  # noqa: E501
        ("n: 9007199254740992\n", "[integer_out_of_range] s.yaml:1 /n: integer is not exact in JSON: got 9007199254740992, wanted at most ±(2^53−1)"),  # noqa: E501
        ("n: " + "9" * 5000, f"[integer_out_of_range] s.yaml:1 /n: integer is not exact in JSON: got {'9' * 40}, wanted at most ±(2^53−1)"),  # noqa: E501
        ("n: 1e999\n", "[non_finite_number] s.yaml:1 /n: number is not finite: got 1e999"),
        ('n: "\\ud800"\n', "[lone_surrogate] s.yaml:1 /n: text holds a lone surrogate: got '\\ud800'"),
        ("a: 1\nb: [1, 2\n", "[invalid_yaml] s.yaml:3: not YAML: expected ',' or ']', but got '<stream end>'"),
        ("a: b: c\n", "[invalid_yaml] s.yaml:1: not YAML: mapping values are not allowed here: got 'a: b: c'"),
        ("a: 1\nb: \x07\n", "[invalid_yaml] s.yaml:2: holds a character that YAML does not allow: got U+0007"),
    ],
)  # fmt: skip
def test_refused_text_names_line_and_reason(text: str, message: str) -> None:
    assert refused(text) == message


def test_refused_bytes_name_line_and_reason() -> None:
    assert refused(b"a: 1\nb: \xff\n") == "[invalid_utf8] s.yaml:2: not UTF-8: got byte 0xff at offset 8"
    assert refused("\ufeffa: 1\n") == "[byte_order_mark] s.yaml:1: starts with a byte order mark: wanted plain UTF-8"
    assert refused(b"a: " + b"x" * MAX_YAML_BYTES).startswith("[too_large] s.yaml: YAML text is too large")


def test_nesting_has_a_limit() -> None:
    assert load_yaml(b"[" * 64 + b"]" * 64, "s.yaml")
    assert refused("[" * 65 + "]" * 65) == "[too_deep] s.yaml:1: nesting is too deep: wanted at most 64 levels"
    assert refused("[" * 3000).startswith("[too_deep]")


def test_a_bomb_of_aliases_is_refused_at_its_first_anchor() -> None:
    bomb = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    assert refused(bomb).startswith("[yaml_alias] s.yaml:1: anchor")


@pytest.mark.parametrize(
    "word",
    ["yes", "2026-05-01", "2026-05-01T10:00:00+02:00", "~", "0x1f", "1_000", ".nan", "1e999", "9007199254740992"],
)
def test_on_request_what_others_read_otherwise_stays_as_it_is_spelled(word: str) -> None:
    value, _ = load_yaml(f"v: {word}\n".encode(), "s.yaml", keep_spelling=True)
    assert value == {"v": word}


def test_on_request_keys_stay_as_they_are_spelled_and_json_values_are_values() -> None:
    text = b"2026: a\nyes: b\nnull: c\nv: [true, null, 3, 1.50, -0]\n"
    value, _ = load_yaml(text, "s.yaml", keep_spelling=True)
    assert value == {"2026": "a", "yes": "b", "null": "c", "v": [True, None, 3, 1.5, 0]}


def test_on_request_two_spellings_are_one_key_only_where_they_are_equal() -> None:
    assert load_yaml(b"01: a\n1: b\n", "s.yaml", keep_spelling=True)[0] == {"01": "a", "1": "b"}
    with pytest.raises(InputError, match=r"^s.yaml:2 /1: key stands twice in one mapping: got also on line 1$"):
        load_yaml(b"1: a\n'1': b\n", "s.yaml", keep_spelling=True)


def test_a_key_knows_its_place() -> None:
    text = "é: 1\nb:\n  - q: x\n    r: {s: 1, t: 2}\n"
    places = key_places(text.encode(), "s.yaml")
    assert {pointer: (text[place.offset], place.column, place.flow) for pointer, place in places.items()} == {
        "/é": ("é", 0, False),
        "/b": ("b", 0, False),
        "/b/0/q": ("q", 4, False),
        "/b/0/r": ("r", 4, False),
        "/b/0/r/s": ("s", 8, True),
        "/b/0/r/t": ("t", 14, True),
    }


SEEDS = (
    "a: 1\nb:\n  - x: \"y\"\n    z: 'q'\n  - {k: v, l: [1, 2]}\nc: |\n  two\n  lines\nd: >-\n  f\n  g\n# c\ne: 2026-01-01\n",  # noqa: E501
    'v: "0.1"\ns:\n  - ref: a/b.md\n    quote: "it\\u2019s \\"x\\""\n'
    'tags: [a,b , c:d, http://x/y]\nk: "multi\n  line"\n? x\n: y\n',
)
PIECES = (
    *" \n\t:-?[]{},\"'#&*!|>%@`~=\\ab1.0",
    "---",
    "...",
    "\u2028",
    "\x85",
    "\ufeff",
    "é",
    "\r",
    "😀",
    "- ",
    ": ",
    " #",
)


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML was built without libyaml")
def test_libyaml_gives_what_the_own_parser_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    outcomes = []
    for _ in range(700):
        text = rng.choice(SEEDS)
        for _ in range(rng.randint(0, 2)):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(PIECES) + text[at + rng.randint(0, 2) :]
        outcomes.append((text, _outcome(text)))
    monkeypatch.setattr("witnessmark.yamlsource._FAST", None)
    assert [(text, _outcome(text)) for text, _ in outcomes] == outcomes
    assert sum(isinstance(outcome, tuple) for _, outcome in outcomes) > 200


def _outcome(text: str) -> object:
    try:
        return load_yaml(text.encode(), "s.yaml", keep_spelling=True)
    except InputError as error:
        return str(error)
