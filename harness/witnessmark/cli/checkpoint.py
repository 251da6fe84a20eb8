"""``witnessmark checkpoint``: build, show and compare checkpoint directories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.location import LOCATION
from witnessmark.cli.output import emit_json, json_option, say, show_table
from witnessmark.cli.record_format import format_option

if TYPE_CHECKING:
    from witnessmark.models import CheckpointDiff, CheckpointManifest, RetrieverProfile

__all__ = ["command"]

_DIRECTORY = click.Path(path_type=Path)
_SHOWN_KEYS = 20


@click.group()
def command() -> None:
    """Build checkpoint directories from records, show them, compare them."""


@command.command()
@click.argument("records", type=click.Path(path_type=Path))
@click.option(
    "--profile", "profile_argument", required=True, type=LOCATION, metavar="P", help="Profile file, or builtin:NAME."
)
@click.option("--out", required=True, type=_DIRECTORY, metavar="DIR", help="Directory to make.")
@click.option("--extends", type=_DIRECTORY, metavar="BASE", help="Checkpoint directory whose log is continued.")
@format_option
@json_option
def build(
    records: Path, profile_argument: str, out: Path, extends: Path | None, record_format: str | None, json_output: bool
) -> Exit:
    """Build a checkpoint from RECORDS, a file or folder that holds all of the memory as it stands."""
    from witnessmark.builtin import read_named
    from witnessmark.checkpoint.build import build_checkpoint
    from witnessmark.errors import InputError
    from witnessmark.models import RetrieverProfile
    from witnessmark.ports import CheckpointAdapter
    from witnessmark.registry import find_adapter

    where, data = read_named(profile_argument, "profile")
    profile = RetrieverProfile.from_bytes(data, where=where)
    adapter, source = find_adapter(profile.implementation_id)
    if not isinstance(adapter, CheckpointAdapter):
        raise InputError(
            "the profile's adapter builds no checkpoints",
            code="not_a_checkpoint_adapter",
            got=f"{source.name!r} of {source.distribution}",
            where=f"{where} /implementation_id",
        )
    manifest = build_checkpoint(
        records,
        profile=profile,
        adapter_name=source.name,
        adapter=adapter,
        out=out,
        extends=extends,
        record_format=record_format,
    )
    _say_completed(profile, out)
    if json_output:
        emit_json(manifest)
    else:
        say(f"built {out}")
        _show_manifest(manifest)
    return Exit.OK


@command.command()
@click.argument("directory", type=_DIRECTORY, metavar="DIR")
@json_option
def show(directory: Path, json_output: bool) -> Exit:
    """Verify the checkpoint DIR, every byte of it, and print its manifest."""
    from witnessmark.checkpoint.directory import Checkpoint

    manifest = Checkpoint.open(directory).manifest
    if json_output:
        emit_json(manifest)
    else:
        _show_manifest(manifest)
    return Exit.OK


@command.command()
@click.argument("base", type=_DIRECTORY)
@click.argument("candidate", type=_DIRECTORY, metavar="CAND")
@json_option
def diff(base: Path, candidate: Path, json_output: bool) -> Exit:
    """Compare the checkpoints BASE and CAND. Exit 0 if CAND only adds to the log of BASE, 1 if not."""
    from witnessmark.checkpoint.diff import compare
    from witnessmark.checkpoint.directory import Checkpoint

    found = compare(Checkpoint.open(base), Checkpoint.open(candidate))
    if json_output:
        emit_json(found)
    else:
        _show_diff(found)
    return Exit.OK if found.append_only else Exit.FAIL


def _say_completed(profile: RetrieverProfile, out: Path) -> None:
    """Tell which fields of the profile the adapter filled in or found different."""
    from witnessmark.checkpoint.layout import PROFILE
    from witnessmark.files import read_bytes
    from witnessmark.models import RetrieverProfile, profile_differences

    built = RetrieverProfile.from_bytes(read_bytes(out / PROFILE), where=str(out / PROFILE))
    for field, given, used in profile_differences(profile, built):
        say(f"profile {field}: given {given!r}, built with {used!r}")


def _show_manifest(manifest: CheckpointManifest) -> None:
    size = sum(entry.size for entry in manifest.index_files)
    rows = [
        ["adapter", manifest.adapter],
        ["operations", f"{manifest.operation_count:,}"],
        ["live items", f"{manifest.item_count:,}"],
        ["checkpoint digest", manifest.checkpoint_digest],
        ["retrieval state digest", manifest.retrieval_state_digest],
        ["profile digest", manifest.profile_digest],
        ["index", f"{len(manifest.index_files)} files, {size:,} bytes"],
    ]
    show_table(["checkpoint", ""], rows)


def _show_diff(diff: CheckpointDiff) -> None:
    base, candidate = diff.baseline, diff.candidate
    proof = f"yes, proven with {len(diff.consistency_proof)} nodes"
    rows = [
        ["append-only", proof if diff.append_only else f"NO, operation {diff.first_difference} differs or is missing"],
        ["operations", f"{base.operation_count:,} → {candidate.operation_count:,}"],
        [
            "delta fraction",
            f"{diff.delta_fraction:.4f} ({diff.appended_operations:,} of {candidate.operation_count:,})",
        ],
        ["live items", f"{base.item_count:,} → {candidate.item_count:,}"],
        ["added", _key_list(diff.added)],
        ["changed", _key_list(diff.changed)],
        ["deleted", _key_list(diff.deleted)],
        ["retrieval material", "differs" if diff.retrieval_changed else "same"],
        ["profile", "same" if base.profile_digest == candidate.profile_digest else "differs"],
    ]
    show_table(["baseline → candidate", ""], rows)


def _key_list(keys: tuple[str, ...]) -> str:
    if not keys:
        return "none"
    more = f" … and {len(keys) - _SHOWN_KEYS:,} more" if len(keys) > _SHOWN_KEYS else ""
    return f"{len(keys):,}: {', '.join(keys[:_SHOWN_KEYS])}{more}"
