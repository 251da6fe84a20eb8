"""Auditable Memory Records: normalization, hashes, claim ids and records, with their outcomes written by hand."""
# ruff: noqa: E501

from __future__ import annotations

import hashlib

HEAD = "witnessmark.vectors.amr-"

FOLDS = {
    "2018": "'",
    "2019": "'",
    "201a": "'",
    "201b": "'",
    "201c": '"',
    "201d": '"',
    "201e": '"',
    "201f": '"',
    "2013": "-",
    "2014": "-",
    "2212": "-",
    "2026": "...",
    "00a0": " ",
    "2009": " ",
    "202f": " ",
    "200b": "",
}
SPACES = [
    "0009",
    "000a",
    "000b",
    "000c",
    "000d",
    "001c",
    "001d",
    "001e",
    "001f",
    "0020",
    "0085",
    "00a0",
    "1680",
    "2000",
    "2001",
    "2002",
    "2003",
    "2004",
    "2005",
    "2006",
    "2007",
    "2008",
    "2009",
    "200a",
    "2028",
    "2029",
    "202f",
    "205f",
    "3000",
]
KEPT = {
    "00ad": "a soft hyphen",
    "180e": "a Mongolian vowel separator",
    "200c": "a zero width non-joiner",
    "200d": "a zero width joiner",
    "2010": "a hyphen",
    "2011": "a non-breaking hyphen",
    "2012": "a figure dash",
    "2015": "a horizontal bar",
    "2032": "a prime",
    "2033": "a double prime",
    "2060": "a word joiner",
    "feff": "a zero width no-break space",
    "ff07": "a full-width apostrophe",
}

TEXTS: dict[str, tuple[str, str, str]] = {
    "ascii": ("Text without anything to fold stays.", "starts at 04:30 UTC", "starts at 04:30 UTC"),
    "empty": ("Nothing stays nothing.", "", ""),
    "only-folded-away": ("A text of zero width spaces alone is empty.", "\u200b\u200b", ""),
    "only-white-space": ("A text of white space alone is empty.", " \n\u2003\u00a0", ""),
    "zero-width-between-spaces": ("What is removed joins the runs beside it.", "a \u200b b", "a b"),
    "zero-width-in-a-word": ("A zero width space is no white space: it parts no words.", "a\u200bb", "ab"),
    "zero-width-at-the-ends": ("The ends are stripped after everything else.", "\u200b a \u200b", "a"),
    "ellipsis-beside-periods": ("An ellipsis becomes three periods, whatever stands beside it.", "a\u2026.", "a...."),
    "composed": ("A composed letter is not decomposed.", "caf\u00e9", "caf\u00e9"),
    "decomposed": ("A decomposed letter is not composed.", "cafe\u0301", "cafe\u0301"),
    "ligature": ("Compatibility forms stay.", "\ufb01t \u2160 \uff21", "\ufb01t \u2160 \uff21"),
    "upper-case": ("Case is kept.", "The BACKUP", "The BACKUP"),
    "astral": ("Code points beyond the first plane stay.", "\U0001f600 x", "\U0001f600 x"),
    "crlf": ("A line break of two characters is one run.", "a\r\nb", "a b"),
    "doubled-backslash": ("An escape in the text is no escape.", "a\\u2019b", "a\\u2019b"),
}


def sha(text: str) -> str:
    """Return the hash of a text that is its own normalization."""
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def md5(text: str) -> str:
    """Return the MD5 digits of a text that is its own normalization."""
    return hashlib.md5(text.encode()).hexdigest()


def normalize_files() -> dict[str, object]:
    """Return one vector for each code point that is folded, collapsed or kept, and for what they do together."""
    cases = dict(TEXTS)
    for digits, to in FOLDS.items():
        shown = {" ": "one space", "": "nothing"}.get(to, to)
        name = f"U+{digits.upper()}"
        cases[f"fold-{digits}"] = (f"{name} becomes {shown}.", f"a{chr(int(digits, 16))}b", f"a{to}b")
    for digits in SPACES:
        character = chr(int(digits, 16))
        cases[f"space-{digits}"] = (
            f"U+{digits.upper()} is white space: a run of it is one space, and at the ends it is nothing.",
            f"{character}a{character}{character}b{character}",
            "a b",
        )
    for digits, noun in KEPT.items():
        character = chr(int(digits, 16))
        text = f"a{character}{character}b{character}"
        cases[f"kept-{digits}"] = (f"U+{digits.upper()}, {noun}, is neither folded nor white space.", text, text)
    return {
        f"amr/normalize/{name}.json": {
            "format": f"{HEAD}normalize/0.1",
            "why": why,
            "text": text,
            "normalized": normalized,
            "quote_hash": sha(normalized),
        }
        for name, (why, text, normalized) in cases.items()
    }


