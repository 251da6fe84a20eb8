"""Embedder ``http``: a server with the OpenAI embeddings interface, ``POST URL/embeddings``. Needs no extra.

- What runs behind a URL cannot be seen: the capability is ``unsupported_or_unknown``, and nothing is asked in an
  assessment, unless the profile says ``embedder:deterministic: true``. The component stays listed as opaque.
- The API key comes from the environment variable that ``api_key_env`` names. It is in no profile, message or evidence.
- Nothing is followed elsewhere. Sizes are limited; answers are checked whole before one row is used.
- Lost connections, timeouts and the statuses 408, 429, 500, 502, 503 and 504 are passing: asked again, then a
  `TransientError`. Every other refusal is an error at once.
"""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from witnessmark.canonical import parse_json
from witnessmark.errors import AdapterError, InputError, TransientError, WitnessmarkError
from witnessmark_adapters.options import Options
from witnessmark_adapters.quantize import QUANTIZATIONS, quantize
from witnessmark_adapters.vectors import unit_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import IO

    from numpy.typing import NDArray
    from pydantic import JsonValue

    from witnessmark.models.base import JsonScalar
    from witnessmark.ports import EmbedderFactory

__all__ = ["EMBEDDER", "HttpEmbedder", "HttpEmbedderFactory"]

NOUN = "embedder 'http'"
MAX_REQUEST = 32 * 1024 * 1024
"""Bytes of a request at most."""
_TRANSIENT = frozenset({408, 429, 500, 502, 503, 504})
_NUMBER_BYTES = 32
"""Bytes of one number of an answer at most, on average."""
_CHUNK = 1 << 16
_PAUSE = 0.25
"""Seconds before the first further attempt; twice as long before each next one."""


class HttpEmbedder:
    """A server, one model of it."""

    def __init__(self, options: Options) -> None:
        """Read the options; nothing is asked yet.

        Raises:
            InputError: an option is not usable, or ``missing_api_key``.
        """
        self._url = _checked_url(options)
        self._model = options.text("model", "the name of a model, as the server knows it")
        self._timeout = options.whole("timeout_seconds", 30, 1, 3600)
        self._retries = options.whole("retries", 2, 0, 20)
        self._batch = options.whole("batch_size", 64, 1, 2048)
        self._normalize = options.flag("normalize", False)
        self._quantization = options.choice("quantization", QUANTIZATIONS)
        self._send_dimension = options.flag("send_dimension", False)
        self.dimension = options.whole("dimension", 0, 1, 65_536)
        deterministic = options.flag("deterministic", False)
        revision = options.text("revision", "what identifies the weights") if "revision" in options else None
        self._key = _api_key(options) if "api_key_env" in options else None
        self._served: str | None = None
        self._opener = urllib.request.build_opener(_NoRedirect)
        self.options: Mapping[str, JsonScalar] = dict(options.effective)
        self.identity: Mapping[str, str] = {
            "model_id": self._model,
            **({} if revision is None else {"revision": revision}),
            "quantization": self._quantization,
            "packages": "numpy",
            "capability": "deterministic" if deterministic else "unsupported_or_unknown",
            "opaque": "embedder:http",
        }

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, shape ``(len(texts), dimension)``.

        Raises:
            TransientError: the server could not be reached, or was busy, at every attempt.
            AdapterError: it refused, or its answer is not one.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for first in range(0, len(texts), self._batch):
            piece = list(texts[first : first + self._batch])
            vectors[first : first + len(piece)] = self._ask(piece)
        vectors = quantize(vectors, self._quantization)
        return unit_rows(vectors) if self._normalize else vectors

    def _ask(self, texts: list[str]) -> NDArray[np.float64]:
        asked: dict[str, object] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._send_dimension:
            asked["dimensions"] = self.dimension
        body = json.dumps(asked).encode()
        if len(body) > MAX_REQUEST:
            raise AdapterError(
                "request is too large",
                code="too_large",
                got=f"{len(body)} bytes for {len(texts)} texts",
                wanted=f"at most {MAX_REQUEST} bytes",
                where=self._url,
            )
        pause = _PAUSE
        for attempt in range(self._retries + 1):
            try:
                return self._rows(self._post(body, len(texts)), len(texts))
            except TransientError:
                if attempt == self._retries:
                    raise
            time.sleep(pause)
            pause *= 2
        raise AssertionError  # unreachable: the last attempt returns or raises

    def _post(self, body: bytes, count: int) -> bytes:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "witnessmark"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, data=body, headers=headers, method="POST")
        most = _CHUNK + count * (self.dimension * _NUMBER_BYTES + 1024)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return self._read(response, most)
        except urllib.error.HTTPError as error:
            with error:
                kind = TransientError if error.code in _TRANSIENT else AdapterError
                raise kind(
                    "the embedding server refused",
                    code="embedding_refused",
                    got=f"status {error.code}",
                    where=self._url,
                ) from error
        except (OSError, http.client.HTTPException) as error:
            # Not the error's own text: it may show what was sent.
            reason = getattr(error, "reason", error)
            raise TransientError(
                "the embedding server does not answer",
                code="embedding_unreachable",
                got=type(reason).__name__,
                where=self._url,
            ) from error

    def _read(self, response: http.client.HTTPResponse, most: int) -> bytes:
        deadline = time.monotonic() + self._timeout
        data = bytearray()
        while chunk := response.read1(_CHUNK):
            data += chunk
            if len(data) > most:
                raise AdapterError(
                    "the embedding server's answer is too large",
                    code="too_large",
                    wanted=f"at most {most} bytes",
                    where=self._url,
                )
            if time.monotonic() > deadline:
                raise TimeoutError
        # read1 ends quietly where the connection does.
        stated = response.headers.get("Content-Length", "")
        if stated.isascii() and stated.isdigit() and int(stated) != len(data):
            raise ConnectionError
        return bytes(data)

    def _rows(self, data: bytes, count: int) -> NDArray[np.float64]:
        try:
            answer = parse_json(data, where=self._url, max_bytes=len(data))
        except WitnessmarkError as error:
            raise AdapterError.from_problems(error.problems) from error
        listed = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(answer, dict) or not isinstance(listed, list) or len(listed) != count:
            raise self._unusable(f"{len(listed)} rows" if isinstance(listed, list) else "no data", f"{count} rows")
        self._same_model(answer.get("model"))
        rows: dict[int, NDArray[np.float64]] = {}
        for place, entry in enumerate(listed):
            index = entry.get("index", place) if isinstance(entry, dict) else None
            vector = entry.get("embedding") if isinstance(entry, dict) else None
            if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count or index in rows:
                raise self._unusable(f"index {index!r} of row {place}", f"each of 0 to {count - 1} once")
            if not isinstance(vector, list) or len(vector) != self.dimension:
                got = f"{len(vector)} numbers" if isinstance(vector, list) else "none"
                raise self._unusable(f"{got} in row {place}", f"{self.dimension} numbers")
            if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in vector):
                raise self._unusable(f"something else in row {place}", "numbers")
            rows[index] = np.array(vector, dtype=np.float64)
        return np.stack([rows[index] for index in range(count)])

    def _same_model(self, name: JsonValue) -> None:
        if not isinstance(name, str):
            return
        if self._served not in (None, name):
            raise AdapterError(
                "the embedding server answers with another model than before",
                code="served_model_changed",
                got=repr(name),
                wanted=repr(self._served),
                where=self._url,
            )
        self._served = name

    def _unusable(self, got: str, wanted: str) -> AdapterError:
        return AdapterError(
            "the embedding server's answer is not usable",
            code="embedding_answer",
            got=got,
            wanted=wanted,
            where=self._url,
        )


