"""The atproto lexicon ``dev.bastienrobert.memory.record``: syntax, validation, what replaces what, rewriting."""

from __future__ import annotations

from witnessmark.lexicon.masks import masked
from witnessmark.lexicon.place import AtUri, SpaceId, read_at_uri
from witnessmark.lexicon.record import EVENT_NAMES, NSID, check_record
from witnessmark.lexicon.rewrite import rewrite_record

__all__ = ["EVENT_NAMES", "NSID", "AtUri", "SpaceId", "check_record", "masked", "read_at_uri", "rewrite_record"]
