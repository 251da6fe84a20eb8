"""Changes of an embedding or of its index are caught before deployment: real models, real indexes, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import faiss
import pytest

from model_weights import MINILM, MINILM_INT8, MINILM_TOKENIZER, ONNX_OPTIONS, changed_model
from witnessmark.canonical import model_bytes
from witnessmark.checkpoint.directory import Checkpoint
from witnessmark.cli.main import main
from witnessmark.models import ProbeSuite, RetrieverProfile
from witnessmark.run.transcript import read_transcript
from witnessmark.rundir import read_assessment
from witnessmark_adapters.modelfiles import locate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from witnessmark.models import ProbeDiagnosis, ProbeResult, Target

    Outcome = Callable[..., "Said"]

OLD, NEW = "fact/1", "fact/2"
ONNX = {"embedder": "onnx", "embedding_dimension": 384, **{f"embedder:{k}": v for k, v in ONNX_OPTIONS.items()}}
TORCH = {"embedder": "sentence-transformers", "embedding_dimension": 384}
INT8: dict[str, object] = {"quantization": "int8", "truncation_rule": ""}
"""The fields of a profile that uses it."""
LONG = "The warehouse inspection went through every aisle and counted pallets, racks, labels and fire doors. " * 14
"""More than 256 tokens about something else."""


class Said(NamedTuple):
    """What the command line said of one assessment with one probe."""

    code: int
    err: str
    result: ProbeResult | None
    diagnosis: ProbeDiagnosis | None

    @property
    def notes(self) -> tuple[str, ...]:
        return self.diagnosis.notes if self.diagnosis is not None else ()


def correction(query: str) -> dict[str, object]:
    """A probe that wants ``NEW`` above ``OLD``."""
    return {
        "kind": "correction_precedence",
        "probe_id": "correction",
        "query": query,
        "superseded": {"key": OLD, "required_in": "both"},
        "correction": {"key": NEW, "required_in": "candidate"},
    }


def pinned(target: Target) -> RetrieverProfile:
    return Checkpoint.open(Path(str(target.options["path"]))).profile


@pytest.fixture
def outcome(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Outcome:
    """Return a function that assesses ``candidate`` against ``baseline`` under a profile, with one probe."""

    def said(baseline: Target, candidate: Target, profile: RetrieverProfile, probe: Mapping[str, object]) -> Said:
        number = len(list(tmp_path.glob("*.suite.json")))
        suite, file = tmp_path / f"{number}.suite.json", tmp_path / f"{number}.profile.json"
        out = tmp_path / f"run{number}"
        suite.write_bytes(model_bytes(ProbeSuite.model_validate({"probes": [probe]})))
        file.write_bytes(model_bytes(profile))
        capfd.readouterr()
        with pytest.raises(SystemExit) as caught:
            main(
                [
                    "assess",
                    *("--baseline", str(baseline.options["path"]), "--candidate", str(candidate.options["path"])),
                    *("--suite", str(suite), "--profile", str(file), "--out", str(out)),
                    *("--axes", "sweep"),
                ]
            )
        code, err = int(caught.value.code or 0), capfd.readouterr().err
        if code == 4:
            assert not out.exists()
            return Said(code, err, None, None)
        (result,) = read_assessment(out).probe_results
        (diagnosis,) = read_transcript((out / "transcript.jsonl").read_bytes()).transcript.diagnoses
        return Said(code, err, result, diagnosis)

    return said


@pytest.fixture
def corrected(
    make_target: Callable[..., Target], make_profile: Callable[..., RetrieverProfile], outcome: Outcome
) -> Callable[..., Said]:
    """Return a function that assesses one memory of a fact and its correction under an embedding and an index."""
    made = []

    def said(query: str, old: str, new: str, config: Mapping[str, object], **fields: object) -> Said:
        profile = make_profile(dict(config), **fields)
        made.append(profile)
        name = f"state{len(made)}"
        target = make_target(name, [(OLD, old, []), (NEW, new, [])], profile)
        return outcome(target, target, pinned(target), correction(query))

    return said


# Precision and dimension: the same memory, the same question, another verdict

FULL = {"embedder": "wordllama", "embedding_dimension": 256}


@pytest.mark.parametrize(
    ("query", "old", "new", "config", "fields"),
    [
        (
            "Who approves releases?",
            "Ilse signs off every release.",
            "The release approver is now Joren.",
            {**FULL, "embedding_dimension": 128},
            {},
        ),
        (
            "Whom do I ask before a release?",
            "Mara signs off every release.",
            "From this quarter Ilse approves releases.",
            FULL,
            {"quantization": "binary"},
        ),
        (
            "Who approves releases?",
            "Mara signs off every release.",
            "Joren signs off every release.",
            FULL,
            {"quantization": "int8"},
        ),
        (
            "Who signs off a release?",
            "The release approver is now Ilse.",
            "Joren signs off every release.",
            FULL,
            {"index_implementation": "IndexFlatL2", "distance_metric": "l2"},
        ),
    ],
    ids=["128 dimensions", "binary", "int8", "cosine as l2"],
)
def test_a_close_pair_flips(
    corrected: Callable[..., Said],
    query: str,
    old: str,
    new: str,
    config: Mapping[str, object],
    fields: dict[str, object],
) -> None:
    before, after = corrected(query, old, new, FULL), corrected(query, old, new, config, **fields)
    assert before.result is not None
    assert after.result is not None
    assert (before.code, before.result.violations) == (0, ())
    assert (after.code, after.result.violations) == (
        1,
        (f"correction {NEW!r}: got rank 2, wanted a rank above 1 of superseded {OLD!r}",),
    )


# An index that is not what the profile says


def test_a_cosine_index_read_as_l2_is_refused(
    make_target: Callable[..., Target],
    make_profile: Callable[..., RetrieverProfile],
    seal: Callable[[Path], Target],
    outcome: Outcome,
) -> None:
    target = make_target("cosine", [(OLD, "Mara signs off.", []), (NEW, "Joren signs off.", [])], make_profile())
    stated = pinned(target).model_dump(mode="json", exclude_none=True)
    as_l2 = RetrieverProfile.from_json(stated | {"distance_metric": "l2", "index_implementation": "IndexFlatL2"})
    refused = outcome(target, target, as_l2, correction("Who signs off?"))
    assert refused.code == 4
    assert refused.err == (
        "error[profile_mismatch]: profile /distance_metric: the live retriever is not the pinned one: "
        "got live 'cosine', wanted pinned 'l2'\n"
        "error[profile_mismatch]: profile /index_implementation: the live retriever is not the pinned one: "
        "got live 'IndexFlatIP', wanted pinned 'IndexFlatL2'\n"
    )
    file = Path(str(target.options["path"])) / "index" / "vectors.faiss"
    flat = faiss.read_index(str(file))
    other = faiss.IndexFlatL2(flat.d)
    other.add(flat.reconstruct_n(0, flat.ntotal))
    faiss.write_index(other, str(file))
    sealed = seal(file.parents[1])
    refused = outcome(sealed, sealed, pinned(sealed), correction("Who signs off?"))
    assert refused.code == 4
    assert refused.err == (
        f"error[index_mismatch]: {file}: index is not what its profile says: index implementation: got IndexFlatL2, "
        "wanted IndexFlatIP\n"
    )


# Case, prompts, length, weights: MiniLM


@pytest.mark.models
def test_case_is_lost_under_an_uncased_model(corrected: Callable[..., Said]) -> None:
    query, old, new = "Where do the reports go?", "Send the reports to us.", "Send the reports to US."
    cased, uncased = corrected(query, old, new, FULL), corrected(query, old, new, ONNX, **INT8)
    assert cased.diagnosis is not None
    assert cased.diagnosis.margin not in (None, "0.0")
    assert uncased.code == 1
    assert f"tie on decisive items: correction {NEW!r}, margin 0.0" in uncased.notes
    # The other way round the key decides for the correction: a pass, by no merit of the retriever, and named.
    lucky = corrected(query, new, old, ONNX, **INT8)
    assert f"tie on decisive items: correction {NEW!r}, margin 0.0" in lucky.notes


PREFIXED = ("How do I reach the on-call engineer?", "Call extension 4410 for the engineer on duty.")


@pytest.mark.models
def test_a_prefix_that_nobody_declares_and_somebody_drops(corrected: Callable[..., Said]) -> None:
    query, old = PREFIXED
    new = "The on-call phone is now extension 4477."
    with_prefix = corrected(query, old, new, ONNX, **INT8, query_preprocessing=["prefix:query: "])
    without = corrected(query, old, new, ONNX, **INT8)
    assert (with_prefix.code, without.code) == (0, 1)


@pytest.mark.models
def test_a_prefix_that_the_pinned_profile_has_and_the_model_declares(
    make_target: Callable[..., Target],
    make_profile: Callable[..., RetrieverProfile],
    outcome: Outcome,
    tmp_path: Path,
) -> None:
    prompts = json.dumps({"prompts": {"query": "query: "}})
    model = changed_model(tmp_path / "prompted", {"config_sentence_transformers.json": prompts})
    config = {**TORCH, "embedder:model": str(model)}
    target = make_target(
        "memory",
        [(OLD, "a", []), (NEW, "b", [])],
        make_profile(config, truncation_rule="", query_preprocessing=["prefix:query: "]),
    )
    stated = pinned(target).model_dump(mode="json", exclude_none=True)
    dropped = outcome(target, target, RetrieverProfile.from_json(stated | {"query_preprocessing": []}), correction("q"))
    assert dropped.code == 4
    assert dropped.err == (
        "error[missing_prompt]: profile /query_preprocessing: the model declares 'query: ' in front of each query, and "
        "the profile does not apply it: got [], wanted 'prefix:query: ', or embedder:prompts = 'ignored'\n"
    )


@pytest.mark.models
def test_a_correction_at_the_end_is_cut_off_at_256_tokens(corrected: Callable[..., Said]) -> None:
    query = "When does the nightly backup start?"
    old = "A reminder of the hours: the nightly backup starts at 02:00. " + LONG[:1100]
    new = LONG + "CORRECTION: the nightly backup now starts at 04:30. " * 15
    whole = corrected(query, old, new, {**ONNX, "embedder:max_length": 512}, **INT8)
    cut = corrected(query, old, new, {**ONNX, "embedder:max_length": 256}, **INT8)
    assert (whole.code, cut.code) == (0, 1)
    assert not any("cut off" in note for note in whole.notes)
    assert [note for note in cut.notes if "cut off" in note] == [
        f"item {NEW!r} is cut off: 256 of its 448 tokens are embedded, state 'candidate'"
    ]


@pytest.mark.models
@pytest.mark.parametrize("swapped", [False, True], ids=["the key decides against", "the key decides for"])
def test_two_texts_that_differ_behind_the_limit_are_one(corrected: Callable[..., Said], swapped: bool) -> None:
    ends = ("The nightly backup starts at 02:00.", "CORRECTION: the nightly backup starts at 04:30.")
    old, new = (LONG + end for end in (ends[::-1] if swapped else ends))
    said = corrected("When does the nightly backup start?", old, new, ONNX, **INT8)
    assert said.code == 1, "equal scores are ordered by key, whatever the text says"
    assert f"tie on decisive items: correction {NEW!r}, margin 0.0" in said.notes
    assert sum("is cut off: 256 of its" in note for note in said.notes) == 3


@pytest.mark.models
@pytest.mark.parametrize("changed", ["model", "tokenizer"])
def test_weights_that_change_behind_a_name_are_refused(
    make_target: Callable[..., Target],
    make_profile: Callable[..., RetrieverProfile],
    outcome: Outcome,
    tmp_path: Path,
    changed: str,
) -> None:
    files = {"model": tmp_path / "model.onnx", "tokenizer": tmp_path / "tokenizer.json"}
    for name, source in (("model", MINILM_INT8), ("tokenizer", MINILM_TOKENIZER)):
        files[name].write_bytes(locate(source, "test").path.read_bytes())
    config = {**ONNX, **{f"embedder:{name}": str(path) for name, path in files.items()}}
    target = make_target(
        "named",
        [(OLD, "Mara signs off.", []), (NEW, "Joren signs off.", [])],
        make_profile(config, **INT8),
    )
    profile, probe = pinned(target), correction("Who signs off?")
    assert outcome(target, target, profile, probe).code in (0, 1)
    data = bytearray(files[changed].read_bytes())
    if changed == "model":
        data[len(data) // 2] ^= 1
    else:
        data += b"\n"
    files[changed].write_bytes(data)
    refused = outcome(target, target, profile, probe)
    assert refused.code == 4
    assert refused.err.startswith("error[embedding_space_mismatch]: ")
    assert "index was built with another embedding: embedding_model_revision: got sha256:" in refused.err


SENTENCE = "the backup of the order database starts late"
VARIANTS = tuple(
    " ".join(word.upper() if (number >> (place % 3)) & 1 else word for place, word in enumerate(SENTENCE.split()))
    for number in range(8)
)
FILLERS = tuple(
    f"Conveyor {number} of the warehouse was serviced and it ran for eleven hours without a single stop"
    for number in range(25)
)


@pytest.mark.models
def test_one_record_more_rebatches_near_identical_texts_and_says_so(
    make_target: Callable[..., Target], make_profile: Callable[..., RetrieverProfile], outcome: Outcome
) -> None:
    """A 33rd text leaves one of eight spellings of a sentence alone in a batch: it may go from rank 1 to rank 8."""
    profile = make_profile({**TORCH, "embedder:model": MINILM}, truncation_rule="", top_k=10)
    variants: list[tuple[str, str, list[str]]] = [(f"v/{number}", text, []) for number, text in enumerate(VARIANTS)]
    fillers: list[tuple[str, str, list[str]]] = [(f"a/{number:02}", text, []) for number, text in enumerate(FILLERS)]
    baseline = make_target("batched", [*fillers[:24], *variants], profile)
    candidate = make_target("rebatched", [*fillers, *variants], profile)
    probe = {
        "kind": "anchor_preservation",
        "probe_id": "anchor",
        "query": "At what time is the database saved?",
        "anchor": {"key": "v/0", "required_in": "both"},
        "max_rank": 1,
    }
    said = outcome(baseline, candidate, pinned(candidate), probe)
    assert said.diagnosis is not None
    margin = float(said.diagnosis.margin or "inf")
    kind = "tie" if margin == 0 else "near-tie"
    # Rounding differs from processor to processor (-3e-8 and a fail where this was written). What does not: that so
    # little decides is named, pass or fail.
    assert abs(margin) <= 1e-6
    assert f"{kind} on a decisive item: anchor at the edge of its max_rank, margin {margin!r}" in said.notes
    assert said.code == (1 if margin < 0 else 0)
    stated = pinned(candidate).model_dump(mode="json", exclude_none=True)
    stated["index_build_config"]["embedder:batch_size"] = 1
    refused = outcome(baseline, candidate, RetrieverProfile.from_json(stated), probe)
    assert refused.code == 4
    assert "index_build_config/embedder:batch_size: the live retriever is not the pinned one" in refused.err
