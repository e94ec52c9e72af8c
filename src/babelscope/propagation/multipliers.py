"""The multipliers of DeepLIFT as functions with a backward pass of their own: see deeplift.py.

The first half of a batch are inputs, the second their references.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor


class Quotient(torch.autograd.Function):
    """A value computed elsewhere; the gradients of inputs and references times one ratio."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, ratio: Tensor) -> Tensor:
        ctx.save_for_backward(ratio)
        return y.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (ratio,) = ctx.saved_tensors
        return (gradients[0].unflatten(0, (2, -1)) * ratio).flatten(0, 1), None, None


class Valued(torch.autograd.Function):
    """The value of one tensor with the gradient of another."""

    @staticmethod
    def forward(ctx: Any, gradient_of: Tensor, value: Tensor) -> Tensor:
        return value.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], None


class Linear(torch.autograd.Function):
    """A linear layer whose gradient is computed for the inputs alone where that of the references
    is 0: what is explained is the value of the inputs, and each text has its own multipliers.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.save_for_backward(weight)
        return torch.nn.functional.linear(x, weight, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (gradient,), (weight,) = gradients, ctx.saved_tensors
        count = len(gradient) // 2
        least, most = gradient[count:].aminmax()
        if len(gradient) % 2 or not least == most == 0:
            return gradient @ weight, None, None
        part = gradient[:count] @ weight
        return torch.cat([part, torch.zeros_like(part)]), None, None


class Product(torch.autograd.Function):
    """A product, element by element or of matrices, whose factors' gradients are those of the
    product with the middle of the other factor.
    """

    @staticmethod
    def forward(
        ctx: Any, left: Tensor, right: Tensor, middle_left: Tensor, middle_right: Tensor, op: Any
    ) -> Tensor:
        ctx.save_for_backward(middle_left, middle_right)
        ctx.of_matrices, ctx.sizes = op is not torch.mul, (left.shape, right.shape)
        result: Tensor = op(left, right)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (gradient,), (left, right) = gradients, ctx.saved_tensors
        if ctx.of_matrices:
            parts = gradient @ right.transpose(-1, -2), left.transpose(-1, -2) @ gradient
        else:
            parts = gradient * right, gradient * left
        return (*(part.sum_to_size(size) for part, size in zip(parts, ctx.sizes)), None, None, None)


class LayerNorm(torch.autograd.Function):
    """(x - mean x) r, r = 1 / sqrt(mean (x - mean x)^2 + eps), times weights, by the multipliers of
    its parts.

        dc = g (r + r') / 2 + q (sum g c_m) (c + c') / n,    q = -(r r')^2 / (r + r')
        dx = dc - mean dc

    c the centred input, c_m the middle of input and reference, g the gradient times the weights, n
    the elements of a norm.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, shape: tuple[int, ...], weight: Tensor | None, bias: Any, eps: float
    ) -> Tensor:
        over = tuple(range(-len(shape), 0))
        centred = x - x.mean(over, keepdim=True)
        # With those of the fused norm, scores were three times as far from those of float64
        root = (centred.square().mean(over, keepdim=True) + eps).rsqrt_()
        ctx.save_for_backward(centred, root, weight)
        ctx.over, ctx.count = over, math.prod(shape)
        result = centred * root
        result = result if weight is None else result.mul_(weight)
        return result if bias is None else result.add_(bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (centred, root, weight), over, count = ctx.saved_tensors, ctx.over, ctx.count
        gradient = gradients[0] if weight is None else gradients[0] * weight
        (x, reference), (r, s) = centred.chunk(2), root.chunk(2)
        total, pair = x + reference, gradient.unflatten(0, (2, -1))
        through = (pair * total).sum(over, keepdim=True)
        through *= -(r * s).square() / ((r + s) * (2 * count))
        parts = (pair * ((r + s) / 2)).addcmul_(through, total).flatten(0, 1)
        return parts.sub_(parts.mean(over, keepdim=True)), None, None, None, None


class LogarithmicMean(torch.autograd.Function):
    """Softmax whose gradient is the Jacobian with l in the place of p.

        dp = l (dx - sum(l dx) / sum(l)),    l = (p - p') / (ln p - ln p')

    Exact: ln p - ln p' = dx - dL with L the logarithm of the sum; l times this sums to sum(p - p')
    = 0, hence dL = sum(l dx) / sum(l).
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weights: Tensor, mean: Tensor, dim: int) -> Tensor:
        ctx.save_for_backward(mean)
        ctx.dim = dim
        return weights.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (mean,) = ctx.saved_tensors
        total = mean.sum(ctx.dim, keepdim=True).clamp_min(torch.finfo(mean.dtype).tiny)
        return (
            mean * (gradients[0] - (mean * gradients[0]).sum(ctx.dim, keepdim=True) / total),
            None,
            None,
            None,
        )
