"""``witnessmark digest``: the canonical digest of a JSON file."""

from __future__ import annotations

from pathlib import Path

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option

__all__ = ["command"]


@click.command(name="digest")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def command(file: Path, json_output: bool) -> int:
    """Print the digest of a file's canonical JSON and of its bytes.

    For a profile, suite or policy the digest is that of the record, defaults included, as evidence names it.
    """
    from witnessmark.canonical import canonical_bytes, parse_json, sha256_digest
    from witnessmark.files import read_bytes
    from witnessmark.recognize import recognize

    data = read_bytes(file)
    value = parse_json(data, where=str(file))
    kind, digest = recognize(value)
    result = {
        "record": kind,
        "record_digest": digest,
        "canonical_digest": sha256_digest(canonical_bytes(value)),
        "byte_digest": sha256_digest(data),
    }
    if json_output:
        emit_json({name: item for name, item in result.items() if item is not None})
    elif digest is not None:
        click.echo(f"{digest}  {file} ({kind})")
    else:
        click.echo(f"{result['canonical_digest']}  {file} (canonical JSON)")
    return Exit.OK
