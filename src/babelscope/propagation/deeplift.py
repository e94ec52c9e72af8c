"""The rules of DeepLIFT that make its scores complete on any transformer.

The model reads inputs and references in one call: the first half of the batch are the inputs x, the
second their references x'. Every activation has the same halves, and every multiplier m satisfies m
(x - x') = y - y' exactly:

    element-wise f    (f(x) - f(x')) / (x - x'); the gradient halfway where the two are almost equal
    square            x + x'
    1 / sqrt          -1 / (sqrt x sqrt x' (sqrt x + sqrt x'))
    reciprocal        -1 / (x x')
    product a b       of a the mean of b and b', of b the mean of a and a'
    softmax           l (g - sum l g / sum l), l the logarithmic mean of p and p'
    norms             by their parts: centre, square, mean, 1 / sqrt, product

Source: Shrikumar, Greenside and Kundaje 2017 (the rescale rule); the products and the softmax are
ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from babelscope.propagation.backward import Family, Run, moves, named, passed, plain
from babelscope.propagation.multipliers import (
    LayerNorm,
    Linear,
    LogarithmicMean,
    Product,
    Quotient,
    Valued,
)


def _halves(run: Run, x: Tensor) -> tuple[Tensor, Tensor]:
    if x.ndim == 0 or len(x) % 2:
        raise run.refuse("a tensor without texts in its first dimension")
    inputs, references = x.detach().chunk(2)
    return inputs, references


def _both(half: Tensor) -> Tensor:
    return torch.cat([half, half])


def _middle(run: Run, x: Tensor) -> Tensor:
    inputs, references = _halves(run, x)
    return _both((inputs + references) / 2)


def elementwise(run: Run, x: Tensor, y: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """The difference quotient; in float64 where input and reference are within NEAR, since in
    float32 its rounding error was up to 6e-4 of the largest score on a 12-layer BERT. Where they
    are so close that it would be rounding error even so, the gradient halfway between them, unless
    the two differ by more than rounding: then there is a kink between."""
    (x1, x0), (y1, y0) = _halves(run, x), _halves(run, y)
    difference = x1 - x0
    ratio = (y1 - y0).div_(difference)
    # Lower precisions are too coarse everywhere
    limit = NEAR if x.dtype == torch.float32 else CLOSE if x.dtype == torch.float64 else torch.inf
    near = difference.abs_() <= x0.abs().add_(1).mul_(limit)
    (places,) = near.flatten().nonzero(as_tuple=True)
    if len(places):
        parts = [part.flatten()[places] for part in (x1, x0)]
        ratio = ratio.contiguous()  # of a transposed activation it is not
        ratio.view(-1)[places] = _quotient_of_near(function, *parts).to(x.dtype)
    result: Tensor = Quotient.apply(x, y, ratio)  # type: ignore[no-untyped-call]
    return result


NEAR = 2.0**-6
"""Input and reference x, x' are near if |x - x'| is at most so many 1 + |x'|."""
CLOSE = torch.finfo(torch.float64).eps ** (1 / 3)
"""The same of those whose quotient would be rounding error in float64."""


def _quotient_of_near(function: Callable[[Tensor], Tensor], x: Tensor, reference: Tensor) -> Tensor:
    """In float64 the difference quotient of inputs and references, which may be close."""
    x1, x0 = x.double(), reference.double()
    y1, y0 = function(x1), function(x0)
    ratio = (y1 - y0) / (x1 - x0)
    close = (x1 - x0).abs() <= x0.abs().add_(1).mul_(CLOSE)
    if bool(close.any()):
        ratio[close] = _halfway(function, x1[close], x0[close], y1[close], y0[close])
    return ratio


def _halfway(
    function: Callable[[Tensor], Tensor], x1: Tensor, x0: Tensor, y1: Tensor, y0: Tensor
) -> Tensor:
    """The gradient halfway between inputs and references that are close, their difference quotient
    where there is a kink between them."""
    difference, eps = x1 - x0, torch.finfo(torch.float64).eps
    divisor = torch.where(difference == 0, torch.ones_like(difference), difference)
    ratio = (y1 - y0) / divisor
    with torch.enable_grad():
        middle = ((x1 + x0) / 2).requires_grad_(True)
        (gradient,) = torch.autograd.grad(function(middle).sum(), middle)
    noise = 4 * eps * (y1.abs() + y0.abs()) / divisor.abs()
    smooth = (difference == 0) | ((gradient - ratio).abs() <= noise + 1e-4)
    return torch.where(smooth, gradient, ratio)


def _square(x: Tensor, reference: Tensor) -> Tensor:
    return x + reference


def _root(x: Tensor, reference: Tensor) -> Tensor:
    return 1 / (x.sqrt() + reference.sqrt())


def _inverse_root(x: Tensor, reference: Tensor) -> Tensor:
    return -1 / (x.sqrt() * reference.sqrt() * (x.sqrt() + reference.sqrt()))


def _reciprocal(x: Tensor, reference: Tensor) -> Tensor:
    return -1 / (x * reference)


CLOSED = {"square": _square, "sqrt": _root, "rsqrt": _inverse_root, "reciprocal": _reciprocal}
"""Multipliers without a difference of almost equal numbers."""


def _closed(run: Run, x: Tensor, y: Tensor, name: str) -> Tensor:
    return passed(x, y, _both(CLOSED[name](*_halves(run, x)))) if moves(x) else y


