"""Signatures with what exists: in-toto statements in DSSE envelopes (extra ``sign``)."""

from __future__ import annotations

from witnessmark.attest.envelope import STATEMENT_PAYLOAD, Opened, check_threshold, open_envelope, sign_payload
from witnessmark.attest.keys import TrustedKeys, load_signers, load_trusted
from witnessmark.attest.statement import VerifiedRun, assessment_statement, check_statement, parse_statement, verify_run
from witnessmark.attest.summary import emit_vsa
from witnessmark.attest.treehead import TREE_HEAD_PAYLOAD, open_tree_head, sign_tree_head

__all__ = [
    "STATEMENT_PAYLOAD",
    "TREE_HEAD_PAYLOAD",
    "Opened",
    "TrustedKeys",
    "VerifiedRun",
    "assessment_statement",
    "check_statement",
    "check_threshold",
    "emit_vsa",
    "load_signers",
    "load_trusted",
    "open_envelope",
    "open_tree_head",
    "parse_statement",
    "sign_payload",
    "sign_tree_head",
    "verify_run",
]
