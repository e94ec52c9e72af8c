"""The rules of Chefer, Gur and Wolf 2021a, on which masked relevance propagation is built.

Relevance is R = x g at every tensor x, with g the propagated gradient. Where the paper's rule
divides R by the tensor itself, that quotient is g: only the divisions written below are carried
out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from babelscope.propagation.attnlrp import LRP
from babelscope.propagation.backward import Family, Run, fixed, moves, named, passed, scaled


class _Positive(torch.autograd.Function):
    """z = W x + b; relevance goes to the parts of x that increase z.

        Z = W+ x+ + W- x-,    R_x = x+ (W+' S) + x- (W-' S),    S = R / Z

    + and - the positive and negative parts.

    *Laws*: the sum of R_x is the sum of R wherever Z > 0; the bias gets nothing.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        z = F.linear(x, weight, bias)
        ctx.save_for_backward(x, weight, z)
        return z

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, weight, z = ctx.saved_tensors
        up, down = weight.clamp(min=0), weight.clamp(max=0)
        total = F.linear(torch.cat([x.clamp(min=0), x.clamp(max=0)], -1), torch.cat([up, down], -1))
        share = _divided(gradients[0] * z, total)
        return torch.where(x > 0, share @ up, torch.where(x < 0, share @ down, 0.0)), None, None


class _Split(torch.autograd.Function):
    """z = a + b; each text's relevance is split between the two in proportion to the absolute
    values of their sums.

        R_a = a g c_a,    c_a = |r_a| / (|r_a| + |r_b|) (r_a + r_b) / r_a

    r_a = sum a g over one text; b likewise.

    *Laws*: the total of a text is kept; texts of a batch do not influence one another.
    """

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, batch: int) -> Tensor:
        ctx.save_for_backward(a, b)
        ctx.batch = batch
        return a + b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        a, b = ctx.saved_tensors
        g = gradients[0]
        sum_a, sum_b = (_per_text(part * g, ctx.batch) for part in (a, b))
        size = sum_a.abs() + sum_b.abs()
        factors = [
            _divided(_divided(part.abs(), size) * (sum_a + sum_b), part) for part in (sum_a, sum_b)
        ]
        parts = [
            (g.reshape(ctx.batch, -1) * factor).view_as(g).sum_to_size(x.shape)
            for x, factor in zip((a, b), factors)
        ]
        return parts[0], parts[1], None


def _per_text(x: Tensor, batch: int) -> Tensor:
    return x.reshape(batch, -1).sum(1, keepdim=True)


def _divided(above: Tensor, below: Tensor) -> Tensor:
    """above / below, and 0 where below is 0."""
    none = below == 0
    return torch.where(
        none, torch.zeros_like(above), above / torch.where(none, torch.ones_like(below), below)
    )


def _affine(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if op.__name__ == "addmm":  # GPT-2's Conv1D is a linear layer
        arguments = named("bias input weight", args, kwargs)
        arguments["weight"] = arguments["weight"].t()
    else:
        arguments = named("input weight bias", args, kwargs)
    if not moves(arguments["input"]):
        return op(*args, **kwargs)
    return _Positive.apply(arguments["input"], arguments["weight"], arguments.get("bias"))  # type: ignore[no-untyped-call]


def _product(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """GPT-2's layers z = x W + b as the released code of masked relevance propagation has them: a
    product, of which x gets half as if W were an activation, and a sum, of which b keeps its share.

        R_x = x (W' S) / 2,    S = R_xW / (x W)

    *Laws*: without a bias half of the relevance is passed on; other linear layers are unchanged.
    """
    if op.__name__ != "addmm":
        return _affine(run, op, args, kwargs)
    arguments = named("bias input weight", args, kwargs)
    if not moves(arguments["input"]):
        return op(*args, **kwargs)
    product = scaled(torch.mm(arguments["input"], arguments["weight"]), 0.5)
    return _Split.apply(product, arguments["bias"].expand_as(product), run.batch)  # type: ignore[no-untyped-call]


def _convolution(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    if moves(args[0]):
        raise run.refuse(f"the operation {op.__name__!r}")
    return op(*args, **kwargs)


def _sum(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Of two tensors the one that is no activation (a mask, a position embedding) keeps its share,
    which is lost."""
    return _shared(run, op, args, kwargs, 1)


def _difference(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    return _shared(run, op, args, kwargs, -1)


def _shared(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], sign: int
) -> Any:
    both = isinstance(args[0], Tensor) and isinstance(args[1], Tensor)
    if not both or not (moves(args[0]) or moves(args[1])):
        return op(*args, **kwargs)
    left, right = args[:2] if op.__name__ not in ("__rsub__", "__radd__") else args[1::-1]
    wide = torch.broadcast_shapes(left.shape, right.shape)  # type: ignore[no-untyped-call]
    factor = sign * kwargs.get("alpha", 1)
    return _Split.apply(
        left.expand(wide), (right if factor == 1 else right * factor).expand(wide), run.batch
    )  # type: ignore[no-untyped-call]


def _layer_norm(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Relevance passes unchanged, element by element."""
    x = args[0]
    return _unchanged(x, op(*fixed(args), **kwargs), 1.0) if moves(x) else op(*args, **kwargs)


def _softmax(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Relevance passes unchanged; of the relevance of a head's weights, half, times the mask, is
    passed on (see `_matmul`)."""
    x, layer = args[0], run.layer
    weights = op(*fixed(args), **kwargs)
    if moves(x):
        weights = _unchanged(x.to(weights.dtype), weights, 0.0)
    if weights.ndim < 3:
        return weights
    mask = run.mask(layer, weights)
    return run.attend(scaled(weights, 0.5 if mask is None else 0.5 * mask) if moves(x) else weights)


def _matmul(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Each side of a product of two activations gets half. The attention weights were halved and
    masked after their softmax, so that the gradient at the weights themselves, which rollout uses,
    is neither halved nor masked."""
    left, right = args[0], args[1]
    if not (moves(left) and moves(right)):
        return op(*args, **kwargs)
    layer = run.attending.get(id(left))
    if layer is None:
        return scaled(op(*args, **kwargs), 0.5)
    mask = run.mask(layer, right)
    return op(left, scaled(right, 0.5 if mask is None else 0.5 * mask), *args[2:], **kwargs)


def _unchanged(x: Tensor, y: Tensor, at_zero: float) -> Tensor:
    before = x.detach()
    tiny = before.abs() < 1e-12
    ratio = torch.where(
        tiny, torch.full_like(y, at_zero), y / torch.where(tiny, torch.ones_like(before), before)
    )
    return passed(x, y, ratio)


CHEFER: dict[str, Family] = LRP | {
    "affine": _affine,
    "convolution": _convolution,
    "sum": _sum,
    "difference": _difference,
    "layer_norm": _layer_norm,
    "softmax": _softmax,
    "matmul": _matmul,
}
CHEFER_PRODUCTS: dict[str, Family] = CHEFER | {"affine": _product}
"""The same with GPT-2's layers as products."""
