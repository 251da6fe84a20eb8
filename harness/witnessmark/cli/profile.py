"""``witnessmark profile``: pin a retriever, show a profile, compare two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.location import LOCATION
from witnessmark.cli.output import emit_json, json_option, say, show_table

if TYPE_CHECKING:
    from witnessmark.models import RetrieverProfile

__all__ = ["command"]


@click.group()
def command() -> None:
    """Write down what a retriever really is, show that, compare it."""


@command.command()
@click.option(
    "--target",
    "target_argument",
    required=True,
    type=LOCATION,
    metavar="T",
    help="Checkpoint directory or *.target.yaml.",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="P.profile.json", help="Profile to write."
)
@click.option("--profile", "profile_argument", type=LOCATION, metavar="P", help="Open the target under this profile.")
@click.option("--portable", is_flag=True, help="Leave package versions out of the profile (the pin has them).")
@json_option
def pin(target_argument: str, out: Path, profile_argument: str | None, portable: bool, json_output: bool) -> Exit:
    """Ask the target's adapter what it really is, and write P.profile.json and P.pin.json."""
    from witnessmark.checkpoint.targets import resolve_target
    from witnessmark.pin import pin_target, write_pin

    wanted = None if profile_argument is None else _read(profile_argument)
    pinned = pin_target(resolve_target(target_argument), profile=wanted, portable=portable)
    beside = write_pin(pinned, out)
    say(f"wrote {out} and {beside}")
    if json_output:
        emit_json(pinned.pin)
    else:
        _show(pinned.profile, pinned.pin.profile_digest)
    return Exit.OK


@command.command()
@click.argument("profile_argument", metavar="PROFILE")
@json_option
def show(profile_argument: str, json_output: bool) -> Exit:
    """Check the profile PROFILE (a file, or builtin:NAME) and print it with its digest."""
    from witnessmark.canonical import canonical_digest

    profile = _read(profile_argument)
    if json_output:
        emit_json(profile)
    else:
        _show(profile, canonical_digest(profile))
    return Exit.OK


@command.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@json_option
def diff(first: str, second: str, json_output: bool) -> Exit:
    """Compare the profiles A and B (files, or builtin:NAME), field by field. Exit 0 if they are equal, 1 if not."""
    from witnessmark.pin import diff_profiles

    differences = diff_profiles(_read(first), _read(second))
    if json_output:
        emit_json(list(differences))
    else:
        for line in differences:
            click.echo(line)
        if not differences:
            say("the profiles are equal")
    return Exit.FAIL if differences else Exit.OK


def _read(argument: str) -> RetrieverProfile:
    from witnessmark.builtin import read_named
    from witnessmark.models import RetrieverProfile

    where, data = read_named(argument, "profile")
    return RetrieverProfile.from_bytes(data, where=where)


def _show(profile: RetrieverProfile, digest: str) -> None:
    rows = [["profile digest", digest]]
    for name, value in profile.model_dump(mode="json", exclude_none=True).items():
        if isinstance(value, dict):
            rows += [[f"{name}/{key}", str(item)] for key, item in sorted(value.items())]
        else:
            rows.append([name, ", ".join(value) if isinstance(value, list) else str(value)])
    show_table(["profile", ""], [row for row in rows if row[1]])
