"""The parts of an altered backward pass: what a run knows, and gradients that differ from the value's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from babelscope.errors import UnsupportedModel

Mask = Mapping[int, Any]
"""Layer -> one number per head: what its relevance is multiplied by."""
Family = Callable[..., Any]
"""(run, operation, arguments, keyword arguments) -> result; but for "elementwise": (run, input, result, function) -> result."""


class Scaled(torch.autograd.Function):
    """The value as it is; the gradient times a factor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: Any) -> Tensor:
        ctx.factor = factor
        return x.clone()  # not a view: some models go on in place

    @staticmethod
    def backward(ctx: Any, *slopes: Any) -> Any:
        return slopes[0] * ctx.factor, None


class Ratio(torch.autograd.Function):
    """A value computed elsewhere; the gradient times a given ratio, element by element."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, ratio: Tensor) -> Tensor:
        ctx.save_for_backward(ratio)
        return y.clone()

    @staticmethod
    def backward(ctx: Any, *slopes: Any) -> Any:
        return slopes[0] * ctx.saved_tensors[0], None, None


@dataclass(eq=False)
class Run:
    """One model under one rule set: where it is, and what it keeps."""

    name: str
    heads: Mask
    stack: list[str] = field(default_factory=list)
    inside: int = 0
    """How many activation modules we are in; each is one element-wise function."""
    layer: int = 0
    """How many attention matrices have been computed in this call."""
    batch: int = 0
    """How many texts this call has."""
    gates: set[int] = field(default_factory=set)
    """Results of activations, which gate what they are multiplied with."""
    kept: list[Tensor] = field(default_factory=list)
    """These results, so that their identity stays theirs during the call."""
    attending: dict[int, int] = field(default_factory=dict)
    """Attention matrices by identity, and their layer."""

    def begin(self, batch: int) -> None:
        self.stack.clear()
        self.layer = self.inside = 0
        self.batch = batch
        self.forget()

    def forget(self) -> None:
        self.gates.clear()
        self.attending.clear()
        self.kept.clear()

    def attend(self, weights: Tensor) -> Tensor:
        """Notes that these are the attention weights of the next layer."""
        if weights.ndim >= 3:
            self.attending[id(weights)] = self.layer
            self.kept.append(weights)
            self.layer += 1
        return weights

    def mask(self, layer: int | None, like: Tensor) -> Tensor | None:
        """The head mask of a layer, shaped to multiply something with heads in it: [batch, head, ..] or [batch x head, ..]."""
        if layer is None or layer not in self.heads:
            return None
        factors = torch.as_tensor(self.heads[layer], dtype=like.dtype, device=like.device)
        if like.ndim == 4:
            return factors.view(1, -1, 1, 1)
        return factors.repeat(like.shape[0] // len(factors)).view(-1, 1, 1)

    def refuse(self, what: str) -> UnsupportedModel:
        where = self.stack[-1] if self.stack else "the model"
        return UnsupportedModel(f"{self.name} has no rule for {what} in {where}; use a gradient or erasure method")


def moves(x: Any) -> bool:
    """Whether relevance flows through it."""
    return isinstance(x, Tensor) and x.requires_grad


def fixed(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(x.detach() if isinstance(x, Tensor) else x for x in args)


def scaled(x: Tensor, factor: Any) -> Tensor:
    made: Tensor = Scaled.apply(x, factor)  # type: ignore[no-untyped-call]
    return made


def passed(x: Tensor, y: Tensor, ratio: Tensor) -> Tensor:
    made: Tensor = Ratio.apply(x, y, ratio)  # type: ignore[no-untyped-call]
    return made


def plain(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The operation with its own gradient."""
    return op(*args, **kwargs)


def named(names: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name, however they were given."""
    return dict(zip(names.split(), args)) | kwargs