QUOTE = "The nightly backup starts at 04:30 UTC."
OTHER = "The nightly backup starts at 02:00 UTC."
DIGITS = sha(QUOTE)[7:]

READ: dict[str, tuple[str, str, str, bool, bool]] = {
    "sha256": ("What is written is read.", sha(QUOTE), "sha256", True, True),
    "sha256-of-another-quote": ("A hash of other words does not agree.", sha(OTHER), "sha256", True, False),
    "md5": ("MD5 is read in records that exist.", f"md5:{md5(QUOTE)}", "md5", True, True),
    "bare-32": ("Thirty-two digits without a prefix are MD5.", md5(QUOTE), "md5", False, True),
    "bare-64": ("Sixty-four digits without a prefix are SHA-256, never MD5.", DIGITS, "sha256", False, True),
}
REFUSED: dict[str, tuple[str, str]] = {
    "wrong_digest_length-sha256-63": ("The number of digits is checked after a prefix too.", sha(QUOTE)[:-1]),
    "wrong_digest_length-sha256-65": ("One digit too many is no SHA-256.", sha(QUOTE) + "0"),
    "wrong_digest_length-sha256-32": (
        "The digits of an MD5 under the prefix of SHA-256 are neither.",
        f"sha256:{md5(QUOTE)}",
    ),
    "wrong_digest_length-md5-64": ("The digits of a SHA-256 under the prefix of MD5 are neither.", f"md5:{DIGITS}"),
    "digest_not_hexadecimal-nothing-after-the-prefix": ("A prefix alone is no hash.", "sha256:"),
    "digest_not_hexadecimal-letters": ("Digits are hexadecimal.", "sha256:" + "g" * 64),
    "digest_not_hexadecimal-upper-case": (
        "Digits are written in lower case, so that a hash has one spelling.",
        "sha256:" + DIGITS.upper(),
    ),
    "digest_not_hexadecimal-space": ("Nothing is trimmed.", f"sha256: {DIGITS}"),
    "digest_not_hexadecimal-final-line-feed": ("A line feed is no digit.", f"sha256:{DIGITS}\n"),
    "digest_not_hexadecimal-empty": ("An empty text is no hash.", ""),
    "digest_not_hexadecimal-full-width": ("Digits are ASCII.", "sha256:" + "\uff11" * 64),
    "unknown_digest_length-8": ("A bare digest of another length is not guessed at.", "deadbeef"),
    "unknown_digest_length-40": ("Forty digits look like SHA-1, which is not read.", "0" * 40),
    "unsupported_hash_algorithm-crc32": ("Another algorithm is refused.", "crc32:deadbeef"),
    "unsupported_hash_algorithm-sha512": ("A stronger algorithm is another algorithm.", "sha512:" + "0" * 128),
    "unsupported_hash_algorithm-upper-case": ("A prefix has one spelling.", f"SHA256:{DIGITS}"),
    "unsupported_hash_algorithm-space": ("Nothing is trimmed before a prefix either.", f" {sha(QUOTE)}"),
    "unsupported_hash_algorithm-no-name": ("A colon alone names no algorithm.", f":{DIGITS}"),
}


def hash_files() -> dict[str, object]:
    """Return vectors of stored hashes."""
    head = {"format": f"{HEAD}hash/0.1"}
    files: dict[str, object] = {}
    for name, (why, stored, algorithm, prefixed, agrees) in READ.items():
        outcome = {"algorithm": algorithm, "prefixed": prefixed, "agrees": agrees}
        files[f"amr/hash/{name}.json"] = {**head, "why": why, "stored": stored, "quote": QUOTE, **outcome}
    for name, (why, stored) in REFUSED.items():
        files[f"amr/hash/{name}.json"] = {**head, "why": why, "stored": stored, "error": name.split("-")[0]}
    return files


