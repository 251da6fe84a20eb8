"""Files of a model on this machine: where they are, what they are called in a profile, and the digest over them.

- ``package:NAME/PATH`` is inside an installed package: the same text on every machine. The package is not imported.
- An absolute path is that path; any other one is relative to the folder that ``WITNESSMARK_MODELS`` names.
- Nothing is downloaded here, and a digest over the contents is the revision: a name alone identifies no model.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from witnessmark.canonical import canonical_digest
from witnessmark.errors import InputError
from witnessmark.files import file_digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokenizers import Tokenizer

__all__ = ["PACKAGE", "Located", "content_digest", "folder_digest", "locate", "open_tokenizer"]

PACKAGE = "package:"
FOLDER_VARIABLE = "WITNESSMARK_MODELS"
_READ = frozenset({".jinja", ".json", ".model", ".safetensors", ".spm", ".tiktoken", ".txt"})
"""Suffixes of what a loader reads of a model folder: weights, tokenizer, configuration."""


class Located(NamedTuple):
    """A file or folder, and the name by which a profile calls it, which does not depend on the machine."""

    path: Path
    name: str


def locate(argument: str, noun: str) -> Located:
    """Return where a model's file or folder is.

    Raises:
        InputError: ``missing_model``.
    """
    if argument.startswith(PACKAGE):
        package, _, rest = argument.removeprefix(PACKAGE).partition("/")
        path, name = _package_folder(package, noun) / rest, f"{package}/{rest}" if rest else package
    else:
        path = Path(argument).expanduser()
        name = "/".join(path.parts[-2:]) if path.suffix else path.name
        if not path.is_absolute():
            folder = os.environ.get(FOLDER_VARIABLE)
            if not folder:
                raise InputError(
                    f"{noun} cannot find its model",
                    code="missing_model",
                    got=repr(argument),
                    wanted=f"an absolute path, package:NAME/PATH, or the folder in {FOLDER_VARIABLE}",
                )
            path = Path(folder) / path
    if ".." in path.parts or not path.exists():
        raise InputError(f"{noun} cannot find its model", code="missing_model", got=repr(argument), where=str(path))
    return Located(path, name)


def content_digest(files: Iterable[tuple[str, Path]]) -> str:
    """Return the digest over files, each with the name that it has for the model.

    Raises:
        InputError: ``unreadable_file``.
    """
    return canonical_digest({name: file_digest(path)[1] for name, path in files})


def folder_digest(folder: Path) -> str:
    """Return the digest over the weights, tokenizer and configuration below a folder, hidden files left out.

    Raises:
        InputError: ``missing_model``: there are none.
    """
    found = [
        (path.relative_to(folder).as_posix(), path)
        for path in sorted(folder.rglob("*"))
        if path.suffix in _READ
        and path.is_file()
        and not any(p.startswith(".") for p in path.relative_to(folder).parts)
    ]
    if not found:
        raise InputError("folder holds no model", code="missing_model", where=str(folder))
    return content_digest(found)


def open_tokenizer(path: Path) -> Tokenizer:
    """Read a ``tokenizer.json``; padding and truncation that it asks for are taken off.

    Raises:
        InputError: ``missing_model``.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the Rust binding raises Exception itself
        raise InputError(f"cannot read tokenizer: {error}", code="missing_model", where=str(path)) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _package_folder(package: str, noun: str) -> Path:
    spec = find_spec(package) if package.isidentifier() else None
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        raise InputError(
            f"{noun} cannot find its model",
            code="missing_model",
            got=repr(f"{PACKAGE}{package}"),
            wanted="an installed package",
        )
    return Path(folders[0])
