"""Checkpoint directories: opening one verifies every byte of it.

- The manifest is canonical JSON, and every file that it lists has the listed size and digest.
- ``index/`` holds no other file; there is no symbolic link and no path that leads elsewhere.
- The log gives the checkpoint digest and the counts, the index files give the retrieval state digest.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pydantic import JsonValue

from witnessmark.canonical import canonical_digest, parse_canonical
from witnessmark.checkpoint.layout import INDEX, MANIFEST, OPERATIONS, PROFILE, files_below, require_regular, signature
from witnessmark.checkpoint.operations import live_items, read_line, read_log, read_record, summarize_log
from witnessmark.errors import EvidenceError, InputError
from witnessmark.files import file_digest, read_bytes
from witnessmark.models import CheckpointManifest, FileEntry, MemoryRecord, RetrieverProfile, StateReference
from witnessmark.models.base import HashValue, Many, Record, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from witnessmark.checkpoint.layout import Signature
    from witnessmark.models import MemoryOperation
    from witnessmark.ports import IndexItem

__all__ = [
    "Checkpoint",
    "read_manifest",
    "retrieval_state_digest",
]


class _RetrievalState(Record):
    """What the retrieval state digest is the canonical digest of."""

    adapter: Text
    index_files: Many[FileEntry]
    index_settings: dict[str, JsonValue]
    profile_digest: HashValue


class Checkpoint:
    """An opened and verified checkpoint directory. Records are read from the log when they are asked for."""

    def __init__(
        self,
        path: Path,
        manifest: CheckpointManifest,
        profile: RetrieverProfile,
        live: Mapping[str, int],
        seen: Signature,
    ) -> None:
        self._path = path
        self._manifest = manifest
        self._profile = profile
        self._live = live
        self._seen = seen
        self._opened = self._reference = _reference(manifest)

    @classmethod
    def open(cls, path: str | Path) -> Checkpoint:
        """Verify a checkpoint directory, all of it, and open it.

        Raises:
            InputError: ``not_a_checkpoint`` or ``unreadable_file``.
            EvidenceError: the directory is not what its manifest says; the message names the file.
        """
        folder = Path(path).resolve()
        before = signature(folder)
        manifest = read_manifest(folder)
        profile = _verify_index(folder, manifest)
        live = _verify_log(folder, manifest)
        if signature(folder) != before:
            raise EvidenceError("changed while it was being read", code="changed_while_reading", where=str(folder))
        return cls(folder, manifest, profile, live, before)

    @property
    def path(self) -> Path:
        """Return the directory, absolute and without symbolic links."""
        return self._path

    @property
    def manifest(self) -> CheckpointManifest:
        """Return the manifest as it was when the checkpoint was opened."""
        return self._manifest

    @property
    def profile(self) -> RetrieverProfile:
        """Return the profile under which the retrieval material was built."""
        return self._profile

    @property
    def index_directory(self) -> Path:
        """Return the directory that the adapter built."""
        return self._path / INDEX

    @property
    def live(self) -> Mapping[str, int]:
        """Return the keys of the live records, each with the offset of the log line that stores it."""
        return self._live

    def __contains__(self, key: object) -> bool:
        """Tell whether an item is live, by key."""
        return key in self._live

    def operations(self) -> Iterator[MemoryOperation]:
        """Yield the operations of the log, in order.

        Raises:
            EvidenceError: the directory changed since it was opened.
        """
        with self._log() as stream:
            for logged in read_log(stream, where=str(self._path / OPERATIONS)):
                yield logged.operation

    def items(self) -> Iterator[IndexItem]:
        """Yield the live records with their version digests, in key order (Unicode code points).

        Raises:
            EvidenceError: the directory changed since it was opened.
        """
        with self._log() as stream:
            yield from live_items(stream, self._live, where=str(self._path / OPERATIONS))

    def records(self) -> Iterator[MemoryRecord]:
        """Yield the live records, in key order (Unicode code points).

        Raises:
            EvidenceError: the directory changed since it was opened.
        """
        for item in self.items():
            yield item.record

    def records_of(self, keys: Iterable[str]) -> Iterator[MemoryRecord]:
        """Yield the live records of some keys, in the order of the keys; those that are not live are left out.

        Raises:
            EvidenceError: the directory changed since it was opened.
        """
        with self._log() as stream:
            for key in keys:
                if key in self._live:
                    yield read_record(stream, self._live[key], where=str(self._path / OPERATIONS))

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the log as they are written, in order, without the line feed.

        Raises:
            EvidenceError: the directory changed since it was opened.
        """
        with self._log() as stream:
            for line in stream:
                yield line[:-1]

    def live_lines(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key of each live record and the line that stores it, in key order (Unicode code points).

        Raises:
            EvidenceError: the directory changed since it was opened.
        """
        with self._log() as stream:
            for key in sorted(self._live):
                yield key, read_line(stream, self._live[key])

    def state_reference(self) -> StateReference:
        """Return what identifies the state now.

        As long as device, inode, size and the times of modification and of change are those of the last verification,
        for every file and folder, the contents are taken to be the same. Where one differs, or a file came or went,
        the whole directory is verified again: an unchanged content keeps its reference, a changed one gets its own.
        A change that leaves all of these as they were (file times move in ticks of some milliseconds) is not seen here,
        but at the next opening.

        Raises:
            InputError: the directory is gone.
            EvidenceError: the directory is no longer what its manifest says.
        """
        if signature(self._path) != self._seen:
            fresh = Checkpoint.open(self._path)
            self._seen, self._reference = fresh._seen, fresh._reference
        return self._reference

    @contextmanager
    def _log(self) -> Iterator[BinaryIO]:
        if self.state_reference() != self._opened:
            raise EvidenceError("changed since it was opened", code="changed_since_opened", where=str(self._path))
        with (self._path / OPERATIONS).open("rb") as stream:
            yield stream


def read_manifest(folder: Path) -> CheckpointManifest:
    """Return the manifest of a checkpoint directory; nothing that it says is verified yet.

    Raises:
        InputError: ``not_a_checkpoint`` or ``unreadable_file``.
        EvidenceError: it is not canonical JSON or not a manifest.
    """
    path = folder / MANIFEST
    if not path.is_symlink() and not path.is_file():
        raise InputError(
            "not a checkpoint directory", code="not_a_checkpoint", wanted=f"a folder with {MANIFEST}", where=str(folder)
        )
    require_regular(path)
    data = read_bytes(path)
    try:
        return CheckpointManifest.from_json(parse_canonical(data, where=str(path)), where=str(path))
    except InputError as error:
        raise EvidenceError.from_problems(error.problems) from error


def retrieval_state_digest(
    index_files: Sequence[FileEntry], profile_digest: str, adapter: str, index_settings: Mapping[str, JsonValue]
) -> str:
    """Return the digest over everything beside the log that can change an answer."""
    return canonical_digest(
        _RetrievalState(
            adapter=adapter,
            index_files=tuple(index_files),
            index_settings=dict(index_settings),
            profile_digest=profile_digest,
        )
    )


def _reference(manifest: CheckpointManifest) -> StateReference:
    return StateReference(
        checkpoint_digest=manifest.checkpoint_digest,
        retrieval_state_digest=manifest.retrieval_state_digest,
        indexed_item_count=manifest.item_count,
    )


def _verify_index(folder: Path, manifest: CheckpointManifest) -> RetrieverProfile:
    where = str(folder / MANIFEST)
    listed = {entry.path: entry for entry in manifest.index_files}
    if list(listed) != sorted(entry.path for entry in manifest.index_files):
        raise EvidenceError(
            "index_files are not sorted by path, or name a file twice",
            code="unsorted_entries",
            where=f"{where} /index_files",
        )
    for position, path in enumerate(listed):
        if not _is_below_index(path):
            raise EvidenceError(
                "not a path below index/",
                code="unsafe_path",
                got=repr(path),
                where=f"{where} /index_files/{position}/path",
            )
    found = list(files_below(folder, INDEX))
    for path in found:
        if path not in listed:
            raise EvidenceError(
                "file is not in the manifest",
                code="unlisted_file",
                wanted="only listed files",
                where=str(folder / path),
            )
    for path, entry in listed.items():
        if path not in found:
            raise EvidenceError("file is missing", code="missing_file", wanted="a file", where=str(folder / path))
        _compare(FileEntry(path=path, size=(sized := file_digest(folder / path))[0], sha256=sized[1]), entry, folder)
    wanted = retrieval_state_digest(
        manifest.index_files, manifest.profile_digest, manifest.adapter, manifest.index_settings
    )
    _same("retrieval_state_digest", manifest.retrieval_state_digest, wanted, where)
    if PROFILE not in listed:
        raise EvidenceError("no profile in the index", code="missing_file", wanted=PROFILE, where=where)
    return _read_profile(folder / PROFILE, manifest, where)


def _read_profile(path: Path, manifest: CheckpointManifest, where: str) -> RetrieverProfile:
    try:
        profile = RetrieverProfile.from_json(parse_canonical(read_bytes(path), where=str(path)), where=str(path))
    except InputError as error:
        raise EvidenceError.from_problems(error.problems) from error
    _same("profile_digest", manifest.profile_digest, canonical_digest(profile), where)
    _same("adapter", manifest.adapter, profile.implementation_id, where)
    return profile


def _verify_log(folder: Path, manifest: CheckpointManifest) -> Mapping[str, int]:
    path, where = folder / OPERATIONS, str(folder / MANIFEST)
    _same("operations_file/path", manifest.operations_file.path, OPERATIONS, where)
    require_regular(path)
    # The plain digest goes first: an altered log is reported as one, not as whatever its lines have become.
    size, digest = file_digest(path)
    _compare(FileEntry(path=OPERATIONS, size=size, sha256=digest), manifest.operations_file, folder)
    with path.open("rb") as stream:
        log = summarize_log(stream, OPERATIONS, where=str(path))
    _same("checkpoint_digest", manifest.checkpoint_digest, f"sha256:{log.root.hex()}", where)
    _same("operation_count", manifest.operation_count, log.operation_count, where)
    _same("item_count", manifest.item_count, len(log.live), where)
    return log.live


def _compare(found: FileEntry, listed: FileEntry, folder: Path) -> None:
    where = str(folder / listed.path)
    if found.size != listed.size:
        raise EvidenceError(
            "file size is not the listed one",
            code="size_mismatch",
            got=f"{found.size} bytes",
            wanted=f"{listed.size} bytes",
            where=where,
        )
    if found.sha256 != listed.sha256:
        raise EvidenceError(
            "file is not the listed one", code="digest_mismatch", got=found.sha256, wanted=listed.sha256, where=where
        )


def _same(field: str, stated: object, found: object, where: str) -> None:
    if stated != found:
        code = f"{field.partition('/')[0]}_mismatch"
        raise EvidenceError(
            f"{field} is not what the files give", code=code, got=stated, wanted=str(found), where=f"{where} /{field}"
        )


def _is_below_index(path: str) -> bool:
    parts = path.split("/")
    return len(parts) > 1 and parts[0] == INDEX and not any(part in {"", ".", ".."} for part in parts)
