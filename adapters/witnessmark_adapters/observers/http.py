"""HTTP: ``https://…`` and ``http://…``, with one GET that is conditional where the evidence kept a validator.

- 200 gives the digest of the body. 404 and 410 mean gone. Everything else, also a body above the limit or a server
  that takes too long, means not known.
- 304 is the server's word that the body is still the one with the stored validator, hence with the stored digest.
- Redirects are followed to the same scheme only. Nothing is sent but the request: no credentials, no cookies.
"""

from __future__ import annotations

import hashlib
import http.client
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from witnessmark.errors import InputError
from witnessmark.ports import Sighting

if TYPE_CHECKING:
    from typing import IO

    from witnessmark.ports import Sought

__all__ = ["MAX_BODY", "MAX_SECONDS", "HttpObserver", "HttpsObserver"]

MAX_BODY = 64 * 1024 * 1024
"""Bytes of a body that are read at most."""
MAX_SECONDS = 20.0
"""Seconds that each step on the network, and the whole body, may take."""

_CHUNK = 1 << 16
_GONE = frozenset({404, 410})
_UNCHANGED = 304


class HttpObserver:
    """Asks a server once, without and with encryption apart: a source cannot move from one to the other."""

    scheme = "http"

    def __init__(self, *, max_body: int = MAX_BODY, max_seconds: float = MAX_SECONDS) -> None:
        self._max_body = max_body
        self._max_seconds = max_seconds

    def observe(self, sought: Sought) -> Sighting:
        """Return the SHA-256 of the body that a GET of the locator gives.

        Raises:
            InputError: ``invalid_locator``.
        """
        request = urllib.request.Request(self._url(sought.reference), headers=_headers(sought))
        opener = urllib.request.build_opener(_SameScheme(self.scheme))
        try:
            with opener.open(request, timeout=self._max_seconds) as response:
                return self._read(response)
        except urllib.error.HTTPError as error:
            with error:
                return _refusal(error.code, sought)
        except (OSError, http.client.HTTPException, ValueError) as error:
            # ValueError: a redirect to what is no URL.
            return Sighting(None, note=f"no answer: {error}")

    def _url(self, reference: str) -> str:
        url = f"{self.scheme}:{reference}"
        try:
            parts = urlsplit(url)
            sound = bool(parts.hostname) and parts.username is None and (parts.port is None or parts.port > 0)
        except ValueError:
            sound = False
        if not sound or not url.isascii() or not url.isprintable() or " " in url:
            raise InputError(
                "not a URL that can be fetched",
                code="invalid_locator",
                got=repr(url),
                wanted=f"{self.scheme}://HOST/PATH in ASCII, without user name",
            )
        return url.partition("#")[0]

    def _read(self, response: http.client.HTTPResponse) -> Sighting:
        if response.status != 200:
            return Sighting(None, note=f"status {response.status}")
        deadline = time.monotonic() + self._max_seconds
        digest, size = hashlib.sha256(), 0
        while chunk := response.read1(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if size > self._max_body:
                return Sighting(True, note=f"the body is larger than {self._max_body} bytes")
            if time.monotonic() > deadline:
                return Sighting(True, note=f"the body took longer than {self._max_seconds:g} s")
        # read1 ends quietly where the connection does.
        stated = response.headers.get("Content-Length", "")
        if stated.isascii() and stated.isdigit() and int(stated) != size:
            return Sighting(True, note=f"the body ended after {size} of {stated} bytes")
        return Sighting(True, digest.hexdigest())


class HttpsObserver(HttpObserver):
    """The same, encrypted."""

    scheme = "https"


class _SameScheme(urllib.request.HTTPRedirectHandler):
    """Follows redirects that stay within a scheme."""

    def __init__(self, scheme: str) -> None:
        self._scheme = scheme

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Refuse what leaves the scheme."""
        if urlsplit(newurl).scheme != self._scheme:
            raise urllib.error.URLError(f"redirect to {newurl!r} leaves {self._scheme}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _headers(sought: Sought) -> dict[str, str]:
    headers = {"Accept-Encoding": "identity", "User-Agent": "witnessmark"}
    if sought.expected_digest is None:
        return headers
    # A weak tag promises the same meaning, not the same bytes.
    if sought.etag is not None and not sought.etag.startswith("W/"):
        headers["If-None-Match"] = sought.etag
    elif sought.last_modified is not None:
        headers["If-Modified-Since"] = sought.last_modified
    return headers


def _refusal(status: int, sought: Sought) -> Sighting:
    if status in _GONE:
        return Sighting(False, note=f"status {status}")
    asked = {"If-None-Match", "If-Modified-Since"} & _headers(sought).keys()
    if status == _UNCHANGED and asked:
        return Sighting(True, sought.expected_digest, note="status 304: unchanged, says the server")
    return Sighting(None, note=f"status {status}")
