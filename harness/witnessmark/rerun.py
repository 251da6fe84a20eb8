"""Run an assessment again, as its transcript says it was run, and compare what was observed.

- The run is verified first: nothing is compared with evidence that contradicts itself.
- Answers are compared per request and axis. An answer is reproduced where exactly the recorded orderings came again.
- Another environment explains a difference and excuses none.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_digest, parse_json
from witnessmark.environment import describe_environment
from witnessmark.errors import EvidenceError
from witnessmark.files import read_bytes
from witnessmark.models import MIN_TRIALS, Axis, ProbeSuite, RetrieverProfile
from witnessmark.models.rerun import AnswerComparison, Change, ChangedResult, ChangedState, Reproduction, RerunReport
from witnessmark.models.verification import VerificationStatus
from witnessmark.opening import open_states
from witnessmark.run.rebuilt import RebuiltSource
from witnessmark.run.source import TargetSource
from witnessmark.run.transcript import read_transcript, to_observed
from witnessmark.rundir import ENVIRONMENT, MAX_TRANSCRIPT, PROFILE, SUITE, TRANSCRIPT, read_assessment, verify
from witnessmark.runner import Workforce, assess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from witnessmark.canonical import JsonValue
    from witnessmark.models import MemoryCheckpointAssessment, Target, TranscriptHeader
    from witnessmark.run.observed import Observed, SeenOrdering
    from witnessmark.run.questions import Asked
    from witnessmark.run.trials import Progress
    from witnessmark.runner import Run

__all__ = ["Rerun", "compare_answers", "compare_environments", "rerun"]


class Rerun(NamedTuple):
    """What was found, and the run that was made for it."""

    report: RerunReport
    run: Run


def rerun(
    path: Path,
    baseline: Target,
    candidate: Target,
    *,
    workforce: Workforce = Workforce(),  # noqa: B008 - immutable
    on_trial: Callable[[Progress], None] | None = None,
) -> Rerun:
    """Run an assessment again with the suite, profile, trials, axes and seed of its run directory.

    Args:
        path: run directory.
        baseline: where the baseline is today.
        candidate: where the candidate is today.
        workforce: who runs the trials.
        on_trial: called after each trial.

    Raises:
        EvidenceError: the run is not what it says it is, or ``not_recomputable``: it has no transcript.
        InputError: a target cannot be opened.
        ProfileMismatch: the retriever is not the pinned one.
        AdapterError: the retriever failed or broke its contract.
    """
    if verify(path).status is VerificationStatus.consistent:
        raise EvidenceError(
            "nothing to compare with", code="not_recomputable", wanted="a run with its transcript", where=str(path)
        )
    recorded = read_transcript(read_bytes(path / TRANSCRIPT, max_bytes=MAX_TRANSCRIPT)).transcript
    header = recorded.header
    names = (header.baseline_name, header.candidate_name)
    suite = ProbeSuite.from_bytes(read_bytes(path / SUITE), where=str(path / SUITE))
    profile = RetrieverProfile.from_bytes(read_bytes(path / PROFILE), where=str(path / PROFILE))
    source = TargetSource(dict(zip(names, (baseline, candidate), strict=True)), profile)
    with open_states(source.states, profile) as retriever:
        run = assess(
            retriever,
            suite,
            baseline=names[0],
            candidate=names[1],
            trials=sum(group.count for group in header.trials) or MIN_TRIALS,
            seed=header.seed,
            material_access=header.material_access,
            assessed_at=header.assessed_at,
            axes=_axes(header),
            source=source,
            rebuild=RebuiltSource(source),
            workforce=workforce,
            on_trial=on_trial,
        )
    return Rerun(_report(path, to_observed(recorded), to_observed(run.transcript), run), run)


def compare_answers(recorded: Observed, observed: Observed) -> Iterator[AnswerComparison]:
    """Yield one comparison a request, state and axis, in the order in which they were first asked.

    Args:
        recorded: what the transcript says; its axes are the ones compared.
        observed: what came of the same plan now.
    """
    for asked in {**recorded.answers, **observed.answers}:
        then, now = recorded.answers.get(asked, []), observed.answers.get(asked, [])
        for group in recorded.groups:
            yield _comparison(
                asked,
                group.axis,
                [item for item in then if item.count_within(group.first, group.count)],
                [item for item in now if item.count_within(group.first, group.count)],
            )
        rebuilt = recorded.rebuilt.get(asked, []), observed.rebuilt.get(asked, [])
        if any(rebuilt):
            yield _comparison(asked, Axis.rebuild, *rebuilt)


def compare_environments(recorded: JsonValue, observed: JsonValue, where: str = "") -> Iterator[Change]:
    """Yield every place at which two environments differ, in the order of the pointers' members."""
    if isinstance(recorded, dict) and isinstance(observed, dict):
        for name in sorted({*recorded, *observed}):
            pointer = name.replace("~", "~0").replace("/", "~1")
            yield from compare_environments(recorded.get(name), observed.get(name), f"{where}/{pointer}")
    elif isinstance(recorded, list) and isinstance(observed, list) and len(recorded) == len(observed):
        for place, (then, now) in enumerate(zip(recorded, observed, strict=True)):
            yield from compare_environments(then, now, f"{where}/{place}")
    elif recorded != observed:
        yield Change(where=where, recorded=recorded, observed=observed)


