"""The last layer of an encoder at the first position alone, where a classifier reads no other.

The keys and values of the last attention need every position; what follows it does not: the output
projection and the feed-forward block, three quarters of a layer, are computed for one position of
each text. The model's own call, with which outputs are compared, computes all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from babelscope.model.transformer import Model

CLASSIFIERS = frozenset(
    f"{name}ForSequenceClassification"
    for name in ("Bert", "Camembert", "Electra", "Ernie", "Roberta", "XLMRoberta")
)
"""Classifiers of transformers that read the first position, and whose attention ends in a module
that is given the mixed states and the states before it."""


@contextmanager
def first_position_only(model: Model) -> Iterator[None]:
    """Within, the last layer of a known classifier computes the first position alone behind its
    attention; as it was on exit.

    *Laws*: outputs and gradients with respect to the embeddings are those of the whole layer, to
    rounding; other models, and one with hooks, which may read other positions, are left alone.
    """
    module = _behind_attention(model.hf)
    if module is None:
        yield
        return
    handle = module.register_forward_pre_hook(_first_position)
    try:
        yield
    finally:
        handle.remove()


def _first_position(module: torch.nn.Module, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(each[:, :1] for each in states)


def _behind_attention(hf: Any) -> torch.nn.Module | None:
    """The module that follows the last attention; None where all positions are needed."""
    kind = type(hf)
    if kind.__name__ not in CLASSIFIERS or not kind.__module__.startswith("transformers."):
        return None
    config = hf.config
    if config.chunk_size_feed_forward or config.is_decoder or config.output_hidden_states:
        return None
    if _hooked(hf):
        return None
    module: torch.nn.Module = hf.base_model.encoder.layer[-1].attention.output
    return module


def _hooked(hf: Any) -> bool:
    """Whether its modules have hooks besides those of transformers, which record states on request;
    one of the whole sees no positions.
    """
    hooks = (
        hook
        for module in hf.modules()
        for hook in (*module._forward_hooks.values(), *module._forward_pre_hooks.values())
        if module is not hf
    )
    return any(
        not str(getattr(hook, "__module__", "")).startswith("transformers.") for hook in hooks
    )
