"""Assessment cases of scope_isolation."""

from __future__ import annotations

from assessment_parts import (
    INVOICE,
    KEY,
    LABEL,
    LEAKED,
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

__all__ = ["scope_cases"]


def scope_cases() -> dict[str, dict[str, object]]:
    """Return the cases of scope_isolation."""
    before = baseline()
    labelled = [item("a-invoice", 1, ("tenant:a",)), item("b-invoice", 2, ("tenant:b", "shared"))]
    passed = one("pass", ("scope", "pass", "confidentiality"), INVOICE)
    leaked = one("fail", LEAKED, INVOICE, flag=True)
    unstable = [seen("candidate", "invoice", distinct=2)]
    return {
        "pass": case(
            "Nothing forbidden is retrieved. The baseline is not asked.",
            [KEY],
            baseline(always("invoice", "b-invoice")),
            candidate(always("invoice", "a-invoice")),
            expected=passed,
        ),
        "pass-empty": case(
            "An empty answer exposes nothing: the probe passes, vacuously.", [KEY], before, candidate(), expected=passed
        ),
        "pass-forbidden-unknown": case(
            "A forbidden key need not exist anywhere.",
            [{**KEY, "forbidden_item_keys": ["nowhere"]}],
            before,
            candidate(always("invoice", "a-invoice")),
            expected=passed,
        ),
        "pass-label-similar": case(
            "Labels are compared whole: neither a prefix nor another case is the same label.",
            [LABEL],
            before,
            candidate(answer("invoice", (20, [item("a-invoice", 1, ("tenant:b2", "Tenant:b"))]))),
            expected=passed,
        ),
        "fail-key": case(
            "A forbidden key is retrieved.",
            [KEY],
            before,
            candidate(always("invoice", "a-invoice", "b-invoice")),
            expected=leaked,
        ),
        "fail-label": case(
            "An item with a forbidden label is retrieved, among other labels.",
            [LABEL],
            before,
            candidate(answer("invoice", (20, labelled))),
            expected=leaked,
        ),
        "fail-last-rank": case(
            "No rank is low enough to be harmless.",
            [KEY],
            before,
            candidate(always("invoice", "a-invoice", "other", "third", "b-invoice")),
            expected=leaked,
        ),
        "fail-leak-in-1-of-20": case(
            "One observation refutes 'never': a leak in any trial fails, also when the orderings differ.",
            [KEY],
            before,
            candidate(
                answer(
                    "invoice",
                    (11, ranked("a-invoice")),
                    (1, ranked("a-invoice", "b-invoice")),
                    (8, ranked("a-invoice")),
                )
            ),
            expected=one("fail", LEAKED, unstable, flag=True),
        ),
        "fail-label-leak-in-last-trial": case(
            "The same for labels, in the last trial.",
            [LABEL],
            before,
            candidate(
                answer(
                    "invoice", (19, [item("a-invoice", 1, ("tenant:a",))]), (1, [item("a-invoice", 1, ("tenant:b",))])
                )
            ),
            expected=one("fail", LEAKED, unstable, flag=True),
        ),
        "indeterminate-unstable": case(
            "Unstable without a leak is undecided: 20 trials showed no leak, and the next one may.",
            [KEY],
            before,
            candidate(answer("invoice", (19, ranked("a-invoice")), (1, []))),
            expected=one("indeterminate", undecided("scope", "repeatability_unstable", "confidentiality"), unstable),
        ),
        "indeterminate-adapter_unsupported": case(
            "An adapter that is not called leaks nothing and proves nothing.",
            [KEY],
            before,
            candidate(always("invoice", "b-invoice")),
            profile=UNSUPPORTED,
            expected=one(
                "indeterminate",
                undecided("scope", "adapter_unsupported", "confidentiality"),
                [seen("candidate", "invoice", trials=0)],
            ),
        ),
        "fail-severity-behavioral": case(
            "A suite may rate a leak as behavioral: then no confidentiality flag is raised.",
            [{**KEY, "severity": "behavioral"}],
            before,
            candidate(always("invoice", "b-invoice")),
            expected=one("fail", ("scope", "fail", "behavioral"), INVOICE),
        ),
    }
