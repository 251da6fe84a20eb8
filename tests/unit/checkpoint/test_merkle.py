"""RFC 9162 trees: every proof verifies, and nothing else does."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from witnessmark.checkpoint import merkle

SIZES = st.integers(min_value=1, max_value=70)


def leaves_of(count: int, tag: bytes = b"") -> list[bytes]:
    return [merkle.leaf_hash(tag + str(number).encode()) for number in range(count)]


def textbook_root(leaves: list[bytes]) -> bytes:
    """The definition of RFC 9162 §2.1.1, written as it stands there."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + textbook_root(leaves[:k]) + textbook_root(leaves[k:])).digest()


def flip(value: bytes, bit: int) -> bytes:
    changed = bytearray(value)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)


def test_the_root_of_an_empty_tree_is_the_hash_of_nothing() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert merkle.root([]).hex() == merkle.Tree().root().hex() == merkle.RootBuilder().root().hex() == empty


def test_leaves_and_nodes_have_different_prefixes() -> None:
    left, right = leaves_of(2)
    assert left == hashlib.sha256(b"\x000").digest()
    assert merkle.root([left]) == left
    assert merkle.root([left, right]) == hashlib.sha256(b"\x01" + left + right).digest()
    assert merkle.leaf_hash(b"\x01" + left + right) != merkle.root([left, right])


@pytest.mark.parametrize("count", range(70))
def test_builder_tree_and_function_give_the_root_of_the_definition(count: int) -> None:
    leaves = leaves_of(count)
    tree = merkle.Tree(leaves_of(70))
    builder = merkle.RootBuilder()
    for leaf in leaves:
        builder.append(leaf)
    assert builder.size == count
    assert merkle.root(leaves) == builder.root() == tree.root(count) == textbook_root(leaves)


@given(SIZES, st.data())
def test_every_inclusion_proof_verifies_at_its_place_and_no_other(size: int, data: st.DataObject) -> None:
    leaves = leaves_of(size)
    index = data.draw(st.integers(0, size - 1))
    root, proof = merkle.root(leaves), merkle.inclusion_proof(leaves, index)
    assert merkle.verify_inclusion(leaves[index], index, size, proof, root)
    other = data.draw(st.integers(-1, size + 1).filter(lambda value: value != index))
    assert not merkle.verify_inclusion(leaves[index], other, size, proof, root)
    assert not merkle.verify_inclusion(leaves[index], index, size, (*proof, root), root)
    assert not merkle.verify_inclusion(leaves[index], index, 0, proof, root)
    assert not merkle.verify_inclusion(leaves[index], index, merkle.MAX_SIZE + 1, proof, root)
    if proof:
        assert not merkle.verify_inclusion(leaves[index], index, size, proof[:-1], root)
        assert not merkle.verify_inclusion(leaves[index], index, size, proof[1:], root)


@given(SIZES, st.data())
def test_a_changed_bit_breaks_an_inclusion_proof(size: int, data: st.DataObject) -> None:
    leaves = leaves_of(size)
    index, bit = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, 255))
    root, proof = merkle.root(leaves), merkle.inclusion_proof(leaves, index)
    assert not merkle.verify_inclusion(flip(leaves[index], bit), index, size, proof, root)
    assert not merkle.verify_inclusion(leaves[index], index, size, proof, flip(root, bit))
    assert not merkle.verify_inclusion(leaves[index], index, size, proof, root[:31])
    for place in range(len(proof)):
        changed = (*proof[:place], flip(proof[place], bit), *proof[place + 1 :])
        assert not merkle.verify_inclusion(leaves[index], index, size, changed, root)


@given(st.integers(0, 70), st.data())
def test_every_consistency_proof_verifies_for_its_sizes_and_roots(second: int, data: st.DataObject) -> None:
    leaves = leaves_of(second)
    first = data.draw(st.integers(0, second))
    first_root, second_root = merkle.root(leaves[:first]), merkle.root(leaves)
    proof = merkle.consistency_proof(leaves, first)
    assert merkle.verify_consistency(first, second, first_root, second_root, proof)
    assert not merkle.verify_consistency(first, second, first_root, second_root, (*proof, second_root))
    assert not merkle.verify_consistency(-1, second, first_root, second_root, proof)
    assert not merkle.verify_consistency(first, merkle.MAX_SIZE + 1, first_root, second_root, proof)
    if proof:
        assert not merkle.verify_consistency(first, second, first_root, second_root, proof[:-1])
        assert not merkle.verify_consistency(first, second, first_root, second_root, proof[1:])


