"""The HTTP embedder against a server that the test starts."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from retrievers import NOW
from witnessmark.canonical import canonical_bytes
from witnessmark.errors import AdapterError, InputError, TransientError
from witnessmark.models import BehavioralResult, ProbeSuite
from witnessmark.runner import assess
from witnessmark_adapters import http_embeddings
from witnessmark_adapters.faiss_pipeline import ADAPTER
from witnessmark_adapters.http_embeddings import EMBEDDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from witnessmark.models import RetrieverProfile, Target
    from witnessmark_adapters.http_embeddings import HttpEmbedder

KEY = "sk-very-secret-0123456789"


def vector(text: str) -> list[float]:
    counts = [text.lower().count(letter) for letter in "aeioutnsr"]
    return [float(count) for count in counts]


class Server(ThreadingHTTPServer):
    """Counts letters. What it is told to do instead is done once each, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.instead: list[int | float | bytes | Callable[[dict[str, Any]], object]] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """Expect clients that hang up."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append({"path": self.path, **asked})
        self.server.authorizations.append(self.headers.get("Authorization"))
        rows = [
            {"object": "embedding", "index": index, "embedding": vector(text)}
            for index, text in enumerate(asked["input"])
        ]
        answer: Any = {"object": "list", "data": rows[::-1], "model": asked["model"]}
        status, body = 200, None
        if self.server.instead:
            instead = self.server.instead.pop(0)
            if isinstance(instead, float):
                time.sleep(instead)
            elif isinstance(instead, int):
                status = instead
            elif isinstance(instead, bytes):
                body = instead
            else:
                answer = instead(answer)
        body = json.dumps(answer).encode() if body is None else body
        self.send_response(status)
        self.send_header("Location", f"{self.server.url}/elsewhere")
        self.send_header("Content-Length", str(len(body) + (5 if body.endswith(b"~") else 0)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(http_embeddings, "_PAUSE", 0.001)
    running = Server()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.shutdown()
    thread.join()
    running.server_close()


def load(server: Server, **options: object) -> HttpEmbedder:
    given = {"url": server.url, "model": "letters", "dimension": 9, **options}
    return EMBEDDER.load(given)  # type: ignore[return-value, arg-type]


def test_rows_are_put_in_order_and_texts_go_in_batches(server: Server) -> None:
    texts = ["anna", "otto", "", "Zürich 🙂"]
    found = load(server, batch_size=3).embed(texts)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [vector(text) for text in texts])
    assert [item["input"] for item in server.seen] == [texts[:3], texts[3:]]
    assert server.seen[0] == {
        "path": "/v1/embeddings",
        "model": "letters",
        "input": texts[:3],
        "encoding_format": "float",
    }
    assert load(server).embed([]).shape == (0, 9)
    assert server.authorizations == [None, None]


def test_dimension_quantization_and_normalization(server: Server) -> None:
    np.testing.assert_allclose(np.linalg.norm(load(server, normalize=True).embed(["anna"])), 1.0, atol=1e-6)
    assert load(server, quantization="binary").embed(["anna"]).tolist() == [[1, -1, -1, -1, -1, -1, 1, -1, -1]]
    load(server, send_dimension=True).embed(["anna"])
    assert server.seen[-1]["dimensions"] == 9


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_again(server: Server, status: int) -> None:
    server.instead = [status, status]
    assert load(server).embed(["anna"]).shape == (1, 9)
    assert len(server.seen) == 3
    server.instead = [status] * 3
    with pytest.raises(TransientError) as caught:
        load(server).embed(["anna"])
    assert (caught.value.code, str(caught.value)) == (
        "embedding_refused",
        f"{server.url}/embeddings: the embedding server refused: got status {status}",
    )


@pytest.mark.parametrize("status", [302, 307, 400, 401, 404])
def test_a_refusal_and_a_redirect_are_errors_at_once(server: Server, status: int) -> None:
    server.instead = [status]
    with pytest.raises(AdapterError) as caught:
        load(server).embed(["anna"])
    assert not isinstance(caught.value, TransientError)
    assert str(caught.value) == f"{server.url}/embeddings: the embedding server refused: got status {status}"
    assert [item["path"] for item in server.seen] == ["/v1/embeddings"]


def test_an_answer_that_is_cut_off_is_asked_for_again(server: Server) -> None:
    server.instead = [b'{"data": [~']
    assert load(server).embed(["anna"]).shape == (1, 9)
    assert len(server.seen) == 2


def test_a_slow_server_times_out(server: Server) -> None:
    server.instead = [1.3]
    with pytest.raises(TransientError) as caught:
        load(server, timeout_seconds=1, retries=0).embed(["anna"])
    assert str(caught.value) == (f"{server.url}/embeddings: the embedding server does not answer: got TimeoutError")


def test_nobody_there(server: Server) -> None:
    embedder = load(server, url="http://127.0.0.1:9/v1", retries=1)
    with pytest.raises(TransientError, match="the embedding server does not answer: got ConnectionRefusedError"):
        embedder.embed(["anna"])


def rows(answer: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    for row in answer["data"]:
        change(row)
    return answer


@pytest.mark.parametrize(
    ("instead", "code", "message"),
    [
        (lambda answer: answer | {"data": answer["data"][:1]}, "embedding_answer", "got 1 rows, wanted 2 rows"),
        (lambda answer: [], "embedding_answer", "got no data, wanted 2 rows"),
        (
            lambda answer: rows(answer, lambda row: row.update(index=0)),
            "embedding_answer",
            "got index 0 of row 1, wanted each of 0 to 1 once",
        ),
        (
            lambda answer: rows(answer, lambda row: row["embedding"].pop()),
            "embedding_answer",
            "got 8 numbers in row 0, wanted 9 numbers",
        ),
        (
            lambda answer: rows(answer, lambda row: row.update(embedding="AAAA")),
            "embedding_answer",
            "got none in row 0, wanted 9 numbers",
        ),
        (
            lambda answer: rows(answer, lambda row: row["embedding"].__setitem__(0, True)),
            "embedding_answer",
            "got something else in row 0, wanted numbers",
        ),
        (b'{"data": [{"embedding": [NaN]}]}', "non_finite_number", "NaN"),
        (b"<html>", "invalid_json", "not JSON"),
        (b" " * (1 << 20), "too_large", "the embedding server's answer is too large: wanted at most"),
    ],
)
def test_an_answer_that_is_none_is_an_error(server: Server, instead: Any, code: str, message: str) -> None:
    server.instead = [instead]
    with pytest.raises(AdapterError) as caught:
        load(server).embed(["anna", "otto"])
    assert not isinstance(caught.value, TransientError)
    assert caught.value.code == code
    assert message in str(caught.value)
    assert len(server.seen) == 1


def test_another_served_model_is_an_error(server: Server) -> None:
    embedder = load(server)
    embedder.embed(["anna"])
    server.instead = [lambda answer: answer | {"model": "letters-v2"}]
    with pytest.raises(AdapterError) as caught:
        embedder.embed(["anna"])
    assert caught.value.code == "served_model_changed"
    assert str(caught.value).endswith("another model than before: got 'letters-v2', wanted 'letters'")


def test_a_request_that_is_too_large_is_not_sent(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_embeddings, "MAX_REQUEST", 1000)
    with pytest.raises(
        AdapterError, match=r"request is too large: got 10.. bytes for 1 texts, wanted at most 1000 bytes"
    ):
        load(server).embed(["x" * 1000])
    assert not server.seen


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"url": "http://me:secret@127.0.0.1/v1"}, "invalid_embedder_option"),
        ({"url": "http://127.0.0.1/v1?key=secret"}, "invalid_embedder_option"),
        ({"url": "file:///etc/passwd"}, "invalid_embedder_option"),
        ({"url": "http://127.0.0.1:99999/v1"}, "invalid_embedder_option"),
        ({"dimension": None}, "invalid_embedder_option"),
        ({"api_key": "secret"}, "unknown_embedder_option"),
        ({"api_key_env": "NO_SUCH_KEY_HERE"}, "missing_api_key"),
        ({"model": None}, "missing_embedder_option"),
    ],
)
def test_options_are_closed(server: Server, options: dict[str, object], code: str) -> None:
    with pytest.raises(InputError) as caught:
        load(server, **options)
    assert caught.value.code == code


CONFIG = {"embedder": "http", "embedder:model": "letters", "embedding_dimension": 9}
RULE = "text:unknown;answer:top_k"
RECORDS = [("old", "the backup runs at two", []), ("new", "correction: the backup runs at four", [])]


def suite() -> ProbeSuite:
    return ProbeSuite.model_validate(
        {
            "probes": [
                {
                    "kind": "correction_precedence",
                    "probe_id": "backup",
                    "query": "correction: when does the backup run",
                    "superseded": {"key": "old", "required_in": "both"},
                    "correction": {"key": "new", "required_in": "both"},
                }
            ]
        }
    )


def test_the_key_is_sent_and_kept_nowhere(
    server: Server,
    monkeypatch: pytest.MonkeyPatch,
    make_profile: Callable[..., RetrieverProfile],
    make_target: Callable[..., Target],
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    config = CONFIG | {"embedder:url": server.url, "embedder:api_key_env": "MY_KEY", "embedder:deterministic": True}
    profile = make_profile(
        config,
        truncation_rule=RULE,
        embedding_model_revision="2026-01-01",
        opaque_components=["embedder:http"],
    )
    with pytest.raises(InputError, match="embedding_model_revision"):
        ADAPTER.complete_profile(profile)
    profile = make_profile(
        config | {"embedder:revision": "2026-01-01"}, truncation_rule=RULE, opaque_components=["embedder:http"]
    )
    targets = {name: make_target(name, RECORDS, profile) for name in ("baseline", "candidate")}
    retriever = ADAPTER.open(targets, None)
    run = assess(retriever, suite(), assessed_at=NOW)
    assert run.assessment.result is BehavioralResult.pass_
    assert run.profile.embedding_model_revision == "2026-01-01"
    assert run.profile.opaque_components == ("embedder:http",)
    assert set(server.authorizations) == {f"Bearer {KEY}"}
    everything = canonical_bytes(run.assessment.model_dump(mode="json")) + run.transcript_bytes
    everything += canonical_bytes(run.profile.model_dump(mode="json"))
    assert KEY.encode() not in everything
    server.instead = [401]
    with pytest.raises(AdapterError) as caught:
        assess(retriever, suite(), assessed_at=NOW)
    assert KEY not in str(caught.value)
    assert "got status 401" in str(caught.value)


def test_without_the_declaration_nothing_is_asked(
    server: Server, make_profile: Callable[..., RetrieverProfile], make_target: Callable[..., Target]
) -> None:
    config = CONFIG | {"embedder:url": server.url}
    profile = make_profile(
        config,
        truncation_rule=RULE,
        adapter_capability="unsupported_or_unknown",
        opaque_components=["embedder:http"],
    )
    targets = {name: make_target(name, RECORDS, profile) for name in ("baseline", "candidate")}
    built = len(server.seen)
    run = assess(ADAPTER.open(targets, None), suite(), assessed_at=NOW)
    assert run.assessment.result is BehavioralResult.indeterminate
    assert len(server.seen) == built
    with pytest.raises(InputError, match="adapter_capability"):
        ADAPTER.complete_profile(make_profile(config, truncation_rule=RULE))
