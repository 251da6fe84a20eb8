"""Small evidence for the tests of log, signatures, approval and audit."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from witnessmark.canonical import canonical_digest, model_bytes, sha256_digest
from witnessmark.models import AssessmentGatePolicy, MemoryCheckpointAssessment, StateReference
from witnessmark.models.assessment import BehavioralResult
from witnessmark.models.log import Approval, LogCreated, LogEntry, RunEnded, RunPlan, RunStarted

T0 = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def digest(name: str) -> str:
    """Return a digest that stands for the thing called ``name``."""
    return sha256_digest(name.encode())


def state(name: str, retrieval: str | None = None) -> StateReference:
    """Return the reference of the state called ``name``."""
    return StateReference(
        checkpoint_digest=digest(name), retrieval_state_digest=None if retrieval is None else digest(retrieval)
    )


def assessment(
    result: str = "pass",
    *,
    baseline: str = "baseline",
    candidate: str = "candidate",
    retrieval: str | None = "index",
    suite: str = "suite",
    profile: str = "profile",
    assessed_at: datetime = T0,
    trials: int = 20,
    material_access: str = "public",
) -> MemoryCheckpointAssessment:
    """Return an assessment with one required probe."""
    unstable = result == "indeterminate"
    return MemoryCheckpointAssessment.model_validate(
        {
            "baseline_state": state(baseline).model_dump(),
            "candidate_state": state(candidate, retrieval).model_dump(),
            "probe_suite_digest": digest(suite),
            "retriever_profile_digest": digest(profile),
            "assessed_at": assessed_at,
            "material_access": material_access,
            "invocation_evidence": [
                {
                    "state_name": "candidate",
                    "request_digest": digest("request"),
                    "repeatability": {
                        "trials": trials,
                        "distinct_orderings_observed": 2 if unstable else 1,
                        "observed_status": "unstable" if unstable else "stable",
                    },
                }
            ],
            "probe_results": [
                {
                    "probe_id": "anchor",
                    "required": True,
                    "result": result,
                    "severity": "behavioral",
                    "reasons": ["repeatability_unstable"] if unstable else [],
                }
            ],
            "coverage": {
                "required_probe_count": 1,
                "passed": int(result == "pass"),
                "failed": int(result == "fail"),
                "indeterminate": int(unstable),
                "indeterminate_rate": 1.0 if unstable else 0.0,
            },
            "security_flags": {"contains_confidentiality_failure": False},
            "result": result,
        }
    )


def assessment_digest(artifact: MemoryCheckpointAssessment) -> str:
    """Return the digest of the bytes of ``assessment.json``."""
    return sha256_digest(model_bytes(artifact))


def gate_policy(**changes: object) -> AssessmentGatePolicy:
    """Return the policy that `assessment` without arguments fits."""
    return AssessmentGatePolicy.model_validate(
        {
            "baseline_checkpoint_digest": digest("baseline"),
            "candidate_checkpoint_digest": digest("candidate"),
            "candidate_retrieval_state_digest": digest("index"),
            "probe_suite_digest": digest("suite"),
            "retriever_profile_digest": digest("profile"),
            **changes,
        }
    )


def created() -> LogCreated:
    """Return the first entry of a log."""
    return LogCreated(origin="demo", engine="SQLite 3.40.1")


def started(artifact: MemoryCheckpointAssessment | None = None) -> RunStarted:
    """Return the start of the run that leaves ``artifact`` behind."""
    about = artifact or assessment()
    return RunStarted(
        started_at=T0,
        baseline_state=about.baseline_state,
        candidate_state=about.candidate_state,
        probe_suite_digest=about.probe_suite_digest,
        retriever_profile_digest=about.retriever_profile_digest,
        plan=RunPlan(trials=(), seed=0),
    )


def ended(start: int, artifact: MemoryCheckpointAssessment, *, result: BehavioralResult | None = None) -> RunEnded:
    """Return the end of the run that left ``artifact`` behind."""
    return RunEnded(
        start=start,
        assessment_digest=assessment_digest(artifact),
        transcript_digest=digest("transcript"),
        assessed_at=artifact.assessed_at,
        result=result or artifact.result,
    )


def approval(*artifacts: MemoryCheckpointAssessment, **changes: object) -> Approval:
    """Return an approval that rests on ``artifacts``."""
    fields: dict[str, object] = {
        "approved_at": T0,
        "approver": "release board",
        "policy": gate_policy(),
        "candidate_state": state("candidate", "index"),
        "assessments": tuple(assessment_digest(item) for item in artifacts),
        **changes,
    }
    return Approval.model_validate(fields)


def run_entries(artifact: MemoryCheckpointAssessment, start: int) -> list[LogEntry]:
    """Return start and end of a run, the start at index ``start``."""
    return [started(artifact), ended(start, artifact)]


def policy_digest() -> str:
    """Return the digest of `gate_policy`."""
    return canonical_digest(gate_policy())


def write_key(folder: Path, name: str, *, kind: str = "ed25519") -> tuple[Path, Path]:
    """Write a new key pair and return the private and the public file."""
    key: Ed25519PrivateKey | EllipticCurvePrivateKey
    key = Ed25519PrivateKey.generate() if kind == "ed25519" else generate_ec(SECP256R1())
    private, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


def write_run(folder: Path, artifact: MemoryCheckpointAssessment | None = None) -> Path:
    """Write a directory with the two files of a run that are signed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "assessment.json").write_bytes(model_bytes(artifact or assessment()))
    (folder / "transcript.jsonl").write_bytes(b'{"line":"run"}\n')
    return folder
