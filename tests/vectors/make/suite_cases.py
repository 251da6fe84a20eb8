"""Assessment cases of several probes, and what a run refuses."""

from __future__ import annotations

from assessment_parts import (
    ANCHOR,
    CORRECTED,
    CORRECTION,
    INVOICE,
    KEY,
    LABEL,
    LEAKED,
    PRICE,
    RULE,
    always,
    answer,
    baseline,
    candidate,
    case,
    item,
    one,
    ranked,
    run,
    seen,
    undecided,
)

__all__ = ["suite_cases"]


def suite_cases() -> dict[str, dict[str, object]]:
    """Return the cases about several probes and about what a run refuses."""
    before = baseline(always("price", "old"), always("rule", "rule"))
    good = (always("price", "new", "old"), always("rule", "rule"), always("invoice", "a-invoice"))
    anchored, isolated = ("anchor", "pass", "behavioral"), ("scope", "pass", "confidentiality")
    three = [*PRICE, *RULE, *INVOICE]
    duplicate_rank = [item("new", 1), item("old", 1)]
    return {
        "pass-three": case(
            "Every required probe passes.",
            [CORRECTION, ANCHOR, KEY],
            before,
            candidate(*good),
            expected=run("pass", [CORRECTED, anchored, isolated], (3, 0, 0), three),
        ),
        "fail-beats-indeterminate": case(
            "A required fail decides, whatever could not be decided beside it.",
            [CORRECTION, ANCHOR, KEY],
            baseline(always("price", "other"), always("rule", "rule")),
            candidate(*good[:2], always("invoice", "b-invoice")),
            expected=run(
                "fail",
                [undecided("correction", "baseline_precondition_unmet"), anchored, LEAKED],
                (1, 1, 1),
                three,
                flag=True,
            ),
        ),
        "indeterminate-beats-pass": case(
            "One undecided required probe leaves the whole undecided.",
            [CORRECTION, ANCHOR],
            baseline(always("price", "other"), always("rule", "rule")),
            candidate(*good),
            expected=run(
                "indeterminate",
                [undecided("correction", "baseline_precondition_unmet"), anchored],
                (1, 0, 1),
                [*PRICE, *RULE],
            ),
        ),
        "optional-fail": case(
            "A probe that is not required counts neither in the coverage nor for the result.",
            [CORRECTION, {**ANCHOR, "required": False}],
            before,
            candidate(always("price", "new", "old")),
            expected=run("pass", [CORRECTED, ("anchor", "fail", "behavioral")], (1, 0, 0), [*PRICE, *RULE]),
        ),
        "optional-indeterminate": case(
            "Nor does it when it is undecided.",
            [CORRECTION, {**ANCHOR, "required": False}],
            baseline(always("price", "old")),
            candidate(*good),
            expected=run(
                "pass", [CORRECTED, undecided("anchor", "baseline_precondition_unmet")], (1, 0, 0), [*PRICE, *RULE]
            ),
        ),
        "optional-leak-raises-flag": case(
            "A leak of a probe that is not required still raises the confidentiality flag, beside a pass.",
            [CORRECTION, {**KEY, "required": False}],
            before,
            candidate(*good[:2], always("invoice", "b-invoice")),
            expected=run("pass", [CORRECTED, LEAKED], (1, 0, 0), [*PRICE, *INVOICE], flag=True),
        ),
        "severity-confidentiality-anchor": case(
            "Any kind of probe can be rated as confidentiality.",
            [{**ANCHOR, "severity": "confidentiality"}],
            before,
            candidate(),
            expected=one("fail", ("anchor", "fail", "confidentiality"), RULE, flag=True),
        ),
        "severity-of-undecided": case(
            "An undecided confidentiality probe raises no flag: nothing was seen.",
            [{**ANCHOR, "severity": "confidentiality"}],
            baseline(),
            candidate(),
            expected=one("indeterminate", undecided("anchor", "baseline_precondition_unmet", "confidentiality"), RULE),
        ),
        "shared-request": case(
            "Two probes that ask the same share one invocation.",
            [{**KEY, "probe_id": "one"}, {**LABEL, "probe_id": "two"}],
            before,
            candidate(*good),
            expected=run(
                "pass", [("one", "pass", "confidentiality"), ("two", "pass", "confidentiality")], (2, 0, 0), INVOICE
            ),
        ),
        "same-query-other-context": case(
            "The same query in another context is another request.",
            [{**KEY, "probe_id": "one"}, {**KEY, "probe_id": "two", "context": {"tenant": "b"}}],
            before,
            candidate(always("invoice", "a-invoice"), always("invoice", "b-invoice", context={"tenant": "b"})),
            expected=run(
                "fail",
                [("one", "pass", "confidentiality"), ("two", "fail", "confidentiality")],
                (1, 1, 0),
                [*INVOICE, seen("candidate", "invoice", {"tenant": "b"})],
                flag=True,
            ),
        ),
        "more-trials": case(
            "More trials than the floor see more.",
            [KEY],
            before,
            candidate(answer("invoice", (24, ranked("a-invoice")), (1, ranked("b-invoice")))),
            trials=25,
            expected=one("fail", LEAKED, [seen("candidate", "invoice", trials=25, distinct=2)], flag=True),
        ),
        "error-too_few_trials": case(
            "Fewer than 20 trials are no evidence.", [KEY], before, candidate(), trials=19, error="too_few_trials"
        ),
        "error-duplicate_rank": case(
            "Two items at one rank have no order: no artifact.",
            [CORRECTION],
            before,
            candidate(answer("price", (20, duplicate_rank))),
            error="duplicate_rank",
        ),
        "error-duplicate_rank-in-one-trial": case(
            "Also in a single trial.",
            [CORRECTION],
            before,
            candidate(answer("price", (7, ranked("new")), (1, duplicate_rank), (12, ranked("new")))),
            error="duplicate_rank",
        ),
        "error-duplicate_item_key": case(
            "One item at two ranks: no artifact.",
            [CORRECTION],
            before,
            candidate(answer("price", (20, [item("new", 1), item("new", 2)]))),
            error="duplicate_item_key",
        ),
        "error-too_many_items": case(
            "More than top_k items contradict the profile: no artifact.",
            [KEY],
            before,
            candidate(always("invoice", "a-invoice", "other", "third", "rule", "walk")),
            error="too_many_items",
        ),
        "error-rank_above_top_k": case(
            "A rank above top_k does, too.",
            [KEY],
            before,
            candidate(answer("invoice", (20, [item("a-invoice", 5)]))),
            error="rank_above_top_k",
        ),
    }
