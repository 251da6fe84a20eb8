"""Stored nodes give the roots and proofs of RFC 9162."""

from __future__ import annotations

import pytest

from witnessmark.checkpoint import merkle
from witnessmark.log.tree import StoredTree, completed_nodes, node_count, position


def _leaves(count: int) -> list[bytes]:
    return [merkle.leaf_hash(b"%d" % index) for index in range(count)]


def _stored(leaves: list[bytes]) -> list[bytes]:
    nodes: list[bytes] = []
    for size, leaf in enumerate(leaves):
        nodes.extend(completed_nodes(size, leaf, nodes.__getitem__))
    return nodes


def test_nodes_are_only_ever_added_at_the_end() -> None:
    nodes: list[bytes] = []
    for size, leaf in enumerate(_leaves(40)):
        assert len(nodes) == node_count(size) == position(0, size)
        nodes.extend(completed_nodes(size, leaf, nodes.__getitem__))


def test_roots_of_every_size_are_those_of_the_reference_tree() -> None:
    leaves = _leaves(70)
    tree = StoredTree(_stored(leaves).__getitem__)
    for size in range(71):
        assert tree.root(size) == merkle.root(leaves[:size])


def test_every_proof_verifies() -> None:
    leaves = _leaves(33)
    tree = StoredTree(_stored(leaves).__getitem__)
    for size in range(1, 34):
        root = tree.root(size)
        for index in range(size):
            path = tree.inclusion_proof(index, size)
            assert path == merkle.inclusion_proof(leaves[:size], index)
            assert merkle.verify_inclusion(leaves[index], index, size, path, root)
        for first in range(size + 1):
            proof = tree.consistency_proof(first, size)
            assert merkle.verify_consistency(first, size, tree.root(first), root, proof)


def test_a_proof_reads_a_logarithmic_number_of_nodes() -> None:
    size = 100_001
    nodes = _stored([merkle.leaf_hash(b"")] * size)
    read: list[int] = []

    def lookup(place: int) -> bytes:
        read.append(place)
        return nodes[place]

    for make in (
        lambda tree: tree.root(size),
        lambda tree: tree.inclusion_proof(4711, size),
        lambda tree: tree.consistency_proof(65_537, size),
    ):
        read.clear()
        make(StoredTree(lookup))
        assert 0 < len(read) <= 3 * size.bit_length()


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_no_proof_for_a_leaf_that_is_not_there(index: int, size: int) -> None:
    tree = StoredTree(_stored(_leaves(3)).__getitem__)
    with pytest.raises(IndexError):
        tree.inclusion_proof(index, size)


@pytest.mark.interop
def test_agent_manifest_accepts_every_proof() -> None:
    from agent_manifest import _merkle as theirs

    leaves = _leaves(21)
    tree = StoredTree(_stored(leaves).__getitem__)
    reference = theirs.MerkleTree()
    for size, leaf in enumerate(leaves, 1):
        reference.add_prehashed_leaf(leaf)
        assert reference.root() == tree.root(size)
        for index in range(size):
            path = list(tree.inclusion_proof(index, size))
            assert reference.verify_inclusion(theirs.InclusionProof(index, size, leaves[index], path))
        for first in range(1, size + 1):
            proof = list(tree.consistency_proof(first, size))
            assert theirs.verify_consistency(tree.root(first), tree.root(size), first, size, proof)
            assert not theirs.verify_consistency(tree.root(size), tree.root(first), first, size, proof) or first == size
