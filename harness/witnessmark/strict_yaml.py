"""YAML in, for the files that people write: plain JSON data, and the line that each value stands on.

- Refused: duplicate keys, anchors and aliases, merge keys, tags, several documents, keys that are no strings.
- Refused as ambiguous: what YAML 1.1 reads otherwise than it looks (``yes``, ``010``, ``1:30``, ``2026-01-01``, ``~``).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NoReturn

import yaml

from witnessmark.canonical import MAX_DEPTH, json_pointer, parse_json
from witnessmark.errors import CanonicalError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from witnessmark.canonical import JsonValue

__all__ = ["MAX_YAML_BYTES", "Located", "parse_yaml"]

MAX_YAML_BYTES = 4 * 1024 * 1024

_TAG = "tag:yaml.org,2002:"
_PLAIN = {
    "bool": re.compile(r"true|false"),
    "null": re.compile(r"null|"),
    "int": re.compile(r"-?(?:0|[1-9][0-9]*)"),
    "float": re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"),
}


class Located:
    """A parsed YAML file: its value, and where each part of it stands."""

    def __init__(self, value: JsonValue, lines: Mapping[str, int], name: str) -> None:
        self.value = value
        self._lines = lines
        self._name = name

    def where(self, *path: str | int) -> str:
        """Return ``file:line`` of a value, or of the nearest one around it that is there."""
        steps = list(path)
        while steps and json_pointer(steps) not in self._lines:
            steps.pop()
        return f"{self._name}:{self._lines[json_pointer(steps)]}"


class _Loader(yaml.SafeLoader):
    """The safe loader, without what makes one node stand in two places."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            mark = event.start_mark
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not allowed", problem_mark=mark)  # type: ignore[arg-type]
        return super().compose_node(parent, index)


def parse_yaml(data: bytes, *, name: str) -> Located:
    """Parse one YAML document strictly.

    Args:
        data: UTF-8 text.
        name: of the file, for messages.

    Raises:
        InputError: ``too_large``, ``invalid_utf8``, ``invalid_yaml``, ``duplicate_key``, ``ambiguous_yaml``,
            ``too_deep``, or what strict JSON refuses of a number or a string.
    """
    if len(data) > MAX_YAML_BYTES:
        raise InputError("file is too large", code="too_large", wanted=f"at most {MAX_YAML_BYTES} bytes", where=name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("not UTF-8", code="invalid_utf8", got=f"byte at offset {error.start}", where=name) from error
    try:
        node = _Loader(text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark is not None else ""
        raise InputError(f"not YAML: {error.problem}", code="invalid_yaml", where=f"{name}{line}") from error
    except yaml.YAMLError as error:
        raise InputError(f"not YAML: {str(error).splitlines()[0]}", code="invalid_yaml", where=name) from error
    except RecursionError as error:
        raise InputError(
            "nesting is too deep", code="too_deep", wanted=f"at most {MAX_DEPTH} levels", where=name
        ) from error
    if node is None:
        raise InputError("empty file", code="invalid_yaml", where=name)
    lines: dict[str, int] = {}
    return Located(_Reader(name, lines).value(node, ()), lines, name)


class _Reader:
    """Turns nodes into JSON data and notes their lines."""

    def __init__(self, name: str, lines: dict[str, int]) -> None:
        self._name = name
        self._lines = lines

    def value(self, node: yaml.Node, path: tuple[str | int, ...]) -> JsonValue:
        self._lines[json_pointer(path)] = node.start_mark.line + 1
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if len(path) >= MAX_DEPTH:
            self._fail("nesting is too deep", node, "too_deep", None, f"at most {MAX_DEPTH} levels")
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.value(child, (*path, index)) for index, child in enumerate(node.value)]
        if not isinstance(node, yaml.MappingNode) or node.tag != f"{_TAG}map":
            self._fail("tags are not allowed", node, "invalid_yaml", repr(node.tag), None)
        return self._mapping(node, path)

    def _mapping(self, node: yaml.MappingNode, path: tuple[str | int, ...]) -> JsonValue:
        found: dict[str, JsonValue] = {}
        for key_node, value_node in node.value:
            key = self._scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else None
            if not isinstance(key, str):
                shown = repr(key_node.value) if isinstance(key_node, yaml.ScalarNode) else "a list or mapping"
                self._fail("key is not a string", key_node, "ambiguous_yaml", shown, "a key in quotes")
            if key in found:
                first = self._lines[json_pointer((*path, key))]
                self._fail("key stands twice", key_node, "duplicate_key", f"{key!r}, also on line {first}", None)
            found[key] = self.value(value_node, (*path, key))
            # A message about a value points at its key: the value may begin further down.
            self._lines[json_pointer((*path, key))] = key_node.start_mark.line + 1
        return found

    def _scalar(self, node: yaml.ScalarNode) -> JsonValue:
        kind = node.tag.removeprefix(_TAG)
        text: str = node.value
        where = f"{self._name}:{node.start_mark.line + 1}"
        if kind == "str":
            return self._strict(json.dumps(text), where)
        if kind not in {*_PLAIN, "timestamp", "merge", "value"}:
            self._fail("tags are not allowed", node, "invalid_yaml", repr(node.tag), None)
        if kind not in _PLAIN or node.style is not None or not _PLAIN[kind].fullmatch(text):
            self._fail("plain text with another meaning in YAML", node, "ambiguous_yaml", repr(text), "it in quotes")
        return self._strict(text or "null", where)

    def _strict(self, text: str, where: str) -> JsonValue:
        try:
            return parse_json(text)
        except CanonicalError as error:
            (problem,) = error.problems
            raise InputError.from_problems((problem._replace(where=where),)) from error

    def _fail(self, what: str, node: yaml.Node, code: str, got: str | None, wanted: str | None) -> NoReturn:
        raise InputError(what, code=code, got=got, wanted=wanted, where=f"{self._name}:{node.start_mark.line + 1}")
