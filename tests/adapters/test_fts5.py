"""The fts5 adapter from checkpoint directory to answers; BM25 is computed a second time, from its definition."""

from __future__ import annotations

import math
import re
import shutil
import sqlite3
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from witnessmark.canonical import canonical_digest, model_bytes
from witnessmark.checkpoint.layout import INDEX
from witnessmark.errors import AdapterError, InputError, ProfileMismatch
from witnessmark.models import MemoryRecord, Place, RetrievalRequest, RetrieverProfile, Target
from witnessmark.ports import (
    BatchRetriever,
    Call,
    CheckpointAdapter,
    Closeable,
    IndexItem,
    ItemLocator,
    ObservableRetriever,
    ScoredRetriever,
)
from witnessmark_adapters import fts5_index
from witnessmark_adapters.fts5_index import Tokens
from witnessmark_adapters.fts5_pipeline import ADAPTER, LexicalRetriever
from witnessmark_adapters.fts5_settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MakeProfile = Any
MakeTarget = Any
RECORDS = [
    ("backup/new", "The nightly backup starts at 03:30.", []),
    ("backup/old", "The nightly backup starts at 01:00.", []),
    ("contract/a", "The hosting contract renews in May.", ["tenant:a"]),
    ("contract/b", "The hosting contract renews in June.", ["tenant:b"]),
    ("copy/1", "Restart the queue worker first.", []),
    ("copy/2", "Restart the queue worker first.", []),
    ("copy/3", "Restart the queue worker first.", []),
    ("empty", "", []),
]
TOKENIZERS: dict[str, dict[str, object]] = {
    "ascii": {"tokenizer": "ascii", "stemmer": "porter"},
    "default": {},
    "porter": {"stemmer": "porter"},
    "trigram": {"tokenizer": "trigram", "case_sensitive": True},
}
HOSTILE = (
    "",
    " ",
    "\0",
    "backup\0worker",
    '"',
    '"" OR ""',
    "backup AND",
    "NOT backup",
    "NEAR(backup worker, 2)",
    "text : backup",
    "back*",
    "^backup - {text} + (",
    "'; DROP TABLE documents; --",
    "🚰 emoji 👩\u200d🔧",
    "备份 резервная النسخ",
    "\u0301\u0301",
    "x" * 40_000,
    "worker " * 5_000,
    " ".join(f"w{number}" for number in range(5_000)),
)


def ask(query: str, **context: str) -> RetrievalRequest:
    return RetrievalRequest(query=query, context=context)


def keys(answer: Any) -> list[str]:
    return [item.item_key for item in answer.items]


@pytest.fixture
def opened() -> Any:
    """Open targets, and close them after the test."""
    retrievers: list[LexicalRetriever] = []

    def opening(profile: RetrieverProfile | None = None, **states: Target) -> LexicalRetriever:
        retrievers.append(ADAPTER.open(states, profile))
        return retrievers[-1]

    yield opening
    for retriever in retrievers:
        retriever.close()


def bm25(texts: Sequence[str], query: str) -> dict[int, float]:
    """Okapi BM25, k1 1.2, b 0.75, an idf of at least 1e-6: over the distinct ASCII words of the query."""
    documents = [re.findall("[a-z0-9]+", text.lower()) for text in texts]
    average = sum(map(len, documents)) / len(documents)
    scores: dict[int, float] = {}
    for word in sorted(set(re.findall("[a-z0-9]+", query.lower()))):
        containing = sum(word in document for document in documents)
        idf = math.log((len(documents) - containing + 0.5) / (containing + 0.5))
        for number, document in enumerate(documents):
            count = Counter(document)[word]
            if count:
                length = 1 - 0.75 + 0.75 * len(document) / average
                scores[number] = scores.get(number, 0.0) + max(idf, 1e-6) * count * 2.2 / (count + 1.2 * length)
    return scores


