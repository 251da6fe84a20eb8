"""String formats of the AT Protocol: identifiers, record keys, times, URIs. Text stays as it was written."""

from __future__ import annotations

import re
from calendar import monthrange

__all__ = ["MAX_URI", "is_datetime", "is_did", "is_handle", "is_nsid", "is_record_key", "is_tid", "is_uri"]

MAX_URI = 8 * 1024
"""Longest URI and at-uri, in bytes."""

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_TOP = r"[a-zA-Z](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DID = re.compile(r"did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]")
_HANDLE = re.compile(rf"(?:{_LABEL}\.)+{_TOP}")
_NSID = re.compile(rf"{_TOP}(?:\.{_LABEL})+\.[a-zA-Z][a-zA-Z0-9]{{0,62}}")
_RECORD_KEY = re.compile(r"[A-Za-z0-9._:~-]{1,512}")
_TID = re.compile(r"[234567a-j][234567a-z]{12}")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+")
_DATETIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)


def is_did(text: str) -> bool:
    """Tell whether ``text`` is a DID."""
    return len(text) <= 2048 and _DID.fullmatch(text) is not None


def is_handle(text: str) -> bool:
    """Tell whether ``text`` is a handle, as in ``user.example.com``."""
    return len(text) <= 253 and _HANDLE.fullmatch(text) is not None


def is_nsid(text: str) -> bool:
    """Tell whether ``text`` names a lexicon, as in ``dev.bastienrobert.memory.record``."""
    return len(text) <= 317 and _NSID.fullmatch(text) is not None


def is_record_key(text: str) -> bool:
    """Tell whether ``text`` is a record key of any kind."""
    return text not in (".", "..") and _RECORD_KEY.fullmatch(text) is not None


def is_tid(text: str) -> bool:
    """Tell whether ``text`` is a timestamp identifier. What it says of time is its writer's word, never proof."""
    return _TID.fullmatch(text) is not None


def is_uri(text: str) -> bool:
    """Tell whether ``text`` is a URI with any scheme."""
    return len(text) <= MAX_URI and _URI.fullmatch(text) is not None


def is_datetime(text: str) -> bool:
    """Tell whether ``text`` is a datetime: capital letters, seconds, a zone that is not ``-00:00``, a day that exists.

    No time before the year 0000 in UTC, and no leap second.
    """
    found = _DATETIME.fullmatch(text)
    if found is None:
        return False
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    sign, ahead, beyond = found.group(7), int(found.group(8) or 0), int(found.group(9) or 0)
    if not 1 <= month <= 12 or not 1 <= day <= monthrange(year, month)[1]:
        return False
    if hour > 23 or minute > 59 or second > 59 or ahead > 23 or beyond > 59:
        return False
    offset = ahead * 60 + beyond
    if sign == "-" and not offset:
        return False
    starts = (year, month, day) == (0, 1, 1)
    return not (starts and sign == "+" and hour * 60 + minute < offset)
