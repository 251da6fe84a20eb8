"""HTTP, against a server of our own on the loopback."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from witnessmark.errors import InputError
from witnessmark.ports import Sighting
from witnessmark_adapters.observers.http import HttpObserver, HttpsObserver

from .conftest import Seek

BODY = b"a rule"
DIGEST = hashlib.sha256(BODY).hexdigest()
MODIFIED = "Tue, 11 Aug 2026 12:00:00 GMT"


class Handler(BaseHTTPRequestHandler):
    """Answers by path."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server: Server = self.server  # type: ignore[assignment]
        server.seen.append((self.path, dict(self.headers)))
        name = self.path.lstrip("/")
        if name == "rule":
            unchanged = self.headers["If-None-Match"] == '"v1"' or self.headers["If-Modified-Since"] == MODIFIED
            self.answer(304, b"") if unchanged else self.answer(200, BODY)
        elif name.isdigit():
            self.answer(int(name), b"")
        elif name == "slow":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            for _ in range(40):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.05)
        elif name == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(BODY)
            self.close_connection = True
        elif name == "silent":
            time.sleep(1.5)
        elif name == "redirect":
            self.answer(302, b"", Location="/rule")
        else:
            self.answer(
                302, b"", Location={"file": "file:///etc/hostname", "tls": "https://127.0.0.1/", "loop": "/loop"}[name]
            )

    def answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Remembers what was asked."""

    daemon_threads = True
    seen: list[tuple[str, dict[str, str]]]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is part of the tests."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Server(("127.0.0.1", 0), Handler) as running:
        running.seen = []
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def reference(server: Server, path: str) -> str:
    return f"//127.0.0.1:{server.server_address[1]}/{path}"


def test_the_body_of_a_get(server: Server, seek: Seek) -> None:
    assert HttpObserver().observe(seek(reference(server, "rule#part"))) == Sighting(True, DIGEST)
    ((path, headers),) = server.seen
    assert path == "/rule"
    assert headers["User-Agent"] == "witnessmark"
    assert not {"Authorization", "Cookie", "If-None-Match", "If-Modified-Since"} & headers.keys()


@pytest.mark.parametrize("validators", [{"etag": '"v1"'}, {"last_modified": MODIFIED}])
def test_unchanged_since_a_stored_validator(server: Server, seek: Seek, validators: dict[str, str]) -> None:
    sighting = HttpObserver().observe(seek(reference(server, "rule"), expected="b" * 64, **validators))
    assert sighting == Sighting(True, "b" * 64, note="status 304: unchanged, says the server")


@pytest.mark.parametrize(
    "validators",
    [
        {"etag": '"v0"', "expected": "b" * 64},
        {"etag": 'W/"v1"', "expected": "b" * 64},
        {"etag": '"v0"', "last_modified": MODIFIED, "expected": "b" * 64},
        {"etag": '"v1"'},
    ],
    ids=["other-tag", "weak-tag", "tag-goes-first", "no-stored-digest"],
)
def test_otherwise_the_body_decides(server: Server, seek: Seek, validators: dict[str, str]) -> None:
    assert HttpObserver().observe(seek(reference(server, "rule"), **validators)) == Sighting(True, DIGEST)


@pytest.mark.parametrize("status", [404, 410])
def test_gone(server: Server, seek: Seek, status: int) -> None:
    assert HttpObserver().observe(seek(reference(server, str(status)))) == Sighting(False, note=f"status {status}")


@pytest.mark.parametrize("status", [204, 206, 304, 401, 403, 429, 500, 503])
def test_every_other_status_is_unknown(server: Server, seek: Seek, status: int) -> None:
    assert HttpObserver().observe(seek(reference(server, str(status)))) == Sighting(None, note=f"status {status}")


def test_a_body_above_the_limit_has_no_digest(server: Server, seek: Seek) -> None:
    observer = HttpObserver(max_body=len(BODY) - 1)
    assert observer.observe(seek(reference(server, "rule"))) == Sighting(True, note="the body is larger than 5 bytes")
    assert HttpObserver(max_body=len(BODY)).observe(seek(reference(server, "rule"))).digest == DIGEST


def test_a_body_that_drips_has_no_digest(server: Server, seek: Seek) -> None:
    sighting = HttpObserver(max_seconds=0.3).observe(seek(reference(server, "slow")))
    assert sighting == Sighting(True, note="the body took longer than 0.3 s")


def test_a_body_that_ends_early_has_no_digest(server: Server, seek: Seek) -> None:
    assert HttpObserver().observe(seek(reference(server, "cut"))).digest is None


def test_a_server_that_says_nothing_is_unknown(server: Server, seek: Seek) -> None:
    sighting = HttpObserver(max_seconds=0.3).observe(seek(reference(server, "silent")))
    assert sighting == Sighting(None, note="no answer: timed out")


def test_a_redirect_within_the_scheme_is_followed(server: Server, seek: Seek) -> None:
    assert HttpObserver().observe(seek(reference(server, "redirect"))) == Sighting(True, DIGEST)


@pytest.mark.parametrize("path", ["file", "tls", "loop"])
def test_any_other_redirect_is_unknown(server: Server, seek: Seek, path: str) -> None:
    assert HttpObserver().observe(seek(reference(server, path))).exists is None


def test_nobody_there_is_unknown(seek: Seek, server: Server) -> None:
    free = reference(server, "rule")
    server.socket.close()
    sighting = HttpObserver(max_seconds=1).observe(seek(free))
    assert (sighting.exists, sighting.digest) == (None, None)


@pytest.mark.parametrize(
    "reference",
    ["", "//", "///x", "rule", "//user@host/x", "//host:0/x", "//host:99999/x", "//host/a b", "//host/ä", "//[::1/x"],
)
@pytest.mark.parametrize("observer", [HttpObserver(), HttpsObserver()])
def test_invalid_locator(seek: Seek, observer: HttpObserver, reference: str) -> None:
    with pytest.raises(InputError) as caught:
        observer.observe(seek(reference))
    assert caught.value.code == "invalid_locator"
