"""The output layer of models in half precision, computed in float32.

A logit of 10 has steps of 0.06 in bfloat16, as large as what many words are worth. The states
before it are rounded too, but their errors average out over the dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn.functional import linear

from babelscope.model.scopes import HALF

if TYPE_CHECKING:
    from babelscope.model.transformer import Model

ROWS = 16384
"""Rows of the weights that are in float32 at a time: no copy of a large vocabulary is held."""
HEADS = ("score", "classifier", "classifier.out_proj", "qa_outputs")
"""Where classifiers have their last layer."""


@contextmanager
def in_float32(hf: Any, tokens: Sequence[int] = ()) -> Iterator[None]:
    """Within, the last linear layer of a model in half precision computes in float32, from states
    and weights as they are; as it was on exit.

        z = W h + b        W, b and h in half precision, products and sums in float32

    With `tokens`, only their logits are computed so, and the others in half precision: where a
    prompt has labels, no others are read alone.

    *Laws*: models in float32 and above are unchanged; z is the product of the rounded states and
    weights (1e-6); the weights are not copied as a whole. Layers that are not plain, such as
    quantized ones, and those whose weights accelerate moves, are left alone.
    """
    layer = output_layer(hf)
    if layer is None or layer.weight.dtype not in HALF or "forward" in vars(layer):
        yield
        return
    vars(layer)["forward"] = partial(_product, layer, sorted(set(tokens)))
    try:
        yield
    finally:
        del vars(layer)["forward"]


def output_layer(hf: Any) -> torch.nn.Linear | None:
    """The linear layer that gives the logits; None where there is no plain one."""
    embeddings = getattr(hf, "get_output_embeddings", lambda: None)()
    layers = [embeddings, *(_at(hf, name) for name in HEADS)]
    return next((layer for layer in layers if type(layer) is torch.nn.Linear), None)


def _at(hf: Any, path: str) -> Any:
    """The module of that name; None where there is none."""
    for name in path.split("."):
        hf = getattr(hf, name, None)
    return hf


def label_tokens(model: Model) -> list[int]:
    """The tokens of the labels' words; none where the model has no verbalizer."""
    words = [ids for entries in model.verbalizer.values() for ids in entries]
    return [token for ids in words for token in ids]


def _product(layer: torch.nn.Linear, tokens: Sequence[int], states: Tensor) -> Tensor:
    if tokens:
        logits = linear(states, layer.weight, layer.bias).float()
        rows = layer.weight[list(tokens)].float()
        bias = None if layer.bias is None else layer.bias[list(tokens)].float()
        logits[..., list(tokens)] = linear(states.float(), rows, bias)
        return logits
    wide = states.float()
    starts = range(0, len(layer.weight), ROWS)
    parts = [linear(wide, layer.weight[start : start + ROWS].float()) for start in starts]
    logits = torch.cat(parts, dim=-1)
    return logits if layer.bias is None else logits + layer.bias.float()
