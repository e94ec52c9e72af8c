"""Applying a method to tokenized inputs, in the state and precision that it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

import torch

from babelscope.errors import UnsupportedModel
from babelscope.methods.row import Method
from babelscope.model.load import Model
from babelscope.model.memory import check_conversion
from babelscope.types import AnyTarget, Encoded, Explained


def unmet(model: Model, row: Method) -> str:
    """What a method needs that the model does not have, in one line; empty where it has all, as far
    as that is known without running it."""
    if row.attentions and model.unseen_attention:
        return (
            f"{row.name} reads attention weights, but {model.unseen_attention}; use another method"
        )
    if row.gradients and model.unseen_embeddings:
        return (
            f"{row.name} needs gradients, but {model.unseen_embeddings}; use an erasure method "
            "such as occlusion"
        )
    if row.family == "propagation" and not model.has_layers:
        return (
            f"{row.name} passes relevance back through layers, and {type(model.hf).__name__} has "
            "none; use a gradient or erasure method"
        )
    return ""


def check_method(model: Model, row: Method) -> None:
    """Refuses a method that needs what the model does not have."""
    if reason := unmet(model, row):
        raise UnsupportedModel(reason)
    if row.precise and model.quantized:
        raise UnsupportedModel(
            f"{row.name} needs {row.precise} weights, and those of {model.name} are quantized; "
            "load it without quantization, or use another method"
        )
    if row.precise and not model.row.reads_text:
        check_conversion(model, getattr(torch, row.precise), row.name)


def apply_method(
    model: Model, method: Method, options: Mapping[str, Any], seed: int,
    encoded: Sequence[Encoded], explained: Sequence[AnyTarget],
) -> list[Explained]:  # fmt: skip
    """The method's scores, in the precision that it needs."""
    seeded = {"seed": seed} if method.seeded else {}
    targets: Any = explained  # goals only where the method is of one pass
    stored = str(model.embeddings.weight.dtype).removeprefix("torch.") if method.precise else ""
    with ready(model, method) as upcast:
        results = list(method.function(model, encoded, targets, **options, **seeded))
    if not upcast:
        return results
    # Where scores differ from those of a model loaded in float32, it is because of the weights
    flag = f"computed in {method.precise} with weights rounded to {stored}"
    return [replace(each, flags=(*each.flags, flag)) for each in results]


@contextmanager
def ready(model: Model, method: Method) -> Iterator[bool]:
    """Within, gradients are computed, also where the caller has switched them off, and the model is
    in the precision that the method needs; whether it was in half."""
    precision = (
        model.full_precision(getattr(torch, method.precise))
        if method.precise
        else nullcontext(False)
    )
    with torch.inference_mode(False), torch.enable_grad(), precision as upcast:
        yield upcast
