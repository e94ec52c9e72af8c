"""Scoped changes of the backward pass: relevance propagation on an unmodified model.

Inside `rules(model, name)` the model's own forward call runs under a torch function mode. A few families of operations get
another backward rule; every forward value stays what it was, and outside of the model's call nothing changes: the explained
value is differentiated as usual. Gradient times input under the rules is then layer-wise relevance propagation.

An operation is in one of two tables, FAMILIES (a rule per rule set) and PLAIN (shape and linear operations, whose gradient
times input is the epsilon rule already), or in neither. The last raises and is named: half a method would look like a result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from babelscope.errors import UnsupportedModel
from babelscope.model.load import Model

Mask = Mapping[int, Any]
"""Layer -> one number per head: what its relevance is multiplied by."""


class _Scaled(torch.autograd.Function):
    """The value as it is; the gradient times a factor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: Any) -> Tensor:
        ctx.factor = factor
        return x.clone()  # not a view: some models go on in place

    @staticmethod
    def backward(ctx: Any, *slopes: Any) -> Any:
        return slopes[0] * ctx.factor, None


class _Ratio(torch.autograd.Function):
    """A value computed elsewhere; the gradient times a given ratio, element by element."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, ratio: Tensor) -> Tensor:
        ctx.save_for_backward(ratio)
        return y.view_as(y)

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
    gates: set[int] = field(default_factory=set)
    """Results of activations, which gate what they are multiplied with."""
    kept: list[Tensor] = field(default_factory=list)
    """These results, so that their identity stays theirs during the call."""
    attending: dict[int, int] = field(default_factory=dict)
    """Attention matrices by identity, and their layer."""

    def begin(self) -> None:
        self.stack.clear()
        self.layer = self.inside = 0
        self.forget()

    def forget(self) -> None:
        self.gates.clear()
        self.attending.clear()
        self.kept.clear()


def moves(x: Any) -> bool:
    """Whether relevance flows through it."""
    return isinstance(x, Tensor) and x.requires_grad


def fixed(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(x.detach() if isinstance(x, Tensor) else x for x in args)


# One function per family: (run, operation, arguments, keyword arguments) -> result.


def _activation(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Identity rule: relevance passes an element-wise f unchanged, R_x = R_y, so the gradient is f(x) / x."""
    x = args[0]
    if not moves(x):
        return op(*args, **kwargs)
    return _identity(run, x.detach(), op(*fixed(args), **kwargs), x, op)


def _identity(run: Run, before: Tensor, after: Tensor, x: Tensor, op: Callable[..., Any]) -> Tensor:
    tiny = before.abs() < 1e-12
    ratio = after / torch.where(tiny, torch.ones_like(before), before)
    if bool(tiny.any()):
        with torch.enable_grad():
            zero = torch.zeros((), dtype=before.dtype, device=before.device, requires_grad=True)
            (slope,) = torch.autograd.grad(op(zero), zero)
        ratio = torch.where(tiny, slope, ratio)
    made: Tensor = _Ratio.apply(x, after, ratio)  # type: ignore[no-untyped-call]
    run.gates.add(id(made))
    run.kept.append(made)
    return made


