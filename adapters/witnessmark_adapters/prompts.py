"""Prompts that a model declares: a profile applies them as they are, or says that they are ignored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from witnessmark.errors import InputError
from witnessmark_adapters.queries import QueryPreprocessing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["require_prompts"]


def require_prompts(declared: Mapping[str, str], preprocessing: Sequence[str], document_prefix: str) -> None:
    """Refuse a profile that drops a prompt: vectors without it are of the same shape, and worse.

    Args:
        declared: by role, ``query`` and ``document``.
        preprocessing: of queries, as the profile says it.
        document_prefix: in front of each record's text; empty where there is none.

    Raises:
        InputError: ``missing_prompt``.
    """
    query, document = declared.get("query", ""), declared.get("document", "")
    if not QueryPreprocessing(preprocessing)("x").startswith(query):
        raise _missing("query", query, list(preprocessing), f"'prefix:{query}'", "query_preprocessing")
    if not document_prefix.startswith(document):
        raise _missing("document", document, document_prefix, repr(document), "index_build_config/document_prefix")


def _missing(role: str, prompt: str, got: object, wanted: str, where: str) -> InputError:
    return InputError(
        f"the model declares {prompt!r} in front of each {role}, and the profile does not apply it",
        code="missing_prompt",
        got=repr(got),
        wanted=f"{wanted}, or embedder:prompts = 'ignored'",
        where=f"profile /{where}",
    )
