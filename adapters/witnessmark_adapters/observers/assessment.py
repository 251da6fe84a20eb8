"""Assessments: ``assessment:RUN`` is the artifact of a run directory, ``assessment:RUN#candidate`` a state it binds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark.errors import InputError, WitnessmarkError
from witnessmark.files import read_bytes
from witnessmark.models import EnvironmentBinding, MemoryCheckpointAssessment
from witnessmark.models.applicability import state_digest
from witnessmark.ports import ObservedEnvironment, Sighting
from witnessmark_adapters.observers.file import file_sighting

if TYPE_CHECKING:
    from witnessmark.ports import Sought

__all__ = ["ARTIFACT", "AssessmentObserver"]

ARTIFACT = "assessment.json"

_STATES = ("baseline", "candidate")


class AssessmentObserver:
    """Reads the artifact of a run, and the references of the states that it is about."""

    def observe(self, sought: Sought) -> Sighting:
        """Return the SHA-256 of ``assessment.json``, or the digest of a state reference in it.

        Raises:
            InputError: ``invalid_locator``.
        """
        run, separator, state = sought.reference.partition("#")
        if not run or (separator and state not in _STATES):
            raise InputError(
                "not an assessment locator",
                code="invalid_locator",
                got=repr(f"assessment:{sought.reference}"),
                wanted="assessment:RUN, with #baseline or #candidate for a state",
            )
        path = sought.folder / run / ARTIFACT
        sighting = file_sighting(path)
        if not separator or not sighting.exists:
            return sighting
        try:
            assessment = MemoryCheckpointAssessment.from_bytes(read_bytes(path), where=str(path))
        except WitnessmarkError as error:
            return Sighting(None, note=str(error))
        reference = assessment.baseline_state if state == "baseline" else assessment.candidate_state
        return Sighting(True, state_digest(reference))

    def environment(self, argument: str) -> ObservedEnvironment:
        """Return ``target_state_digest`` of the candidate that a run is about.

        Raises:
            InputError: the run has no valid artifact.
        """
        path = Path(argument) / ARTIFACT
        assessment = MemoryCheckpointAssessment.from_bytes(read_bytes(path), where=str(path))
        return ObservedEnvironment(EnvironmentBinding(target_state_digest=state_digest(assessment.candidate_state)))