CLAIMS: dict[str, tuple[str, str, str, str]] = {
    "plain": ("The ref, a colon and the words.", "ops/backup", "the backup is early", "ops/backup:the backup is early"),
    "md": (
        "A trailing .md is not part of the ref that counts.",
        "ops/backup.md",
        "the backup is early",
        "ops/backup:the backup is early",
    ),
    "md-once": (
        "Only one .md is taken off.",
        "ops/backup.md.md",
        "the backup is early",
        "ops/backup.md:the backup is early",
    ),
    "md-inside": (
        "An .md that is not at the end stays.",
        "ops.md/backup",
        "the backup is early",
        "ops.md/backup:the backup is early",
    ),
    "other-record": (
        "The same words in another record are another claim.",
        "ops/restore",
        "the backup is early",
        "ops/restore:the backup is early",
    ),
    "normalized": (
        "The words are normalized.",
        "ops/backup",
        " the\nbackup \u2013 it\u2019s early ",
        "ops/backup:the backup - it's early",
    ),
    "colon": ("A colon in the words is a colon.", "ops/backup", "at: four", "ops/backup:at: four"),
    "not-ascii": (
        "The words are hashed as UTF-8.",
        "ops/backup",
        "der Dienst l\u00e4uft",
        "ops/backup:der Dienst l\u00e4uft",
    ),
}


def claim_files() -> dict[str, object]:
    """Return vectors of claim ids."""
    return {
        f"amr/claim-id/{name}.json": {
            "format": f"{HEAD}claim-id/0.1",
            "why": why,
            "record_ref": ref,
            "text": text,
            "claim_id": hashlib.sha256(hashed.encode()).hexdigest()[:16],
        }
        for name, (why, ref, text, hashed) in CLAIMS.items()
    }


REF = "ops/backup"
SOURCE = "sources/runbook.md"
THERE = {SOURCE: f"# Runbook\n\n{QUOTE}\n"}
CHANGED = {SOURCE: f"# Runbook\n\n{OTHER}\n"}
SOURCE_CITED: dict[str, object] = {"ref": SOURCE, "quote": QUOTE, "quote_hash": sha(QUOTE)}


def finding(severity: str, code: str, pointer: str = "") -> dict:
    """Return a finding."""
    return {"severity": severity, "code": code, "pointer": pointer}


def outcome(status: str, anchor: str, source: str, partial: bool = False, **more: object) -> dict:
    """Return the outcome of the first citation."""
    head = {"pointer": "/sources/0", "kind": "citation", "ref": SOURCE}
    return {**head, "status": status, "partial": partial, "anchor": anchor, "source": source, **more}


def claimed(status: str, anchor: str, source: str, partial: bool = False, **more: object) -> dict:
    """Return the outcome of the first claim."""
    changes = {"pointer": "/claims/0", "kind": "claim", "claim_id_status": "absent"}
    return outcome(status, anchor, source, partial, **{**changes, **more})


def cites(**changes: object) -> dict:
    """Return a record with one citation."""
    given = {**SOURCE_CITED, **changes}
    return {"auditable_memory": "0.1", "sources": [{key: value for key, value in given.items() if value is not None}]}


def claims(span: dict | None = None, **changes: object) -> dict:
    """Return a record with one claim, and its source cited."""
    given = {
        "text": "the backup is early",
        "source_id": SOURCE,
        "span": span or {"quote": QUOTE, "quote_hash": sha(QUOTE)},
        **changes,
    }
    claim = {key: value for key, value in given.items() if value is not None}
    return {"auditable_memory": "0.1", "sources": [dict(SOURCE_CITED)], "claims": [claim]}


def marked(**fields: object) -> dict:
    """Return a record that cites the runbook and is otherwise as given."""
    return {**cites(), **fields}


OK = outcome("ok", "agrees", "contains")
AT_HASH = "/sources/0/quote_hash"
NO_HASH = finding("not_conforming", "hash_missing", "/sources/0")
DISAGREES = finding("not_conforming", "hash_disagrees", AT_HASH)
CLAIM_ID = hashlib.sha256(b"ops/backup:the backup is early").hexdigest()[:16]

