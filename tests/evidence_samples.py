"""Small evidence for the tests of log, signatures, approval and audit."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from witnessmark.canonical import canonical_digest, model_bytes, sha256_digest
from witnessmark.models import (
    AdapterCapability,
    AnchorPreservationProbe,
    AssessmentGatePolicy,
    ItemReference,
    MemoryCheckpointAssessment,
    ProbeSuite,
    RequiredIn,
    RetrievalRequest,
    RetrievedItem,
    RetrieverProfile,
    StateReference,
)
from witnessmark.models.assessment import BehavioralResult
from witnessmark.models.log import Approval, LogEntry, RunEnded, RunPlan, RunStarted
from witnessmark.rundir import write_run
from witnessmark.runner import assess

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


class _Fixed:
    """A retriever that gives one answer in both states."""

    profile = RetrieverProfile(
        implementation_id="fixed",
        implementation_version="1",
        adapter_version="1",
        adapter_capability=AdapterCapability.deterministic,
        distance_metric="none",
        index_implementation="none",
        top_k=1,
        truncation_rule="top-k",
        tie_policy="score_desc_item_key_asc",
    )

    def state_reference(self, state_name: str) -> StateReference:
        return state(state_name, "index")

    def contains_item_key(self, state_name: str, item_key: str) -> bool:
        return item_key == "rule"

    def retrieve(self, state_name: str, request: RetrievalRequest) -> list[RetrievedItem]:
        return [RetrievedItem(item_key="rule", item_version_digest=digest("rule"), rank=1)]

    def runtime_observation(self) -> None:
        return None


def real_run(folder: Path) -> Path:
    """Assess a fixed retriever and write its run directory."""
    anchor = ItemReference(key="rule", required_in=RequiredIn.both)
    suite = ProbeSuite(probes=(AnchorPreservationProbe(probe_id="anchor", query="q", anchor=anchor, max_rank=1),))
    write_run(folder, assess(_Fixed(), suite, assessed_at=T0), {})
    return folder
