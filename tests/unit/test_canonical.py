"""What vectors cannot say: messages, Python values, limits, records."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable
from decimal import Decimal
from enum import IntEnum, StrEnum

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from witnessmark.canonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    canonical_bytes,
    canonical_digest,
    json_pointer,
    model_bytes,
    parse_canonical,
    parse_json,
    plain_bytes,
    sha256_digest,
)
from witnessmark.errors import CanonicalError, InputError
from witnessmark.models import MemoryRecord, RetrievalRequest, RetrieverProfile


def refused(action: Callable[[], object]) -> CanonicalError:
    with pytest.raises(CanonicalError) as caught:
        action()
    return caught.value


class Mood(StrEnum):
    calm = "calm"


class Level(IntEnum):
    one = 1


@pytest.mark.parametrize(
    ("path", "pointer"),
    [((), ""), (("",), "/"), (("a/b", 0, "m~n"), "/a~1b/0/m~0n"), (("~1",), "/~01")],
)
def test_json_pointer(path: tuple[str | int, ...], pointer: str) -> None:
    assert json_pointer(path) == pointer


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a":[1,{"b":1,"b":2}]}', "f.json /a/1/b: key stands twice in one object: got 'b'"),
        ("[NaN]", "f.json /0: number is not finite: got NaN, wanted a finite number"),
        ("1e999", "f.json: number is not finite: got 1e999, wanted a finite number"),
        (
            "[9007199254740992]",
            "f.json /0: integer is not exact in JSON: got 9007199254740992, wanted at most ±(2^53−1)",
        ),
        (
            "-" + "1" * 500,
            f"f.json: integer is not exact in JSON: got -{'1' * 39}…, wanted at most ±(2^53−1)",
        ),
        (
            "[1e20]",
            "f.json /0: number is written as an inexact integer: got 1e20, wanted at most ±(2^53−1), or 1e21 or more",
        ),
        ('["\\ud800"]', "f.json /0: string holds a lone surrogate: got '\\ud800', wanted Unicode text"),
        ('{"\\udc00":1}', "f.json /\\udc00: key holds a lone surrogate: got '\\udc00', wanted Unicode text"),
        ("[" * 65 + "]" * 65, f"f.json {'/0' * 64}: nesting is too deep: wanted at most 64 levels"),
        ("[1,]", "f.json: line 1 column 4: not JSON: Expecting value"),
        ("\ufeff1", "f.json: starts with a byte order mark: wanted plain UTF-8"),
    ],
)
def test_message_says_what_got_wanted_where(text: str, message: str) -> None:
    assert str(refused(lambda: parse_json(text, where="f.json"))) == message


def test_message_without_a_file() -> None:
    assert str(refused(lambda: parse_json("[NaN]"))) == "/0: number is not finite: got NaN, wanted a finite number"
    assert str(refused(lambda: parse_json("NaN"))) == "number is not finite: got NaN, wanted a finite number"
    assert str(refused(lambda: parse_json("{"))).startswith("line 1 column 2: not JSON: ")
    assert str(refused(lambda: parse_json(b"\xff"))) == "not UTF-8: got byte 0xff at offset 0"


def test_first_problem_in_document_order_wins() -> None:
    assert str(refused(lambda: parse_json('[[1,NaN],{"a":1,"a":2}]'))).startswith("/0/1: ")


def test_too_large_counts_bytes_also_of_text() -> None:
    assert parse_json(b'"abc"', max_bytes=5) == "abc"
    assert parse_json('"\xe9"', max_bytes=4) == "\xe9"
    for text in (b'"abcd"', '"abcd"', '"\xe9\xe9"', '"\ud800"'):
        error = refused(lambda text=text: parse_json(text, max_bytes=4, where="f.json"))  # type: ignore[misc]
        assert error.code == "too_large"
    assert str(error) == "f.json: JSON text is too large: got 5 bytes, wanted at most 4"


@pytest.mark.parametrize("text", ["\ud800", '"\ud800"', '{"\ud800":1}'])
def test_text_with_raw_surrogates_is_refused(text: str) -> None:
    assert refused(lambda: parse_json(text)).code in {"invalid_json", "lone_surrogate"}


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("[" * 5000, "/0" * 64),
        ("[[],{}, " * 3000, "/2" * 63 + "/0"),
        ('{"a":{"b":1,"x/y":' * 3000, "/a/x~1y" * 32),
        ('[1,"[]{},:\\"",' * 3000, "/2" * 64),
        ('{"a":[{"b":' * 3000, "/a/0/b" * 21 + "/a"),
    ],
)
def test_too_deep_for_the_parser_still_has_a_pointer(text: str, pointer: str) -> None:
    error = refused(lambda: parse_json(text))

    # An interpreter with a deeper stack reaches the missing end instead.
    assert (error.code, error.problems[0].where) == ("too_deep", pointer) or error.code == "invalid_json"


def test_depth_counts_containers_only() -> None:
    value: object = "x"
    for _ in range(MAX_DEPTH):
        value = [value]
    assert parse_json(canonical_bytes(value)) == value
    assert refused(lambda: canonical_bytes([value])).code == "too_deep"
    assert refused(lambda: canonical_bytes({"a": value})).code == "too_deep"
    assert refused(lambda: canonical_bytes({"a": [1.5, value]})).problems[0].where == "/a/1" + "/0" * 62


def test_a_cycle_is_too_deep() -> None:
    loop: list[object] = []
    loop.append(loop)

    assert refused(lambda: canonical_bytes(loop)).code == "too_deep"


@pytest.mark.parametrize(
    ("value", "code", "where"),
    [
        ({"a": [math.nan]}, "non_finite_number", "/a/0"),
        ([-math.inf], "non_finite_number", "/0"),
        ([MAX_INTEGER + 1], "integer_out_of_range", "/0"),
        ([0.5, -MAX_INTEGER - 1], "integer_out_of_range", "/1"),
        ("\ud800", "lone_surrogate", None),
        (["\ud800", 0.5], "lone_surrogate", "/0"),
        ({"\ud800": 1}, "lone_surrogate", "/\\ud800"),
        ({"\xe9": {"b": "\udfff"}}, "lone_surrogate", "/\xe9/b"),
        ({1: "a"}, "not_json", None),
        ({"a": {None: 0.5}}, "not_json", "/a"),
        ([{1, 2}], "not_json", "/0"),
        ([b"x"], "not_json", "/0"),
        ([Decimal(1)], "not_json", "/0"),
        (object(), "not_json", None),
    ],
)
def test_what_json_cannot_hold(value: object, code: str, where: str | None) -> None:
    error = refused(lambda: canonical_bytes(value))

    assert (error.code, error.problems[0].where) == (code, where)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (("a", ("b", 1.5)), '["a",["b",1.5]]'),
        ([Mood.calm, Level.one, True, None], '["calm",1,true,null]'),
        ({Mood.calm: {"\xe9": 1}}, '{"calm":{"\xe9":1}}'),
        ({"\ue000": 1, "\U0001f600": 2}, '{"\U0001f600":2,"\ue000":1}'),
        (1e16, "10000000000000000"),
        (-0.0, "0"),
    ],
)
def test_python_values_of_json_types(value: object, text: str) -> None:
    assert canonical_bytes(value) == text.encode()


def test_whatever_else_the_canonicalizer_raises_is_not_canonical(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(value: object) -> bytes:
        raise TypeError("surprise")

    monkeypatch.setattr(rfc8785, "dumps", fail)

    assert str(refused(lambda: canonical_bytes(0.5, where="f"))) == "f: no canonical form: surprise"


def test_parse_canonical_accepts_only_its_own_form() -> None:
    assert parse_canonical(b'{"a":[1,null]}') == {"a": [1, None]}
    error = refused(lambda: parse_canonical(b'{"a": 1}', where="x.json"))
    assert error.code == "not_canonical"
    assert str(error) == ("x.json: not in canonical form: got b' 1}' at byte 5, wanted b'1}' (RFC 8785)")
    assert refused(lambda: parse_canonical(b"1\n")).problems[0].got == "b'\\n' at byte 1"
    assert refused(lambda: parse_canonical(b'"\\u0041"')).code == "not_canonical"


def test_plain_bytes_is_the_same_form_for_plain_values() -> None:
    value = {"b": ["\u2028\x7f", None, True], "a": {"10": 1, "9": -2}}

    assert plain_bytes(value) == rfc8785.dumps(value) == canonical_bytes(value)
    assert refused(lambda: plain_bytes({"a": ["\ud800"]})).problems[0].where == "/a/0"


def test_digest_is_prefixed_sha256() -> None:
    assert sha256_digest(b"abc") == f"sha256:{hashlib.sha256(b'abc').hexdigest()}"
    assert canonical_digest({"b": 1, "a": None}) == sha256_digest(b'{"a":null,"b":1}')
    assert canonical_digest("x") == sha256_digest(b'"x"')


def test_profile_leaves_out_absent_fields_and_null_settings() -> None:
    profile = RetrieverProfile(
        implementation_id="a",
        implementation_version="1",
        adapter_version="1",
        adapter_capability="unsupported_or_unknown",
        distance_metric="ip",
        index_implementation="flat",
        index_build_config={"b": None, "a": 1},
        top_k=1,
        truncation_rule="none",
    )
    assert b'"index_build_config":{"a":1}' in model_bytes(profile)
    assert b"null" not in model_bytes(profile)
    assert b"seed" not in model_bytes(profile)


def test_null_members_of_a_record_are_absent_and_nulls_in_lists_stay() -> None:
    record = MemoryRecord.from_json({"key": "k", "text": "t", "tags": [None, {"a": None, "b": 1}]})

    assert model_bytes(record) == b'{"key":"k","scope_labels":[],"tags":[null,{"b":1}],"text":"t"}'


def test_record_error_names_the_record() -> None:
    request = RetrievalRequest(query="q", context={"a": "\ud800"})

    assert str(refused(lambda: model_bytes(request))).startswith("RetrievalRequest /context/a: string holds")


def test_errors_are_input_errors() -> None:
    assert issubclass(CanonicalError, InputError)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda child: st.lists(child) | st.dictionaries(st.text(), child),
    max_leaves=20,
)


@settings(deadline=None)
@given(_JSON)
def test_same_bytes_as_rfc8785(value: object) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@settings(deadline=None)
@given(_JSON, st.booleans())
def test_whatever_is_accepted_is_read_back_equal(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
    try:
        parsed = parse_json(text)
    except CanonicalError as error:
        assert error.code == "integer_out_of_range"
        return
    data = canonical_bytes(parsed)
    assert parsed == value
    assert parse_canonical(data) == parsed
    assert canonical_bytes(parse_json(data)) == data


@settings(deadline=None)
@given(st.text(alphabet='[]{}",:0123456789.eE+-\\u d8abtrufalsn\x00\ud800', max_size=40))
def test_any_text_is_parsed_or_refused_with_a_code(text: str) -> None:
    try:
        value = parse_json(text)
    except CanonicalError as error:
        assert error.code
    else:
        json.loads(text)
        canonical_bytes(value)


@pytest.mark.slow
def test_a_large_document_is_checked_in_about_the_time_of_parsing() -> None:
    row = {"item_key": "k", "rank": 3, "score": 0.123456, "scope_labels": ["a:b", "c"], "text": "x" * 60}
    text = json.dumps([row] * 150_000).encode()
    assert len(text) > 18e6

    start = time.perf_counter()
    parse_json(text)

    # Far above what it takes (about a second), far below what a path for every value would cost on this size.
    assert time.perf_counter() - start < 15
