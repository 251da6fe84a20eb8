"""Signed tree heads of a log: a DSSE envelope over the head's canonical bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.attest.envelope import open_envelope, sign_payload
from witnessmark.canonical import model_bytes
from witnessmark.models.log import TreeHead

if TYPE_CHECKING:
    from collections.abc import Sequence

    from securesystemslib.signer import CryptoSigner

    from witnessmark.attest.keys import TrustedKeys

__all__ = ["TREE_HEAD_PAYLOAD", "open_tree_head", "sign_tree_head"]

TREE_HEAD_PAYLOAD = "application/vnd.witnessmark.tree-head+json"


def sign_tree_head(head: TreeHead, signers: Sequence[CryptoSigner]) -> bytes:
    """Return the envelope over a tree head.

    Raises:
        InputError: ``missing_extra``.
    """
    return sign_payload(model_bytes(head), TREE_HEAD_PAYLOAD, signers)


def open_tree_head(data: bytes, trusted: TrustedKeys, *, where: str = "tree head") -> TreeHead:
    """Verify a signed tree head and return it.

    Raises:
        CanonicalError: not strict JSON.
        InputError: not an envelope, or not a tree head in it; ``missing_extra``.
        EvidenceError: as `open_envelope`.
    """
    opened = open_envelope(data, trusted, payload_type=TREE_HEAD_PAYLOAD, where=where)
    return TreeHead.from_bytes(opened.payload, where=f"{where} payload")
