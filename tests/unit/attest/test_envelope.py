"""Envelopes give back exactly the signed bytes, and only when enough trusted keys signed them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from evidence_samples import write_key
from witnessmark.attest import STATEMENT_PAYLOAD, load_signers, load_trusted, open_envelope, sign_payload
from witnessmark.errors import EvidenceError, InputError, WitnessmarkError

PAYLOAD = b'{"any": "bytes",\n "spelled": "as they are"}'


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Path]]:
    """Three key pairs: two Ed25519, one ECDSA P-256."""
    folder = tmp_path_factory.mktemp("keys")
    return {
        "a": write_key(folder, "a"),
        "b": write_key(folder, "b", kind="ecdsa"),
        "c": write_key(folder, "c"),
    }


def _signed(keys: dict[str, tuple[Path, Path]], names: str) -> bytes:
    return sign_payload(PAYLOAD, STATEMENT_PAYLOAD, load_signers([keys[name][0] for name in names]))


def _open(data: bytes, keys: dict[str, tuple[Path, Path]], names: str, threshold: int | None = None) -> Any:
    trusted = load_trusted([keys[name][1] for name in names], threshold=threshold)
    return open_envelope(data, trusted, payload_type=STATEMENT_PAYLOAD)


def _key_id(keys: dict[str, tuple[Path, Path]], name: str) -> str:
    return load_signers([keys[name][0]])[0].public_key.keyid


@pytest.mark.parametrize(("signed", "trusted"), [("a", "a"), ("b", "b"), ("ab", "ab"), ("abc", "ba")])
def test_signed_bytes_come_back_as_they_were(keys: dict[str, tuple[Path, Path]], signed: str, trusted: str) -> None:
    opened = _open(_signed(keys, signed), keys, trusted)
    assert opened.payload == PAYLOAD
    assert opened.key_ids == tuple(sorted(_key_id(keys, name) for name in trusted))


def test_securesystemslib_verifies_what_we_sign(keys: dict[str, tuple[Path, Path]]) -> None:
    from securesystemslib.dsse import Envelope

    envelope = Envelope.from_dict(json.loads(_signed(keys, "ab")))
    trusted = load_trusted([keys["a"][1], keys["b"][1]])
    assert set(envelope.verify(list(trusted.keys.values()), 2)) == set(trusted.keys)
    assert envelope.payload == PAYLOAD


def test_we_verify_what_securesystemslib_signs(keys: dict[str, tuple[Path, Path]]) -> None:
    from securesystemslib.dsse import Envelope

    envelope = Envelope(PAYLOAD, STATEMENT_PAYLOAD, {})
    envelope.sign(load_signers([keys["b"][0]])[0])
    assert _open(json.dumps(envelope.to_dict(), indent=2).encode(), keys, "b").payload == PAYLOAD


def test_a_threshold_counts_keys(keys: dict[str, tuple[Path, Path]]) -> None:
    data = _signed(keys, "ab")
    assert len(_open(data, keys, "abc", 2).key_ids) == 2
    with pytest.raises(EvidenceError, match="too few trusted signatures: got 2, wanted 3 of 3 trusted keys"):
        _open(data, keys, "abc")


def test_signatures_by_one_key_count_once(keys: dict[str, tuple[Path, Path]]) -> None:
    document = json.loads(_signed(keys, "a"))
    document["signatures"] *= 2
    data = json.dumps(document).encode()
    assert len(_open(data, keys, "a").key_ids) == 1
    with pytest.raises(EvidenceError) as caught:
        _open(data, keys, "ab", 2)
    assert caught.value.code == "below_threshold"


def test_a_key_under_another_id_counts_for_nothing(keys: dict[str, tuple[Path, Path]]) -> None:
    document = json.loads(_signed(keys, "a"))
    document["signatures"].append({**document["signatures"][0], "keyid": "another name for it"})
    with pytest.raises(EvidenceError) as caught:
        _open(json.dumps(document).encode(), keys, "ab", 2)
    assert caught.value.code == "below_threshold"


def test_a_trusted_key_given_twice_is_one_key(keys: dict[str, tuple[Path, Path]]) -> None:
    trusted = load_trusted([keys["a"][1], keys["a"][1]])
    assert (len(trusted.keys), trusted.threshold) == (1, 1)
    with pytest.raises(InputError, match="threshold does not fit the keys: got 2, wanted 1 to 1"):
        load_trusted([keys["a"][1], keys["a"][1]], threshold=2)


def test_bad_signature_of_a_trusted_key_refuses_even_above_the_threshold(keys: dict[str, tuple[Path, Path]]) -> None:
    document = json.loads(_signed(keys, "ac"))
    document["signatures"][1]["sig"] = document["signatures"][0]["sig"]
    with pytest.raises(EvidenceError) as caught:
        _open(json.dumps(document).encode(), keys, "ac", 1)
    assert caught.value.code == "bad_signature"


def _changed(**changes: object) -> Any:
    return lambda document: {**document, **changes}


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("bad_signature", _changed(payload=base64.b64encode(PAYLOAD + b" ").decode())),
        ("below_threshold", lambda doc: {**doc, "signatures": [{**doc["signatures"][0], "keyid": "x"}]}),
        ("invalid_base64", lambda doc: {**doc, "payload": doc["payload"] + "\n"}),
        ("invalid_base64", lambda doc: {**doc, "payload": doc["payload"].rstrip("=")}),
        ("invalid_base64", lambda doc: {**doc, "payload": "é" + doc["payload"][1:]}),
        ("invalid_value", _changed(signatures=[])),
        ("missing_field", lambda doc: {key: value for key, value in doc.items() if key != "payloadType"}),
        ("unknown_field", _changed(more=1)),
        ("unknown_payload_type", _changed(payloadType="application/x-other")),
        ("wrong_type", _changed(signatures={})),
        ("wrong_type", lambda doc: [doc]),
    ],
)
def test_refused_envelope(keys: dict[str, tuple[Path, Path]], code: str, change: Any) -> None:
    document = change(json.loads(_signed(keys, "a")))
    with pytest.raises(WitnessmarkError) as caught:
        _open(json.dumps(document).encode(), keys, "a")
    assert caught.value.code == code


def test_the_payload_type_is_part_of_what_is_signed(keys: dict[str, tuple[Path, Path]]) -> None:
    document = json.loads(sign_payload(PAYLOAD, "application/x-other", load_signers([keys["a"][0]])))
    document["payloadType"] = STATEMENT_PAYLOAD
    with pytest.raises(EvidenceError) as caught:
        _open(json.dumps(document).encode(), keys, "a")
    assert caught.value.code == "bad_signature"


def test_every_flipped_bit_and_every_truncation_is_refused(keys: dict[str, tuple[Path, Path]]) -> None:
    for names in ("a", "b"):
        data = _signed(keys, names)
        trusted = load_trusted([keys[names][1]])
        for bit in range(8 * len(data)):
            flipped = data[: bit // 8] + bytes([data[bit // 8] ^ (1 << bit % 8)]) + data[bit // 8 + 1 :]
            with pytest.raises(WitnessmarkError):
                open_envelope(flipped, trusted, payload_type=STATEMENT_PAYLOAD)
        for length in range(len(data)):
            with pytest.raises(WitnessmarkError):
                open_envelope(data[:length], trusted, payload_type=STATEMENT_PAYLOAD)
