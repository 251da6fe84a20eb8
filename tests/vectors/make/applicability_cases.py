"""Applicability: what the public vectors leave open, with outcomes written by hand."""

from __future__ import annotations

import hashlib
import json

FORMAT = "witnessmark.vectors.applicability/0.1"
A, B, C, D = (digit * 64 for digit in "abcd")
HEAD, OTHER = "1" * 40, "2" * 40
NOON = "2026-08-11T12:00:00Z"
OK = {
    "locator": "https://example.test/source",
    "refetchable": True,
    "exists": True,
    "expected_digest": A,
    "observed_digest": A,
}
MATCH = ("MATCH",)
BILLING = {
    "format": "witnessmark.purpose/0.1",
    "name": "billing-rule",
    "version": "1",
    "dimensions": ["tenant", "policy_digest"],
    "strict": ["tenant"],
}


def case(why: str, outcome: tuple[str, ...] | str, **inputs: object) -> dict[str, object]:
    """Return one vector; ``outcome`` is a status and its reasons, or the code of an error."""
    expected = (
        {"error": outcome}
        if isinstance(outcome, str)
        else {"expected": {"status": outcome[0], "reasons": list(outcome[1:])}}
    )
    return {"format": FORMAT, "why": why, "source": OK, "now": NOON, **inputs, **expected}


def source(**changes: object) -> dict[str, object]:
    """Return the sound source with changes."""
    return {**OK, **changes}


def parent(name: str, state: str = "active", expected: str | None = A, observed: str | None = A) -> dict[str, object]:
    """Return a dependency."""
    return {"dependency_id": name, "state": state, "expected_digest": expected, "observed_digest": observed}


def fingerprint(purpose: dict, binding: dict) -> str:
    """Return the fingerprint: these documents are ASCII with sorted keys, so this is their canonical form."""
    chosen = {name: binding.get(name) for name in purpose["dimensions"]}
    document = {"dimensions": chosen, "purpose": purpose["name"], "version": purpose["version"]}
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def revalidate(*reasons: str) -> tuple[str, ...]:
    """Return the outcome REVALIDATE."""
    return ("REVALIDATE", *reasons)


