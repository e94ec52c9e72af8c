"""The rules of AttnLRP and CP-LRP, one function per family of operations.

Sources: Achtibat et al. 2024 (AttnLRP), propositions 3.1 to 3.4; Ali et al. 2022 (CP-LRP).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.propagation.backward import Family, Run, fixed, moves, named, passed, plain, scaled


def elementwise(run: Run, x: Tensor, y: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    """Identity rule: relevance passes an element-wise f unchanged, R_x = R_y, so that the gradient
    is f(x) / x, and f'(0) at 0."""
    before = x.detach()
    tiny = before.abs() < 1e-12
    ratio = y / torch.where(tiny, torch.ones_like(before), before)
    if bool(tiny.any()):
        with torch.enable_grad():
            zero = torch.zeros((), dtype=before.dtype, device=before.device, requires_grad=True)
            (gradient,) = torch.autograd.grad(function(zero), zero)
        ratio = torch.where(tiny, gradient, ratio)
    result = passed(x, y, ratio)
    run.gates.add(id(result))
    run.kept.append(result)
    return result


def constant(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Gates and norms are weights, through which no relevance flows."""
    return op(*fixed(args), **kwargs)


def _softmax_taylor(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """AttnLRP: the first-order expansion, R_x = x (dp/dx . R_p / p), which is the plain
    gradient."""
    return run.attend(op(*args, **kwargs))


def _softmax_constant(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """CP-LRP: the attention weights are constants; only values carry relevance."""
    return run.attend(op(*fixed(args), **kwargs))


def _matmul(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Uniform rule: of a product of two activations each side gets half. A head's relevance is
    multiplied by its mask."""
    product = op(*args, **kwargs)
    if moves(args[0]) and moves(args[1]):
        product = scaled(product, 0.5)
    mask = run.mask(run.attending.get(id(args[0])), product)
    return product if mask is None or not moves(product) else scaled(product, mask)


def added_matmul(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A product of two activations on top of a constant (BLOOM's linear biases by distance): each
    side gets half."""
    arguments = named("input batch1 batch2", args, kwargs)
    product = op(*args, **kwargs)
    if not (moves(arguments["batch1"]) and moves(arguments["batch2"])):
        return product
    if moves(arguments["input"]):
        raise UnsupportedModel(
            f"{run.name} has no rule for three activations in one {op.__name__!r}"
        )
    return scaled(product, 0.5)


def product(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Each factor of an element-wise product gets half; under CP-LRP the gate is a weight."""
    left, right = args[0], args[1]
    if not (moves(left) and moves(right)):
        return op(*args, **kwargs)
    if run.name == "cp_lrp" and (id(left) in run.gates) != (id(right) in run.gates):
        sides = (left.detach(), right) if id(left) in run.gates else (left, right.detach())
        return op(*sides, *args[2:], **kwargs)
    return scaled(op(*args, **kwargs), 0.5)


def quotient(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The divisor is a weight."""
    return op(args[0], *fixed(args[1:]), **kwargs)


def _layer_norm(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The standard deviation is a weight: y = (x - mean x) / sd w + b with sd constant."""
    arguments = named("input normalized_shape weight bias eps", args, kwargs)
    x, eps = arguments["input"], arguments.get("eps", 1e-5)
    over = tuple(range(-len(arguments["normalized_shape"]), 0))
    centred = x - x.mean(over, keepdim=True)
    flat = centred * torch.rsqrt(centred.detach().pow(2).mean(over, keepdim=True) + eps)
    if arguments.get("weight") is not None:
        flat = flat * arguments["weight"]
    return flat if arguments.get("bias") is None else flat + arguments["bias"]


def rms_norm(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The root mean square is a weight."""
    arguments = named("input normalized_shape weight eps", args, kwargs)
    x = arguments["input"]
    eps = arguments.get("eps") or torch.finfo(x.dtype).eps
    over = tuple(range(-len(arguments["normalized_shape"]), 0))
    flat = x * torch.rsqrt(x.detach().pow(2).mean(over, keepdim=True) + eps)
    return flat if arguments.get("weight") is None else flat * arguments["weight"]


LRP: dict[str, Family] = {
    "elementwise": elementwise,
    "affine": plain,
    "convolution": plain,
    "sum": plain,
    "difference": plain,
    "gate": constant,
    "statistic": constant,
    "power": constant,
    "matmul": _matmul,
    "added_matmul": added_matmul,
    "product": product,
    "quotient": quotient,
    "layer_norm": _layer_norm,
    "rms_norm": rms_norm,
}
ATTNLRP = LRP | {"softmax": _softmax_taylor}
CP_LRP = LRP | {"softmax": _softmax_constant}
