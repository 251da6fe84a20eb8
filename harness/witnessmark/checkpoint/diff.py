"""What changed between two checkpoints, and whether the second one only adds to the first one's log.

Append-only is not what a comparison of files says, but what an RFC 9162 consistency proof shows: the proof is made from
the candidate's log, verified against both checkpoint digests, and is part of the result, so anyone can verify it again.
"""

from __future__ import annotations

import heapq
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import TYPE_CHECKING

from witnessmark.checkpoint.merkle import Tree, verify_consistency
from witnessmark.checkpoint.operations import operation_leaf, same_record
from witnessmark.models import CheckpointDiff, CheckpointSide

if TYPE_CHECKING:
    from collections.abc import Iterator

    from witnessmark.checkpoint.directory import Checkpoint

__all__ = ["compare", "verify_append_only"]


def compare(base: Checkpoint, candidate: Checkpoint) -> CheckpointDiff:
    """Compare two opened checkpoints.

    Holds the candidate's leaf hashes in memory, two hashes an operation.

    Raises:
        EvidenceError: a directory changed since it was opened.
    """
    tree, shared = _common_prefix(base, candidate)
    first, second = base.manifest.operation_count, candidate.manifest.operation_count
    proof = tuple(f"sha256:{node.hex()}" for node in tree.consistency_proof(first)) if first <= second else ()
    append_only = _proves(proof, _side(base), _side(candidate))
    appended = second - shared
    added, changed, deleted = _keys(base, candidate)
    return CheckpointDiff(
        baseline=_side(base),
        candidate=_side(candidate),
        append_only=append_only,
        consistency_proof=proof if append_only else (),
        first_difference=None if append_only else shared,
        appended_operations=appended,
        delta_fraction=appended / second if second else 0.0,
        added=added,
        changed=changed,
        deleted=deleted,
        retrieval_changed=base.manifest.retrieval_state_digest != candidate.manifest.retrieval_state_digest,
    )


def verify_append_only(diff: CheckpointDiff) -> bool:
    """Return whether the proof in ``diff`` shows that the candidate's log extends the baseline's."""
    return diff.append_only and _proves(diff.consistency_proof, diff.baseline, diff.candidate)


def _proves(proof: tuple[str, ...], baseline: CheckpointSide, candidate: CheckpointSide) -> bool:
    return verify_consistency(
        baseline.operation_count,
        candidate.operation_count,
        _node(baseline.checkpoint_digest),
        _node(candidate.checkpoint_digest),
        [_node(node) for node in proof],
    )


def _node(digest: str) -> bytes:
    return bytes.fromhex(digest.partition(":")[2])


def _side(checkpoint: Checkpoint) -> CheckpointSide:
    manifest = checkpoint.manifest
    return CheckpointSide(
        checkpoint_digest=manifest.checkpoint_digest,
        retrieval_state_digest=manifest.retrieval_state_digest,
        profile_digest=manifest.profile_digest,
        adapter=manifest.adapter,
        operation_count=manifest.operation_count,
        item_count=manifest.item_count,
    )


def _common_prefix(base: Checkpoint, candidate: Checkpoint) -> tuple[Tree, int]:
    """Return the candidate's tree and how many operations both logs begin with."""
    tree, shared, equal = Tree(), 0, True
    for ours, theirs in zip_longest(base.lines(), candidate.lines()):
        equal = equal and ours == theirs
        shared += equal
        if theirs is not None:
            tree.append(operation_leaf(theirs))
    return tree, shared


def _keys(base: Checkpoint, candidate: Checkpoint) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the added, changed and deleted keys, by walking both memories in key order."""
    added: list[str] = []
    changed: list[str] = []
    deleted: list[str] = []
    merged = heapq.merge(_stored(base, 0), _stored(candidate, 1), key=itemgetter(0, 1))
    for key, group in groupby(merged, itemgetter(0)):
        lines = {side: line for _, side, line in group}
        if 0 not in lines:
            added.append(key)
        elif 1 not in lines:
            deleted.append(key)
        elif not same_record(lines[0], lines[1]):
            changed.append(key)
    return tuple(added), tuple(changed), tuple(deleted)


def _stored(checkpoint: Checkpoint, side: int) -> Iterator[tuple[str, int, bytes]]:
    return ((key, side, line) for key, line in checkpoint.live_lines())
