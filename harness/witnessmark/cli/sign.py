"""``witnessmark sign``: an in-toto statement about a run, in a DSSE envelope."""

from __future__ import annotations

from pathlib import Path

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option, show_table

__all__ = ["command"]


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--key", "keys", multiple=True, required=True, type=click.Path(path_type=Path), help="Private key; repeat."
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Envelope to write.")
@json_option
def command(run: Path, keys: tuple[Path, ...], out: Path, json_output: bool) -> Exit:
    """Sign the run directory RUN: candidate checkpoint, assessment and transcript.

    The run is recomputed first; one that is not what its transcript gives is not signed. Keys are Ed25519 or ECDSA
    P-256 in PEM. A signature says who vouches for these bytes; it approves nothing.
    """
    from witnessmark.attest import STATEMENT_PAYLOAD, assessment_statement, load_signers, sign_payload
    from witnessmark.errors import InputError
    from witnessmark.files import read_bytes, write_bytes
    from witnessmark.rundir import ASSESSMENT, MAX_TRANSCRIPT, TRANSCRIPT, verify

    if out.exists():
        raise InputError("output already exists", code="output_exists", wanted="a new path", where=str(out))
    assessment, transcript = read_bytes(run / ASSESSMENT), read_bytes(run / TRANSCRIPT, max_bytes=MAX_TRANSCRIPT)
    verify(run)
    statement = assessment_statement(assessment, transcript)
    signers = load_signers(keys)
    write_bytes(out, sign_payload(statement, STATEMENT_PAYLOAD, signers))
    signed_by = [(signer.public_key.keyid, signer.public_key.scheme) for signer in signers]
    if json_output:
        emit_json({"envelope": str(out), "signatures": [{"keyid": key, "scheme": name} for key, name in signed_by]})
    else:
        show_table(("key id", "scheme"), signed_by, title=str(out))
    return Exit.OK
