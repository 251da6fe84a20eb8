"""Environment variables: ``env:DIMENSION=VARIABLE,…``. Only those that are named are read."""

from __future__ import annotations

import os

from witnessmark.errors import InputError
from witnessmark.models import Dimension, EnvironmentBinding
from witnessmark.ports import ObservedEnvironment

__all__ = ["EnvObserver"]

_WANTED = "env:DIMENSION=VARIABLE,… with DIMENSION one of: " + ", ".join(Dimension)


class EnvObserver:
    """Takes dimensions of today's environment from declared variables."""

    def environment(self, argument: str) -> ObservedEnvironment:
        """Read the declared variables.

        Raises:
            InputError: ``invalid_target``, ``unset_variable`` (also where it is blank: a forgotten variable must not
                pass for an environment without that dimension), or a value has not the dimension's format.
        """
        values: dict[str, str] = {}
        for part in argument.split(","):
            dimension, separator, variable = (piece.strip() for piece in part.partition("="))
            if not separator or not variable or dimension not in tuple(Dimension) or dimension in values:
                raise InputError("not a declaration", code="invalid_target", got=repr(part), wanted=_WANTED)
            value = os.environ.get(variable)
            if value is None or not value.strip():
                raise InputError(
                    "declared variable is not set", code="unset_variable", got=variable, where=f"env:{argument}"
                )
            values[dimension] = value
        return ObservedEnvironment(EnvironmentBinding.from_json(values, where=f"env:{argument}"))
