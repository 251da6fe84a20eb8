"""Asking again: what is looked at, what is not, and what a doubt does."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from witnessmark.errors import AdapterError, InputError
from witnessmark.models import (
    ApplicabilityStatus,
    Dimension,
    EnvironmentBinding,
    EvidenceDocument,
    LineageState,
    Purpose,
    SourceInventory,
)
from witnessmark.ports import ObservedEnvironment, Sighting, Sought
from witnessmark.registry import OBSERVERS, Registered, find_observer, registered
from witnessmark.reobserve import Evidence, Surroundings, check, cover, load_purpose, read_evidence, surroundings

A = "a" * 64
NOW = "2026-08-11T12:00:00Z"
HEAD = "1" * 40


class World:
    """An observer that sees what a test puts there, and remembers what it was asked."""

    def __init__(self) -> None:
        self.sources: dict[str, Any] = {"rule": Sighting(True, A)}
        self.environments: dict[str, ObservedEnvironment] = {"here": ObservedEnvironment(EnvironmentBinding())}
        self.asked: list[Sought] = []
        self.made = 0

    def __call__(self) -> World:
        self.made += 1
        return self

    def observe(self, sought: Sought) -> Sighting:
        self.asked.append(sought)
        return self.sources.get(sought.reference, Sighting(False))

    def environment(self, argument: str) -> ObservedEnvironment:
        return self.environments[argument]

    def inventory(self, namespace: str, argument: str) -> SourceInventory:
        return SourceInventory(namespace=namespace, source_ids=("rule", "new"), complete=True)


class Blind:
    """An observer that can do nothing."""


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    factories: dict[str, Any] = {"world": made, "blind": Blind}
    names = tuple(Registered(name, "tests 0", "tests:x") for name in factories)
    monkeypatch.setattr(surroundings, "registered", lambda group: names)
    monkeypatch.setattr(surroundings, "find_observer", lambda scheme: (factories[scheme], names[0]))
    return made


def evidence(**fields: Any) -> Evidence:
    source = {"locator": "world:rule", "refetchable": True, "expected_digest": A}
    document = {"evidence_id": "e", "source": {**source, **fields.pop("source", {})}, **fields}
    return Evidence(EvidenceDocument.from_json(document), Path("/evidence"))


def decide(item: Evidence, *targets: str, purpose: Purpose | None = None) -> tuple[str, tuple[str, ...]]:
    result = check(item, purpose or load_purpose("builtin:current-state"), Surroundings(targets), NOW)
    assert result.may_influence_action is (result.status is ApplicabilityStatus.MATCH)
    return result.status.value, result.reasons


def test_what_is_there_matches(world: World) -> None:
    assert decide(evidence(source={"etag": '"1"', "last_modified": "yesterday"}), "world:here") == ("MATCH", ())
    assert world.asked == [Sought("rule", A, Path("/evidence"), ("here",), '"1"', "yesterday")]


@pytest.mark.parametrize(
    ("sighting", "outcome"),
    [
        (Sighting(None), ("UNRESOLVABLE", ("source_existence_unknown",))),
        (Sighting(True), ("UNRESOLVABLE", ("source_digest_unverifiable",))),
        (Sighting(False), ("ORPHAN", ("source_missing",))),
        (Sighting(True, "b" * 64), ("DRIFT", ("source_digest_mismatch",))),
    ],
)
def test_what_is_seen_decides(world: World, sighting: Sighting, outcome: tuple[str, tuple[str, ...]]) -> None:
    world.sources["rule"] = sighting
    assert decide(evidence()) == outcome


def test_forged_evidence_is_not_looked_at(world: World) -> None:
    forged = evidence(caller_metadata={"warrant": "x"}, lineage=[{"dependency_id": "d", "locator": "world:rule"}])
    assert decide(forged) == ("REJECT", ("reserved_metadata:warrant",))
    cover([forged], load_purpose("builtin:current-state"), Surroundings())
    assert world.asked == []


@pytest.mark.parametrize("locator", ["agent:scholar", "nowhere", "World:rule"])
def test_a_locator_that_nobody_observes_is_unknown(world: World, locator: str) -> None:
    item = evidence(source={"locator": locator})
    assert decide(item) == ("UNRESOLVABLE", ("source_existence_unknown",))
    result = check(item, load_purpose("builtin:current-state"), Surroundings(), NOW)
    assert result.notes[0] == f"no observer for {locator!r}"


def test_an_observer_that_sees_no_sources_is_unknown(world: World) -> None:
    assert decide(evidence(source={"locator": "blind:x"})) == ("UNRESOLVABLE", ("source_existence_unknown",))


def test_a_writer_is_not_looked_for(world: World) -> None:
    assert decide(evidence(source={"refetchable": False})) == ("UNRESOLVABLE", ("source_not_refetchable",))
    assert world.asked == []


def test_the_environment_is_that_of_all_targets_together(world: World) -> None:
    world.environments["here"] = ObservedEnvironment(EnvironmentBinding(tenant="acme"))
    world.environments["there"] = ObservedEnvironment(EnvironmentBinding(branch="main", tenant="acme"))
    item = evidence(environment={"tenant": "acme", "branch": "main"})
    assert decide(item, "world:here", "world:there") == ("MATCH", ())
    assert decide(item, "world:here") == ("REVALIDATE", ("environment_mismatch:branch",))
    assert world.made == 2, "one observer a round"


def test_conflicting_targets(world: World) -> None:
    world.environments["here"] = ObservedEnvironment(EnvironmentBinding(tenant="acme"))
    world.environments["there"] = ObservedEnvironment(EnvironmentBinding(tenant="globex"))
    with pytest.raises(InputError) as caught:
        decide(evidence(), "world:here", "world:there")
    assert f"[{caught.value.code}] {caught.value}" == (
        "[conflicting_targets] two targets give different values for tenant: "
        "got 'acme' from world:here and 'globex' from world:there, wanted one value"
    )


def test_a_doubtful_dimension_helps_neither_way(world: World) -> None:
    world.environments["here"] = ObservedEnvironment(
        EnvironmentBinding(commit_sha=HEAD), (Dimension.commit_sha,), "uncommitted changes"
    )
    bound = evidence(environment={"commit_sha": HEAD})
    assert decide(bound, "world:here") == ("REVALIDATE", ("environment_mismatch:commit_sha",))
    assert decide(evidence(), "world:here") == ("REVALIDATE", ("environment_unbound:commit_sha",))
    result = check(bound, load_purpose("builtin:current-state"), Surroundings(["world:here"]), NOW)
    assert "uncommitted changes" in result.notes


def test_what_is_strict_and_nowhere_bound_is_noted(world: World) -> None:
    result = check(evidence(), load_purpose("builtin:current-state"), Surroundings(["world:here"]), NOW)
    assert result.notes == tuple(
        f"{name} is strict, but bound neither then nor now: nothing was compared"
        for name in ("repository", "commit_sha")
    )
    assert result.stored_fingerprint == result.current_fingerprint


@pytest.mark.parametrize(
    ("sighting", "reason"),
    [
        (Sighting(True, A), None),
        (Sighting(True, "b" * 64), "lineage_changed:d"),
        (Sighting(True, A, LineageState.superseded), "lineage_invalidated:d:superseded"),
        (Sighting(False, state=LineageState.retired), "lineage_invalidated:d:retired"),
        (Sighting(False), "lineage_invalidated:d:erased"),
        (Sighting(None), "lineage_unverifiable:d"),
        (Sighting(None, A), "lineage_unverifiable:d"),
        (Sighting(True), "lineage_unverifiable:d"),
    ],
)
def test_parents_are_looked_at_too(world: World, sighting: Sighting, reason: str | None) -> None:
    world.sources["parent"] = sighting
    item = evidence(lineage=[{"dependency_id": "d", "locator": "world:parent", "expected_digest": A}])
    assert decide(item) == (("REVALIDATE", (reason,)) if reason else ("MATCH", ()))


def test_a_parent_without_a_place_is_unverifiable(world: World) -> None:
    item = evidence(lineage=[{"dependency_id": "d", "expected_digest": A}])
    assert decide(item) == ("REVALIDATE", ("lineage_unverifiable:d",))


def test_an_observer_that_breaks_its_contract_is_an_error(world: World) -> None:
    world.sources["rule"] = (True, A)
    with pytest.raises(AdapterError) as caught:
        decide(evidence())
    assert caught.value.code == "invalid_sighting"
    world.sources["rule"] = Sighting(True, "sha256:" + A)
    with pytest.raises(InputError, match="/observed_digest"):
        decide(evidence())


@pytest.mark.parametrize("target", ["nothing", "other:x", "blind:x", ""])
def test_unknown_target(world: World, target: str) -> None:
    with pytest.raises(InputError) as caught:
        decide(evidence(), target)
    assert caught.value.code == "unknown_target"


def test_a_checkpoint_directory_is_a_target(world: World, tmp_path: Path) -> None:
    (tmp_path / "checkpoint.json").write_text("{}")
    with pytest.raises(KeyError, match="checkpoint"):  # the scheme that this world does not have
        decide(evidence(), str(tmp_path))


def test_coverage_of_a_set(world: World) -> None:
    items = [
        evidence(evidence_id="one", source={"source_namespace": "ns", "source_id": "rule", "source_label": "rule"}),
        evidence(
            evidence_id="two",
            source={"locator": "world:gone", "source_namespace": "ns", "source_id": "gone"},
            environment={"repository": "r", "commit_sha": HEAD},
            derived=True,
        ),
        evidence(
            evidence_id="three",
            source={"locator": "agent:x", "refetchable": False},
            derived=True,
            lineage=[{"dependency_id": "d", "locator": "world:rule", "expected_digest": A}],
        ),
    ]
    report = cover(items, load_purpose("builtin:current-state"), Surroundings(), ["ns=world:all"])
    assert {metric.name: (metric.numerator, metric.denominator) for metric in report.metrics} == {
        "source_field_coverage": (1, 3),
        "locator_coverage": (3, 3),
        "refetchable_coverage": (2, 3),
        "refetch_verification_coverage": (2, 3),
        "source_enumeration_coverage": (2, 3),
        "environment_binding_coverage": (1, 3),
        "lineage_verification_coverage": (1, 2),
    }
    assert report.reconciliation.orphans == ("ns:gone",)
    assert report.reconciliation.unindexed == ("ns:new",)
    assert report.lineage_gaps == {"two": ("lineage_undeclared",)}


@pytest.mark.parametrize("argument", ["world:all", "=world:all", "ns=all", "ns=blind:x"])
def test_invalid_inventory(world: World, argument: str) -> None:
    with pytest.raises(InputError) as caught:
        Surroundings().inventory(argument)
    assert caught.value.code == "invalid_inventory"


def test_our_observers_are_registered() -> None:
    names = [item.name for item in registered(OBSERVERS)]
    assert {"assessment", "checkpoint", "env", "file", "git", "http", "https"} <= set(names)
    for name in names:
        factory, _ = find_observer(name)
        assert factory()


def test_unknown_observer() -> None:
    with pytest.raises(InputError) as caught:
        find_observer("nobody")
    assert caught.value.code == "unknown_observer"


def test_evidence_lies_where_its_file_does(tmp_path: Path) -> None:
    (tmp_path / "rule").write_text("x")
    path = tmp_path / "e.evidence.json"
    digest = hashlib.sha256(b"x").hexdigest()
    source = {"locator": "file:rule", "refetchable": True, "expected_digest": digest}
    path.write_text(json.dumps({"evidence_id": "e", "source": source}))
    assert decide(read_evidence(path)) == ("MATCH", ())


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("unknown_field", {"verified": True}),
        ("invalid_value", {"evidence_id": " "}),
        ("invalid_value", {"source": {"expected_digest": "sha256:" + A}}),
        ("contradicts_itself", {"source": {"locator": None, "refetchable": True}}),
    ],
)
def test_malformed_evidence(code: str, fields: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        evidence(**fields)
    assert caught.value.code == code
