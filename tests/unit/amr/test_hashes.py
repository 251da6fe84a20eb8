"""Hashes of quotes and ids of claims."""

from __future__ import annotations

import hashlib

import pytest

from witnessmark.amr.hashes import claim_id, parse_quote_hash, quote_hash
from witnessmark.errors import InputError


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_quote_hash(text)
    return f"[{caught.value.code}] {caught.value}"


def test_written_is_sha256_of_the_normalized_quote() -> None:
    digest = hashlib.sha256(b"it's so").hexdigest()
    assert quote_hash(" it’s \n so ") == f"sha256:{digest}"


@pytest.mark.parametrize(
    ("text", "algorithm", "prefixed"),
    [
        (f"sha256:{'a' * 64}", "sha256", True),
        (f"md5:{'a' * 32}", "md5", True),
        ("0" * 64, "sha256", False),
        ("0" * 32, "md5", False),
    ],
)
def test_read_is_what_the_prefix_or_the_number_of_digits_says(text: str, algorithm: str, prefixed: bool) -> None:
    assert parse_quote_hash(text)[::2] == (algorithm, prefixed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("deadbeef", "[unknown_digest_length] unrecognized bare digest length: got 8 digits, wanted sha256: and 64 digits"),  # noqa: E501
        ("", "[digest_not_hexadecimal] digest is not lowercase hexadecimal: got '', wanted digits 0-9 and a-f"),
        ("crc32:deadbeef", "[unsupported_hash_algorithm] unsupported hash algorithm: got 'crc32', wanted sha256:, or md5: in records that exist already"),  # noqa: E501
        (f"SHA256:{'a' * 64}", "[unsupported_hash_algorithm] unsupported hash algorithm: got 'SHA256', wanted sha256:, or md5: in records that exist already"),  # noqa: E501
        (f"sha256:{'a' * 63}", "[wrong_digest_length] wrong number of digits for sha256: got 63, wanted 64"),
        (f"sha256:{'a' * 32}", "[wrong_digest_length] wrong number of digits for sha256: got 32, wanted 64"),
        (f"md5:{'a' * 64}", "[wrong_digest_length] wrong number of digits for md5: got 64, wanted 32"),
        ("sha256:xyz", "[digest_not_hexadecimal] digest is not lowercase hexadecimal: got 'xyz', wanted digits 0-9 and a-f"),  # noqa: E501
        (f"sha256:{'A' * 64}", f"[digest_not_hexadecimal] digest is not lowercase hexadecimal: got '{'A' * 64}', wanted digits 0-9 and a-f"),  # noqa: E501
    ],
)  # fmt: skip
def test_everything_else_is_refused(text: str, message: str) -> None:
    assert refused(text) == message


@pytest.mark.parametrize("algorithm", ["sha256", "md5"])
def test_agreement_is_over_the_normalized_quote(algorithm: str) -> None:
    stored = parse_quote_hash(f"{algorithm}:{hashlib.new(algorithm, b'a - b').hexdigest()}")
    assert stored.agrees_with("a \u2013\tb")
    assert not stored.agrees_with("a \u2010 b")


def test_a_claim_id_is_one_for_both_spellings_of_a_ref() -> None:
    wanted = hashlib.sha256(b"ops/a:the job runs at four").hexdigest()[:16]
    assert claim_id("ops/a", " the job  runs at four") == claim_id("ops/a.md", "the job runs at four") == wanted
    assert claim_id("ops/b", "the job runs at four") != wanted
