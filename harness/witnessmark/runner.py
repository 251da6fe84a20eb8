"""Run a suite on two states of a retriever and return the assessment with its transcript."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from witnessmark.artifact import assemble
from witnessmark.canonical import canonical_digest
from witnessmark.collection import paused_collection, relaxed_collection
from witnessmark.diagnose import missing_items
from witnessmark.errors import AdapterError, InputError
from witnessmark.models import (
    MIN_TRIALS,
    AdapterCapability,
    Axis,
    ItemPresence,
    MaterialAccess,
    Place,
    ProbeSuite,
    RetrieverProfile,
    RuntimeObservation,
    TranscriptHeader,
)
from witnessmark.ports import ItemLocation, ItemLocator, RetrieverAdapter
from witnessmark.run.contract import as_record
from witnessmark.run.crew import Crew
from witnessmark.run.guard import StateGuard
from witnessmark.run.journal import Journal, JournalHeader
from witnessmark.run.observed import Observed
from witnessmark.run.patience import Patience
from witnessmark.run.plan import TrialPlan, make_plan
from witnessmark.run.questions import read_questions
from witnessmark.run.sweep import gives_scores
from witnessmark.run.transcript import read_transcript
from witnessmark.run.trials import conduct, conduct_rebuilds
from witnessmark.run.truncations import Truncations, find_truncations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Executor
    from pathlib import Path

    from witnessmark.models import MemoryCheckpointAssessment, ProbeDiagnosis, Transcript
    from witnessmark.run.questions import Asked, Question, SuiteQuestions
    from witnessmark.run.source import Source
    from witnessmark.run.tally import Tallies
    from witnessmark.run.trials import Progress

__all__ = ["Rebuild", "Run", "Workforce", "assess"]

Rebuild: TypeAlias = Callable[[int], AbstractContextManager[tuple[RetrieverAdapter, StateGuard]]]
"""Opens the states with their indexes rebuilt in the insertion order of that number."""


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


class Workforce(NamedTuple):
    """Who runs the trials. The bytes of a run do not depend on it."""

    workers: int = 1
    """Processes that share each trial; 1 is this process alone."""
    executor: Executor | None = None
    """Used instead of own worker processes, with ``workers`` jobs a trial."""
    patience: Patience = Patience()


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
    axes: Mapping[Axis, int | None] | None = None,
    source: Source | None = None,
    rebuild: Rebuild | None = None,
    workforce: Workforce = Workforce(),  # noqa: B008 - immutable
    journal: Path | None = None,
    on_start: Callable[[TranscriptHeader], None] | None = None,
    on_trial: Callable[[Progress], None] | None = None,
) -> Run:
    """Assess a candidate state against a baseline state (wire contract §2, §3).

    Args:
        adapter: the retriever; anything with the reference's contract.
        suite: the probes.
        baseline: name of the baseline state, as the adapter knows it.
        candidate: name of the candidate state.
        trials: deciding trials in all, 20 or more; each asks every question once.
        seed: of the order of questions in each trial.
        material_access: what of the material a verifier can get at.
        assessed_at: timezone-aware time of the assessment; now, in UTC, where it is None.
        axes: what trials change, with their number or None for a share (`witnessmark.run.plan.make_plan`). Sweeps, and
            two fresh processes where there is a ``source``, if left out.
        source: opens the same states in another process.
        rebuild: opens the states with indexes rebuilt in another insertion order; needed for the rebuild axis.
        workforce: workers, and patience with the adapter's calls.
        journal: file of finished trials; one that is there is gone on with.
        on_start: called before the first trial with what is going to be run; again when a journal is gone on with.
        on_trial: called after each trial.

    Returns:
        The run. With ``assessed_at`` fixed, equal inputs give equal bytes.

    Raises:
        InputError: an argument is not usable.
        AdapterError: the retriever failed or broke its contract; no artifact exists then.
        StateChanged: a state reference changed during the run.
        EvidenceError: the journal is damaged, or about another run.
    """
    plan = make_plan(trials, seed, _chosen_axes(axes, source))
    when = _checked_time(assessed_at)
    access = _checked_access(material_access)
    suite = as_record(ProbeSuite, suite, "suite")
    profile = as_record(RetrieverProfile, adapter.profile, "profile").model_copy(deep=True)
    guard = StateGuard(adapter, (baseline, candidate))
    with paused_collection():
        asks = read_questions(suite, baseline, candidate)
        suite_digest = canonical_digest(suite)
    presence = _read_presence(adapter, asks)
    questions = asks.decidable(suite, presence)
    called = profile.adapter_capability is AdapterCapability.deterministic
    if not called:
        plan = TrialPlan((), 0, plan.seed)
    header = TranscriptHeader(
        baseline_name=baseline,
        candidate_name=candidate,
        baseline_state=guard.references[baseline],
        candidate_state=guard.references[candidate],
        probe_suite_digest=suite_digest,
        retriever_profile_digest=canonical_digest(profile),
        assessed_at=when,
        material_access=access,
        seed=plan.seed,
        trials=plan.groups,
        rebuilds=plan.rebuilds,
        scores_available=gives_scores(adapter),
    )
    with paused_collection():
        crew = Crew(
            adapter,
            profile,
            questions,
            guard,
            seed=plan.seed,
            patience=workforce.patience,
            source=source,
            workers=workforce.workers,
            executor=workforce.executor,
        )
    with ExitStack() as stack:
        stack.callback(crew.close)
        stack.enter_context(relaxed_collection())
        book = None
        if journal is not None:
            about = _journal_header(header, presence, len(questions))
            book = stack.enter_context(Journal.open(journal, about, time_given=assessed_at is not None))
            header = header.model_validate({**header.model_dump(), "assessed_at": book.header.assessed_at})
        if on_start is not None:
            on_start(header)
        tallies = conduct(plan, questions, crew, guard, book, on_trial)
        rebuilt = None
        if plan.rebuilds:
            rebuilt = conduct_rebuilds(plan, questions, profile, workforce.patience, _required(rebuild), book, on_trial)
    runtime = adapter.runtime_observation()
    if as_record(RetrieverProfile, adapter.profile, "profile") != profile:
        raise AdapterError("the adapter's profile changed while it was assessed", code="profile_changed_during_run")
    observed = _observed(plan, questions, presence, tallies, rebuilt)
    observed = observed._replace(locations=_locate(adapter, suite, asks, observed))
    if called:
        observed = observed._replace(truncations=find_truncations(adapter, suite, asks))
    guard.check("after the last trial")
    header = header.model_validate(
        {
            **header.model_dump(),
            "runtime_observation": None
            if runtime is None
            else as_record(RuntimeObservation, runtime, "runtime observation").model_dump(),
        }
    )
    with paused_collection():
        assembled = assemble(suite, asks, profile, header, observed)
    return Run(assembled.assessment, assembled.transcript, suite, profile, assembled.diagnoses)


def _chosen_axes(axes: Mapping[Axis, int | None] | None, source: Source | None) -> Mapping[Axis, int | None]:
    if axes is not None:
        return axes
    return {Axis.sweep: None} if source is None else {Axis.sweep: None, Axis.process: None}


def _required(rebuild: Rebuild | None) -> Rebuild:
    if rebuild is None:
        raise InputError(
            "the index cannot be rebuilt", code="cannot_rebuild", wanted="checkpoint directories", where="axis rebuild"
        )
    return rebuild


def _journal_header(header: TranscriptHeader, presence: Mapping[tuple[str, str], bool], size: int) -> JournalHeader:
    return JournalHeader(
        probe_suite_digest=header.probe_suite_digest,
        retriever_profile_digest=header.retriever_profile_digest,
        baseline_name=header.baseline_name,
        candidate_name=header.candidate_name,
        baseline_state=header.baseline_state,
        candidate_state=header.candidate_state,
        presence=tuple(
            ItemPresence(state_name=state_name, item_key=item_key, present=present)
            for (state_name, item_key), present in presence.items()
        ),
        question_count=size,
        seed=header.seed,
        trials=header.trials,
        rebuilds=header.rebuilds,
        material_access=header.material_access,
        assessed_at=header.assessed_at,
    )


def _observed(
    plan: TrialPlan,
    questions: Sequence[Question],
    presence: Mapping[tuple[str, str], bool],
    tallies: Tallies,
    rebuilt: Tallies | None,
) -> Observed:
    asked = [question.asked for question in questions]
    return Observed(
        answers=dict(zip(asked, tallies.orderings(), strict=True)),
        presence=presence,
        groups=plan.groups,
        rebuilt={} if rebuilt is None else dict(zip(asked, rebuilt.orderings(), strict=True)),
        locations={},
        truncations=Truncations({}, {}),
    )


def _locate(
    adapter: RetrieverAdapter, suite: ProbeSuite, asks: SuiteQuestions, observed: Observed
) -> dict[tuple[Asked, str], ItemLocation]:
    """Ask an adapter that can tell where each decisive item is that an answer lacks."""
    found: dict[tuple[Asked, str], ItemLocation] = {}
    if not isinstance(adapter, ItemLocator):
        return found
    for probe, asked in zip(suite.probes, asks.asked, strict=True):
        answers = [observed.answers.get(question) for question in asked]
        if any(not orderings for orderings in answers):
            continue
        for question, _, key in missing_items(probe, asked, [item for item in answers if item]):
            if (question, key) not in found:
                location = adapter.locate(question.state_name, asks.requests[question], key)
                found[question, key] = ItemLocation(Place(location.place), location.rank)
    return found


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