def _function(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A gate, a norm's statistic or a power."""
    x = args[0]
    if not moves(x):
        return op(*args, **kwargs)
    if any(isinstance(each, Tensor) and each.numel() > 1 for each in args[1:]):
        raise run.refuse("a power with several exponents")
    y = op(x.detach(), *args[1:], **kwargs)
    name = "square" if "pow" in op.__name__ and args[1] == 2 else op.__name__
    if name in CLOSED:
        return _closed(run, x, y, name)
    return elementwise(run, x, y, lambda t: op(t, *args[1:], **kwargs))


OF_MATRICES = frozenset(("matmul", "__matmul__", "bmm", "mm"))
"""Names of products of matrices; the others are element by element."""


def _affine(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if op is not torch.nn.functional.linear:
        return op(*args, **kwargs)
    arguments = named("input weight bias", args, kwargs)
    x, weight, bias = (arguments.get(name) for name in ("input", "weight", "bias"))
    if not moves(x) or moves(weight) or moves(bias):
        return op(*args, **kwargs)
    return Linear.apply(x, weight, bias)  # type: ignore[no-untyped-call]


def _bilinear(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    left, right = args[0], args[1]
    if not (moves(left) and moves(right)):
        return op(*args, **kwargs)
    op = torch.matmul if op.__name__ in OF_MATRICES else torch.mul
    middles = _middle(run, left), _middle(run, right)
    if op is torch.matmul and min(left.ndim, right.ndim) < 2:
        parts = op(left, middles[1]) + op(middles[0], right)
        return Valued.apply(parts, op(left.detach(), right.detach()))  # type: ignore[no-untyped-call]
    return Product.apply(left, right, *middles, op)  # type: ignore[no-untyped-call]


def _added_matmul(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    arguments = named("input batch1 batch2", args, kwargs)
    left, right = arguments["batch1"], arguments["batch2"]
    if not (moves(left) and moves(right)):
        return op(*args, **kwargs)
    more = {name: kwargs[name] for name in ("alpha", "beta") if name in kwargs}
    rest = torch.zeros_like(arguments["input"])
    parts = op(arguments["input"], left, _middle(run, right), **more) + op(
        rest, _middle(run, left), right, **more
    )
    return Valued.apply(parts, op(arguments["input"], left, right, **more).detach())  # type: ignore[no-untyped-call]


def _quotient(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    below = args[1]
    if not moves(below):
        return op(*args, **kwargs)
    return _bilinear(
        run,
        torch.mul,
        (args[0], _closed(run, below, below.detach().reciprocal(), "reciprocal")),
        {},
    )


def _normed(run: Run, x: Tensor, over: tuple[int, ...], eps: float) -> Tensor:
    squared = _closed(run, x, x.detach().square(), "square")
    spread = squared.mean(over, keepdim=True) + eps
    result: Tensor = _bilinear(
        run, torch.mul, (x, _closed(run, spread, spread.detach().rsqrt(), "rsqrt")), {}
    )
    return result


def _layer_norm(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    arguments = named("input normalized_shape weight bias eps", args, kwargs)
    x, shape = arguments["input"], tuple(arguments["normalized_shape"])
    if not moves(x):
        return op(*args, **kwargs)
    _halves(run, x)  # refused where there are none
    rest = arguments.get("weight"), arguments.get("bias"), arguments.get("eps", 1e-5)
    result: Tensor = LayerNorm.apply(x, shape, *rest)  # type: ignore[no-untyped-call]
    return result


def _rms_norm(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    arguments = named("input normalized_shape weight eps", args, kwargs)
    x = arguments["input"]
    if not moves(x):
        return op(*args, **kwargs)
    over = tuple(range(-len(arguments["normalized_shape"]), 0))
    result = _normed(run, x, over, arguments.get("eps") or torch.finfo(x.dtype).eps)
    return result if arguments.get("weight") is None else result * arguments["weight"]


def _softmax(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    arguments = named("input dim", args, kwargs)
    x, dim = arguments["input"], arguments["dim"]
    weights = op(*args, **kwargs)
    if not moves(x):
        return run.attend(weights)
    x = x.to(weights.dtype)
    # In float64, as the difference quotients
    logs = [torch.log_softmax(half.double(), dim) for half in _halves(run, x)]
    mean = logarithmic_mean(*logs).to(weights.dtype)
    result: Tensor = LogarithmicMean.apply(x, weights.detach(), _both(mean), dim)  # type: ignore[no-untyped-call]
    return run.attend(result)


def logarithmic_mean(log_p: Tensor, log_q: Tensor) -> Tensor:
    """(p - q) / (ln p - ln q) from the logarithms; p where they are equal; 0 where either is 0 in
    both.

        max(p, q) (1 - exp(-d)) / d,    d = |ln p - ln q|

    has no difference of almost equal numbers.

    *Laws*: symmetric; between the geometric and the arithmetic mean.
    """
    difference = (log_p - log_q).abs_()
    zero = ~torch.isfinite(difference)
    difference[zero] = 0
    shrunk = torch.expm1(-difference).neg_().div_(difference)
    shrunk[difference == 0] = 1
    return torch.maximum(log_p, log_q).exp_().mul_(shrunk).masked_fill_(zero, 0)


DEEPLIFT: dict[str, Family] = {
    "elementwise": elementwise,
    "affine": _affine,
    "convolution": plain,
    "sum": plain,
    "difference": plain,
    "gate": _function,
    "statistic": _function,
    "power": _function,
    "softmax": _softmax,
    "matmul": _bilinear,
    "added_matmul": _added_matmul,
    "product": _bilinear,
    "quotient": _quotient,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
}
