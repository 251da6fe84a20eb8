"""Keys come from PEM files, two algorithms only."""

from __future__ import annotations

import builtins
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP384R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as generate_ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as generate_rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from evidence_samples import write_key
from witnessmark.attest import load_signers, load_trusted
from witnessmark.errors import InputError
from witnessmark.log import Log


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa"])
def test_private_and_public_key_have_one_id(tmp_path: Path, kind: str) -> None:
    private, public = write_key(tmp_path, "k", kind=kind)
    (signer,) = load_signers([private])
    assert list(load_trusted([public]).keys) == [signer.public_key.keyid]
    assert len(signer.public_key.keyid) == 64


@pytest.mark.parametrize("key", [generate_ec(SECP384R1()), generate_rsa(65537, 2048)], ids=["p384", "rsa"])
def test_unsupported_key(tmp_path: Path, key: Any) -> None:
    private, public = tmp_path / "k.pem", tmp_path / "k.pub.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    for load, path in ((load_signers, private), (load_trusted, public)):
        with pytest.raises(InputError) as caught:
            load([path])
        assert caught.value.code == "unsupported_key"


def test_invalid_key(tmp_path: Path) -> None:
    private, public = write_key(tmp_path, "k")
    locked, text = tmp_path / "locked.pem", tmp_path / "text.pem"
    locked.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
        )
    )
    text.write_text("not a key")
    for load, path in ((load_signers, public), (load_trusted, private), (load_signers, locked), (load_signers, text)):
        with pytest.raises(InputError) as caught:
            load([path])
        assert caught.value.code == "invalid_key"


def test_duplicate_key(tmp_path: Path) -> None:
    private, _ = write_key(tmp_path, "k")
    with pytest.raises(InputError) as caught:
        load_signers([private, private])
    assert caught.value.code == "duplicate_key"


@pytest.mark.parametrize("load", [load_signers, load_trusted])
def test_no_key(load: Any) -> None:
    with pytest.raises(InputError) as caught:
        load([])
    assert caught.value.code == "no_key"


@pytest.mark.parametrize("threshold", [0, -1, 2])
def test_invalid_threshold(tmp_path: Path, threshold: int) -> None:
    _, public = write_key(tmp_path, "k")
    with pytest.raises(InputError) as caught:
        load_trusted([public], threshold=threshold)
    assert caught.value.code == "invalid_threshold"


@pytest.mark.parametrize("package", ["securesystemslib", "cryptography"])
def test_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    private, public = write_key(tmp_path, "k")
    real = builtins.__import__

    def without(name: str, *arguments: Any, **more: Any) -> Any:
        if name.split(".")[0] == package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    for load, path in ((load_signers, private), (load_trusted, public)):
        with pytest.raises(InputError) as caught:
            load([path])
        assert caught.value.code == "missing_extra"
        assert str(caught.value).endswith("wanted pip install 'witnessmark[sign]'")


def test_everything_imports_without_the_extra(tmp_path: Path) -> None:
    script = """
import sys
sys.modules["securesystemslib"] = sys.modules["cryptography"] = None
import witnessmark.approval, witnessmark.attest, witnessmark.audit, witnessmark.facts, witnessmark.log
from witnessmark.cli.main import main
main(["log", "head", sys.argv[1], "--key", sys.argv[1]])
"""
    Log.create(tmp_path / "l.log", "demo").close()
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "l.log")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        "error[missing_extra]: signatures need a package that is not installed: cryptography: "
        "wanted pip install 'witnessmark[sign]'\n"
    )