def _constant(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Gates, norms and their like are weights, through which no relevance flows."""
    return op(*fixed(args), **kwargs)


def _softmax_taylor(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """AttnLRP: the first-order expansion, R_x = x (dp/dx . R_p / p), which is the plain gradient."""
    return _attending(run, op(*args, **kwargs))


def _softmax_constant(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """CP-LRP: the attention weights are constants; only values carry relevance."""
    return _attending(run, op(*fixed(args), **kwargs))


def _attending(run: Run, weights: Tensor) -> Tensor:
    if weights.ndim >= 3:
        run.attending[id(weights)] = run.layer
        run.kept.append(weights)
        run.layer += 1
    return weights


def _matmul(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Uniform rule: of a product of two activations each side gets half. A head's relevance is multiplied by its mask."""
    product = op(*args, **kwargs)
    if moves(args[0]) and moves(args[1]):
        product = _Scaled.apply(product, 0.5)  # type: ignore[no-untyped-call]
    layer = run.attending.get(id(args[0]))
    if layer is not None and layer in run.heads and moves(product):
        mask = torch.as_tensor(run.heads[layer], dtype=product.dtype, device=product.device)
        shape = (1, -1, 1, 1) if product.ndim == 4 else (-1, 1, 1)
        parts = mask if product.ndim == 4 else mask.repeat(product.shape[0] // len(mask))
        product = _Scaled.apply(product, parts.view(shape))  # type: ignore[no-untyped-call]
    return product


def _added_matmul(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A product of two activations on top of a constant (BLOOM's slopes by distance): each side gets half."""
    given = dict(zip(("input", "batch1", "batch2"), args)) | kwargs
    product = op(*args, **kwargs)
    if not (moves(given["batch1"]) and moves(given["batch2"])):
        return product
    if moves(given["input"]):
        raise UnsupportedModel(f"{run.name} has no rule for three activations in one {op.__name__!r}")
    return _Scaled.apply(product, 0.5)  # type: ignore[no-untyped-call]


def _product(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Element by element each side gets half; under CP-LRP the side that gates is a weight."""
    one, two = args[0], args[1]
    if not (moves(one) and moves(two)):
        return op(*args, **kwargs)
    if run.name == "cp_lrp" and (id(one) in run.gates) != (id(two) in run.gates):
        sides = (one.detach(), two) if id(one) in run.gates else (one, two.detach())
        return op(*sides, *args[2:], **kwargs)
    return _Scaled.apply(op(*args, **kwargs), 0.5)  # type: ignore[no-untyped-call]


def _quotient(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is divided by is a weight."""
    return op(args[0], *fixed(args[1:]), **kwargs)


def _layer_norm(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The standard deviation is a weight: y = (x - mean x) / sd w + b with sd held fixed."""
    given = dict(zip(("input", "normalized_shape", "weight", "bias", "eps"), args)) | kwargs
    x, eps = given["input"], given.get("eps", 1e-5)
    over = tuple(range(-len(given["normalized_shape"]), 0))
    middle = x - x.mean(over, keepdim=True)
    scaled = middle * torch.rsqrt(middle.detach().pow(2).mean(over, keepdim=True) + eps)
    if given.get("weight") is not None:
        scaled = scaled * given["weight"]
    return scaled if given.get("bias") is None else scaled + given["bias"]


def _rms_norm(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The root mean square is a weight."""
    given = dict(zip(("input", "normalized_shape", "weight", "eps"), args)) | kwargs
    x = given["input"]
    eps = given.get("eps") or torch.finfo(x.dtype).eps
    over = tuple(range(-len(given["normalized_shape"]), 0))
    scaled = x * torch.rsqrt(x.detach().pow(2).mean(over, keepdim=True) + eps)
    return scaled if given.get("weight") is None else scaled * given["weight"]


def _fused_attention(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """softmax(q k' / sqrt(d) + mask) v, taken apart so that its parts get their rules."""
    given = dict(zip(("query", "key", "value", "attn_mask", "dropout_p", "is_causal"), args)) | kwargs
    query, key, value = given["query"], given["key"], given["value"]
    if given.get("enable_gqa"):
        each = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(each, -3), value.repeat_interleave(each, -3)
    scale = given.get("scale") or 1 / math.sqrt(query.shape[-1])
    found = rule(run, torch.matmul, (query, key.transpose(-1, -2)), {}) * scale
    allowed = given.get("attn_mask")
    if given.get("is_causal"):
        allowed = torch.ones(found.shape[-2:], dtype=torch.bool, device=found.device).tril()
    if allowed is not None:
        low = torch.finfo(found.dtype).min
        found = found.masked_fill(~allowed, low) if allowed.dtype == torch.bool else found + allowed
    weights = rule(run, F.softmax, (found,), {"dim": -1})
    return rule(run, torch.matmul, (weights, value), {})


T = Tensor
FAMILIES: dict[Any, str] = {
    **dict.fromkeys((F.gelu, F.silu, F.relu, torch.relu, T.relu, torch.tanh, T.tanh, F.leaky_relu, F.elu), "activation"),
    **dict.fromkeys((torch.sigmoid, T.sigmoid, F.softplus, torch.exp, T.exp, torch.rsqrt, T.rsqrt), "constant"),
    **dict.fromkeys((torch.sqrt, T.sqrt), "constant"),
    **dict.fromkeys((torch.reciprocal, T.reciprocal, torch.pow, T.pow, T.__pow__, torch.square, T.square), "constant"),
    **dict.fromkeys((F.softmax, torch.softmax, T.softmax), "softmax"),
    **dict.fromkeys((torch.matmul, T.matmul, T.__matmul__, torch.bmm, T.bmm, torch.mm, T.mm), "matmul"),
    **dict.fromkeys((torch.mul, T.mul, T.__mul__, T.__rmul__, torch.multiply, T.multiply, T.mul_), "product"),
    **dict.fromkeys((torch.baddbmm, T.baddbmm), "added_matmul"),
    **dict.fromkeys((torch.div, T.div, T.__truediv__, torch.true_divide), "quotient"),
    **dict.fromkeys((F.layer_norm, torch.layer_norm), "layer_norm"),
    F.rms_norm: "rms_norm",
    F.scaled_dot_product_attention: "fused_attention",
}  # fmt: skip
"""Operations that need a rule, and the family that they belong to."""

NAMES = """
    linear addmm conv1d add __add__ __radd__ add_ __iadd__ sub __sub__ __rsub__ neg __neg__ sum mean cumsum
    view reshape transpose permute contiguous flatten unflatten squeeze unsqueeze expand expand_as repeat repeat_interleave
    __getitem__ __setitem__ cat stack split chunk unbind narrow select index_select gather masked_fill masked_fill_ where
    roll pad to type float double half bfloat16 type_as clone view_as detach dropout embedding t swapaxes tril triu movedim
    scatter index_put zeros_like ones_like __get__
"""
PLAIN = frozenset(NAMES.split())
"""Names of operations that are linear or only move values: gradient times input conserves relevance through them."""

LRP: dict[str, Callable[..., Any]] = {
    "activation": _activation,
    "constant": _constant,
    "matmul": _matmul,
    "added_matmul": _added_matmul,
    "product": _product,
    "quotient": _quotient,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "fused_attention": _fused_attention,
}

RULES: dict[str, dict[str, Callable[..., Any]]] = {
    "gradient": {},
    "attnlrp": LRP | {"softmax": _softmax_taylor},
    "cp_lrp": LRP | {"softmax": _softmax_constant},
}
"""The rule sets: what happens to each family. None of them: plain autograd, for comparison."""


def rule(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The operation under the run's rules."""
    known = RULES[run.name]
    if not known or run.inside:
        return op(*args, **kwargs)
    family = FAMILIES.get(op)
    if family is not None:
        return known[family](run, op, args, kwargs)
    made = op(*args, **kwargs)
    if moves(made) and op.__name__ not in PLAIN:
        where = run.stack[-1] if run.stack else "the model"
        raise UnsupportedModel(
            f"{run.name} has no rule for the operation {op.__name__!r} in {where}; use a gradient or erasure method"
        )
    layer = run.attending.get(id(args[0])) if args else None
    if layer is not None and isinstance(made, Tensor) and made.shape[-2:] == args[0].shape[-2:]:
        run.attending[id(made)] = layer  # dropout, another type, batch and heads in one: still the weights
        run.kept.append(made)
    return made


class _Mode(TorchFunctionMode):
    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return rule(self.run, func, args, kwargs or {})


@contextmanager
def rules(model: Model, name: str, *, heads: Mask | None = None) -> Iterator[Run]:
    """Within, gradients through the model follow the rule set `name`; `heads` multiplies the relevance of attention heads.

    *Laws*: the model's outputs are unchanged; with "gradient" so are its gradients; all is as it was on exit, also after an
    exception; an all-ones mask changes nothing. Sources: Achtibat et al. 2024 (AttnLRP), Ali et al. 2022 (CP-LRP).
    """
    run = Run(name, dict(heads or {}))
    mode = _Mode(run)
    handles = []

    def entered(*_: Any) -> None:
        run.begin()
        mode.__enter__()  # type: ignore[no-untyped-call]

    def left(*_: Any) -> None:
        mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        run.forget()

    for path, module in model.hf.named_modules():
        if path:
            handles.append(module.register_forward_pre_hook(lambda *_, path=path: run.stack.append(path)))
            if _elementwise(module):
                handles.append(module.register_forward_pre_hook(lambda *_: _deeper(run, 1)))
                handles.append(module.register_forward_hook(lambda m, given, made: _after(run, m, given, made)))
            handles.append(module.register_forward_hook(lambda *_: run.stack.pop() and None, always_call=True))
    handles.append(model.hf.register_forward_pre_hook(entered))
    handles.append(model.hf.register_forward_hook(left, always_call=True))
    wanted = [weight for weight in model.hf.parameters() if weight.requires_grad]
    for weight in wanted:
        weight.requires_grad_(False)
    try:
        yield run
    finally:
        for handle in handles:
            handle.remove()
        for weight in wanted:
            weight.requires_grad_(True)


def _elementwise(module: torch.nn.Module) -> bool:
    """Whether the module is an activation: one element-wise function, however it is written."""
    home, name = type(module).__module__, type(module).__name__
    known = home in ("transformers.activations", "torch.nn.modules.activation") or name.endswith(("Gelu", "GELU"))
    return known and not list(module.parameters()) and not name.startswith(("Softmax", "LogSoftmax", "MultiheadAttention"))


def _deeper(run: Run, by: int) -> None:
    run.inside += by


def _after(run: Run, module: torch.nn.Module, given: tuple[Any, ...], made: Tensor) -> Tensor | None:
    run.inside -= 1
    if not moves(given[0]) or not RULES[run.name]:
        return None
    with torch._C.DisableTorchFunction():
        return _identity(run, given[0].detach(), made.detach(), given[0], module.forward)