def build(folder: Path, texts: Sequence[str], labels: Sequence[str | None], **fields: Any) -> Target:
    from witnessmark.checkpoint.build import build_checkpoint

    fields = {"filtering_rules": ["scope:tenant:shared"], **fields}
    profile = RetrieverProfile.from_json(
        {
            "implementation_id": "fts5",
            "implementation_version": "1",
            "adapter_version": "0.1",
            "adapter_capability": "deterministic",
            "distance_metric": "bm25",
            "index_implementation": "fts5",
            "truncation_rule": "text:none;answer:top_k",
            "tie_policy": "score_desc_item_key_asc",
            **fields,
        }
    )
    records = folder / "records.jsonl"
    rows = [
        MemoryRecord(key=f"{number:03}", text=text, scope_labels=() if label is None else (f"tenant:{label}",))
        for number, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    records.write_bytes(b"".join(model_bytes(row) + b"\n" for row in rows))
    build_checkpoint(records, profile=profile, adapter_name="fts5", adapter=ADAPTER, out=folder / "state")
    return Target(adapter="fts5", options={"path": str(folder / "state")})


WORDS = st.lists(st.sampled_from(["backup", "worker", "May", "the", "01", "queue"]), max_size=8).map(" ".join)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(WORDS, st.sampled_from([None, "a", "b"])), min_size=1, max_size=25),
    query=WORDS,
    tenant=st.sampled_from([None, "a", "b", "c"]),
    top_k=st.integers(1, 8),
    seed=st.sampled_from([None, 5]),
)
def test_answers_are_those_of_bm25_within_the_scope_in_the_declared_order(
    rows: list[tuple[str, str | None]],
    query: str,
    tenant: str | None,
    top_k: int,
    seed: int | None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    texts, labels = zip(*rows, strict=True)
    config = {} if seed is None else {"insertion_seed": seed}
    target = build(tmp_path_factory.mktemp("bm25"), texts, labels, top_k=top_k, index_build_config=config)
    retriever = ADAPTER.open({"s": target}, None)
    request = ask(query, **({} if tenant is None else {"tenant": tenant}))
    answer = retriever.retrieve_scored("s", request)
    expected = bm25(texts, query) if any(text.split() for text in texts) else {}
    visible = [number for number in expected if labels[number] in (None, tenant)]
    ordinals = [int(key) for key in keys(answer)]
    assert len(ordinals) == min(top_k, len(visible))
    assert set(ordinals) <= set(visible)
    assert list(answer.scores) == pytest.approx([expected[number] for number in ordinals], rel=1e-12)
    assert list(zip(answer.scores, ordinals, strict=True)) == sorted(
        zip(answer.scores, ordinals, strict=True), key=lambda pair: (-pair[0], pair[1])
    )
    left = [expected[number] for number in visible if number not in ordinals]
    assert answer.cut_score == (pytest.approx(max(left), rel=1e-12) if left else None)
    # Texts with the same words in the same numbers have one score, whatever their place.
    for number in visible:
        found = retriever.locate("s", request, f"{number:03}")
        assert found.place is Place.below_cut
        if number in ordinals:
            assert found.rank == ordinals.index(number) + 1
    retriever.close()


def test_every_capability_is_there(make_lexical: MakeProfile, make_target: MakeTarget, opened: Any) -> None:
    retriever = opened(base=make_target("base", RECORDS, make_lexical()))
    for capability in (ScoredRetriever, BatchRetriever, Closeable, ObservableRetriever, ItemLocator):
        assert isinstance(retriever, capability)
    assert isinstance(ADAPTER, CheckpointAdapter)
    assert retriever.package_versions() == {"sqlite": sqlite3.sqlite_version}
    assert set(retriever.fingerprints()) == {"accents", "emoji", "inflected", "marks", "scripts"}
    assert retriever.runtime_observation().runtime_id == f"SQLite {sqlite3.sqlite_version} FTS5"


@pytest.mark.parametrize("name", TOKENIZERS)
def test_builds_are_byte_identical_and_open_as_what_they_are(
    name: str, make_lexical: MakeProfile, make_target: MakeTarget, opened: Any
) -> None:
    profile = make_lexical(TOKENIZERS[name])
    first, second = make_target("one", RECORDS, profile), make_target("two", RECORDS, profile)
    one, two = Path(str(first.options["path"])), Path(str(second.options["path"]))
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert [str(path) for path in names] == [
        "checkpoint.json",
        "index/items.jsonl",
        "index/lexical.sqlite",
        "index/profile.json",
        "operations.jsonl",
    ]
    assert all((one / path).read_bytes() == (two / path).read_bytes() for path in names)
    before = one.stat().st_mtime_ns
    retriever = opened(one=first, two=second)
    assert retriever.profile == ADAPTER.complete_profile(profile)
    assert retriever.state_reference("one") == retriever.state_reference("two")
    assert retriever.state_reference("one").indexed_item_count == len(RECORDS)
    assert keys(retriever.retrieve_scored("one", ask("queue worker"))) == ["copy/1", "copy/2", "copy/3"]
    assert sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file()) == names
    assert one.stat().st_mtime_ns == before


