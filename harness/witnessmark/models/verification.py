"""What was checked of presented evidence. It says nothing about the outcome."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from witnessmark.models.assessment import MaterialAccess
from witnessmark.models.base import HashValue, Many, Record, Text

__all__ = ["Verification", "VerificationStatus"]


class VerificationStatus(StrEnum):
    """How far evidence could be checked."""

    verified = "verified"
    """Recomputed from its transcript, byte for byte, and committed to it."""
    recomputed = "recomputed"
    """Recomputed byte for byte, but the fingerprint in the artifact is the adapter's and binds no transcript."""
    consistent = "consistent_not_recomputable"
    """The artifact agrees with itself and with what lies beside it; there is no transcript to recompute it from."""


class Verification(Record):
    """What was checked of a run or an artifact. It says nothing about the outcome."""

    format: Literal["witnessmark.verification/0.1"] = "witnessmark.verification/0.1"
    status: VerificationStatus
    assessment_digest: HashValue
    material_access: MaterialAccess
    """What a verifier may expect beyond recomputing, as the assessment says."""
    checks: Many[Text]
    """What was checked, in order."""
    signed_by: Many[Text] = ()
    """Trusted keys whose signatures over this evidence were verified, sorted; empty where none was asked about."""
