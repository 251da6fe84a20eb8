"""Where a record is: at-uris, in their public form and in that of permissioned spaces.

- Public: ``at://AUTHORITY[/COLLECTION[/RKEY]]``; the authority is a DID or a handle.
- In a space: ``at://SPACE_DID/space/TYPE/SKEY[/AUTHOR_DID/COLLECTION/RKEY]``. The segment ``space`` is no NSID, so it
  tells the two apart.
- No query, no fragment, no slash at the end, ASCII only.
"""

from __future__ import annotations

from typing import NamedTuple

from witnessmark.lexicon.syntax import MAX_URI, is_did, is_handle, is_nsid, is_record_key

__all__ = ["AtUri", "SpaceId", "read_at_uri"]

_SCHEME = "at://"


class SpaceId(NamedTuple):
    """A permissioned space."""

    did: str
    type: str
    """NSID."""
    skey: str

    def __str__(self) -> str:
        return f"{_SCHEME}{self.did}/space/{self.type}/{self.skey}"


class AtUri(NamedTuple):
    """An at-uri in its parts. Records may replace each other only where both ``space`` and ``authority`` are equal."""

    authority: str | None
    """DID or handle of the repository; None where the at-uri names a space only."""
    collection: str | None = None
    rkey: str | None = None
    space: SpaceId | None = None
    """None: the record is public."""

    def __str__(self) -> str:
        parts = [part for part in (self.authority, self.collection, self.rkey) if part is not None]
        return "/".join([str(self.space), *parts]) if self.space else _SCHEME + "/".join(parts)


def read_at_uri(text: str) -> AtUri | None:
    """Return the parts of an at-uri, or None where ``text`` is none."""
    if len(text) > MAX_URI or not text.startswith(_SCHEME):
        return None
    parts = text.removeprefix(_SCHEME).split("/")
    if len(parts) > 1 and parts[1] == "space":
        return _in_space(parts)
    if len(parts) > 3 or not (is_did(parts[0]) or is_handle(parts[0])):
        return None
    return _record(parts, None)


def _in_space(parts: list[str]) -> AtUri | None:
    if len(parts) not in (4, 7):
        return None
    did, _, kind, skey, *rest = parts
    if not (is_did(did) and is_nsid(kind) and is_record_key(skey)):
        return None
    space = SpaceId(did, kind, skey)
    if not rest:
        return AtUri(None, space=space)
    return _record(rest, space) if is_did(rest[0]) else None


def _record(parts: list[str], space: SpaceId | None) -> AtUri | None:
    authority, collection, rkey = (*parts, None, None)[:3]
    if collection is not None and not is_nsid(collection):
        return None
    if rkey is not None and not is_record_key(rkey):
        return None
    return AtUri(authority, collection, rkey, space)
