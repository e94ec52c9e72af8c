"""A model's layers, found without knowing its architecture, and access to their inputs and
outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor

from babelscope.errors import InputError, UnsupportedModel
from babelscope.model.load import Model

Change = Callable[[Tensor], Tensor]
"""From a state [copy, token, dimension] to the one that replaces it."""


def layers(model: Model) -> list[torch.nn.Module]:
    """The modules of the outermost list that has one entry per layer, or one for all where layers
    share their weights.
    """
    modules = stack(model.hf)
    if not modules:
        raise _refusal(model, "there is no list of its layers")
    return modules


def stack(hf: Any) -> list[torch.nn.Module]:
    """The same for a bare transformer; empty where there is no such list."""
    config = hf.config.get_text_config()
    sizes = {
        config.num_hidden_layers,
        getattr(config, "num_hidden_groups", config.num_hidden_layers),
    }
    lists = (module for module in hf.modules() if isinstance(module, torch.nn.ModuleList))
    return next((list(module) for module in lists if len(module) in sizes), [])


def freeze(hf: Any, count: int) -> None:
    """Keep the embeddings and the lowest `count` layers as they are: every weight that comes before
    those of the next layer.

    *Laws*: after training these weights are what they were, all others have changed; `count` = 0
    leaves all free.
    *Ours*: positions and the normalisation of the embeddings are kept too, because the layers above
    them expect their scale.
    """
    if not count:
        return
    modules = stack(hf)
    if count >= len(modules) or len(modules) != hf.config.get_text_config().num_hidden_layers:
        raise InputError(
            f"{count} layers cannot be frozen: {type(hf).__name__} has {len(modules)} layers of "
            "its own to fine-tune"
        )
    first = next(modules[count].parameters())
    # Not the head's weights: some models hold them before the layers
    for weight in hf.base_model.parameters():
        if weight is first:
            return
        weight.requires_grad_(False)


@contextmanager
def watched(model: Model, enter: Change, leave: Change) -> Iterator[None]:
    """Within, a call of the model passes every layer's input to `enter` and its output to `leave`,
    which may replace them.

    *Laws*: every layer is seen once, in order, and its input is what the layer before it returned;
    else the model is refused. The model is as it was on exit, also after an exception.
    """
    last: list[Tensor] = []

    def before(
        module: Any, args: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        state = args[0] if args else named.get("hidden_states")
        if not isinstance(state, Tensor) or state.ndim != 3 or (last and state is not last[-1]):
            raise _refusal(model, "a layer's input is not what the layer before it returned")
        changed = enter(state)
        return (
            ((changed, *args[1:]), named) if args else (args, {**named, "hidden_states": changed})
        )

    def after(module: Any, args: tuple[Any, ...], output: Any) -> Any:
        last.append(leave(output if isinstance(output, Tensor) else output[0]))
        return last[-1] if isinstance(output, Tensor) else (last[-1], *output[1:])

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
        f"{type(model.hf).__name__} cannot be decomposed layer by layer: {reason}; use a gradient "
        "or erasure method"
    )