@given(SIZES, st.data())
def test_a_changed_bit_breaks_a_consistency_proof(second: int, data: st.DataObject) -> None:
    leaves = leaves_of(second)
    first, bit = data.draw(st.integers(1, second)), data.draw(st.integers(0, 255))
    first_root, second_root = merkle.root(leaves[:first]), merkle.root(leaves)
    proof = merkle.consistency_proof(leaves, first)
    assert not merkle.verify_consistency(first, second, flip(first_root, bit), second_root, proof)
    assert not merkle.verify_consistency(first, second, first_root, flip(second_root, bit), proof)
    assert not merkle.verify_consistency(first, second, first_root[1:], second_root, proof)
    for place in range(len(proof)):
        changed = (*proof[:place], flip(proof[place], bit), *proof[place + 1 :])
        assert not merkle.verify_consistency(first, second, first_root, second_root, changed)


@given(SIZES, st.data())
def test_wrong_first_sizes_do_not_verify(second: int, data: st.DataObject) -> None:
    leaves = leaves_of(second)
    first = data.draw(st.integers(1, second))
    other = data.draw(st.integers(0, second + 1).filter(lambda value: value != first))
    first_root, second_root = merkle.root(leaves[:first]), merkle.root(leaves)
    proof = merkle.consistency_proof(leaves, first)
    assert not merkle.verify_consistency(other, second, first_root, second_root, proof)


@given(SIZES, st.data())
def test_a_rewritten_history_has_no_proof(second: int, data: st.DataObject) -> None:
    leaves = leaves_of(second)
    first = data.draw(st.integers(1, second))
    place = data.draw(st.integers(0, first - 1))
    rewritten = [*leaves[:place], merkle.leaf_hash(b"rewritten"), *leaves[place + 1 :]]
    proof = merkle.consistency_proof(rewritten, first)
    assert not merkle.verify_consistency(first, second, merkle.root(leaves[:first]), merkle.root(rewritten), proof)


def test_an_empty_tree_is_extended_only_under_its_own_root() -> None:
    (leaf,) = leaves_of(1)
    assert merkle.verify_consistency(0, 1, merkle.EMPTY_ROOT, leaf, ())
    assert not merkle.verify_consistency(0, 1, leaf, leaf, ())
    assert not merkle.verify_consistency(0, 0, merkle.EMPTY_ROOT, leaf, ())


@settings(max_examples=50)
@given(st.integers(1, 40), st.data())
def test_a_tree_proves_its_own_past(size: int, data: st.DataObject) -> None:
    tree = merkle.Tree(leaves_of(40))
    first, index = data.draw(st.integers(0, size)), data.draw(st.integers(0, size - 1))
    leaves = leaves_of(size)
    assert tree.consistency_proof(first, size) == merkle.consistency_proof(leaves, first)
    assert tree.inclusion_proof(index, size) == merkle.inclusion_proof(leaves, index)


def test_a_tree_refuses_places_that_it_does_not_have() -> None:
    tree = merkle.Tree(leaves_of(5))
    with pytest.raises(IndexError, match="leaf 5 of a tree of 5"):
        tree.inclusion_proof(5)
    with pytest.raises(IndexError, match="leaf -1 of a tree of 5"):
        tree.inclusion_proof(-1)
    with pytest.raises(IndexError, match="first 6 leaves of a tree of 5"):
        tree.consistency_proof(6)
    with pytest.raises(IndexError, match="first 6 leaves of a tree of 5"):
        tree.root(6)


def test_proofs_of_a_large_tree_need_few_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = merkle.Tree(leaves_of(50_001))
    calls = 0
    parent = merkle._parent

    def counted(left: bytes, right: bytes) -> bytes:
        nonlocal calls
        calls += 1
        return parent(left, right)

    monkeypatch.setattr(merkle, "_parent", counted)
    tree.inclusion_proof(12_345)
    tree.consistency_proof(33_333)
    assert calls < 200


@pytest.mark.interop
class TestAgainstTheReference:
    @pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 31, 64, 100])
    def test_roots_and_proofs_are_the_reference_ones(self, size: int) -> None:
        reference = pytest.importorskip("agent_manifest._merkle")
        theirs = reference.MerkleTree()
        for number in range(size):
            theirs.add_leaf(str(number).encode())
        leaves = leaves_of(size)
        assert theirs.root() == merkle.root(leaves)
        for index in range(size):
            assert tuple(theirs.inclusion_proof(index).audit_path) == merkle.inclusion_proof(leaves, index)
        for first in range(1, size + 1):
            proof = merkle.consistency_proof(leaves, first)
            assert tuple(theirs.consistency_proof(first)) == proof
            assert reference.verify_consistency(
                merkle.root(leaves[:first]), merkle.root(leaves), first, size, list(proof)
            )
            assert reference.verify_consistency_append(
                merkle.root(leaves[:first]),
                merkle.root(leaves),
                first,
                size,
                list(proof),
                [str(number).encode() for number in range(first, size)],
            )