UNVERIFIABLE = ("UNRESOLVABLE", "source_digest_unverifiable")
SOURCES = {
    "digests-both-missing": case(
        "Two missing digests are not two equal ones.",
        UNVERIFIABLE,
        source=source(expected_digest=None, observed_digest=None),
    ),
    "digest-expected-missing": case(
        "Without a stored digest nothing can have drifted.", UNVERIFIABLE, source=source(expected_digest=None)
    ),
    "digest-observed-missing": case(
        "Contents that could not be read are not the old ones.", UNVERIFIABLE, source=source(observed_digest=None)
    ),
    "existence-unknown": case(
        "Equal digests do not show that the source is still there.",
        ("UNRESOLVABLE", "source_existence_unknown"),
        source=source(exists=None),
    ),
    "gone-without-digests": case(
        "A source that is gone is an orphan, also when there is nothing to compare.",
        ("ORPHAN", "source_missing"),
        source=source(exists=False, expected_digest=None, observed_digest=None),
    ),
    "gone-but-not-refetchable": case(
        "Whether it can be fetched again is asked first.",
        ("UNRESOLVABLE", "source_not_refetchable"),
        source=source(exists=False, refetchable=False),
    ),
    "no-locator": case(
        "What has no place cannot be fetched again, whatever the flag says.",
        ("UNRESOLVABLE", "source_not_refetchable"),
        source=source(locator=None),
    ),
    "drift-beside-everything-else": case(
        "A changed source hides reasons of environment, lineage and expiry: one family at a time.",
        ("DRIFT", "source_digest_mismatch"),
        source=source(observed_digest=D),
        stored={"tenant": "a", "valid_until": NOON},
        current={"tenant": "b", "repository": "org/repo"},
        lineage=[parent("dep", "erased", observed=None)],
    ),
    "invalid-digest-upper-case": case(
        "Digests have one spelling.", "invalid_value", source=source(observed_digest="A" * 64)
    ),
    "invalid-digest-with-algorithm": case(
        "The digits stand alone.", "invalid_value", source=source(expected_digest=f"sha256:{A}")
    ),
    "invalid-locator-blank": case("A blank is no place.", "invalid_value", source=source(locator=" ")),
    "invalid-refetchable-text": case("No text is a boolean.", "wrong_type", source=source(refetchable="true")),
    "invalid-exists-left-out": case(
        "Not to know has to be said.", "missing_field", source={key: OK[key] for key in OK if key != "exists"}
    ),
}
ENVIRONMENTS = {
    "current-dimension-missing": case(
        "A bound tenant that today's environment lacks is a difference.",
        revalidate("environment_mismatch:tenant"),
        stored={"tenant": "a"},
    ),
    "stored-tenant-missing": case(
        "Only repository and commit are strict: the known softness of the specification.",
        MATCH,
        current={"tenant": "a"},
    ),
    "strict-repository-only": case(
        "Today has a repository, the evidence bound only the commit.",
        revalidate("environment_unbound:repository"),
        stored={"commit_sha": HEAD},
        current={"commit_sha": HEAD, "repository": "org/repo"},
    ),
    "strict-commit-only": case(
        "Today has a commit, the evidence bound only the repository.",
        revalidate("environment_unbound:commit_sha"),
        stored={"repository": "org/repo"},
        current={"commit_sha": HEAD, "repository": "org/repo"},
    ),
    "strict-on-neither-side": case("Where neither side has it, nothing is said.", MATCH),
    "case-differs": case(
        "Names are compared as they are written.",
        revalidate("environment_mismatch:repository"),
        stored={"repository": "Org/Repo"},
        current={"repository": "org/repo"},
    ),
    "normalization-differs": case(
        "No Unicode normalization: these two look the same.",
        revalidate("environment_mismatch:actor"),
        stored={"actor": "Zo\u00eb"},
        current={"actor": "Zoe\u0308"},
    ),
    "expired-now": case(
        "At the very instant the binding has expired.",
        revalidate("environment_expired:valid_until"),
        stored={"valid_until": NOON},
    ),
    "expired-in-a-millisecond": case(
        "Before that instant it has not.", MATCH, stored={"valid_until": "2026-08-11T12:00:00.001Z"}
    ),
    "current-expiry-unused": case(
        "Only the stored expiry counts.", MATCH, current={"valid_until": "2020-01-01T00:00:00Z"}
    ),
    "expired-and-mismatched": case(
        "All reasons of one step are given, sorted as plain text.",
        revalidate(
            "environment_expired:valid_until",
            "environment_mismatch:tenant",
            "environment_unbound:commit_sha",
            "lineage_changed:dep",
        ),
        stored={"tenant": "a", "valid_until": "2026-08-11T11:59:59.999Z"},
        current={"tenant": "b", "commit_sha": HEAD},
        lineage=[parent("dep", observed=B)],
    ),
    "invalid-expiry-text": case("An expiry that cannot be read.", "invalid_instant", stored={"valid_until": "soon"}),
    "invalid-expiry-offset": case(
        "UTC is written Z.", "invalid_instant", stored={"valid_until": "2026-08-11T12:00:00+00:00"}
    ),
    "invalid-expiry-fraction": case(
        "A fraction has three digits.", "invalid_instant", stored={"valid_until": "2026-08-11T12:00:00.5Z"}
    ),
    "invalid-expiry-calendar": case(
        "There is no such day.", "invalid_instant", stored={"valid_until": "2026-02-30T12:00:00Z"}
    ),
    "invalid-current-expiry": case(
        "Today's expiry is unused, but it has to be one.", "invalid_instant", current={"valid_until": "soon"}
    ),
    "invalid-expiry-at-start": case(
        "A binding cannot end as it begins.",
        "contradicts_itself",
        stored={"observed_at": NOON, "valid_until": NOON},
    ),
    "invalid-commit-short": case("A commit has 40 digits.", "invalid_value", stored={"commit_sha": "1" * 7}),
    "invalid-tenant-blank": case("A blank names nobody.", "invalid_value", current={"tenant": ""}),
    "invalid-dimension-unknown": case("Records are closed.", "unknown_field", stored={"region": "eu"}),
    "invalid-now": case("A time that cannot be read.", "invalid_instant", now="2026-08-11 12:00"),
}
LINEAGES = {
    "repeated-twice": case(
        "An id that stands twice, with the same contents.",
        revalidate("lineage_duplicate:dep"),
        lineage=[parent("dep"), parent("dep")],
    ),
    "repeated-thrice": case(
        "Each repetition is one reason.",
        revalidate("lineage_duplicate:dep", "lineage_duplicate:dep"),
        lineage=[parent("dep"), parent("dep"), parent("dep")],
    ),
    "repeated-good-first": case(
        "Repeated with different contents: the worst is read first, wherever it stands.",
        revalidate("lineage_duplicate:dep", "lineage_invalidated:dep:retired"),
        lineage=[parent("dep"), parent("dep", "retired")],
    ),
    "repeated-good-last": case(
        "The same in the other order.",
        revalidate("lineage_duplicate:dep", "lineage_invalidated:dep:retired"),
        lineage=[parent("dep", "retired"), parent("dep")],
    ),
    "expected-missing": case(
        "Without a stored digest a parent cannot be verified.",
        revalidate("lineage_unverifiable:dep"),
        lineage=[parent("dep", expected=None)],
    ),
    "invalid-state-revoked": case("There are four states.", "invalid_value", lineage=[parent("dep", "revoked")]),
    "invalid-state-case": case("States have one spelling.", "invalid_value", lineage=[parent("dep", "Active")]),
    "invalid-state-left-out": case(
        "A missing state is not active.", "missing_field", lineage=[{"dependency_id": "dep"}]
    ),
}
METADATA = {
    "reserved-false": case(
        "Presence rejects, whatever the value.",
        ("REJECT", "reserved_metadata:environment_verified"),
        caller_metadata={"environment_verified": False},
    ),
    "reserved-several": case(
        "Every reserved key is named, sorted.",
        ("REJECT", "reserved_metadata:_cml_", "reserved_metadata:source_verified", "reserved_metadata:warrant"),
        caller_metadata={"warrant": None, "note": "x", "source_verified": 1, "_cml_": {}},
    ),
    "reserved-before-source": case(
        "Asked before anything else: the source is gone, too.",
        ("REJECT", "reserved_metadata:applicability_verdict"),
        source=source(exists=False),
        caller_metadata={"applicability_verdict": "MATCH"},
    ),
    "reserved-nested": case(
        "Only the top level is read back, so only it is reserved.", MATCH, caller_metadata={"note": {"warrant": "x"}}
    ),
    "reserved-other-case": case("Keys have one spelling.", MATCH, caller_metadata={"Warrant": 1, "_CML_x": 1}),
    "invalid-list": case("A list is no metadata.", "wrong_type", caller_metadata=["warrant"]),
}
PURPOSES = {
    "unselected-commit": case(
        "An unrelated commit does not revoke a billing rule of one tenant.",
        MATCH,
        purpose=BILLING,
        stored={"tenant": "a", "policy_digest": C, "commit_sha": HEAD, "repository": "org/repo"},
        current={"tenant": "a", "policy_digest": C, "commit_sha": OTHER, "repository": "org/repo"},
        stored_fingerprint=fingerprint(BILLING, {"tenant": "a", "policy_digest": C}),
    ),
    "strict-tenant": case(
        "A purpose may make the tenant strict.",
        revalidate("environment_unbound:tenant"),
        purpose=BILLING,
        stored={"policy_digest": C},
        current={"tenant": "a", "policy_digest": C},
        stored_fingerprint=fingerprint(BILLING, {"policy_digest": C}),
    ),
    "expiry-counts-anyway": case(
        "Expiry is no dimension: no purpose can leave it out.",
        revalidate("environment_expired:valid_until"),
        purpose=BILLING,
        stored={"tenant": "a", "valid_until": NOON},
        current={"tenant": "a"},
    ),
}
GROUPS = {
    "source": SOURCES,
    "environment": ENVIRONMENTS,
    "lineage": LINEAGES,
    "metadata": METADATA,
    "purpose": PURPOSES,
}


def files() -> dict[str, object]:
    """Return every vector by its path."""
    return {
        f"applicability/{group}/{name}.json": vector
        for group, cases in GROUPS.items()
        for name, vector in cases.items()
    }
