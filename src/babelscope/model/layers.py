"""A model's layers, found without knowing its architecture, and a way to look at the states that go in and come out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.model.load import Model

Change = Callable[[Tensor], Tensor]
"""From a state [copy, token, dimension] to the one that goes on in its place."""


def layers(model: Model) -> list[torch.nn.Module]:
    """The modules of the outermost list that has one entry per layer, or one for all where layers share their weights."""
    config = model.hf.config.get_text_config()
    sizes = {config.num_hidden_layers, getattr(config, "num_hidden_groups", config.num_hidden_layers)}
    for module in model.hf.modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) in sizes:
            return list(module)
    raise _refusal(model, "there is no list of its layers")


@contextmanager
def watched(model: Model, enter: Change, leave: Change) -> Iterator[None]:
    """Within, one call of the model shows every layer's input to `enter` and its output to `leave`, which may replace them.

    *Laws*: every layer is seen once, in order, and its input is what the layer before it returned; else the model is refused.
    The model is as it was on exit, also after an exception.
    """
    last: list[Tensor] = []

    def before(module: Any, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        found = args[0] if args else named.get("hidden_states")
        if not isinstance(found, Tensor) or found.ndim != 3 or (last and found is not last[-1]):
            raise _refusal(model, "a layer's input is not what the layer before it returned")
        changed = enter(found)
        return ((changed, *args[1:]), named) if args else (args, {**named, "hidden_states": changed})

    def after(module: Any, args: tuple[Any, ...], made: Any) -> Any:
        last.append(leave(made if isinstance(made, Tensor) else made[0]))
        return last[-1] if isinstance(made, Tensor) else (last[-1], *made[1:])

    handles = []
    for module in layers(model):
        handles.append(module.register_forward_pre_hook(before, with_kwargs=True))
        handles.append(module.register_forward_hook(after))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
    if len(last) != model.hf.config.get_text_config().num_hidden_layers:
        raise _refusal(model, f"{len(last)} layers were seen")


def _refusal(model: Model, reason: str) -> UnsupportedModel:
    return UnsupportedModel(
        f"{type(model.hf).__name__} cannot be taken apart layer by layer: {reason}; use a gradient or erasure method"
    )
