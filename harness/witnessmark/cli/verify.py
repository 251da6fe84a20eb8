"""``witnessmark verify``: check evidence without a retriever."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.output import emit_json, json_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from witnessmark.attest import TrustedKeys
    from witnessmark.rundir import Checked

__all__ = ["command"]

_FILE = click.Path(path_type=Path)
_EXPECT = {
    "public": "anybody can run it again (witnessmark rerun)",
    "restricted": "who is given access can run it again; others can recompute",
    "unavailable_to_verifier": "nobody outside can run it again; recomputing is all there is",
}


@click.command(name="verify")
@click.argument("evidence", type=_FILE)
@click.option("--envelope", "envelopes", multiple=True, type=_FILE, help="Signatures over it (DSSE); repeat.")
@click.option("--key", "keys", multiple=True, type=_FILE, help="Public key that has to have signed, PEM; repeat.")
@click.option("--threshold", type=int, help="How many of the keys have to have signed; all by default.")
@click.option("--salts", type=_FILE, help="Salt file of a run whose material is withheld.")
@json_option
def command(
    evidence: Path,
    envelopes: tuple[Path, ...],
    keys: tuple[Path, ...],
    threshold: int | None,
    salts: Path | None,
    json_output: bool,
) -> int:
    """Check a run directory or an artifact, and recompute it.

    EVIDENCE is a run directory or an assessment.json. Exit 0 means that it was recomputed and is what it says it is,
    never that the outcome is a pass. An artifact without its transcript is consistent at best: nobody can recompute it,
    and the exit code is 3; so it is for a run whose material is withheld, without --salts. Altered or malformed
    evidence is exit 4, and so are missing signatures.
    """
    from witnessmark.models.verification import Verification, VerificationStatus
    from witnessmark.rundir import check

    if bool(envelopes) != bool(keys):
        raise click.UsageError("--envelope and --key go together")
    if threshold is not None and not keys:
        raise click.UsageError("--threshold is for --key")
    checked = check(evidence, salts=salts)
    found = checked.verification
    if keys:
        from witnessmark.attest import load_trusted

        signed_by = _signed_by(checked, envelopes, load_trusted(keys, threshold=threshold))
        checks = (
            *found.checks,
            f"{len(signed_by)} of {len(keys)} trusted keys signed it"
            + ("" if checked.transcript is not None else ", with a transcript that is not here"),
        )
        found = Verification(
            status=found.status,
            assessment_digest=found.assessment_digest,
            material_access=found.material_access,
            checks=checks,
            signed_by=signed_by,
        )
    if json_output:
        emit_json(found)
    else:
        for line in found.checks:
            click.echo(f"ok  {line}")
        for key in found.signed_by:
            click.echo(f"signed by {key}")
        click.echo(f"material {found.material_access.value}: {_EXPECT[found.material_access.value]}")
        click.echo(f"{found.status.value}: {found.assessment_digest}")
        click.echo(f"outcome stated: {checked.assessment.result.value} (verifying evidence does not change it)")
    return Exit.INDETERMINATE if found.status is VerificationStatus.consistent else Exit.OK


def _signed_by(checked: Checked, envelopes: Sequence[Path], trusted: TrustedKeys) -> tuple[str, ...]:
    """Return the trusted keys that signed, over all envelopes, each of which has to be about this evidence."""
    from witnessmark.attest import TrustedKeys, check_threshold, verify_run
    from witnessmark.files import read_bytes

    signed: set[str] = set()
    for path in envelopes:
        verified = verify_run(
            read_bytes(path),
            TrustedKeys(trusted.keys, 1),
            assessment=checked.artifact,
            transcript=checked.transcript,
            where=str(path),
        )
        signed.update(verified.key_ids)
    check_threshold(signed, trusted, where=", ".join(map(str, envelopes)))
    return tuple(sorted(signed))
