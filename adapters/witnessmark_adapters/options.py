"""Options of an embedder or reranker: a closed set of names, each read with its type, default and bounds."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from witnessmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from witnessmark.models.base import JsonScalar

__all__ = ["Options", "load_extra"]

_Word = TypeVar("_Word", bound=str)


class Options:
    """What was given to a factory. Everything that is read is kept in ``effective``, defaults included."""

    def __init__(self, noun: str, given: Mapping[str, JsonValue], known: Sequence[str]) -> None:
        """Take the options of a part that errors call ``noun``, as in ``embedder 'onnx'``.

        Raises:
            InputError: ``unknown_embedder_option`` (or ``..._reranker_option``).
        """
        self.noun = noun
        self._kind = noun.partition(" ")[0]
        self._given = given
        self.effective: dict[str, JsonScalar] = {}
        unknown = sorted(set(given) - set(known))
        if unknown:
            raise InputError(
                f"{noun} has no such option",
                code=f"unknown_{self._kind}_option",
                got=repr(unknown[0]),
                wanted=f"one of: {', '.join(sorted(known))}",
            )

    def __contains__(self, name: str) -> bool:
        return self._given.get(name) is not None

    def choice(self, name: str, words: Sequence[_Word]) -> _Word:
        """Return one of ``words``; the first is the default."""
        value = self._given.get(name, words[0])
        for word in words:
            if word == value:
                self.effective[name] = word
                return word
        raise self.invalid(name, _alternatives(words))

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        """Return a whole number within bounds."""
        value = self._given.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.invalid(name, f"a whole number from {least} to {most}")
        self.effective[name] = value
        return value

    def flag(self, name: str, default: bool) -> bool:
        """Return true or false."""
        value = self._given.get(name, default)
        if not isinstance(value, bool):
            raise self.invalid(name, "true or false")
        self.effective[name] = value
        return value

    def text(self, name: str, wanted: str, default: str | None = None) -> str:
        """Return text that is not empty; ``wanted`` says of what kind. Without a default it has to be given."""
        value = self._given.get(name, default)
        if value is None:
            raise InputError(
                f"{self.noun} needs the option {name!r}", code=f"missing_{self._kind}_option", wanted=wanted
            )
        if not isinstance(value, str) or not value:
            raise self.invalid(name, wanted)
        self.effective[name] = value
        return value

    def invalid(self, name: str, wanted: str) -> InputError:
        """Return the error for an option whose value is not usable."""
        return InputError(
            f"{self.noun} cannot use this {name}",
            code=f"invalid_{self._kind}_option",
            got=repr(self._given.get(name)),
            wanted=wanted,
        )


def load_extra(module: str, extra: str, noun: str) -> Any:
    """Import a module that an extra installs.

    Raises:
        InputError: ``missing_extra``.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(
            f"{noun} needs the extra {extra}, which is not installed",
            code="missing_extra",
            got=str(error),
            wanted=f"pip install 'witnessmark[{extra}]'",
        ) from error


def _alternatives(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