def test_copies_come_in_key_order_and_the_cut_score_is_told(
    make_lexical: MakeProfile, make_target: MakeTarget, opened: Any
) -> None:
    answer = opened(base=make_target("base", RECORDS, make_lexical(top_k=2))).retrieve_scored("base", ask("worker"))
    assert keys(answer) == ["copy/1", "copy/2"]
    assert answer.scores[0] == answer.scores[1] == answer.cut_score
    assert [item.rank for item in answer.items] == [1, 2]


def test_insertion_order_changes_the_file_and_no_answer(
    make_lexical: MakeProfile, make_target: MakeTarget, opened: Any
) -> None:
    shuffled = make_lexical({"insertion_seed": 11})
    one = opened(base=make_target("one", RECORDS, make_lexical()))
    two = opened(base=make_target("two", RECORDS, shuffled))
    assert two.profile.index_build_config["insertion_seed"] == 11
    assert one.state_reference("base") != two.state_reference("base")
    for query in ("When is the backup?", "queue worker", "contract", ""):
        assert one.retrieve_scored("base", ask(query)) == two.retrieve_scored("base", ask(query))


def test_a_scope_rule_keeps_other_tenants_out(make_lexical: MakeProfile, make_target: MakeTarget, opened: Any) -> None:
    shared = opened(base=make_target("base", RECORDS, make_lexical(filtering_rules=["scope:tenant:shared"], top_k=1)))
    query = "hosting contract renews"
    for tenant, expected in (("a", ["contract/a"]), ("b", ["contract/b"]), ("c", []), ("", [])):
        assert keys(shared.retrieve_scored("base", ask(query, tenant=tenant))) == expected
    assert keys(shared.retrieve_scored("base", ask(query))) == []
    strict = opened(base=make_target("strict", RECORDS, make_lexical(filtering_rules=["scope:tenant:strict"])))
    assert keys(strict.retrieve_scored("base", ask("backup worker contract"))) == []
    assert keys(strict.retrieve_scored("base", ask("backup worker contract", tenant="b"))) == ["contract/b"]
    places = [strict.locate("base", ask("contract", tenant="b"), key) for key in ("contract/b", "contract/a", "none")]
    assert [item.place for item in places] == [Place.below_cut, Place.filtered_out, Place.absent]
    assert shared.locate("base", ask("contract"), "empty").place is Place.unreachable


def test_documents_of_another_scope_move_scores(
    make_lexical: MakeProfile, make_target: MakeTarget, opened: Any
) -> None:
    profile = make_lexical(filtering_rules=["scope:tenant:shared"])
    more = [*RECORDS, *((f"other/{number}", "contract contract", ["tenant:c"]) for number in range(3))]
    states = {"few": make_target("few", RECORDS, profile), "more": make_target("more", more, profile)}
    few, more_of = (opened(**states).retrieve_scored(name, ask("hosting contract", tenant="a")) for name in states)
    assert keys(few) == keys(more_of) == ["contract/a"]
    assert few.scores != more_of.scores


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_batch_answers_as_single_calls_do_and_no_query_is_an_operator(
    name: str, make_lexical: MakeProfile, make_target: MakeTarget, opened: Any
) -> None:
    profile = make_lexical(TOKENIZERS[name], filtering_rules=["scope:tenant:shared"], query_preprocessing=["strip"])
    states = {"base": make_target("base", RECORDS, profile), "cand": make_target("cand", RECORDS[1:], profile)}
    retriever = opened(**states)
    calls = [
        Call(state, ask(query, **context)) for state in states for query in HOSTILE for context in ({}, {"tenant": "a"})
    ]
    answers = retriever.retrieve_batch(calls)
    assert answers == [retriever.retrieve_scored(*call) for call in calls]
    assert retriever.retrieve_batch(calls[::-1]) == answers[::-1]
    assert retriever.retrieve_batch([]) == []
    found = {call.request.query: keys(answer) for call, answer in zip(calls, answers, strict=True)}
    assert found[""] == found[" "] == found["\0"] == found['"'] == found["\u0301\u0301"] == []
    assert {*found["NOT backup"][:2], *found["back*"][:2]} <= {"backup/new", "backup/old"}
    assert {"backup/old", "copy/1"} <= {*found["backup\0worker"], *found["NEAR(backup worker, 2)"]}
    assert found["worker " * 5_000] == ["copy/1", "copy/2", "copy/3"]