class HttpEmbedderFactory:
    """Reads the options; asks nothing."""

    def load(self, options: Mapping[str, JsonValue]) -> HttpEmbedder:
        """Make the embedder.

        Options: ``url`` without ``/embeddings``, ``model``, ``dimension`` (which ``send_dimension`` also asks for),
        ``api_key_env``, ``revision`` (stated by you, seen by nobody), ``deterministic``, ``timeout_seconds``,
        ``retries``, ``batch_size``, ``normalize``, ``quantization`` float32, int8 or binary.

        Raises:
            InputError: an option is not usable, or ``missing_api_key``.
        """
        known = ("api_key_env", "batch_size", "deterministic", "dimension", "model", "normalize", "quantization")
        more = ("retries", "revision", "send_dimension", "timeout_seconds", "url")
        return HttpEmbedder(Options(NOUN, options, (*known, *more)))


EMBEDDER: EmbedderFactory = HttpEmbedderFactory()


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses every redirect: texts and key go where the profile says, and nowhere else."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Follow nothing; the status becomes the error."""
        return None


def _checked_url(options: Options) -> str:
    wanted = "http://HOST/PATH or https://HOST/PATH in ASCII, without user name, query or fragment"
    url = options.text("url", wanted)
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
        sound = sound and not parts.query and not parts.fragment and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound or not url.isascii() or not url.isprintable() or " " in url:
        raise options.invalid("url", wanted)
    return f"{url.rstrip('/')}/embeddings"


def _api_key(options: Options) -> str:
    name = options.text("api_key_env", "the name of an environment variable")
    key = os.environ.get(name, "")
    if not key or not key.isascii() or not key.isprintable():
        raise InputError(
            f"{NOUN} finds no API key", code="missing_api_key", wanted=f"a key in the environment variable {name}"
        )
    return key
