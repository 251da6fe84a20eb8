"""Assessment cases of state_conditioned_differentiation."""

from __future__ import annotations

from assessment_parts import (
    ALERT,
    CALM,
    NEXT,
    STATE,
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

__all__ = ["differentiation_cases"]


def differentiation_cases() -> dict[str, dict[str, object]]:
    """Return the cases of state_conditioned_differentiation."""
    before = baseline()
    calm, alert = always("next", "walk", "call", context=CALM), always("next", "call", "walk", context=ALERT)
    passed, failed = (
        one("pass", ("state", "pass", "behavioral"), NEXT),
        one("fail", ("state", "fail", "behavioral"), NEXT),
    )
    forbids = {**STATE, "a_forbidden_keys": ["call"]}
    return {
        "pass": case("Each context gets its own order.", [STATE], before, candidate(calm, alert), expected=passed),
        "pass-ordering-not-asked": case(
            "Equal orders pass where distinct ones are not asked for.",
            [{**STATE, "require_distinct_ordering": False}],
            before,
            candidate(calm, always("next", "walk", "call", context=ALERT)),
            expected=passed,
        ),
        "pass-ordering-alone": case(
            "A different order can be all that is asked for.",
            [{key: value for key, value in STATE.items() if not key.endswith("_keys")}],
            before,
            candidate(always("next", "walk", context=CALM)),
            expected=passed,
        ),
        "fail-collapse": case(
            "Both contexts get the same order.",
            [STATE],
            before,
            candidate(calm, always("next", "walk", "call", context=ALERT)),
            expected=failed,
        ),
        "fail-collapse-in-versions": case(
            "Orders are compared by key: another version of the same items is no difference.",
            [STATE],
            before,
            candidate(
                calm, answer("next", (20, [item("walk", 1, version="walk, edited"), item("call", 2)]), context=ALERT)
            ),
            expected=failed,
        ),
        "fail-collapse-in-ranks": case(
            "And by order, not by rank number.",
            [STATE],
            before,
            candidate(calm, answer("next", (20, [item("walk", 2), item("call", 4)]), context=ALERT)),
            expected=failed,
        ),
        "fail-both-empty": case(
            "Two empty answers are the same order and lack what is required.",
            [STATE],
            before,
            candidate(),
            expected=failed,
        ),
        "fail-required-missing": case(
            "Context A lacks what it needs.",
            [STATE],
            before,
            candidate(always("next", "call", "other", context=CALM), alert),
            expected=failed,
        ),
        "fail-required-missing-b": case(
            "Context B lacks what it needs.",
            [STATE],
            before,
            candidate(calm, always("next", "walk", context=ALERT)),
            expected=failed,
        ),
        "fail-forbidden": case(
            "Context A gets what is forbidden in it.", [forbids], before, candidate(calm, alert), expected=failed
        ),
        "fail-forbidden-b": case(
            "Context B gets what is forbidden in it.",
            [{**STATE, "b_forbidden_keys": ["walk"]}],
            before,
            candidate(calm, alert),
            expected=failed,
        ),
        "fail-forbidden-in-1-of-20": case(
            "A forbidden key seen in any trial fails, as a leak does.",
            [forbids],
            before,
            candidate(answer("next", (19, ranked("walk")), (1, ranked("walk", "call")), context=CALM), alert),
            expected=one(
                "fail",
                ("state", "fail", "behavioral"),
                [seen("candidate", "next", CALM, distinct=2), seen("candidate", "next", ALERT)],
            ),
        ),
        "indeterminate-unstable": case(
            "A required key that is missing in some trials is undecided: only what is forbidden fails at once.",
            [STATE],
            before,
            candidate(calm, answer("next", (19, ranked("call", "walk")), (1, ranked("walk")), context=ALERT)),
            expected=one(
                "indeterminate",
                undecided("state", "repeatability_unstable"),
                [seen("candidate", "next", CALM), seen("candidate", "next", ALERT, distinct=2)],
            ),
        ),
        "indeterminate-id_churn": case(
            "A required key of either context does not exist in the candidate.",
            [STATE],
            before,
            candidate(calm, alert, keys=("walk",)),
            expected=one("indeterminate", undecided("state", "id_churn"), []),
        ),
        "pass-forbidden-unknown": case(
            "A forbidden key need not exist.",
            [{**STATE, "b_forbidden_keys": ["nowhere"]}],
            before,
            candidate(calm, alert),
            expected=passed,
        ),
        "indeterminate-adapter_unsupported": case(
            "The adapter is not called.",
            [STATE],
            before,
            candidate(calm, alert),
            profile=UNSUPPORTED,
            expected=one(
                "indeterminate",
                undecided("state", "adapter_unsupported"),
                [seen("candidate", "next", CALM, trials=0), seen("candidate", "next", ALERT, trials=0)],
            ),
        ),
    }
