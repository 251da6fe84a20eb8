"""``witnessmark log``: keep, prove, verify and export an append-only log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from witnessmark.cli.exits import Exit
from witnessmark.cli.location import LOCATION
from witnessmark.cli.output import as_json, emit_json, json_option, say, show_table

if TYPE_CHECKING:
    from witnessmark.models.log import LogEntry, TreeHead

__all__ = ["command"]

_FILE = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Keep a log of runs, gate evaluations and approvals that nobody can change unseen."""


@command.command()
@click.argument("log", type=_FILE)
@click.option("--origin", required=True, help="Name of the log; every tree head carries it.")
@json_option
def init(log: Path, origin: str, json_output: bool) -> Exit:
    """Make the new log LOG."""
    from witnessmark.log import Log

    with Log.create(log, origin) as made:
        _show_head(made.tree_head(), json_output)
    return Exit.OK


@command.command()
@click.argument("log", type=_FILE)
@click.argument("entry", type=_FILE)
@json_option
def append(log: Path, entry: Path, json_output: bool) -> Exit:
    """Add the entry in the JSON file ENTRY to LOG."""
    from witnessmark.files import read_bytes
    from witnessmark.log import Log
    from witnessmark.models.log import read_entry

    record = read_entry(read_bytes(entry), where=str(entry))
    with Log.open(log) as opened:
        _show_added(opened.append(record), record, json_output)
    return Exit.OK


@command.command()
@click.argument("log", type=_FILE)
@click.option("--policy", "policy_file", required=True, type=_FILE, help="The policy that the approval claims to meet.")
@click.option("--candidate", required=True, type=_FILE, help="Checkpoint directory, or a StateReference in JSON.")
@click.option(
    "--assessment",
    "assessments",
    multiple=True,
    type=LOCATION,
    metavar="A",
    help="Run, assessment.json or digest; repeat.",
)
@click.option("--approver", required=True, help="Who approved.")
@click.option("--reason", default="", help="Why, in the approver's words.")
@click.option("--at", "approved_at", metavar="TIME", help="When it was approved; now by default.")
@json_option
def approve(
    log: Path,
    policy_file: Path,
    candidate: Path,
    assessments: tuple[str, ...],
    approver: str,
    reason: str,
    approved_at: str | None,
    json_output: bool,
) -> Exit:
    """Record an approval that happened elsewhere.

    This approves nothing and checks nothing; `witnessmark audit` holds it against the evidence.
    """
    from witnessmark.cli.evidence import read_digest, read_gate_policy, read_state, read_time
    from witnessmark.errors import InputError
    from witnessmark.log import Log
    from witnessmark.models.log import Approval

    if not approver.strip():
        raise InputError("an approval needs an approver", code="invalid_approver", got=repr(approver))
    record = Approval(
        approved_at=read_time(approved_at, "--at"),
        approver=approver,
        policy=read_gate_policy(policy_file),
        candidate_state=read_state(candidate),
        assessments=tuple(read_digest(argument) for argument in assessments),
        reason=reason,
    )
    with Log.open(log) as opened:
        _show_added(opened.append(record), record, json_output)
    return Exit.OK


@command.command()
@click.argument("log", type=_FILE)
@click.option("--entry", "index", type=int, help="Prove that this entry is in the log.")
@click.option("--from", "first", type=int, metavar="SIZE", help="Prove that the log extends its first SIZE entries.")
@click.option("--size", type=int, help="Prove it of this many entries; all by default.")
@json_option
def prove(log: Path, index: int | None, first: int | None, size: int | None, json_output: bool) -> Exit:
    """Prove inclusion (--entry) or consistency (--from)."""
    from witnessmark.checkpoint.merkle import leaf_hash
    from witnessmark.log import Log
    from witnessmark.models.log import ConsistencyProof, InclusionProof

    if (index is None) == (first is None):
        raise click.UsageError("give one of --entry and --from")
    with Log.open(log) as opened:
        head = opened.tree_head(size)
        proof: InclusionProof | ConsistencyProof
        if index is not None:
            leaf = leaf_hash(opened.entry_bytes(index))
            path = opened.inclusion_proof(index, head.size)
            proof = InclusionProof(head=head, index=index, leaf=_digest(leaf), path=tuple(map(_digest, path)))
        else:
            path = opened.consistency_proof(first or 0, head.size)
            proof = ConsistencyProof(first=opened.tree_head(first), second=head, path=tuple(map(_digest, path)))
    if json_output:
        emit_json(proof)
    else:
        show_table(("#", "hash, lowest first"), [(str(place), node) for place, node in enumerate(proof.path)])
        say(f"{head.size} entries, root {head.root}")
    return Exit.OK


