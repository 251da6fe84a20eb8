"""Current-State Applicability: may stored evidence still influence an action? Pure: no I/O, no clock."""

from __future__ import annotations

from witnessmark.applicability.assessments import assessment_evidence
from witnessmark.applicability.evaluator import evaluate, reserved_keys
from witnessmark.applicability.purpose import evaluate_for, fingerprint, unbound_everywhere

__all__ = ["assessment_evidence", "evaluate", "evaluate_for", "fingerprint", "reserved_keys", "unbound_everywhere"]
