"""Whole assessments: tables that answer, and by hand what has to come out."""

from __future__ import annotations

import hashlib

from model_cases import PROFILE

FORMAT = "witnessmark.vectors.assessment/0.1"
UNSUPPORTED = {**PROFILE, "adapter_capability": "unsupported_or_unknown"}

OLD, NEW = {"key": "old", "required_in": "both"}, {"key": "new", "required_in": "candidate"}
CORRECTION = {
    "kind": "correction_precedence",
    "probe_id": "correction",
    "query": "price",
    "superseded": OLD,
    "correction": NEW,
}
ANCHOR = {
    "kind": "anchor_preservation",
    "probe_id": "anchor",
    "query": "rule",
    "anchor": {"key": "rule", "required_in": "both"},
    "max_rank": 2,
}
KEY = {"kind": "scope_isolation", "probe_id": "scope", "query": "invoice", "forbidden_item_keys": ["b-invoice"]}
LABEL = {"kind": "scope_isolation", "probe_id": "scope", "query": "invoice", "forbidden_scope_labels": ["tenant:b"]}
STATE = {
    "kind": "state_conditioned_differentiation",
    "probe_id": "state",
    "query": "next",
    "context_a": {"mood": "calm"},
    "context_b": {"mood": "alert"},
    "a_required_keys": ["walk"],
    "b_required_keys": ["call"],
}
CALM, ALERT = {"mood": "calm"}, {"mood": "alert"}
KEYS = ("old", "new", "rule", "other", "third", "walk", "call", "b-invoice", "a-invoice")
CORRECTED = ("correction", "pass", "behavioral")
LEAKED = ("scope", "fail", "confidentiality")


def item(key: str, rank: int, labels: tuple[str, ...] = (), version: str = "") -> dict[str, object]:
    """Return an item whose version digest is that of its key, or of another text."""
    digest = hashlib.sha256((version or key).encode()).hexdigest()
    return {"item_key": key, "item_version_digest": f"sha256:{digest}", "rank": rank, "scope_labels": list(labels)}


def ranked(*keys: str) -> list[dict[str, object]]:
    """Return items at ranks 1, 2, 3 ..."""
    return [item(key, rank) for rank, key in enumerate(keys, start=1)]


def answer(
    query: str, *runs: tuple[int, list[dict[str, object]]], context: dict[str, str] | None = None
) -> dict[str, object]:
    """Return what a request gets: runs of (trials, items)."""
    return {
        "query": query,
        "context": context or {},
        "runs": [{"times": times, "items": items} for times, items in runs],
    }


def always(query: str, *keys: str, context: dict[str, str] | None = None) -> dict[str, object]:
    """Return an answer that never changes."""
    return answer(query, (20, ranked(*keys)), context=context)


def state(mark: str, *answers: dict[str, object], keys: tuple[str, ...] = KEYS) -> dict[str, object]:
    """Return a state that holds ``keys``."""
    return {
        "reference": {"checkpoint_digest": f"sha256:{mark * 64}"},
        "item_keys": list(keys),
        "answers": list(answers),
    }


def baseline(*answers: dict[str, object], keys: tuple[str, ...] = KEYS) -> dict[str, object]:
    """Return the state that the candidate is compared with."""
    return state("a", *answers, keys=keys)


def candidate(*answers: dict[str, object], keys: tuple[str, ...] = KEYS) -> dict[str, object]:
    """Return the state under assessment."""
    return state("b", *answers, keys=keys)


def seen(
    state_name: str, query: str, context: dict[str, str] | None = None, *, trials: int = 20, distinct: int = 1
) -> dict[str, object]:
    """Return the invocation evidence of one request."""
    status = "not_run" if not trials else "stable" if distinct == 1 else "unstable"
    return {
        "state_name": state_name,
        "query": query,
        "context": context or {},
        "trials": trials,
        "distinct_orderings_observed": distinct if trials else 0,
        "observed_status": status,
    }


def case(why: str, probes: list[dict], before: dict, after: dict, **rest: object) -> dict[str, object]:
    """Return one vector; ``rest`` is what ``run`` returns, or ``error``, and overrides."""
    return {
        "format": FORMAT,
        "why": why,
        "profile": rest.pop("profile", PROFILE),
        "suite": {"probes": probes},
        "baseline": before,
        "candidate": after,
        **rest,
    }


def run(
    result: str,
    probes: list[tuple[str, ...]],
    counts: tuple[int, int, int],
    invocations: list[dict[str, object]],
    *,
    flag: bool = False,
) -> dict[str, object]:
    """Return what is expected: (id, result, severity, reason?) a probe and (passed, failed, indeterminate)."""
    passed, failed, indeterminate = counts
    required = sum(counts)
    return {
        "result": result,
        "probes": [
            {"probe_id": name, "result": outcome, "severity": severity, "reasons": list(reasons)}
            for name, outcome, severity, *reasons in probes
        ],
        "coverage": {
            "required_probe_count": required,
            "passed": passed,
            "failed": failed,
            "indeterminate": indeterminate,
            "indeterminate_rate": indeterminate / required if indeterminate else 0,
        },
        "security_flags": {"contains_confidentiality_failure": flag},
        "invocations": invocations,
    }


def one(
    result: str, probe: tuple[str, ...], invocations: list[dict[str, object]], *, flag: bool = False
) -> dict[str, object]:
    """Return what is expected of a suite with one required probe."""
    counts = {"pass": (1, 0, 0), "fail": (0, 1, 0), "indeterminate": (0, 0, 1)}[result]
    return run(result, [probe], counts, invocations, flag=flag)


PRICE = [seen("baseline", "price"), seen("candidate", "price")]
RULE = [seen("baseline", "rule"), seen("candidate", "rule")]
INVOICE = [seen("candidate", "invoice")]
NEXT = [seen("candidate", "next", CALM), seen("candidate", "next", ALERT)]


def undecided(name: str, reason: str, severity: str = "behavioral") -> tuple[str, ...]:
    """Return a probe that could not be decided."""
    return (name, "indeterminate", severity, reason)


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


def files() -> dict[str, object]:
    """Return the assessment vectors by path."""
    groups = {
        "correction": correction_cases(),
        "anchor": anchor_cases(),
        "scope": scope_cases(),
        "differentiation": differentiation_cases(),
        "suite": suite_cases(),
    }
    return {
        f"assessment/{group}/{name}.json": value for group, cases in groups.items() for name, value in cases.items()
    }
