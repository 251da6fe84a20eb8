"""What assessment cases are made of: probes, tables that answer, and what is expected."""

from __future__ import annotations

import hashlib

from documents import PROFILE

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
