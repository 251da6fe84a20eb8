"""Assessment cases of correction_precedence."""

from __future__ import annotations

from assessment_parts import (
    CORRECTED,
    CORRECTION,
    PRICE,
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

__all__ = ["correction_cases"]


def correction_cases() -> dict[str, dict[str, object]]:
    """Return the cases of correction_precedence."""
    before = baseline(always("price", "old", "other"), keys=("old", "other"))
    moving = ((10, ranked("old", "other")), (10, ranked("other", "old")))
    failed = one("fail", ("correction", "fail", "behavioral"), PRICE)
    return {
        "pass": case(
            "The correction is above what it supersedes.",
            [CORRECTION],
            before,
            candidate(always("price", "new", "old")),
            expected=one("pass", CORRECTED, PRICE),
        ),
        "pass-superseded-gone": case(
            "What is superseded need not be retrieved any more.",
            [CORRECTION],
            before,
            candidate(always("price", "other", "new")),
            expected=one("pass", CORRECTED, PRICE),
        ),
        "pass-new-version": case(
            "Existence and rank go by key: other versions of the same keys change nothing.",
            [CORRECTION],
            before,
            candidate(
                answer("price", (20, [item("new", 1, version="new, edited"), item("old", 2, version="old, edited")]))
            ),
            expected=one("pass", CORRECTED, PRICE),
        ),
        "pass-ranks-with-gap": case(
            "Ranks may have gaps, and items may come in any order: rank decides.",
            [CORRECTION],
            before,
            candidate(answer("price", (20, [item("old", 4), item("new", 2)]))),
            expected=one("pass", CORRECTED, PRICE),
        ),
        "fail-missing": case(
            "The correction is not retrieved.", [CORRECTION], before, candidate(always("price", "old")), expected=failed
        ),
        "fail-both-missing": case(
            "Neither is: the correction still has to be.",
            [CORRECTION],
            before,
            candidate(always("price", "other")),
            expected=failed,
        ),
        "fail-empty": case("An empty answer holds no correction.", [CORRECTION], before, candidate(), expected=failed),
        "fail-outranked": case(
            "What is superseded is above its correction.",
            [CORRECTION],
            before,
            candidate(always("price", "old", "new")),
            expected=failed,
        ),
        "indeterminate-id_churn-superseded": case(
            "The superseded item vanished from the candidate though it is required in both. Nothing is asked.",
            [CORRECTION],
            before,
            candidate(always("price", "new"), keys=("new",)),
            expected=one("indeterminate", undecided("correction", "id_churn"), []),
        ),
        "indeterminate-id_churn-correction": case(
            "The correction is not in the candidate.",
            [CORRECTION],
            before,
            candidate(always("price", "old"), keys=("old",)),
            expected=one("indeterminate", undecided("correction", "id_churn"), []),
        ),
        "indeterminate-id_churn-baseline": case(
            "The superseded item is not in the baseline.",
            [CORRECTION],
            baseline(keys=("other",)),
            candidate(always("price", "new", "old")),
            expected=one("indeterminate", undecided("correction", "id_churn"), []),
        ),
        "indeterminate-id_churn-before-unsupported": case(
            "A missing item is reported first, also where the adapter is not called at all.",
            [CORRECTION],
            baseline(keys=("other",)),
            candidate(),
            profile=UNSUPPORTED,
            expected=one("indeterminate", undecided("correction", "id_churn"), []),
        ),
        "indeterminate-adapter_unsupported": case(
            "The adapter claims nothing, so it is not called: 0 trials, not_run.",
            [CORRECTION],
            before,
            candidate(always("price", "new", "old")),
            profile=UNSUPPORTED,
            expected=one(
                "indeterminate",
                undecided("correction", "adapter_unsupported"),
                [seen("baseline", "price", trials=0), seen("candidate", "price", trials=0)],
            ),
        ),
        "indeterminate-unstable-baseline": case(
            "The baseline's order changes, so nothing can be compared with it.",
            [CORRECTION],
            baseline(answer("price", *moving)),
            candidate(always("price", "new", "old")),
            expected=one(
                "indeterminate",
                undecided("correction", "repeatability_unstable"),
                [seen("baseline", "price", distinct=2), seen("candidate", "price")],
            ),
        ),
        "indeterminate-unstable-candidate": case(
            "One deviating trial of twenty is unstable, also when the correction held in all of them.",
            [CORRECTION],
            before,
            candidate(
                answer(
                    "price", (13, ranked("new", "old")), (1, ranked("new", "old", "other")), (6, ranked("new", "old"))
                )
            ),
            expected=one(
                "indeterminate",
                undecided("correction", "repeatability_unstable"),
                [seen("baseline", "price"), seen("candidate", "price", distinct=2)],
            ),
        ),
        "indeterminate-unstable-before-precondition": case(
            "Instability is reported before an unmet precondition.",
            [CORRECTION],
            baseline(always("price", "other")),
            candidate(answer("price", *moving)),
            expected=one(
                "indeterminate",
                undecided("correction", "repeatability_unstable"),
                [seen("baseline", "price"), seen("candidate", "price", distinct=2)],
            ),
        ),
        "indeterminate-precondition": case(
            "The baseline never retrieved the superseded item, so there is nothing to correct.",
            [CORRECTION],
            baseline(always("price", "other")),
            candidate(always("price", "new", "old")),
            expected=one("indeterminate", undecided("correction", "baseline_precondition_unmet"), PRICE),
        ),
        "indeterminate-precondition-before-fail": case(
            "With an unmet precondition a missing correction is no fail.",
            [CORRECTION],
            baseline(),
            candidate(),
            expected=one("indeterminate", undecided("correction", "baseline_precondition_unmet"), PRICE),
        ),
    }
