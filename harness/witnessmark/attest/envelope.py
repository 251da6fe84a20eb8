"""DSSE envelopes: sign bytes, and give back exactly the bytes whose signatures were verified.

- Pre-authentication encoding, signing and verifying are securesystemslib's; there is no format of ours here.
- The payload type is compared before any byte of the payload is parsed.
- Only trusted keys count, each once, however many signatures carry its id. A signature that names a trusted key and
  does not verify refuses the envelope; one that names an unknown key counts for nothing.
- Base64 has one spelling: standard alphabet, padded, no stray bits.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import Field

from witnessmark.attest.keys import missing_extra
from witnessmark.canonical import canonical_bytes
from witnessmark.errors import EvidenceError
from witnessmark.models.base import Many, Record, Text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from securesystemslib.signer import CryptoSigner

    from witnessmark.attest.keys import TrustedKeys

__all__ = ["STATEMENT_PAYLOAD", "Opened", "check_threshold", "open_envelope", "sign_payload"]

STATEMENT_PAYLOAD = "application/vnd.in-toto+json"
"""Payload type of every in-toto statement."""


class _Signature(Record):
    keyid: Text
    sig: Text


class _Envelope(Record):
    payload: Text
    payloadType: Text
    signatures: Annotated[Many[_Signature], Field(min_length=1)]


class Opened(NamedTuple):
    """What verified."""

    payload: bytes
    """Exactly the signed bytes."""
    key_ids: tuple[str, ...]
    """Trusted keys that signed them, sorted."""


def sign_payload(payload: bytes, payload_type: str, signers: Sequence[CryptoSigner]) -> bytes:
    """Return the envelope over ``payload``, one signature a key, as canonical JSON.

    Raises:
        InputError: ``missing_extra``.
    """
    try:
        from securesystemslib.dsse import Envelope
    except ImportError as error:
        raise missing_extra(error) from error
    envelope = Envelope(payload, payload_type, {})
    for signer in signers:
        envelope.sign(signer)
    return canonical_bytes(envelope.to_dict())


def open_envelope(data: bytes, trusted: TrustedKeys, *, payload_type: str, where: str = "envelope") -> Opened:
    """Verify an envelope and return the bytes that were signed.

    Raises:
        CanonicalError: not strict JSON.
        InputError: not a DSSE envelope; ``missing_extra``.
        EvidenceError: ``unknown_payload_type``, ``invalid_base64``, ``bad_signature`` or ``below_threshold``.
    """
    try:
        from securesystemslib.dsse import Envelope
        from securesystemslib.exceptions import UnverifiedSignatureError
        from securesystemslib.signer import Signature
    except ImportError as error:
        raise missing_extra(error) from error
    document = _Envelope.from_bytes(data, where=where)
    if document.payloadType != payload_type:
        raise EvidenceError(
            "unknown payload type",
            code="unknown_payload_type",
            got=ascii(document.payloadType),
            wanted=payload_type,
            where=f"{where} /payloadType",
        )
    payload = _decode(document.payload, f"{where} /payload")
    signed = Envelope(payload, document.payloadType, {}).pae()
    accepted: set[str] = set()
    for index, signature in enumerate(document.signatures):
        place = f"{where} /signatures/{index}"
        raw = _decode(signature.sig, f"{place}/sig")
        key = trusted.keys.get(signature.keyid)
        if key is None:
            continue
        try:
            key.verify_signature(Signature(signature.keyid, raw.hex()), signed)
        except UnverifiedSignatureError as error:
            raise EvidenceError(
                "signature does not verify", code="bad_signature", got=f"key {signature.keyid}", where=place
            ) from error
        accepted.add(signature.keyid)
    check_threshold(accepted, trusted, where=where)
    return Opened(payload, tuple(sorted(accepted)))


def check_threshold(signed: Collection[str], trusted: TrustedKeys, *, where: str) -> None:
    """Compare how many trusted keys signed with how many have to have signed.

    Raises:
        EvidenceError: ``below_threshold``.
    """
    if len(signed) < trusted.threshold:
        raise EvidenceError(
            "too few trusted signatures",
            code="below_threshold",
            got=str(len(signed)),
            wanted=f"{trusted.threshold} of {len(trusted.keys)} trusted keys",
            where=where,
        )


def _decode(text: str, where: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise EvidenceError("not standard base64", code="invalid_base64", where=where) from error
    if base64.b64encode(raw).decode() != text:
        raise EvidenceError("base64 has stray bits or padding", code="invalid_base64", where=where)
    return raw
