"""Scope filtering never fails open."""

from __future__ import annotations

import pytest

from witnessmark.errors import InputError
from witnessmark_adapters.items import ItemLine, ItemTable
from witnessmark_adapters.scopes import ScopeFilter, read_rules

VERSION = "sha256:" + "0" * 64
LABELS = {
    "a": ["tenant:a"],
    "a-and-p": ["tenant:a", "project:p"],
    "ab": ["tenant:ab"],
    "b": ["tenant:b"],
    "case": ["tenant:A"],
    "empty-value": ["tenant:"],
    "other-name": ["tenants:a"],
    "pattern": ["tenant:%"],
    "plain": [],
    "q": ["project:q"],
    "two": ["tenant:a", "tenant:b"],
}


def seen(rules: list[str], context: dict[str, str]) -> list[str]:
    table = ItemTable(ItemLine(key=key, scope_labels=labels, version=VERSION) for key, labels in LABELS.items())
    scopes = ScopeFilter(read_rules(rules), table)
    mask = scopes.mask(scopes.key(context))
    assert mask is not None
    return [key for key, passes in zip(table.keys, mask, strict=True) if passes]


@pytest.mark.parametrize(
    ("context", "keys"),
    [
        ({"tenant": "a"}, ["a", "a-and-p", "two"]),
        ({"tenant": "b"}, ["b", "two"]),
        ({"tenant": ""}, ["empty-value"]),
        ({"tenant": "%"}, ["pattern"]),
        ({"tenant": "*"}, []),
        ({"tenant": "unknown"}, []),
        ({"Tenant": "a"}, []),
        ({}, []),
    ],
)
def test_strict_passes_exact_labels_only(context: dict[str, str], keys: list[str]) -> None:
    assert seen(["scope:tenant:strict"], context) == keys


@pytest.mark.parametrize(
    ("context", "keys"),
    [
        ({"tenant": "a"}, ["a", "a-and-p", "other-name", "plain", "q", "two"]),
        ({"tenant": "unknown"}, ["other-name", "plain", "q"]),
        ({}, ["other-name", "plain", "q"]),
    ],
)
def test_shared_also_passes_items_without_such_a_label(context: dict[str, str], keys: list[str]) -> None:
    assert seen(["scope:tenant:shared"], context) == keys


def test_several_rules_all_apply() -> None:
    rules = ["scope:tenant:shared", "scope:project:shared"]
    assert seen(rules, {"tenant": "a", "project": "p"}) == ["a", "a-and-p", "other-name", "plain", "two"]
    assert seen(rules, {}) == ["other-name", "plain"]
    assert seen(["scope:tenant:strict", "scope:project:strict"], {"tenant": "a", "project": "p"}) == ["a-and-p"]


@pytest.mark.parametrize(
    "rule", ["", "scope", "scope:tenant", "scope::strict", "scope:tenant:Strict", "scope:a:b:strict", "tenant:strict"]
)
def test_an_unknown_rule_is_an_error(rule: str) -> None:
    with pytest.raises(InputError) as caught:
        read_rules(["scope:tenant:strict", rule])
    assert caught.value.code == "unknown_filtering_rule"
    assert str(caught.value) == (
        f"profile /filtering_rules/1: no such filtering rule: got {rule!r}, "
        "wanted scope:NAME:strict or scope:NAME:shared"
    )
