"""What a layer returns when the value vector of one token is zero, for every token and every layer, in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.overrides import TorchFunctionMode

from babelscope.errors import UnsupportedModel
from babelscope.model import activations, inference
from babelscope.model.layers import watched
from babelscope.model.load import Model
from babelscope.propagation.rules import FAMILIES


class _Zeroing(TorchFunctionMode):
    """Within, attention weights meet values that are multiplied by `kept` [copy, token]."""

    def __init__(self, kept: Float[Tensor, "copy token"]) -> None:
        super().__init__()
        self.kept = kept
        self.weights: dict[int, Tensor] = {}
        """Attention weights by identity, which they keep as long as they are held here."""
        self.products = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        family = FAMILIES.get(func)
        if family == "fused_attention":
            given = dict(zip(("query", "key", "value"), args)) | kwargs
            return func(*args[3:], **{**given, "value": self._zeroed(given["value"])})
        if family == "matmul" and id(args[0]) in self.weights:
            return func(args[0], self._zeroed(args[1]), *args[2:], **kwargs)
        made = func(*args, **kwargs)
        weighing = family == "softmax" or (args and id(args[0]) in self.weights and made_alike(made, args[0]))
        if weighing and made.ndim >= 3:
            self.weights[id(made)] = made
        return made

    def _zeroed(self, values: Tensor) -> Tensor:
        """The values with the token zero in each copy; heads are the second dimension, or run within the first."""
        self.products += 1
        copies, tokens = self.kept.shape
        if values.shape[-2] != tokens or values.shape[0] % copies:
            raise UnsupportedModel("attention values are not one vector per token")
        kept = self.kept.to(values.dtype).repeat_interleave(values.shape[0] // copies, dim=0)
        return values * kept.view(len(kept), *(1,) * (values.ndim - 3), tokens, 1)


def made_alike(made: Any, weights: Tensor) -> bool:
    """Dropout, another type, batch and heads in one: still the weights."""
    return isinstance(made, Tensor) and made.is_floating_point() and made.shape[-2:] == weights.shape[-2:]


def distances(model: Model, queries: Sequence[inference.Query]) -> list[Float[Tensor, "layer token token"]]:
    """Per query and layer, how far each output (second axis) turns when the value vector of each input (last axis) is zero.

    Each token has its own copy of the input; behind every layer all copies go on with the unchanged output, so that only
    the layer at hand is changed. The distance is that of `turned`.
    """

    def look(row: int, call: Callable[[int], Any]) -> Tensor:
        tokens = len(queries[row].ids)
        return torch.cat(
            [_zeroed_in(model, call, tokens, group) for group in activations.position_groups(model, tokens)], dim=-1
        )

    return activations.forward_copies(model, queries, look)


def _zeroed_in(model: Model, call: Callable[[int], Any], tokens: int, group: Tensor) -> Float[Tensor, "layer token copy"]:
    kept = torch.ones(len(group) + 1, tokens, device=model.device)
    kept[torch.arange(len(group)), group] = 0
    mode = _Zeroing(kept)
    found: list[Tensor] = []

    def leave(state: Tensor) -> Tensor:
        if mode.products != len(found) + 1:
            raise UnsupportedModel(
                f"{type(model.hf).__name__} has {mode.products - len(found)} products of attention weights and values in one "
                "layer where 1 is expected; use rollout instead"
            )
        mode.weights.clear()
        found.append(turned(state[:-1].double(), state[-1].double()).T.cpu())
        return state[-1:].expand_as(state).contiguous()

    with torch.no_grad(), watched(model, lambda state: state, leave), mode:
        call(len(group) + 1)
    return torch.stack(found)


def turned(changed: Float[Tensor, "copy token dim"], whole: Float[Tensor, "token dim"]) -> Float[Tensor, "copy token"]:
    """The cosine distance 1 - cos(a, b), as half the squared distance of unit vectors: no digits are lost where it is small."""
    return (F.normalize(changed, dim=-1) - F.normalize(whole, dim=-1)).pow(2).sum(dim=-1) / 2
