"""The building blocks of a modified backward pass: the state of a run, and gradients that differ
from autograd's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from babelscope.errors import UnsupportedModel

Mask = Mapping[int, Any]
"""Layer -> one number per head: what its relevance is multiplied by."""
Family = Callable[..., Any]
"""(run, operation, arguments, keyword arguments) -> result; but for "elementwise": (run, input,
result, function) -> result."""


class Scaled(torch.autograd.Function):
    """The value unchanged; the gradient times a factor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: Any) -> Tensor:
        ctx.factor = factor
        return x.clone()  # not a view: some models modify it in place

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.factor, None


class Ratio(torch.autograd.Function):
    """A value computed elsewhere; the gradient times a ratio, element by element."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, ratio: Tensor) -> Tensor:
        ctx.save_for_backward(ratio)
        return y.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.saved_tensors[0], None, None


@dataclass(eq=False)
class Run:
    """One model under one rule set: where its forward pass is, and what the rules need to
    remember."""

    name: str
    heads: Mask
    hf: Any = None
    """The model, whose modules are named in refusals."""
    inside: int = 0
    """The depth of nested activation modules; each is one element-wise function."""
    layer: int = 0
    """The number of attention matrices computed so far in this forward pass."""
    batch: int = 0
    """The number of texts in this forward pass."""
    gates: set[int] = field(default_factory=set)
    """Identities of activation outputs, which gate what they are multiplied with."""
    kept: list[Tensor] = field(default_factory=list)
    """References to these outputs, so that no identity is reused during the forward pass."""
    attending: dict[int, int] = field(default_factory=dict)
    """The layer of each attention matrix, by identity."""

    def begin(self, batch: int) -> None:
        self.layer = self.inside = 0
        self.batch = batch
        self.forget()

    def forget(self) -> None:
        self.gates.clear()
        self.attending.clear()
        self.kept.clear()

    def attend(self, weights: Tensor) -> Tensor:
        """Registers these as the attention weights of the next layer."""
        if weights.ndim >= 3:
            self.attending[id(weights)] = self.layer
            self.kept.append(weights)
            self.layer += 1
        return weights

    def mask(self, layer: int | None, like: Tensor) -> Tensor | None:
        """The head mask of a layer, shaped to multiply a tensor [batch, head, ..] or [batch x head,
        ..]."""
        if layer is None or layer not in self.heads:
            return None
        factors = torch.as_tensor(self.heads[layer], dtype=like.dtype, device=like.device)
        if like.ndim == 4:
            return factors.view(1, -1, 1, 1)
        return factors.repeat(like.shape[0] // len(factors)).view(-1, 1, 1)

    def refuse(self, what: str) -> UnsupportedModel:
        return UnsupportedModel(
            f"{self.name} has no rule for {what} in {self._where()}; use a gradient or erasure "
            "method"
        )

    def _where(self) -> str:
        """The innermost module that is being called, found among the callers: hooks that follow
        every module took as long as many small operations.
        """
        modules = () if self.hf is None else self.hf.named_modules()
        paths: dict[int, str] = {id(module): path for path, module in modules if path}
        frame = sys._getframe()
        while frame.f_back is not None and id(frame.f_locals.get("self")) not in paths:
            frame = frame.f_back
        return paths.get(id(frame.f_locals.get("self")), "the model")


def moves(x: Any) -> bool:
    """Whether relevance flows through it."""
    return isinstance(x, Tensor) and x.requires_grad


def fixed(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(x.detach() if isinstance(x, Tensor) else x for x in args)


def scaled(x: Tensor, factor: Any) -> Tensor:
    result: Tensor = Scaled.apply(x, factor)  # type: ignore[no-untyped-call]
    return result


def passed(x: Tensor, y: Tensor, ratio: Tensor) -> Tensor:
    result: Tensor = Ratio.apply(x, y, ratio)  # type: ignore[no-untyped-call]
    return result


def plain(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The operation with its ordinary gradient."""
    return op(*args, **kwargs)


def named(names: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Arguments by name, whether they were passed by position or by keyword."""
    return dict(zip(names.split(), args)) | kwargs
