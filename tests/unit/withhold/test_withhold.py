"""No member of a suite or transcript is overlooked: its text is material, or it is known to stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from witnessmark.canonical import canonical_bytes
from witnessmark.errors import EvidenceError, InputError
from witnessmark.models import ProbeSuite, Transcript
from witnessmark.models.withheld import Material
from witnessmark.withhold import MEMBERS, RunTexts, parse_material, restore, withhold

STAYS = {
    "axis baseline_name candidate_name baseline_state candidate_state assessed_at material_access",
    "checkpoint_digest retrieval_state_digest indexed_item_count probe_suite_digest retriever_profile_digest",
    "fingerprint_probe_digest runtime_id embedding_dimension runtime_observation seed format line version",
    "trials rebuilds scores_available first count state_name present request request_digest orderings items",
    "item_version_digest rank scores cut_score place tokens limit probe_id result trials_held trials_run margin splits",
    "axes counts first_difference score_multisets kind required severity max_rank required_in",
    "require_distinct_ordering superseded correction anchor probes header presence observations rebuilt locations",
    "truncations diagnoses",
}
DIGEST = "sha256:" + "0" * 64


def names(model: type[BaseModel], seen: set[type]) -> Iterator[str]:
    """Yield the members of a model and of every model in it."""
    if model in seen:
        return
    seen.add(model)
    for name, field in model.model_fields.items():
        yield name
        for part in parts(field.annotation):
            yield from names(part, seen)


def parts(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from parts(part)


def test_every_member_is_material_or_stays() -> None:
    seen: set[type] = set()
    found = {*names(ProbeSuite, seen), *names(Transcript, seen)}
    stays = set(" ".join(STAYS).split())
    assert found - stays == set(MEMBERS)
    assert stays - found == set()


def test_material_by_name() -> None:
    assert parse_material("queries, labels") == {Material.queries, Material.labels}
    with pytest.raises(InputError, match="no such material: got 'notes', wanted some of: queries, keys, labels"):
        parse_material("notes")


def test_a_text_that_looks_withheld_comes_back_as_it_was() -> None:
    suite = canonical_bytes({"probes": [{"query": "withheld:sha256:" + "1" * 64}]})
    texts = RunTexts(suite, b'{"item_key":"k"}\n')
    for material in (Material.queries, Material.labels):
        hidden = withhold(texts, DIGEST, [material])
        assert restore(hidden.texts, hidden.salts) == texts


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (RunTexts(b"{}", b'{"a":1}'), "invalid_transcript"),
        (RunTexts(b"{}", b'{"a": 1}\n'), "not_canonical"),
        (RunTexts(b"{", b""), "invalid_json"),
    ],
)
def test_malformed_files(texts: RunTexts, code: str) -> None:
    with pytest.raises(EvidenceError) as caught:
        withhold(texts, DIGEST, [Material.keys])
    assert caught.value.code == code
