"""Options of embedders, files of models and extras: no model needed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from witnessmark.errors import InputError
from witnessmark_adapters.modelfiles import content_digest, folder_digest, locate
from witnessmark_adapters.options import Options, load_extra
from witnessmark_adapters.prompts import require_prompts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOUN = "embedder 'x'"


def refusal(call: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(InputError) as caught:
        call()
    return caught.value.code, str(caught.value)


def test_what_is_read_is_kept_with_its_defaults() -> None:
    options = Options(NOUN, {"size": 3, "name": "n"}, ("size", "name", "kind", "on"))
    assert options.whole("size", 1, 1, 5) == 3
    assert options.text("name", "a name") == "n"
    assert options.choice("kind", ("a", "b")) == "a"
    assert options.flag("on", True) is True
    assert options.effective == {"size": 3, "name": "n", "kind": "a", "on": True}


@pytest.mark.parametrize("value", [True, 1.0, "1", 0, 6, None])
def test_a_whole_number_is_not_coerced(value: object) -> None:
    options = Options(NOUN, {"size": value}, ("size",))  # type: ignore[dict-item]
    code, message = refusal(lambda: options.whole("size", 1, 1, 5))
    assert code == "invalid_embedder_option"
    assert message == f"embedder 'x' cannot use this size: got {value!r}, wanted a whole number from 1 to 5"


def test_empty_text_is_no_text() -> None:
    options = Options(NOUN, {"name": ""}, ("name",))
    assert refusal(lambda: options.text("name", "a name")) == (
        "invalid_embedder_option",
        "embedder 'x' cannot use this name: got '', wanted a name",
    )


def test_a_missing_extra_is_named() -> None:
    code, message = refusal(lambda: load_extra("no_such_module_here", "onnx", NOUN))
    assert code == "missing_extra"
    assert message == (
        "embedder 'x' needs the extra onnx, which is not installed: got No module named 'no_such_module_here', "
        "wanted pip install 'witnessmark[onnx]'"
    )


@pytest.mark.parametrize("module", ["model2vec", "onnx", "sentence_transformers"])
def test_an_embedder_without_its_extra_names_it(module: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, {"onnx": "onnxruntime"}.get(module, module), None)
    (tmp_path / "file").touch()
    factory = importlib.import_module(f"witnessmark_adapters.{module}").EMBEDDER
    given = {"model": str(tmp_path / "file")} | ({"tokenizer": str(tmp_path / "file")} if module == "onnx" else {})
    code, message = refusal(lambda: factory.load(given))
    assert code == "missing_extra"
    assert message.endswith(f"wanted pip install 'witnessmark[{module.replace('_', '-')}]'")


def test_paths_are_found_below_the_folder_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m" / "deep").mkdir(parents=True)
    (tmp_path / "m" / "deep" / "model.onnx").touch()
    monkeypatch.setenv("WITNESSMARK_MODELS", str(tmp_path))
    assert locate("m", NOUN) == (tmp_path / "m", "m")
    assert locate("m/deep/model.onnx", NOUN) == (tmp_path / "m/deep/model.onnx", "deep/model.onnx")
    assert locate(str(tmp_path / "m/deep/model.onnx"), NOUN).name == "deep/model.onnx"
    assert locate("package:witnessmark_adapters/scopes.py", NOUN).name == "witnessmark_adapters/scopes.py"
    assert refusal(lambda: locate("m/../m", NOUN))[0] == "missing_model"
    assert refusal(lambda: locate("package:a.b/c", NOUN)) == (
        "missing_model",
        "embedder 'x' cannot find its model: got 'package:a.b', wanted an installed package",
    )


def test_a_folder_digest_covers_what_a_loader_reads(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "sub" / "model.safetensors").write_bytes(b"weights")
    before = folder_digest(tmp_path)
    for name in ("README.md", ".hidden.json", "pytorch_model.bin"):
        (tmp_path / name).write_text("more")
    assert folder_digest(tmp_path) == before
    (tmp_path / "sub" / "model.safetensors").write_bytes(b"Weights")
    assert folder_digest(tmp_path) != before
    assert content_digest([("a", tmp_path / "config.json")]) != content_digest([("b", tmp_path / "config.json")])
    (tmp_path / "empty").mkdir()
    assert refusal(lambda: folder_digest(tmp_path / "empty"))[0] == "missing_model"


def test_prompts_that_are_applied_pass() -> None:
    require_prompts({}, [], "")
    require_prompts({"query": "query: "}, ["strip", "prefix:query: "], "")
    require_prompts({"document": "passage: "}, ["prefix:query: "], "passage: ")
    # Not every model that was trained with a prompt declares it.
    require_prompts({}, ["prefix:query: "], "passage: ")
    # A step behind the prefix that undoes it drops it too.
    assert refusal(lambda: require_prompts({"query": "Query: "}, ["prefix:Query: ", "lowercase"], ""))[0] == (
        "missing_prompt"
    )
    assert refusal(lambda: require_prompts({"document": "passage: "}, [], "document: "))[0] == "missing_prompt"
