# ruff: noqa: E501
"""What a check finds in the fields of one record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from witnessmark.amr.fields import Epistemic, check_fields, declares, epistemic_of, links_of

HASH = "sha256:" + "0" * 64


def found(fields: Mapping[str, Any], level: int = 2) -> list[str]:
    """Return every finding of a record that is called ``ops/a``, beside what it declares."""
    declared = {"auditable_memory": "0.1", **fields}
    return [
        f"{item.severity} {item.pointer} [{item.problem.code}] {item.problem}"
        for item in check_fields(declared, "ops/a", level)  # type: ignore[arg-type]
    ]


def test_nothing_conforms_at_no_level() -> None:
    findings = check_fields({}, "ops/a", 3)
    assert [(item.severity, item.level, item.problem.code) for item in findings] == [
        ("not_conforming", 1, "not_declared"),
        ("not_conforming", 3, "no_citations"),
    ]


@pytest.mark.parametrize("version", ["0.9", "0.10", "1", "", 1, 0.2, True, ["0.1"]])
def test_another_version_is_not_guessed_at(version: object) -> None:
    codes = [item.problem.code for item in check_fields({"auditable_memory": version}, "ops/a", 1)]  # type: ignore[dict-item]
    assert codes == ["unknown_version"]
    assert not declares({"auditable_memory": version})  # type: ignore[dict-item]


def test_a_version_that_lost_its_quotes_is_tolerated() -> None:
    assert found({"auditable_memory": 0.1}) == [
        'warning /auditable_memory [version_is_a_number] version is a number: got 0.1, wanted it in quotes: "0.1"'
    ]
    assert declares({"auditable_memory": 0.1})


@pytest.mark.parametrize("word", ["unmarked", "Fact", "FACT", " fact", "", "hypothesis", 1, True, ["fact"]])
def test_the_vocabulary_is_closed(word: object) -> None:
    assert found({"epistemic": word}) == [
        "invalid /epistemic [epistemic_not_in_vocabulary] epistemic value not in closed vocabulary: "
        f"got {word!r}, wanted one of: fact, inference, open_question, unverified, or no field"
    ]


def test_absence_is_no_word() -> None:
    assert epistemic_of({}) is epistemic_of({"epistemic": None}) is None
    assert [epistemic_of({"epistemic": word}) for word in Epistemic] == list(Epistemic)
    with pytest.raises(ValueError, match="hypothesis"):
        epistemic_of({"epistemic": "hypothesis"})


@pytest.mark.parametrize("value", [0, 1, 0.0, 1.0, 0.5])
def test_a_confidence_is_from_0_to_1(value: float) -> None:
    assert found({"confidence": value}) == []


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.4, "[confidence_out_of_range] confidence out of range: got 1.4, wanted a number from 0 to 1"),
        (-0.1, "[confidence_out_of_range] confidence out of range: got -0.1, wanted a number from 0 to 1"),
        (True, "[wrong_type] confidence is no number: got True, wanted a number from 0 to 1"),
        ("0.5", "[wrong_type] confidence is no number: got '0.5', wanted a number from 0 to 1"),
    ],
)
def test_another_confidence_is_invalid(value: object, message: str) -> None:
    assert found({"confidence": value}) == [f"invalid /confidence {message}"]


WANTED = "wanted ASCII letters, digits and . _ / -, a letter or digit first, no .."


@pytest.mark.parametrize("ref", ["a", "9", "a/b", "a/b.md", "A-1_x/y.z", "a//b", "a/./b", "a/", "x" * 512])
def test_a_ref_is_well_formed(ref: str) -> None:
    assert found({"backed_by": [ref]}) == []


@pytest.mark.parametrize(
    "ref",
    [
        "",
        " ",
        " a",
        "a ",
        "a\n",
        "a b",
        "a\\b",
        "a:b",
        "é",
        "/a",
        "./a",
        "-a",
        "_a",
        ".a",
        "a..b",
        "../a",
        "a/../b",
        "a\x00",
    ],
)
def test_a_ref_is_malformed(ref: str) -> None:
    assert found({"contradicts": [ref]}) == [
        f"invalid /contradicts/0 [malformed_ref] malformed ref: got {ref!a}, {WANTED}"
    ]


@pytest.mark.parametrize(
    ("value", "messages"),
    [
        ("b", ["warning /backed_by [link_is_no_list] link is no list: got 'b', wanted a list of refs"]),
        (7, ["invalid /backed_by [malformed_ref] links are no list: got 7, wanted a list of refs"]),
        ([7], ["invalid /backed_by/0 [malformed_ref] malformed ref: got 7, wanted text"]),
        (["x" * 513], ["invalid /backed_by/0 [malformed_ref] malformed ref: got 513 characters, wanted at most 512 characters"]),
        (["b", "b.md"], ["warning /backed_by/1 [duplicate_link] link stands twice: got 'b.md', wanted each ref once"]),
        (["ops/a.md"], ["invalid /backed_by/0 [self_link] record links to itself: got 'ops/a.md', wanted a ref of another record"]),
        ([{"ref": "b"}], ["invalid /backed_by/0 [malformed_ref] malformed ref: got {'ref': 'b'}, wanted text"]),
        (
            [{"ref": "b", "similarity": 0.91, "method": "cosine"}],
            ["invalid /backed_by/0 [inferred_link] inferred relation serialized as declared typed link: "
             "got a link with method, similarity, wanted a ref that somebody vouches for"],
        ),
        (None, []),
        ([], []),
    ],
)  # fmt: skip
def test_links(value: object, messages: list[str]) -> None:
    assert found({"backed_by": value}) == messages


def test_a_record_supersedes_another_one() -> None:
    message = "[self_link] record supersedes itself: got 'ops/a', wanted a ref of another record"
    assert found({"supersedes": ["ops/b", "ops/a"]}) == [f"invalid /supersedes/1 {message}"]
    assert found({"supersedes": "ops/a"}) == [f"invalid /supersedes {message}"]
    assert found({"supersedes": 7}) == []


def test_a_derivation_that_computes_forbids_links_only() -> None:
    said = {"derivation": "embedding proximity 0.8"}
    assert found(said) == []
    assert found({"derivation": "read the runbook", "backed_by": ["b"]}) == []
    assert found({**said, "contradicts": ["b"]}) == [
        "invalid /derivation [inferred_link] inferred relation serialized as declared typed link: "
        "got 'embedding proximity 0.8', wanted contradicts only where somebody vouches for them"
    ]
    assert links_of({**said, "contradicts": ["b"]}, "contradicts") == ()


def test_a_level_leaves_out_what_is_above_it() -> None:
    fields = {"auditable_memory": "0.1", "backed_by": [""], "sources": 7}
    assert [[item.problem.code for item in check_fields(fields, "ops/a", level)] for level in (1, 2, 3)] == [
        [],
        ["malformed_ref"],
        ["malformed_ref", "wrong_type"],
    ]


def test_a_record_whose_path_is_no_ref_cannot_be_linked() -> None:
    (finding,) = check_fields({"auditable_memory": "0.1"}, "my notes", 2)
    assert (finding.severity, str(finding.problem)) == (
        "not_conforming",
        f"record has no well-formed ref: got 'my notes', {WANTED}",
    )


def test_links_are_canonical_and_each_once() -> None:
    assert links_of({"backed_by": ["b.md", "c", "b", "../x"]}, "backed_by") == ("b", "c")
    assert links_of({"backed_by": "b.md"}, "backed_by") == ("b",)
    assert links_of({}, "backed_by") == ()


SPAN = {"quote": "words"}


@pytest.mark.parametrize(
    ("fields", "messages"),
    [
        ({"sources": 7}, ["/sources [wrong_type] sources is no list: got 7, wanted a list of objects"]),
        ({"sources": ["s"]}, ["/sources/0 [wrong_type] citation is no object: got 's', wanted ref, quote and quote_hash"]),
        ({"sources": [{"quote": "q"}]}, ["/sources/0 [missing_ref] citation missing ref: wanted a ref"]),
        ({"sources": [{"ref": "s"}]}, ["/sources/0 [missing_quote] citation missing quote: wanted text"]),
        ({"sources": [{"ref": "../s", "quote": "q"}]}, [f"/sources/0/ref [malformed_ref] malformed ref: got '../s', {WANTED}"]),
        ({"sources": [{"ref": "ops/a.md", "quote": "q"}]}, ["/sources/0/ref [self_citation] record cites itself: got 'ops/a.md', wanted another source"]),
        ({"sources": [{"ref": "s", "quote": " \u200b\n"}]}, ["/sources/0/quote [empty_quote] quote is empty: got ' \\u200b\\n', wanted words"]),
        ({"sources": [{"ref": "s", "quote": 11}]}, ["/sources/0/quote [wrong_type] quote is not text: got 11, wanted text; quote it"]),
        ({"sources": [{"ref": "s", "quote": "q", "quote_hash": 11}]}, ["/sources/0/quote_hash [wrong_type] quote_hash is not text: got 11, wanted text; quote it"]),
        ({"sources": [{"ref": "s", "quote": "q", "quote_hash": "crc32:00"}]}, ["/sources/0/quote_hash [unsupported_hash_algorithm] unsupported hash algorithm: got 'crc32', wanted sha256:, or md5: in records that exist already"]),
        ({"claims": {}}, ["/claims [wrong_type] claims is no list: got {}, wanted a list of objects"]),
        ({"claims": [7]}, ["/claims/0 [wrong_type] claim is no object: got 7, wanted text, source_id and span"]),
        ({"claims": [{"text": "t", "span": SPAN}]}, ["/claims/0 [missing_source_id] claim missing source_id: wanted a ref"]),
        ({"claims": [{"source_id": "s", "span": SPAN}]}, ["/claims/0 [missing_text] claim missing text: wanted text"]),
        ({"claims": [{"text": " ", "source_id": "s", "span": SPAN}]}, ["/claims/0/text [empty_text] text is empty: got ' ', wanted words"]),
        ({"claims": [{"text": "t", "source_id": "s"}]}, ["/claims/0 [missing_span] claim missing span: wanted quote and quote_hash"]),
        ({"claims": [{"text": "t", "source_id": "s", "span": "q"}]}, ["/claims/0/span [wrong_type] span is no object: got 'q', wanted quote and quote_hash"]),
        ({"claims": [{"text": "t", "source_id": "s", "span": {}}]}, ["/claims/0/span [missing_quote] span missing quote: wanted text"]),
        ({"claims": [{"text": "t", "source_id": "s", "span": SPAN, "claim_id": 7}]}, ["/claims/0/claim_id [wrong_type] claim_id is not text: got 7, wanted text; quote it"]),
    ],
)  # fmt: skip
def test_malformed_citations(fields: dict[str, Any], messages: list[str]) -> None:
    assert found(fields, 3) == [f"invalid {message}" for message in messages]


def test_a_citation_without_a_hash_falls_short_of_level_3() -> None:
    assert found({"sources": [{"ref": "s", "quote": "q"}]}, 3) == [
        "not_conforming /sources/0 [hash_missing] quote has no hash: wanted quote_hash, as records stamp adds it"
    ]


def test_a_hash_that_disagrees_is_well_formed_and_falls_short() -> None:
    assert found({"sources": [{"ref": "s", "quote": "q", "quote_hash": HASH}]}, 3) == [
        "not_conforming /sources/0/quote_hash [hash_disagrees] hash disagrees with the quote beside it: got " + HASH
    ]


def test_hashes_of_old_records_are_warnings() -> None:
    md5, bare = "7694f4a66316e53c8cdd9d9954bd611d", "8e35c2cd3bf6641bdb0e2050b76932cbb2e6034a0ddacc1d9bea82a6ba57f7cf"
    sources = [{"ref": "s", "quote": "q", "quote_hash": value} for value in (f"md5:{md5}", md5, bare, f"sha256:{bare}")]
    assert found({"sources": sources}, 3) == [
        "warning /sources/0/quote_hash [md5_hash] MD5 is read, and never written: wanted sha256:",
        "warning /sources/1/quote_hash [md5_hash] MD5 is read, and never written: wanted sha256:",
        "warning /sources/2/quote_hash [bare_hash] unprefixed digest is deprecated: wanted <algorithm>:<hex>",
    ]


def test_claims_are_bound_once_to_a_declared_source_under_their_own_id() -> None:
    quote_hash = "sha256:8e35c2cd3bf6641bdb0e2050b76932cbb2e6034a0ddacc1d9bea82a6ba57f7cf"
    claim = {"text": "t", "source_id": "s.md", "span": {"quote": "q", "quote_hash": quote_hash}}
    source = {"ref": "s", "quote": "q", "quote_hash": quote_hash}
    assert found({"sources": [source], "claims": [claim]}, 3) == []
    assert found({"claims": [claim]}, 3) == [
        "warning /claims/0/source_id [source_not_declared] sources does not name the claim's source: got 's.md'"
    ]
    assert found({"sources": [source], "claims": [claim, claim | {"claim_id": "0" * 16}]}, 3) == [
        "warning /claims/1 [duplicate_claim] claim stands twice with the same span: got 't'",
        "not_conforming /claims/1/claim_id [claim_id_mismatch] claim_id is not what the record's ref and the claim's "
        "text give: got '0000000000000000', wanted c2eea2696190cc98",
    ]
