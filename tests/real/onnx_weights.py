"""The weights of a BERT from an ONNX file, by the names that transformers gives them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from babelscope.errors import InputError

BUFFERS = ("position_ids", "token_type_ids")
"""What a model counts itself and no file needs to hold."""
PRODUCTS = ("MatMul", "MatMulInteger")


def fill(
    model: Any,
    file: Path,
    *,
    prefix: str = "",
    rename: Callable[[str], str] = lambda name: name,
) -> None:
    """Gives the model the weights of the file; `prefix` and `rename` lead from its names to
    those of the file."""
    state = model.state_dict()
    stored = _weights(file, [rename(name) for name in state], prefix)
    weights = {name: stored[rename(name)] for name in state if rename(name) in stored}
    missing = [name for name in state.keys() - weights.keys() if not name.endswith(BUFFERS)]
    if missing:
        raise InputError(
            f"{file.name} lacks {len(missing)} weights, {', '.join(sorted(missing)[:3])}"
        )
    fitting = {
        name: weight if weight.shape == state[name].shape else weight.T.contiguous()
        for name, weight in weights.items()
    }
    model.load_state_dict(fitting, strict=False)


def _weights(file: Path, names: Sequence[str], prefix: str) -> dict[str, torch.Tensor]:
    """The tensors that have one of these names, or feed a product whose node has it: exporters
    store the matrices of linear layers transposed, under names of their own."""
    import onnx  # type: ignore[import-not-found, unused-ignore]

    graph = onnx.load(str(file)).graph
    stored = {item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer}
    products = [node for node in graph.node if node.op_type in PRODUCTS]
    integer = {name for node in products if node.op_type == PRODUCTS[1] for name in node.input}
    weights = {}
    for name in names:
        for key in (prefix + name, f"{prefix}{name}_quantized"):
            if key in stored:
                matrix = _dequantised(stored, key)
                weights[name] = _tensor(matrix.T if key in integer else matrix)
    for node in products:
        layer = re.sub(r"_quant$", "", node.name).strip("/").rpartition("/")[0].replace("/", ".")
        name = layer.removeprefix(prefix) + ".weight"
        matrices = [key for key in node.input if key in stored and stored[key].ndim == 2]
        if matrices and name in names and name not in weights:
            weights[name] = _tensor(_dequantised(stored, matrices[0]).T)
    return weights


def _dequantised(stored: Mapping[str, Any], key: str) -> Any:
    """w = (q - zero point) scale, where the file holds integers q."""
    if not key.endswith("_quantized"):
        return stored[key]
    base = key.removesuffix("_quantized")
    zero, scale = (stored[base + end].astype(np.float32) for end in ("_zero_point", "_scale"))
    return (stored[key].astype(np.float32) - zero) * scale


def _tensor(matrix: Any) -> torch.Tensor:
    return torch.tensor(np.ascontiguousarray(matrix))