@command.command()
@click.argument("log", type=_FILE)
@click.option("--head", "heads", multiple=True, type=_FILE, help="Kept tree head that the log has to extend; repeat.")
@click.option("--key", "keys", multiple=True, type=_FILE, help="Public key of signed heads, PEM; repeat.")
@click.option("--threshold", type=int, help="How many of the keys have to have signed; all by default.")
@json_option
def verify(
    log: Path, heads: tuple[Path, ...], keys: tuple[Path, ...], threshold: int | None, json_output: bool
) -> Exit:
    """Recompute LOG, and hold it against kept heads."""
    from witnessmark.cli.evidence import read_heads
    from witnessmark.log import verify_log

    if (keys or threshold is not None) and not heads:
        raise click.UsageError("--key and --threshold are for --head")
    check = verify_log(log, kept=read_heads(heads, keys, threshold))
    if json_output:
        emit_json(check)
        return Exit.OK
    _show_head(check.head, False)
    say(f"file bytes: {check.file_bytes.replace('_', ' ')}; extends {len(check.extends)} kept heads")
    if not heads:
        say("a log cut off at its end looks like this too: keep tree heads elsewhere, and give them with --head")
    for name, starts in (("open", check.open_runs), ("abandoned", check.abandoned_runs)):
        for start in starts:
            say(f"{name} run: started in entry {start}")
    return Exit.OK


@command.command()
@click.argument("log", type=_FILE)
@click.option("--out", type=_FILE, help="File to write; stdout by default.")
@json_option
def export(log: Path, out: Path | None, json_output: bool) -> Exit:
    """Verify LOG and print its entries, one a line.

    A line is exactly the bytes that a leaf of the tree is over.
    """
    from witnessmark.canonical import model_bytes
    from witnessmark.files import write_bytes
    from witnessmark.log import read_log

    read = read_log(log)
    lines = b"".join(model_bytes(entry) + b"\n" for entry in read.entries)
    if json_output:
        emit_json({"head": as_json(read.check.head), "entries": [as_json(entry) for entry in read.entries]})
    elif out is None:
        click.echo(lines, nl=False)
    if out is not None:
        write_bytes(out, lines)
        say(f"wrote {out}: {len(read.entries)} entries")
    return Exit.OK


@command.command()
@click.argument("log", type=_FILE)
@click.option("--size", type=int, help="Of this many entries; all by default.")
@click.option("--key", "keys", multiple=True, type=_FILE, help="Sign it with this private key, PEM; repeat.")
@click.option("--out", type=_FILE, help="File to write; stdout by default.")
@json_option
def head(log: Path, size: int | None, keys: tuple[Path, ...], out: Path | None, json_output: bool) -> Exit:
    """Print the tree head of LOG, signed with --key.

    Keep it where the log's keeper cannot reach it: only a kept head shows that a log was cut or rewritten.
    """
    from witnessmark.canonical import model_bytes
    from witnessmark.files import write_bytes
    from witnessmark.log import Log

    with Log.open(log) as opened:
        record = opened.tree_head(size)
    if keys:
        from witnessmark.attest import load_signers, sign_tree_head

        data = sign_tree_head(record, load_signers(keys))
    else:
        data = model_bytes(record)
    if out is not None:
        write_bytes(out, data)
        say(f"wrote {out}: {record.size} entries, root {record.root}")
    if out is None or json_output:
        click.echo(data)
    return Exit.OK


@command.command()
@click.argument("log", type=_FILE)
@click.option("--entry", "index", type=int, help="Show this entry only.")
@json_option
def show(log: Path, index: int | None, json_output: bool) -> Exit:
    """Show the entries of LOG."""
    from witnessmark.log import Log

    with Log.open(log) as opened:
        if index is not None:
            emit_json(opened.entry(index))
            return Exit.OK
        rows = list(opened.entries())
        tree_head = opened.tree_head()
    if json_output:
        entries = [{"index": place, "entry": as_json(entry)} for place, entry in rows]
        emit_json({"head": as_json(tree_head), "entries": entries})
        return Exit.OK
    show_table(("entry", "kind", "what"), [(str(place), entry.entry, _described(entry)) for place, entry in rows])
    say(f"log {tree_head.origin!r}: {tree_head.size} entries, root {tree_head.root}")
    return Exit.OK


def _digest(node: bytes) -> str:
    return f"sha256:{node.hex()}"


def _show_head(tree_head: TreeHead, json_output: bool) -> None:
    if json_output:
        emit_json(tree_head)
    else:
        show_table(("log", "entries", "root"), [(tree_head.origin, str(tree_head.size), tree_head.root)])


def _show_added(index: int, entry: LogEntry, json_output: bool) -> None:
    if json_output:
        emit_json({"index": index, "entry": as_json(entry)})
    else:
        show_table(("entry", "kind", "what"), [(str(index), entry.entry, _described(entry))])


def _described(entry: LogEntry) -> str:
    from witnessmark.models.log import Approval, EngineChanged, GateEvaluated, LogCreated, RunAbandoned, RunEnded

    if isinstance(entry, LogCreated):
        return f"{entry.origin}, {entry.engine}"
    if isinstance(entry, EngineChanged):
        return entry.engine
    if isinstance(entry, RunEnded):
        return f"run of entry {entry.start}: {entry.result.value}, assessment {entry.assessment_digest}"
    if isinstance(entry, RunAbandoned):
        return f"run of entry {entry.start}: {entry.reason}"
    if isinstance(entry, GateEvaluated):
        return f"{'satisfied' if entry.satisfied else 'not satisfied'}, policy {entry.policy_digest}"
    if isinstance(entry, Approval):
        return f"{entry.approver} approved {entry.candidate_state.checkpoint_digest}"
    return f"candidate {entry.candidate_state.checkpoint_digest}"
