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
    """Identity rule: relevance passes an element-wise f unchanged, R_x = R_y, so the gradient is f(x) / x, and f'(0) at 0."""
    before = x.detach()
    tiny = before.abs() < 1e-12
    ratio = y / torch.where(tiny, torch.ones_like(before), before)
    if bool(tiny.any()):
        with torch.enable_grad():
            zero = torch.zeros((), dtype=before.dtype, device=before.device, requires_grad=True)
            (slope,) = torch.autograd.grad(function(zero), zero)
        ratio = torch.where(tiny, slope, ratio)
    made = passed(x, y, ratio)
    run.gates.add(id(made))
    run.kept.append(made)
    return made


def constant(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Gates, norms and their like are weights, through which no relevance flows."""
    return op(*fixed(args), **kwargs)


def _softmax_taylor(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """AttnLRP: the first-order expansion, R_x = x (dp/dx . R_p / p), which is the plain gradient."""
    return run.attend(op(*args, **kwargs))


def _softmax_constant(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """CP-LRP: the attention weights are constants; only values carry relevance."""
    return run.attend(op(*fixed(args), **kwargs))


def _matmul(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Uniform rule: of a product of two activations each side gets half. A head's relevance is multiplied by its mask."""
    product = op(*args, **kwargs)
    if moves(args[0]) and moves(args[1]):
        product = scaled(product, 0.5)
    mask = run.mask(run.attending.get(id(args[0])), product)
    return product if mask is None or not moves(product) else scaled(product, mask)


def added_matmul(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A product of two activations on top of a constant (BLOOM's slopes by distance): each side gets half."""
    given = named("input batch1 batch2", args, kwargs)
    product = op(*args, **kwargs)
    if not (moves(given["batch1"]) and moves(given["batch2"])):
        return product
    if moves(given["input"]):
        raise UnsupportedModel(f"{run.name} has no rule for three activations in one {op.__name__!r}")
    return scaled(product, 0.5)


def product(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Element by element each side gets half; under CP-LRP the side that gates is a weight."""
    one, two = args[0], args[1]
    if not (moves(one) and moves(two)):
        return op(*args, **kwargs)
    if run.name == "cp_lrp" and (id(one) in run.gates) != (id(two) in run.gates):
        sides = (one.detach(), two) if id(one) in run.gates else (one, two.detach())
        return op(*sides, *args[2:], **kwargs)
    return scaled(op(*args, **kwargs), 0.5)


def quotient(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is divided by is a weight."""
    return op(args[0], *fixed(args[1:]), **kwargs)


def _layer_norm(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The standard deviation is a weight: y = (x - mean x) / sd w + b with sd held fixed."""
    given = named("input normalized_shape weight bias eps", args, kwargs)
    x, eps = given["input"], given.get("eps", 1e-5)
    over = tuple(range(-len(given["normalized_shape"]), 0))
    middle = x - x.mean(over, keepdim=True)
    flat = middle * torch.rsqrt(middle.detach().pow(2).mean(over, keepdim=True) + eps)
    if given.get("weight") is not None:
        flat = flat * given["weight"]
    return flat if given.get("bias") is None else flat + given["bias"]


def rms_norm(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The root mean square is a weight."""
    given = named("input normalized_shape weight eps", args, kwargs)
    x = given["input"]
    eps = given.get("eps") or torch.finfo(x.dtype).eps
    over = tuple(range(-len(given["normalized_shape"]), 0))
    flat = x * torch.rsqrt(x.detach().pow(2).mean(over, keepdim=True) + eps)
    return flat if given.get("weight") is None else flat * given["weight"]


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
