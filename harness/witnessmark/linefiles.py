"""Files of one entry a line: bounded, blank lines skipped, every problem with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from witnessmark.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["MAX_PROBLEMS", "parse_lines", "read_lines", "without_inner_line"]

MAX_PROBLEMS = 50
"""Problems that are collected before reading stops."""

_MAX_LINE = 1 << 20

T = TypeVar("T")


def read_lines(path: Path, *, max_bytes: int = _MAX_LINE) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of every line that is not blank, without its line ending (LF or CRLF).

    Raises:
        InputError: ``unreadable_file``, or ``too_large``: a line of more than ``max_bytes``.
    """
    try:
        with path.open("rb") as stream:
            number = 0
            while data := stream.readline(max_bytes + 2):
                number += 1
                line = data.removesuffix(b"\n").removesuffix(b"\r")
                if len(line) > max_bytes:
                    raise InputError(
                        "line is too long",
                        code="too_large",
                        wanted=f"at most {max_bytes} bytes",
                        where=f"{path}:{number}",
                    )
                if line.strip(b" \t"):
                    yield number, line
    except OSError as error:
        raise InputError(
            f"cannot read file: {error.strerror or error}", code="unreadable_file", where=str(path)
        ) from error


def parse_lines(path: Path, parse: Callable[[bytes, str], T]) -> tuple[tuple[int, T], ...]:
    """Return number and value of every line; what is wrong is raised at the end, all at once.

    Args:
        path: the file.
        parse: gets the bytes of a line and where it stands.

    Raises:
        InputError: what `read_lines` and ``parse`` raise.
    """
    found: list[tuple[int, T]] = []
    problems: list[Problem] = []
    for number, data in read_lines(path):
        where = f"{path}:{number}"
        try:
            found.append((number, parse(data, where)))
        except InputError as error:
            problems.extend(without_inner_line(problem, where) for problem in error.problems)
        if len(problems) >= MAX_PROBLEMS:
            more = Problem("too_many_problems", f"reading stopped after {MAX_PROBLEMS} problems", where=where)
            raise InputError.from_problems((*problems[:MAX_PROBLEMS], more))
    if problems:
        raise InputError.from_problems(tuple(problems))
    return tuple(found)


def without_inner_line(problem: Problem, where: str) -> Problem:
    """Return a problem of the JSON parser without the line that it counts inside its text, a single line here."""
    place = (problem.where or where).replace(f"{where}: line 1 column", f"{where} column", 1)
    return problem._replace(where=place)
