"""The atproto memory lexicon: records with everything they are refused for, and what masks what, written by hand."""

from __future__ import annotations

NSID = "dev.bastienrobert.memory.record"
OLD = "at://did:plc:abc/dev.bastienrobert.memory.record/3jzfcijpj2z2a"
IN_SPACE = f"at://did:plc:team/space/com.example.team/k/did:plc:abc/{NSID}/3jzfcijpj2z2a"
TIME = "2026-01-05T09:00:00Z"
MINIMAL = {"$type": NSID, "content": "Tea, no sugar.", "createdAt": TIME}
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f466"

Problems = list[tuple[str, str]]


def _content(text: str) -> dict[str, object]:
    return {**MINIMAL, "content": text}


RECORDS: dict[str, tuple[str, object, Problems]] = {
    # name: (why, document, problems as (code, pointer))
    "minimal": ("Three properties are enough.", MINIMAL, []),
    "empty-content": ("An empty text is a text.", _content(""), []),
    "unknown-property": ("What the lexicon does not have is ignored.", {**MINIMAL, "mood": {"a": [None]}}, []),
    "unknown-kind": ("The kinds of memory are open.", {**MINIMAL, "kind": "recipe"}, []),
    "empty-provenance": ("Nothing of an origin is required.", {**MINIMAL, "provenance": {}}, []),
    "ends-before-it-starts": (
        "No rule orders the ends of an event.",
        {**MINIMAL, "occurrence": {"from": TIME, "to": "2025-01-01T00:00:00Z"}},
        [],
    ),
    "in-a-space": ("An at-uri of a permissioned space is an at-uri.", {**MINIMAL, "supersedes": [IN_SPACE]}, []),
    "no-object": ("A record is an object.", ["x"], [("wrong_type", "")]),
    "no-type": (
        "A record says what it is.",
        {"content": "x", "createdAt": TIME},
        [("missing_field", "/$type")],
    ),
    "type-with-main": (
        "The name of a record type has no fragment.",
        {**MINIMAL, "$type": f"{NSID}#main"},
        [("wrong_record_type", "/$type")],
    ),
    "several": (
        "Everything is reported at once, in the order of the lexicon.",
        {"$type": NSID, "createdAt": "2026-01-05", "scope": None, "supersedes": [OLD, "https://example.com", 7]},
        [
            ("missing_field", ""),
            ("invalid_datetime", "/createdAt"),
            ("null_value", "/scope"),
            ("invalid_at_uri", "/supersedes/1"),
            ("wrong_type", "/supersedes/2"),
        ],
    ),
    "null": ("Null is a value, not absence.", {**MINIMAL, "updatedAt": None}, [("null_value", "/updatedAt")]),
    "precision": (
        "The precisions are closed.",
        {**MINIMAL, "occurrence": {"from": TIME, "precision": "hour"}},
        [("unknown_value", "/occurrence/precision")],
    ),
    "event-twice": (
        "The time of the event has one name.",
        {**MINIMAL, "occurrence": {"from": TIME}, "occurredAt": {"from": TIME}},
        [("two_event_times", "/occurredAt")],
    ),
    "float": (
        "The data model has no floats, not even where nobody knows the property.",
        {**MINIMAL, "deep": [{"score": 0.5}]},
        [("float_value", "/deep/0/score")],
    ),
    "twenty-one": (
        "At most twenty memories are replaced at once.",
        {**MINIMAL, "supersedes": [OLD] * 21},
        [("too_many_items", "/supersedes")],
    ),
    "zone-minus-zero": (
        "An unknown offset is no zone.",
        {**MINIMAL, "createdAt": "2026-01-05T09:00:00-00:00"},
        [("invalid_datetime", "/createdAt")],
    ),
    "before-the-years": (
        "A time before the year 0000 in UTC is none.",
        {**MINIMAL, "createdAt": "0000-01-01T00:00:00+01:00"},
        [("invalid_datetime", "/createdAt")],
    ),
}

LENGTHS: dict[str, tuple[str, str, int, Problems]] = {
    # name: (why, text, times, problems)
    "ascii-2500": ("2,500 letters fit.", "a", 2500, []),
    "ascii-2501": ("One more grapheme does not.", "a", 2501, [("too_many_graphemes", "/content")]),
    "emoji-2500": ("10,000 bytes and 2,500 graphemes both fit.", "\U0001f600", 2500, []),
    "family-555": ("A family of 18 bytes is one grapheme.", FAMILY, 555, []),
    "family-556": ("556 graphemes fit, their 10,008 bytes do not.", FAMILY, 556, [("too_many_bytes", "/content")]),
    "accent-2500": ("A letter with a combining accent is one grapheme.", "e\u0301", 2500, []),
    "both": (
        "Both limits hold, and both are reported.",
        "a",
        10001,
        [("too_many_bytes", "/content"), ("too_many_graphemes", "/content")],
    ),
}

MASKS: dict[str, tuple[str, dict[str, list[str]], dict[str, list[str]]]] = {
    # name: (why, replaced by record, masking by masked)
    "chain": ("A chain leaves its last record.", {"a": [], "b": ["a"], "c": ["b"]}, {"a": ["b"], "b": ["c"]}),
    "merge": ("A merge masks all that was merged.", {"a": [], "b": [], "c": ["a", "b"]}, {"a": ["c"], "b": ["c"]}),
    "cycle": ("Records that replace each other mask nothing.", {"a": ["b"], "b": ["a"]}, {}),
    "cycle-replaced": (
        "What replaces one of a cycle masks all of it.",
        {"a": ["b"], "b": ["a"], "c": ["a"]},
        {"a": ["c"], "b": ["c"]},
    ),
    "itself": ("A record that replaces itself says nothing.", {"a": ["a"]}, {}),
    "unknown": ("What is not here is not masked.", {"a": ["elsewhere"]}, {}),
}


def files() -> dict[str, object]:
    """Return the vectors by path."""
    head = {"format": "witnessmark.vectors.lexicon/0.1"}
    found: dict[str, object] = {}
    for name, (why, document, problems) in RECORDS.items():
        found[f"lexicon/records/{name}.json"] = {**head, "why": why, "document": document, "problems": _shown(problems)}
    for name, (why, text, times, problems) in LENGTHS.items():
        found[f"lexicon/lengths/{name}.json"] = {
            **head,
            "why": why,
            "document": _content(text),
            "repeat": {"content": times},
            "problems": _shown(problems),
        }
    for name, (why, supersedes, masked) in MASKS.items():
        found[f"lexicon/masks/{name}.json"] = {
            "format": "witnessmark.vectors.lexicon-masks/0.1",
            "why": why,
            "supersedes": supersedes,
            "masked": masked,
        }
    return found


def _shown(problems: Problems) -> list[dict[str, str]]:
    return [{"code": code, "pointer": pointer} for code, pointer in problems]