@pytest.mark.parametrize(
    ("config", "text", "query", "found"),
    [
        ({}, "Café Zürich", "CAFE zurich", True),
        ({"remove_diacritics": 0}, "Café", "cafe", False),
        ({}, "the pumps are running", "pump run", False),
        ({"stemmer": "porter"}, "the pumps are running", "pump run", True),
        ({"stemmer": "porter"}, "oversimplification generalizations", "generalizations", True),
        ({"tokenizer": "ascii"}, "Zürich", "zÜrich", False),
        ({"tokenizer": "trigram"}, "pump-4711", "471", True),
        ({"tokenizer": "trigram"}, "pump-4711", "47", False),
        ({"tokenizer": "trigram"}, 'a "quoted" word', '"quo', True),
        ({"tokenizer": "trigram", "case_sensitive": True}, "Pump", "pum", False),
        ({}, "before\0after", "after", True),
        ({"tokenizer": "trigram"}, "before\0after", "after", True),
    ],
)
def test_what_a_tokenizer_makes_equal(
    config: dict[str, object],
    text: str,
    query: str,
    found: bool,
    make_lexical: MakeProfile,
    make_target: MakeTarget,
    opened: Any,
) -> None:
    retriever = opened(base=make_target("base", [("it", text, []), ("not", "zzzz", [])], make_lexical(config)))
    assert keys(retriever.retrieve_scored("base", ask(query))) == ["it"] * found


@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=60), tokenizer=st.sampled_from(["unicode61 remove_diacritics 2", "ascii", "trigram"]))
def test_tokens_are_tokenized_to_themselves(text: str, tokenizer: str) -> None:
    tokens = Tokens(tokenizer)
    (found,) = tokens.of([text])
    assert tokens.of(found) == [(token,) for token in found]
    tokens.close()


def test_states_of_two_tokenizers_are_refused_field_by_field(
    make_lexical: MakeProfile, make_target: MakeTarget
) -> None:
    states = {
        "baseline": make_target("base", RECORDS, make_lexical()),
        "candidate": make_target("cand", RECORDS, make_lexical({"stemmer": "porter"})),
    }
    with pytest.raises(ProfileMismatch) as caught:
        ADAPTER.open(states, None)
    assert [problem.where for problem in caught.value.problems] == ["tokenizer_id", "index_build_config/stemmer"]


def test_completing_fills_in_and_refuses_what_is_stated_otherwise(make_lexical: MakeProfile) -> None:
    completed = ADAPTER.complete_profile(make_lexical({"package:sqlite": None}))
    assert completed.index_build_config == {
        "tokenizer": "unicode61",
        "remove_diacritics": 2,
        "stemmer": "none",
        "k1": "1.2",
        "b": "0.75",
        "query": "any of the distinct tokens",
        "package:sqlite": sqlite3.sqlite_version,
    }
    assert completed.tokenizer_id == "sqlite-fts5/unicode61 remove_diacritics 2"
    assert ADAPTER.complete_profile(completed) == completed
    wrong = make_lexical({"package:sqlite": "3.0.0"}, embedding_model_id="a model", tie_policy="insertion order")
    with pytest.raises(ProfileMismatch) as caught:
        ADAPTER.complete_profile(wrong)
    assert [problem.where for problem in caught.value.problems] == [
        "embedding_model_id",
        "index_build_config/package:sqlite",
        "tie_policy",
    ]


@pytest.mark.parametrize(
    ("config", "fields", "message"),
    [
        (
            {"k1": "2.0"},
            {},
            "profile /index_build_config/k1: index setting is not usable: got '2.0', wanted '1.2', which is fixed",
        ),
        (
            {"tokenizer": "icu"},
            {},
            "profile /index_build_config/tokenizer: index setting is not usable: got 'icu', "
            "wanted one of: unicode61, ascii, trigram",
        ),
        (
            {"remove_diacritics": True},
            {},
            "profile /index_build_config/remove_diacritics: index setting is not usable: got True, "
            "wanted one of: 2, 0, 1",
        ),
        (
            {"insertion_seed": -1},
            {},
            "profile /index_build_config/insertion_seed: index setting is not usable: got -1, "
            "wanted a whole number from 0 to 2147483647",
        ),
        (
            {"tokenizer": "trigram", "stemmer": "porter"},
            {},
            "profile /index_build_config/stemmer: an index with the tokenizer trigram has no such setting: "
            "got 'stemmer', wanted one of: tokenizer, case_sensitive, k1, b, query, insertion_seed, package:NAME",
        ),
        (
            {},
            {"distance_metric": "cosine"},
            "profile /distance_metric: the adapter fts5 has no such distance metric: got 'cosine', wanted 'bm25'",
        ),
        (
            {},
            {"index_implementation": "fts4"},
            "profile /index_implementation: the adapter fts5 has no such index implementation: "
            "got 'fts4', wanted 'fts5'",
        ),
    ],
)
def test_unusable_settings(
    config: dict[str, object], fields: dict[str, object], message: str, make_lexical: MakeProfile
) -> None:
    with pytest.raises(InputError) as caught:
        read_settings(make_lexical(config, **fields))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "code"),
    [({}, "missing_option"), ({"path": 5}, "missing_option"), ({"path": "x", "k": 1}, "unknown_option")],
)
def test_target_options_are_closed(options: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError) as caught:
        ADAPTER.open({"base": Target(adapter="fts5", options=options)}, None)
    assert caught.value.code == code
    with pytest.raises(InputError, match="no state to open"):
        ADAPTER.open({}, None)


