"""The decision: six outcomes, in this order, the first that applies.

1. REJECT: the caller's metadata holds a reserved key.
2. UNRESOLVABLE: there is no locator, or the source cannot be fetched again.
3. ORPHAN: the source is gone.
4. UNRESOLVABLE: it is not known whether the source exists.
5. UNRESOLVABLE: the stored digest or the one of today is missing.
6. DRIFT: the digests differ.
7. REVALIDATE: environment or lineage gives a reason; all of them are collected.
8. MATCH.

Malformed input is an error before the first step, never an outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NoReturn, TypeVar

from witnessmark.errors import InputError
from witnessmark.models import (
    ApplicabilityStatus,
    ApplicabilityVerdict,
    Dimension,
    EnvironmentBinding,
    LineageDependency,
    LineageState,
    Record,
    SourceObservation,
)
from witnessmark.models.applicability import CURRENT_STATE, parse_instant

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["decide", "evaluate", "reserved_keys"]

R = TypeVar("R", bound=Record)

_RESERVED = frozenset(
    {"applicability_verdict", "environment_verified", "provenance_verified", "source_verified", "warrant"}
)
_RESERVED_PREFIX = "_cml_"
_MATCH = ApplicabilityVerdict(status=ApplicabilityStatus.MATCH, may_influence_action=True)


def evaluate(
    *,
    source: SourceObservation | Mapping[str, object],
    stored: EnvironmentBinding | Mapping[str, object],
    current: EnvironmentBinding | Mapping[str, object],
    lineage: Sequence[LineageDependency | Mapping[str, object]] = (),
    caller_metadata: Mapping[object, object] | Mapping[str, object] | None = None,
    now: datetime | str,
) -> ApplicabilityVerdict:
    """Decide whether stored evidence is applicable now (facts §2–4).

    Args:
        source: what a trusted observer saw of the origin.
        stored: the environment that the evidence is bound to.
        current: the environment of today.
        lineage: what the evidence was derived from, as it is now.
        caller_metadata: whatever an untrusted caller attached. Only its top-level keys matter.
        now: a time with its zone, or an instant as in the models. The zone is needed where ``stored`` expires.

    Raises:
        InputError: an argument is malformed.
    """
    return decide(
        as_record(SourceObservation, source, "source"),
        as_record(EnvironmentBinding, stored, "stored"),
        as_record(EnvironmentBinding, current, "current"),
        as_lineage(lineage),
        caller_metadata,
        now,
    )


def decide(
    source: SourceObservation,
    stored: EnvironmentBinding,
    current: EnvironmentBinding,
    lineage: Sequence[LineageDependency],
    caller_metadata: Mapping[object, object] | Mapping[str, object] | None,
    now: datetime | str,
    dimensions: Iterable[Dimension] = CURRENT_STATE.dimensions,
    strict: Iterable[Dimension] = CURRENT_STATE.strict,
) -> ApplicabilityVerdict:
    """Decide as `evaluate` does, over records, for the given dimensions and strict dimensions.

    Raises:
        InputError: ``caller_metadata`` or ``now`` is malformed.
    """
    expired = _expired(stored, now)
    reserved = reserved_keys(caller_metadata)
    if reserved:
        return _refuse(ApplicabilityStatus.REJECT, *(f"reserved_metadata:{key}" for key in reserved))
    if source.locator is None or not source.refetchable:
        return _refuse(ApplicabilityStatus.UNRESOLVABLE, "source_not_refetchable")
    if source.exists is False:
        return _refuse(ApplicabilityStatus.ORPHAN, "source_missing")
    if source.exists is None:
        return _refuse(ApplicabilityStatus.UNRESOLVABLE, "source_existence_unknown")
    if source.expected_digest is None or source.observed_digest is None:
        return _refuse(ApplicabilityStatus.UNRESOLVABLE, "source_digest_unverifiable")
    if source.expected_digest != source.observed_digest:
        return _refuse(ApplicabilityStatus.DRIFT, "source_digest_mismatch")
    reasons = _environment_reasons(stored, current, dimensions, strict)
    if expired:
        reasons.append("environment_expired:valid_until")
    if lineage:
        reasons.extend(_lineage_reasons(lineage))
    return _refuse(ApplicabilityStatus.REVALIDATE, *sorted(reasons)) if reasons else _MATCH


def reserved_keys(metadata: Mapping[object, object] | Mapping[str, object] | None) -> tuple[str, ...]:
    """Return the keys of untrusted metadata that only we may set, as printed, sorted; any key that is no text is one.

    Raises:
        InputError: ``wrong_type``.
    """
    if metadata is None:
        return ()
    if not isinstance(metadata, Mapping):
        _wrong_type("caller_metadata", metadata, "a mapping or nothing")
    return tuple(sorted(str(key) for key in metadata if _is_reserved(key)))


def as_record(record_type: type[R], value: R | Mapping[str, object], name: str) -> R:
    """Return ``value`` as a record.

    Raises:
        InputError: it is neither a record nor a mapping that is one; one problem a field.
    """
    if isinstance(value, record_type):
        return value
    if not isinstance(value, Mapping):
        _wrong_type(name, value, f"a {record_type.__name__} or a mapping")
    return record_type.from_json(dict(value), where=name)  # type: ignore[arg-type]


def as_lineage(lineage: Sequence[LineageDependency | Mapping[str, object]]) -> tuple[LineageDependency, ...]:
    """Return the dependencies as records.

    Raises:
        InputError: it is no list, or a dependency is malformed.
    """
    if not isinstance(lineage, list | tuple):
        _wrong_type("lineage", lineage, "a list or tuple")
    return tuple(as_record(LineageDependency, item, f"lineage[{index}]") for index, item in enumerate(lineage))


def _is_reserved(key: object) -> bool:
    return not isinstance(key, str) or key in _RESERVED or key.startswith(_RESERVED_PREFIX)


def _expired(stored: EnvironmentBinding, now: datetime | str) -> bool:
    if isinstance(now, str):
        try:
            now = parse_instant(now)
        except ValueError as error:
            raise InputError(f"now is {error}", code="invalid_instant", got=repr(now), where="now") from error
    elif not isinstance(now, datetime):
        _wrong_type("now", now, "a datetime or an instant such as 2026-08-11T12:00:00Z")
    if stored.valid_until is None:
        return False
    if now.utcoffset() is None:
        raise InputError(
            "now names no time zone",
            code="naive_timestamp",
            got=now.isoformat(),
            wanted="for example +00:00",
            where="now",
        )
    return now >= parse_instant(stored.valid_until)


def _environment_reasons(
    stored: EnvironmentBinding,
    current: EnvironmentBinding,
    dimensions: Iterable[Dimension],
    strict: Iterable[Dimension],
) -> list[str]:
    # The fields of both, read once: getattr on a model costs more than all comparisons together.
    then, today = stored.__dict__, current.__dict__
    reasons = []
    for name in dimensions:
        bound = then[name]
        if bound is None:
            if name in strict and today[name] is not None:
                reasons.append(f"environment_unbound:{name}")
        elif bound != today[name]:
            reasons.append(f"environment_mismatch:{name}")
    return reasons


def _lineage_reasons(lineage: Sequence[LineageDependency]) -> list[str]:
    seen: set[str] = set()
    reasons = []
    # Entries that share an id are read worst first, so that their order in the list says nothing.
    for dependency in sorted(lineage, key=_reading_order):
        if dependency.dependency_id in seen:
            reasons.append(f"lineage_duplicate:{dependency.dependency_id}")
            continue
        seen.add(dependency.dependency_id)
        reason = _dependency_reason(dependency)
        if reason is not None:
            reasons.append(reason)
    return reasons


def _dependency_reason(dependency: LineageDependency) -> str | None:
    # The state goes first: an erased parent usually has no digest, and fetching it again is no remedy.
    name, expected, observed = dependency.dependency_id, dependency.expected_digest, dependency.observed_digest
    if dependency.state is not LineageState.active:
        return f"lineage_invalidated:{name}:{dependency.state}"
    if expected is None or observed is None:
        return f"lineage_unverifiable:{name}"
    return None if expected == observed else f"lineage_changed:{name}"


def _reading_order(dependency: LineageDependency) -> tuple[bool, str, str, str]:
    active = dependency.state is LineageState.active
    return active, dependency.state, dependency.expected_digest or "", dependency.observed_digest or ""


def _refuse(status: ApplicabilityStatus, *reasons: str) -> ApplicabilityVerdict:
    return ApplicabilityVerdict(status=status, reasons=reasons, may_influence_action=False)


def _wrong_type(name: str, value: object, wanted: str) -> NoReturn:
    raise InputError("wrong type", code="wrong_type", got=type(value).__name__, wanted=wanted, where=name)
