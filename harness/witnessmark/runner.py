"""Run a suite on two states of a retriever and return the assessment with its transcript."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from witnessmark.artifact import assemble
from witnessmark.canonical import canonical_digest
from witnessmark.errors import AdapterError, InputError, StateChanged
from witnessmark.models import (
    MIN_TRIALS,
    AdapterCapability,
    MaterialAccess,
    ProbeSuite,
    RetrieverProfile,
    RuntimeObservation,
    StateReference,
    TranscriptHeader,
)
from witnessmark.run.contract import as_record
from witnessmark.run.observed import Observed
from witnessmark.run.plan import make_plan, sweep_order
from witnessmark.run.questions import read_questions
from witnessmark.run.sweep import Sweeper
from witnessmark.run.transcript import read_transcript

if TYPE_CHECKING:
    from collections.abc import Callable

    from witnessmark.models import MemoryCheckpointAssessment, ProbeDiagnosis, Transcript
    from witnessmark.ports import RetrieverAdapter
    from witnessmark.run.questions import SuiteQuestions

__all__ = ["Run", "assess"]


@dataclass(frozen=True)
class Run:
    """What one assessment leaves behind."""

    assessment: MemoryCheckpointAssessment
    transcript_bytes: bytes
    """Exactly the bytes of ``transcript.jsonl``."""
    suite: ProbeSuite
    profile: RetrieverProfile
    diagnoses: tuple[ProbeDiagnosis, ...]

    @cached_property
    def transcript(self) -> Transcript:
        """The transcript as records."""
        return read_transcript(self.transcript_bytes).transcript


def assess(
    adapter: RetrieverAdapter,
    suite: ProbeSuite,
    *,
    baseline: str = "baseline",
    candidate: str = "candidate",
    trials: int = MIN_TRIALS,
    seed: int = 0,
    material_access: MaterialAccess | str = MaterialAccess.public,
    assessed_at: datetime | None = None,
    on_sweep: Callable[[int, int], None] | None = None,
) -> Run:
    """Assess a candidate state against a baseline state (wire contract §2, §3).

    Args:
        adapter: the retriever; anything with the reference's contract.
        suite: the probes.
        baseline: name of the baseline state, as the adapter knows it.
        candidate: name of the candidate state.
        trials: sweeps over all questions, 20 or more.
        seed: of the order of questions in each sweep.
        material_access: what of the material a verifier can get at.
        assessed_at: timezone-aware time of the assessment; now, in UTC, where it is None.
        on_sweep: called after each sweep with (sweeps done, sweeps in all).

    Returns:
        The run. With ``assessed_at`` fixed, equal inputs give equal bytes.

    Raises:
        InputError: an argument is not usable.
        AdapterError: the retriever failed or broke its contract; no artifact exists then.
        StateChanged: a state reference changed during the run.
    """
    plan = make_plan(trials, seed)
    when = _checked_time(assessed_at)
    access = _checked_access(material_access)
    suite = as_record(ProbeSuite, suite, "suite")
    profile = as_record(RetrieverProfile, adapter.profile, "profile").model_copy(deep=True)
    guard = _StateGuard(adapter, baseline, candidate)
    asks = read_questions(suite, baseline, candidate)
    presence = _read_presence(adapter, asks)
    questions = asks.decidable(suite, presence)
    sweeper = Sweeper(adapter, profile, questions)
    called = profile.adapter_capability is AdapterCapability.deterministic
    if called:
        for trial in range(plan.trials):
            sweeper.sweep(sweep_order(plan.seed, trial, len(questions)))
            guard.check(f"after sweep {trial + 1} of {plan.trials}")
            if on_sweep is not None:
                on_sweep(trial + 1, plan.trials)
    runtime = adapter.runtime_observation()
    guard.check("after the last sweep")
    header = TranscriptHeader(
        baseline_name=baseline,
        candidate_name=candidate,
        baseline_state=guard.references[baseline],
        candidate_state=guard.references[candidate],
        probe_suite_digest=canonical_digest(suite),
        retriever_profile_digest=canonical_digest(profile),
        assessed_at=when,
        material_access=access,
        seed=plan.seed,
        trials=plan.groups if called else (),
        runtime_observation=None if runtime is None else as_record(RuntimeObservation, runtime, "runtime observation"),
        scores_available=sweeper.gives_scores,
    )
    observed = Observed(
        answers=dict(zip((question.asked for question in questions), sweeper.orderings(), strict=True)),
        presence=presence,
        trials=plan.trials if called else 0,
    )
    assembled = assemble(suite, asks, profile, header, observed)
    return Run(assembled.assessment, assembled.transcript, suite, profile, assembled.diagnoses)


class _StateGuard:
    """Reads both state references and refuses when one is no longer what it was at the start."""

    def __init__(self, adapter: RetrieverAdapter, baseline: str, candidate: str) -> None:
        self._adapter = adapter
        self.references = {name: self._read(name) for name in (baseline, candidate)}

    def check(self, when: str) -> None:
        """Compare both references with those at the start.

        Raises:
            StateChanged: names the state, the field and when it was noticed.
        """
        for name, before in self.references.items():
            now = self._read(name)
            if now != before:
                changed = [
                    field for field in type(before).model_fields if getattr(before, field) != getattr(now, field)
                ]
                raise StateChanged(
                    f"state {name!r} changed while it was assessed",
                    got=", ".join(f"{field} {getattr(now, field)}" for field in changed),
                    wanted=", ".join(f"{field} {getattr(before, field)}" for field in changed),
                    where=when,
                )

    def _read(self, name: str) -> StateReference:
        return as_record(StateReference, self._adapter.state_reference(name), f"state reference {name!r}")


def _read_presence(adapter: RetrieverAdapter, asks: SuiteQuestions) -> dict[tuple[str, str], bool]:
    presence: dict[tuple[str, str], bool] = {}
    for state_name, item_key in (place for named in asks.named for place in named):
        if (state_name, item_key) not in presence:
            found = adapter.contains_item_key(state_name, item_key)
            if not isinstance(found, bool):
                raise AdapterError(
                    "contains_item_key did not answer with a boolean",
                    code="invalid_presence",
                    got=repr(found),
                    where=f"item {item_key!r}, state {state_name!r}",
                )
            presence[state_name, item_key] = found
    return presence


def _checked_time(value: datetime | None) -> datetime:
    if value is None:
        return datetime.now(UTC)
    if value.tzinfo is None or value.utcoffset() is None:
        raise InputError(
            "assessed_at names no time zone", code="naive_timestamp", got=value.isoformat(), wanted="for example +00:00"
        )
    return value


def _checked_access(value: MaterialAccess | str) -> MaterialAccess:
    try:
        return MaterialAccess(value)
    except ValueError as error:
        raise InputError(
            "unknown material access",
            code="invalid_material_access",
            got=repr(value),
            wanted=", ".join(item.value for item in MaterialAccess),
        ) from error
