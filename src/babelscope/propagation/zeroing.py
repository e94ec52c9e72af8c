"""Layer outputs with the value vector of one token set to zero, for every token and every layer, in
one forward pass."""

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
    """Within, attention values are multiplied by `kept` [copy, token]."""

    def __init__(self, kept: Float[Tensor, "copy token"]) -> None:
        super().__init__()
        self.kept = kept
        self.weights: dict[int, Tensor] = {}
        """Attention weights by identity, which is not reused as long as they are referenced
        here."""
        self.products = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        family = FAMILIES.get(func)
        if family == "fused_attention":
            arguments = dict(zip(("query", "key", "value"), args)) | kwargs
            return func(*args[3:], **{**arguments, "value": self._zeroed(arguments["value"])})
        if family == "matmul" and id(args[0]) in self.weights:
            return func(args[0], self._zeroed(args[1]), *args[2:], **kwargs)
        result = func(*args, **kwargs)
        weighing = family == "softmax" or (
            args and id(args[0]) in self.weights and still_weights(result, args[0])
        )
        if weighing and result.ndim >= 3:
            self.weights[id(result)] = result
        return result

    def _zeroed(self, values: Tensor) -> Tensor:
        """The values with one token's set to zero in each copy; heads are the second dimension, or
        part of the first."""
        self.products += 1
        copies, tokens = self.kept.shape
        if values.shape[-2] != tokens or values.shape[0] % copies:
            raise UnsupportedModel(
                "attention values are not one vector per token; use rollout instead"
            )
        kept = self.kept.to(values.dtype).repeat_interleave(values.shape[0] // copies, dim=0)
        return values * kept.view(len(kept), *(1,) * (values.ndim - 3), tokens, 1)


def still_weights(result: Any, weights: Tensor) -> bool:
    """Whether the result is still the weights: after dropout, a cast, or with batch and heads
    merged."""
    return (
        isinstance(result, Tensor)
        and result.is_floating_point()
        and result.shape[-2:] == weights.shape[-2:]
    )


def distances(
    model: Model, queries: Sequence[inference.Query]
) -> list[Float[Tensor, "layer token token"]]:
    """Per query and layer, how far each output (second axis) turns when the value vector of each
    input (last axis) is zero.

    Each token has its own copy of the input; after every layer all copies continue with the
    unchanged output, so that only the current layer is changed. The distance is that of
    `cosine_distance`.
    """

    def look(row: int, call: Callable[[int], Any]) -> Tensor:
        tokens = len(queries[row].ids)
        return torch.cat(
            [
                _zeroed_in(model, call, tokens, group)
                for group in activations.position_groups(model, tokens)
            ],
            dim=-1,
        )

    return activations.forward_copies(model, queries, look)


def _zeroed_in(
    model: Model, call: Callable[[int], Any], tokens: int, group: Tensor
) -> Float[Tensor, "layer token copy"]:
    kept = torch.ones(len(group) + 1, tokens, device=model.device)
    kept[torch.arange(len(group)), group] = 0
    mode = _Zeroing(kept)
    distances_by_layer: list[Tensor] = []

    def leave(state: Tensor) -> Tensor:
        products = mode.products - len(distances_by_layer)
        if products != 1:
            raise UnsupportedModel(
                f"a layer of {type(model.hf).__name__} has {products} products of attention "
                "weights and values where 1 is expected; use rollout instead"
            )
        mode.weights.clear()
        distances_by_layer.append(cosine_distance(state[:-1].double(), state[-1].double()).T.cpu())
        return state[-1:].expand_as(state).contiguous()

    with torch.no_grad(), watched(model, lambda state: state, leave), mode:
        call(len(group) + 1)
    return torch.stack(distances_by_layer)


def cosine_distance(
    changed: Float[Tensor, "copy token dim"], whole: Float[Tensor, "token dim"]
) -> Float[Tensor, "copy token"]:
    """The cosine distance 1 - cos(a, b), as half the squared distance of unit vectors: accurate
    also where it is small."""
    return (F.normalize(changed, dim=-1) - F.normalize(whole, dim=-1)).pow(2).sum(dim=-1) / 2