RECORDS: dict[str, tuple[str, dict, dict, list, list]] = {
    "verify-ok": ("The hash agrees and the words are there.", cites(), THERE, [], [OK]),
    "verify-ok-normalized": (
        "Words are found whatever the typography of the source.",
        cites(quote="it's early \u2212 really", quote_hash=sha("it's early - really")),
        {SOURCE: "it\u201bs\n\tearly \u2013\u200b really\u2026"},
        [],
        [OK],
    ),
    "verify-ok-partial": ("Without a hash only the source is decided.", cites(quote_hash=None), THERE, [NO_HASH], [outcome("ok", "absent", "contains", True)]),
    "verify-tampered": ("The hash is of other words, and the source does not excuse it.", cites(quote_hash=sha(OTHER)), THERE, [DISAGREES], [outcome("anchor_tampered", "disagrees", "contains")]),
    "verify-tampered-and-drifted": ("Tampered stands before drifted.", cites(quote_hash=sha(OTHER)), CHANGED, [DISAGREES], [outcome("anchor_tampered", "disagrees", "lacks")]),
    "verify-drifted": ("The record is consistent, the source says something else.", cites(), CHANGED, [], [outcome("source_drifted", "agrees", "lacks")]),
    "verify-drifted-partial": ("Drift is decided without a hash.", cites(quote_hash=None), CHANGED, [NO_HASH], [outcome("source_drifted", "absent", "lacks", True)]),
    "verify-drifted-empty-source": ("A source without words lacks them.", cites(), {SOURCE: ""}, [], [outcome("source_drifted", "agrees", "lacks")]),
    "verify-drifted-case": ("Case decides.", cites(), {SOURCE: QUOTE.upper()}, [], [outcome("source_drifted", "agrees", "lacks")]),
    "verify-missing": ("Nothing can be concluded without the source.", cites(), {}, [], [outcome("source_missing", "agrees", "missing")]),
    "verify-missing-no-hash": ("Nothing is checked then, which is not a partial check.", cites(quote_hash=None), {}, [NO_HASH], [outcome("source_missing", "absent", "missing")]),
    "verify-missing-and-tampered": ("Missing stands first; the other axis says that the hash is wrong.", cites(quote_hash=sha(OTHER)), {}, [DISAGREES], [outcome("source_missing", "disagrees", "missing")]),
    "verify-missing-and-unusable": ("Missing stands before an unusable hash too.", cites(quote_hash="crc32:00"), {}, [finding("invalid", "unsupported_hash_algorithm", AT_HASH)], [outcome("source_missing", "unusable", "missing")]),
    "verify-unusable": ("A hash that cannot be read does not agree.", cites(quote_hash="deadbeef"), THERE, [finding("invalid", "unknown_digest_length", AT_HASH)], [outcome("anchor_tampered", "unusable", "contains")]),
    "verify-short-hash": ("The first digits of the right hash are no hash.", cites(quote_hash=sha(QUOTE)[:-2]), THERE, [finding("invalid", "wrong_digest_length", AT_HASH)], [outcome("anchor_tampered", "unusable", "contains")]),
    "verify-md5": ("MD5 is read, with a warning.", cites(quote_hash=f"md5:{md5(QUOTE)}"), THERE, [finding("warning", "md5_hash", AT_HASH)], [OK]),
    "verify-md5-tampered": ("MD5 is compared.", cites(quote_hash=md5(OTHER)), THERE, [finding("warning", "md5_hash", AT_HASH), DISAGREES], [outcome("anchor_tampered", "disagrees", "contains")]),
    "verify-bare-sha256": ("Digits without a prefix are read, with a warning.", cites(quote_hash=DIGITS), THERE, [finding("warning", "bare_hash", AT_HASH)], [OK]),
    "citation-empty-quote": ("No words are in every source: malformed, without an outcome.", cites(quote="", quote_hash=None), THERE, [finding("invalid", "empty_quote", "/sources/0/quote")], []),
    "citation-blank-quote": ("White space is no words.", cites(quote=" \u00a0\u200b\n", quote_hash=sha("")), THERE, [finding("invalid", "empty_quote", "/sources/0/quote")], []),
    "citation-no-quote": ("A citation has words.", cites(quote=None), THERE, [finding("invalid", "missing_quote", "/sources/0")], []),
    "citation-no-ref": ("A citation has a source.", cites(ref=None), THERE, [finding("invalid", "missing_ref", "/sources/0")], []),
    "citation-traversal": ("The ref of a source is no path out of the store.", cites(ref="../sources/runbook.md"), THERE, [finding("invalid", "malformed_ref", "/sources/0/ref")], []),
    "citation-absolute": ("The ref of a source is not absolute.", cites(ref="/etc/passwd"), THERE, [finding("invalid", "malformed_ref", "/sources/0/ref")], []),
    "citation-url": ("An address is no ref.", cites(ref="https://example.org/a"), THERE, [finding("invalid", "malformed_ref", "/sources/0/ref")], []),
    "citation-of-itself": ("A record holds its own quotes and cannot vouch for itself.", cites(ref="ops/backup.md"), THERE, [finding("invalid", "self_citation", "/sources/0/ref")], []),
    "citation-none": ("A record without citations has no outcome, and never ok.", {"auditable_memory": "0.1"}, THERE, [finding("not_conforming", "no_citations")], []),
    "citation-empty-lists": ("Empty lists cite nothing.", {"auditable_memory": "0.1", "sources": [], "claims": []}, THERE, [finding("not_conforming", "no_citations")], []),
    "citation-no-list": ("A single citation is in a list too.", {"auditable_memory": "0.1", "sources": dict(SOURCE_CITED)}, THERE, [finding("invalid", "wrong_type", "/sources")], []),
    "claim-ok": ("A span is verified beside its source.", claims(), THERE, [], [OK, claimed("ok", "agrees", "contains")]),
    "claim-bad-span": ("A good citation does not hide a bad span.", claims({"quote": QUOTE, "quote_hash": sha(OTHER)}), THERE, [finding("not_conforming", "hash_disagrees", "/claims/0/span/quote_hash")], [OK, claimed("anchor_tampered", "disagrees", "contains")]),
    "claim-drifted-span": ("A span can drift while the citation is fine.", claims({"quote": OTHER, "quote_hash": sha(OTHER)}), THERE, [], [OK, claimed("source_drifted", "agrees", "lacks")]),
    "claim-partial": ("A span without a hash is a partial check.", claims({"quote": QUOTE}), THERE, [finding("not_conforming", "hash_missing", "/claims/0/span")], [OK, claimed("ok", "absent", "contains", True)]),
    "claim-id": ("The id that the record's ref without .md gives.", claims(claim_id=CLAIM_ID), THERE, [], [OK, claimed("ok", "agrees", "contains", claim_id_status="ok")]),
    "claim-id-salted-with-md": (
        "An id that counts .md is another one.",
        claims(claim_id=hashlib.sha256(b"ops/backup.md:the backup is early").hexdigest()[:16]),
        THERE,
        [finding("not_conforming", "claim_id_mismatch", "/claims/0/claim_id")],
        [OK, claimed("ok", "agrees", "contains", claim_id_status="mismatch")],
    ),
    "claim-undeclared-source": (
        "A claim may name a source that sources does not.",
        {"auditable_memory": "0.1", "claims": claims()["claims"]},
        THERE,
        [finding("warning", "source_not_declared", "/claims/0/source_id")],
        [claimed("ok", "agrees", "contains")],
    ),
    "claim-no-source": ("A claim names its source.", claims(source_id=None), THERE, [finding("invalid", "missing_source_id", "/claims/0")], [OK]),
    "claim-traversal": ("The rule for refs holds for claims.", claims(source_id="a/../../b"), THERE, [finding("invalid", "malformed_ref", "/claims/0/source_id")], [OK]),
    "claim-no-text": ("A claim claims something.", claims(text=" "), THERE, [finding("invalid", "empty_text", "/claims/0/text")], [OK]),
    "claim-empty-span": ("A span has words.", claims({"quote": "\u2003"}), THERE, [finding("invalid", "empty_quote", "/claims/0/span/quote")], [OK]),
    "claim-no-span": ("A claim is bound to words.", {**cites(), "claims": [{"text": "t", "source_id": SOURCE}]}, THERE, [finding("invalid", "missing_span", "/claims/0")], [OK]),
    "marked-unmarked": ("Without epistemic a record is unmarked, and that is fine.", marked(), THERE, [], [OK]),
    "marked-null": ("Null is absence.", marked(epistemic=None), THERE, [], [OK]),
    "marked-word-for-absence": ("Absence cannot be written as a word.", marked(epistemic="unmarked"), THERE, [finding("invalid", "epistemic_not_in_vocabulary", "/epistemic")], [OK]),
    "marked-padded": ("A word is not trimmed.", marked(epistemic="fact "), THERE, [finding("invalid", "epistemic_not_in_vocabulary", "/epistemic")], [OK]),
    "marked-version-number": ("A version that lost its quotes is read, with a warning.", marked(auditable_memory=0.1), THERE, [finding("warning", "version_is_a_number", "/auditable_memory")], [OK]),
    "marked-version-null": ("A declaration of null declares nothing.", marked(auditable_memory=None), THERE, [finding("not_conforming", "not_declared")], [OK]),
    "marked-version-longer": ("0.1.0 is another version.", marked(auditable_memory="0.1.0"), THERE, [finding("invalid", "unknown_version", "/auditable_memory")], [OK]),
    "marked-confidence-bounds": ("One is a confidence.", marked(confidence=1), THERE, [], [OK]),
    "marked-confidence-boolean": ("True is no number.", marked(confidence=True), THERE, [finding("invalid", "wrong_type", "/confidence")], [OK]),
    "marked-confidence-text": ("Text is no number.", marked(confidence="0.9"), THERE, [finding("invalid", "wrong_type", "/confidence")], [OK]),
    "linked-double-dot-in-a-name": ("Two dots are refused wherever they stand.", marked(backed_by=["a..b"]), THERE, [finding("invalid", "malformed_ref", "/backed_by/0")], [OK]),
    "linked-odd-but-fine": ("Empty and single-dot segments match the rule.", marked(backed_by=["a//b", "a/./b", "a/"]), THERE, [], [OK]),
    "linked-padded": ("A ref is not trimmed.", marked(backed_by=[" a"]), THERE, [finding("invalid", "malformed_ref", "/backed_by/0")], [OK]),
    "linked-line-feed": ("A final line feed is not overlooked.", marked(backed_by=["a\n"]), THERE, [finding("invalid", "malformed_ref", "/backed_by/0")], [OK]),
    "linked-backslash": ("A backslash is no separator.", marked(contradicts=["a\\b"]), THERE, [finding("invalid", "malformed_ref", "/contradicts/0")], [OK]),
    "linked-not-ascii": ("Letters are ASCII.", marked(contradicts=["\u00e9tat"]), THERE, [finding("invalid", "malformed_ref", "/contradicts/0")], [OK]),
    "linked-too-long": ("A ref has at most 512 characters.", marked(backed_by=["a" * 512, "a" * 513]), THERE, [finding("invalid", "malformed_ref", "/backed_by/1")], [OK]),
    "linked-number": ("A number is no ref.", marked(backed_by=[7]), THERE, [finding("invalid", "malformed_ref", "/backed_by/0")], [OK]),
    "linked-itself": ("A record does not back itself, with .md or without.", marked(backed_by=["ops/backup.md"]), THERE, [finding("invalid", "self_link", "/backed_by/0")], [OK]),
    "linked-twice": ("Both spellings of a ref are one link.", marked(contradicts=["a", "a.md"]), THERE, [finding("warning", "duplicate_link", "/contradicts/1")], [OK]),
    "linked-score": ("A link with a score was computed.", marked(backed_by=[{"ref": "a", "score": 0.91}]), THERE, [finding("invalid", "inferred_link", "/backed_by/0")], [OK]),
}  # fmt: skip


def record_files() -> dict[str, object]:
    """Return vectors of whole records."""
    return {
        f"amr/record/{name}.json": {
            "format": f"{HEAD}record/0.1",
            "why": why,
            "ref": REF,
            "fields": fields,
            "sources": sources,
            "findings": findings,
            "citations": citations,
        }
        for name, (why, fields, sources, findings, citations) in RECORDS.items()
    }


def files() -> dict[str, object]:
    """Return every vector by its path below ``vectors/``."""
    return {**normalize_files(), **hash_files(), **claim_files(), **record_files()}
