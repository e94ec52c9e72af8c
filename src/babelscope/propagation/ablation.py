"""The forward pass with attention heads switched off: does the model need them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from babelscope.errors import UnsupportedModel
from babelscope.model.heads import head_grid
from babelscope.model.load import Model
from babelscope.propagation.rules import FAMILIES
from babelscope.propagation.zeroing import still_weights


class _Ablation(TorchFunctionMode):
    """Within, the output of every head is multiplied by its entry of `keep` [layer][head]."""

    def __init__(self, keep: Sequence[Sequence[float]]) -> None:
        super().__init__()
        self.keep = keep
        self.layer = 0
        self.weights: dict[int, Tensor] = {}
        """Attention weights by identity, which is not reused as long as they are referenced."""

    def begin(self) -> None:
        self.layer = 0
        self.weights.clear()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        family = FAMILIES.get(func)
        result = func(*args, **(kwargs or {}))
        product = family == "matmul" and id(args[0]) in self.weights
        if product or family == "fused_attention":
            return self._ablated(result)
        weighing = family == "softmax" or (
            args and id(args[0]) in self.weights and still_weights(result, args[0])
        )
        if weighing and result.ndim >= 3:
            self.weights[id(result)] = result
        return result

    def _ablated(self, output: Tensor) -> Tensor:
        """The heads' output [batch, head, token, dimension], or with batch and head merged."""
        if self.layer >= len(self.keep):
            raise UnsupportedModel(
                "the model has more products of attention weights and values than layers: its "
                "heads cannot be switched off one by one"
            )
        kept = torch.tensor(self.keep[self.layer], dtype=output.dtype, device=output.device)
        self.layer += 1
        if output.ndim == 4:
            return output * kept.view(1, -1, 1, 1)
        return output * kept.repeat(len(output) // len(kept)).view(-1, 1, 1)


@contextmanager
def heads_kept(model: Model, keep: Mapping[int, Sequence[float]]) -> Iterator[None]:
    """Within, only the heads of `keep` (layer -> 1 or 0 per head) contribute to what the model
    computes; the others' output is zero.

        O[l, h] = keep[l][h] A[l, h] V[l, h]

    *Laws*: a mask of ones changes nothing; equals the model whose output projection is zero in the
    columns of the other heads; the model is restored on exit, also after an exception; nothing is
    taken from a cache or added to it.
    """
    layers, _ = head_grid(model)
    mode = _Ablation([list(keep[layer]) for layer in range(layers)])

    def entered(*_: Any) -> None:
        mode.begin()
        mode.__enter__()  # type: ignore[no-untyped-call]

    def left(*_: Any) -> None:
        mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]

    handles = [
        model.hf.register_forward_pre_hook(entered),
        model.hf.register_forward_hook(left, always_call=True),
    ]
    try:
        with model.inference.without_cache():
            yield
        if mode.layer not in (0, layers):
            raise UnsupportedModel(
                f"{type(model.hf).__name__} has {mode.layer} products of attention weights and "
                f"values in {layers} layers: its heads cannot be switched off one by one"
            )
    finally:
        for handle in handles:
            handle.remove()
