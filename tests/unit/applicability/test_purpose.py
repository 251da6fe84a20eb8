"""Purposes: what is compared, what is strict, and the fingerprint."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from witnessmark.applicability import evaluate_for, fingerprint, unbound_everywhere
from witnessmark.errors import InputError
from witnessmark.models import ApplicabilityStatus, Dimension, EnvironmentBinding, Purpose
from witnessmark.models.applicability import CURRENT_STATE
from witnessmark.reobserve import load_purpose

OK = {
    "locator": "file:rule",
    "refetchable": True,
    "exists": True,
    "expected_digest": "a" * 64,
    "observed_digest": "a" * 64,
}
BILLING = Purpose.from_json(
    {"name": "billing", "version": "1", "dimensions": ["tenant", "policy_digest"], "strict": ["tenant"]}
)


def test_the_shipped_purpose_is_the_specification() -> None:
    assert load_purpose("builtin:current-state") == CURRENT_STATE


def test_the_fingerprint_is_the_digest_of_a_document_that_anyone_can_write() -> None:
    text = '{"dimensions":{"policy_digest":null,"tenant":"a"},"purpose":"billing","version":"1"}'
    wanted = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert fingerprint(BILLING, EnvironmentBinding(tenant="a", branch="main", observed_at="2026-01-01T00:00:00Z")) == (
        wanted
    )


def test_the_order_of_dimensions_is_no_part_of_the_fingerprint() -> None:
    turned = Purpose.from_json({**BILLING.model_dump(mode="json"), "dimensions": ["policy_digest", "tenant"]})
    binding = EnvironmentBinding(tenant="a")
    assert fingerprint(turned, binding) == fingerprint(BILLING, binding)


@pytest.mark.parametrize("change", [{"name": "other"}, {"version": "2"}, {"dimensions": ["tenant"]}])
def test_name_version_and_selection_are_part_of_the_fingerprint(change: dict[str, object]) -> None:
    other = Purpose.from_json({**BILLING.model_dump(mode="json"), **change})
    binding = EnvironmentBinding(tenant="a")
    assert fingerprint(other, binding) != fingerprint(BILLING, binding)


def test_an_unrelated_commit_changes_neither_fingerprint_nor_outcome() -> None:
    stored = EnvironmentBinding(tenant="a", repository="r", commit_sha="1" * 40)
    current = EnvironmentBinding(tenant="a", repository="r", commit_sha="2" * 40)
    assert fingerprint(BILLING, stored) == fingerprint(BILLING, current)
    verdict = evaluate_for(BILLING, source=OK, stored=stored, current=current, now="2026-01-01T00:00:00Z")
    assert verdict.status is ApplicabilityStatus.MATCH


def test_a_strict_tenant_has_to_be_bound_where_today_has_one() -> None:
    verdict = evaluate_for(BILLING, source=OK, stored={}, current={"tenant": "a"}, now="2026-01-01T00:00:00Z")
    assert verdict.reasons == ("environment_unbound:tenant",)


def test_what_is_strict_and_bound_nowhere_is_named() -> None:
    assert unbound_everywhere(BILLING, EnvironmentBinding(), EnvironmentBinding()) == (Dimension.tenant,)
    assert unbound_everywhere(BILLING, EnvironmentBinding(tenant="a"), EnvironmentBinding()) == ()
    assert unbound_everywhere(BILLING, EnvironmentBinding(), EnvironmentBinding(tenant="a")) == ()


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("nothing_to_check", {"dimensions": [], "strict": []}),
        ("contradicts_itself", {"strict": ["branch"]}),
        ("duplicate_id", {"dimensions": ["tenant", "tenant"]}),
        ("duplicate_id", {"strict": ["tenant", "tenant"]}),
        ("invalid_value", {"dimensions": ["tenant", "region"]}),
        ("invalid_value", {"name": ""}),
        ("wrong_type", {"version": 1}),
        ("unknown_field", {"tenant": "a"}),
    ],
)
def test_malformed_purpose(code: str, change: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        Purpose.from_json({**BILLING.model_dump(mode="json"), **change})
    assert caught.value.code == code


def test_a_purpose_in_yaml_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "billing.purpose.yaml"
    path.write_text("name: billing\nversion: '1'\ndimensions: [tenant]\nstrict:\n  - branch\n  - region\n")
    with pytest.raises(InputError) as caught:
        load_purpose(str(path))
    assert f"{path}:6 /strict/1" in str(caught.value)
