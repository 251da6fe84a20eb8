"""Assessment cases of anchor_preservation."""

from __future__ import annotations

from assessment_parts import (
    ANCHOR,
    RULE,
    UNSUPPORTED,
    always,
    answer,
    baseline,
    candidate,
    case,
    item,
    one,
    ranked,
    seen,
    undecided,
)

__all__ = ["anchor_cases"]


def anchor_cases() -> dict[str, dict[str, object]]:
    """Return the cases of anchor_preservation."""
    before = baseline(always("rule", "rule", "other"))
    passed, failed = (
        one("pass", ("anchor", "pass", "behavioral"), RULE),
        one("fail", ("anchor", "fail", "behavioral"), RULE),
    )
    unmet = one("indeterminate", undecided("anchor", "baseline_precondition_unmet"), RULE)
    return {
        "pass-at-max-rank": case(
            "max_rank is included, on both sides.",
            [ANCHOR],
            baseline(always("rule", "other", "rule")),
            candidate(always("rule", "third", "rule")),
            expected=passed,
        ),
        "pass-demoted-within": case(
            "A worse rank within max_rank passes.",
            [ANCHOR],
            before,
            candidate(always("rule", "other", "rule")),
            expected=passed,
        ),
        "fail-missing": case(
            "The anchor is not retrieved.", [ANCHOR], before, candidate(always("rule", "other")), expected=failed
        ),
        "fail-below-max-rank": case(
            "The anchor is retrieved below max_rank.",
            [ANCHOR],
            before,
            candidate(always("rule", "other", "third", "rule")),
            expected=failed,
        ),
        "indeterminate-precondition-absent": case(
            "The baseline does not retrieve the anchor.",
            [ANCHOR],
            baseline(always("rule", "other")),
            candidate(always("rule", "rule")),
            expected=unmet,
        ),
        "indeterminate-precondition-rank": case(
            "The baseline retrieves the anchor below max_rank.",
            [ANCHOR],
            baseline(always("rule", "other", "third", "rule")),
            candidate(always("rule", "rule")),
            expected=unmet,
        ),
        "indeterminate-id_churn": case(
            "The anchor was stored anew under another key: similar text is no identity.",
            [ANCHOR],
            before,
            candidate(always("rule", "rule-2"), keys=("rule-2", "other")),
            expected=one("indeterminate", undecided("anchor", "id_churn"), []),
        ),
        "indeterminate-adapter_unsupported": case(
            "The adapter is not called.",
            [ANCHOR],
            before,
            candidate(),
            profile=UNSUPPORTED,
            expected=one(
                "indeterminate",
                undecided("anchor", "adapter_unsupported"),
                [seen("baseline", "rule", trials=0), seen("candidate", "rule", trials=0)],
            ),
        ),
        "indeterminate-unstable": case(
            "The anchor is first in every trial; what follows changes.",
            [ANCHOR],
            before,
            candidate(answer("rule", (19, ranked("rule", "other", "third")), (1, ranked("rule", "third", "other")))),
            expected=one(
                "indeterminate",
                undecided("anchor", "repeatability_unstable"),
                [seen("baseline", "rule"), seen("candidate", "rule", distinct=2)],
            ),
        ),
        "indeterminate-version-changes": case(
            "An ordering is keys with versions: the same keys in other versions are another ordering.",
            [ANCHOR],
            before,
            candidate(answer("rule", (10, [item("rule", 1)]), (10, [item("rule", 1, version="rule, edited")]))),
            expected=one(
                "indeterminate",
                undecided("anchor", "repeatability_unstable"),
                [seen("baseline", "rule"), seen("candidate", "rule", distinct=2)],
            ),
        ),
        "indeterminate-labels-change": case(
            "And with scope labels.",
            [ANCHOR],
            before,
            candidate(answer("rule", (10, [item("rule", 1, ("tenant:a",))]), (10, [item("rule", 1)]))),
            expected=one(
                "indeterminate",
                undecided("anchor", "repeatability_unstable"),
                [seen("baseline", "rule"), seen("candidate", "rule", distinct=2)],
            ),
        ),
        "pass-label-order": case(
            "The order of an item's labels means nothing.",
            [ANCHOR],
            before,
            candidate(answer("rule", (10, [item("rule", 1, ("x", "y"))]), (10, [item("rule", 1, ("y", "x"))]))),
            expected=passed,
        ),
        "pass-list-order": case(
            "Nor does the order in which an adapter lists its items: ranks order them.",
            [ANCHOR],
            before,
            candidate(answer("rule", (10, ranked("rule", "other")), (10, ranked("rule", "other")[::-1]))),
            expected=passed,
        ),
    }
