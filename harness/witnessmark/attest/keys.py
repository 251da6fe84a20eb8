"""Ed25519 and ECDSA P-256 keys from PEM files, as securesystemslib keys.

- A key id is securesystemslib's: SHA-256 over the key's type, scheme and public value. The same key has one id,
  whatever file it came from.
- Other algorithms are refused, and so are encrypted private keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.errors import InputError
from witnessmark.files import read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from securesystemslib.signer import CryptoSigner, SSlibKey

__all__ = ["TrustedKeys", "load_signers", "load_trusted", "missing_extra"]

_MAX_PEM = 64 * 1024
_WANTED = "an Ed25519 or ECDSA P-256 key in PEM"


class TrustedKeys(NamedTuple):
    """Public keys by id, and how many of them have to have signed."""

    keys: Mapping[str, SSlibKey]
    threshold: int


def missing_extra(error: ImportError) -> InputError:
    """Return the error for a missing ``sign`` extra."""
    return InputError(
        f"signatures need a package that is not installed: {(error.name or 'unknown').partition('.')[0]}",
        code="missing_extra",
        wanted="pip install 'witnessmark[sign]'",
    )


def load_signers(paths: Sequence[Path]) -> tuple[CryptoSigner, ...]:
    """Load private keys to sign with, in the order given.

    Raises:
        InputError: ``missing_extra``, ``unreadable_file``, ``invalid_key``, ``unsupported_key`` or ``duplicate_key``.
    """
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
        from securesystemslib.signer import CryptoSigner
    except ImportError as error:
        raise missing_extra(error) from error
    signers: dict[str, CryptoSigner] = {}
    for path in paths:
        data = read_bytes(path, max_bytes=_MAX_PEM)
        try:
            private = load_pem_private_key(data, password=None)
            signer = CryptoSigner(private)
        except TypeError as error:
            raise InputError(
                "private key is encrypted", code="invalid_key", wanted="one without a passphrase", where=str(path)
            ) from error
        except (ValueError, UnsupportedAlgorithm) as error:
            raise InputError(
                "not a private key that we can use", code="invalid_key", wanted=_WANTED, where=str(path)
            ) from error
        _check_scheme(signer.public_key, path)
        if signer.public_key.keyid in signers:
            raise InputError("the same key is given twice", code="duplicate_key", where=str(path))
        signers[signer.public_key.keyid] = signer
    if not signers:
        raise InputError("no key to sign with", code="no_key", wanted="at least one private key")
    return tuple(signers.values())


def load_trusted(paths: Sequence[Path], *, threshold: int | None = None) -> TrustedKeys:
    """Load public keys to verify with; a key given twice counts once.

    Args:
        paths: PEM files with one public key each.
        threshold: how many of the keys have to have signed; all of them where it is None.

    Raises:
        InputError: ``missing_extra``, ``unreadable_file``, ``invalid_key``, ``unsupported_key``, ``no_key`` or
            ``invalid_threshold``.
    """
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
        from securesystemslib.signer import SSlibKey
    except ImportError as error:
        raise missing_extra(error) from error
    keys: dict[str, SSlibKey] = {}
    for path in paths:
        data = read_bytes(path, max_bytes=_MAX_PEM)
        try:
            key = SSlibKey.from_crypto(load_pem_public_key(data))
        except (ValueError, UnsupportedAlgorithm) as error:
            raise InputError(
                "not a public key that we can use",
                code="invalid_key",
                wanted=f"{_WANTED} (openssl pkey -in KEY.pem -pubout)",
                where=str(path),
            ) from error
        _check_scheme(key, path)
        keys[key.keyid] = key
    if not keys:
        raise InputError("no key to verify with", code="no_key", wanted="at least one public key")
    wanted = len(keys) if threshold is None else threshold
    if not 1 <= wanted <= len(keys):
        raise InputError(
            "threshold does not fit the keys", code="invalid_threshold", got=wanted, wanted=f"1 to {len(keys)}"
        )
    return TrustedKeys(keys, wanted)


def _check_scheme(key: SSlibKey, path: Path) -> None:
    if key.scheme not in {"ed25519", "ecdsa-sha2-nistp256"}:
        raise InputError("unsupported key", code="unsupported_key", got=key.scheme, wanted=_WANTED, where=str(path))