def _axes(header: TranscriptHeader) -> dict[Axis, int | None] | None:
    if not header.trials:
        return None
    axes: dict[Axis, int | None] = {group.axis: group.count for group in header.trials}
    return axes | ({Axis.rebuild: header.rebuilds} if header.rebuilds else {})


def _report(path: Path, recorded: Observed, observed: Observed, run: Run) -> RerunReport:
    before = read_assessment(path)
    answers = tuple(compare_answers(recorded, observed))
    states, results = _states(before, run), _results(before, run.assessment)
    return RerunReport(
        reproduced=not states and not results and all(item.status is Reproduction.reproduced for item in answers),
        assessment_digest=canonical_digest(before),
        answers=answers,
        states=states,
        results=results,
        environment=_environment(path),
    )


def _comparison(
    asked: Asked, axis: Axis, then: Sequence[SeenOrdering], now: Sequence[SeenOrdering]
) -> AnswerComparison:
    before, after = ({item.identity for item in orderings} for orderings in (then, now))
    same = before == after
    return AnswerComparison(
        state_name=asked.state_name,
        request_digest=asked.request_digest,
        axis=axis,
        status=Reproduction.reproduced if same else Reproduction.diverged,
        recorded=len(before),
        observed=len(after),
        first_difference=None if same else _first_difference([*before, *after]),
    )


def _first_difference(orderings: Sequence[tuple[tuple[object, ...], ...]]) -> int:
    places = zip_longest(*orderings)
    return next((place for place, items in enumerate(places, start=1) if len(set(items)) > 1), 1)


def _states(before: MemoryCheckpointAssessment, run: Run) -> tuple[ChangedState, ...]:
    header = run.transcript.header
    pairs = (
        (header.baseline_name, before.baseline_state, run.assessment.baseline_state),
        (header.candidate_name, before.candidate_state, run.assessment.candidate_state),
    )
    return tuple(ChangedState(state_name=name, recorded=then, observed=now) for name, then, now in pairs if then != now)


def _results(before: MemoryCheckpointAssessment, after: MemoryCheckpointAssessment) -> tuple[ChangedResult, ...]:
    return tuple(
        ChangedResult(probe_id=then.probe_id, recorded=then.result, observed=now.result)
        for then, now in zip(before.probe_results, after.probe_results, strict=True)
        if then.result is not now.result
    )


def _environment(path: Path) -> tuple[Change, ...]:
    file = path / ENVIRONMENT
    recorded = parse_json(read_bytes(file), where=str(file)) if file.is_file() else {}
    return tuple(compare_environments(recorded, describe_environment()))