def test_unknown_and_closed_states_are_errors(make_lexical: MakeProfile, make_target: MakeTarget, opened: Any) -> None:
    retriever = opened(base=make_target("base", RECORDS, make_lexical()))
    with pytest.raises(AdapterError) as caught:
        retriever.retrieve("other", ask("x"))
    assert str(caught.value) == "no such state: got 'other', wanted one of: base"
    again = retriever.reopen()
    retriever.close()
    retriever.close()
    with pytest.raises(AdapterError, match="the retriever is closed"):
        retriever.retrieve("base", ask("x"))
    with pytest.raises(AdapterError, match="the retriever is closed"):
        retriever.fingerprints()
    assert again.retrieve("base", ask("backup"))
    assert again.contains_item_key("base", "copy/1")
    assert not again.contains_item_key("base", "copy")
    again.close()


def test_a_checkpoint_of_another_adapter_is_refused(
    make_profile: MakeProfile, make_target: MakeTarget, make_lexical: MakeProfile
) -> None:
    target = make_target("vectors", RECORDS, make_profile())
    with pytest.raises(InputError) as caught:
        ADAPTER.open({"base": target}, None)
    path = target.options["path"]
    assert str(caught.value) == f"{path}: checkpoint was built by another adapter: got 'faiss', wanted 'fts5'"


def change(folder: Path, *statements: str) -> None:
    database = sqlite3.connect(folder / INDEX / "lexical.sqlite")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def overwrite(folder: Path) -> None:
    (folder / INDEX / "lexical.sqlite").write_bytes(b"no database " * 1000)


@pytest.mark.parametrize(
    ("damage", "code", "text"),
    [
        (overwrite, "unreadable_index", "file is not a database"),
        (lambda folder: change(folder, "CREATE TABLE more (x)"), "index_mismatch", "table more"),
        (
            lambda folder: change(folder, "CREATE TRIGGER t AFTER INSERT ON documents_config BEGIN SELECT 1; END"),
            "index_mismatch",
            "trigger t",
        ),
        (lambda folder: change(folder, "DELETE FROM documents_docsize WHERE id = 8"), "index_mismatch", "got 7"),
        (lambda folder: change(folder, "DELETE FROM documents_docsize WHERE id = 1"), "index_mismatch", "2 to 8"),
        (
            lambda folder: change(
                folder,
                "DROP TABLE documents",
                "CREATE VIRTUAL TABLE documents USING fts5(text, content='', tokenize='porter')",
            ),
            "index_mismatch",
            "tokenize='porter'",
        ),
    ],
)
def test_an_index_that_is_not_what_its_profile_says_is_refused(
    damage: Callable[[Path], None],
    code: str,
    text: str,
    make_lexical: MakeProfile,
    make_target: MakeTarget,
    seal: Callable[[Path], Target],
    tmp_path: Path,
) -> None:
    target = make_target("base", RECORDS, make_lexical())
    shutil.copytree(str(target.options["path"]), tmp_path / "copy")
    damage(tmp_path / "copy")
    with pytest.raises(InputError) as caught:
        ADAPTER.open({"base": seal(tmp_path / "copy")}, None)
    assert caught.value.code == code
    assert text in str(caught.value)
    assert str(tmp_path / "copy" / INDEX / "lexical.sqlite") in str(caught.value)


def test_a_sqlite_without_fts5_is_named(
    make_lexical: MakeProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Without:
        def execute(self, statement: str) -> None:
            if "fts5" in statement:
                raise sqlite3.OperationalError("no such module: fts5")

        def close(self) -> None:
            pass

    monkeypatch.setattr(fts5_index.sqlite3, "connect", lambda *_, **__: Without())
    record = MemoryRecord(key="a", text="b")
    with pytest.raises(InputError) as caught:
        ADAPTER.build_index([IndexItem(record, canonical_digest(record))], 1, make_lexical(), tmp_path)
    assert caught.value.code == "missing_fts5"
    assert str(caught.value) == (
        "the SQLite library of this Python has no FTS5: "
        f"got SQLite {sqlite3.sqlite_version}: no such module: fts5, wanted a SQLite library with FTS5"
    )
