"""Scoped changes of the backward pass: relevance propagation on an unmodified model.

Inside `rules(model, name)` the model's forward pass runs under a torch function mode. A few
families of operations get another backward rule; every forward value is unchanged, and nothing
changes outside of the forward pass: the explained value is differentiated as usual. Gradient times
input under the rules is then layer-wise relevance propagation.

An operation is in one of two tables, FAMILIES (a rule per rule set) and PLAIN (operations that only
move values, whose gradient times input already conserves relevance), or in neither. An operation in
neither is refused by name: a method with a rule missing would still return numbers. The rule sets
themselves are in attnlrp.py, chefer.py and deeplift.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from babelscope.model.load import Model
from babelscope.propagation.attnlrp import ATTNLRP, CP_LRP
from babelscope.propagation.backward import Family, Run, fixed, moves, named
from babelscope.propagation.backward import Mask as Mask
from babelscope.propagation.chefer import CHEFER, CHEFER_PRODUCTS
from babelscope.propagation.deeplift import DEEPLIFT


def _activation(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """An element-wise function, by the rule set's rule for those."""
    x = args[0]
    if not moves(x):
        return op(*args, **kwargs)
    result = op(*fixed(args), **kwargs)
    return RULES[run.name]["elementwise"](run, x, result, lambda t: op(t, *args[1:], **kwargs))


def _fused_attention(
    run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """softmax(q k' / sqrt(d) + mask) v, computed step by step, so that each step gets its rule."""
    arguments = named("query key value attn_mask dropout_p is_causal", args, kwargs)
    query, key, value = arguments["query"], arguments["key"], arguments["value"]
    if arguments.get("enable_gqa"):
        each = query.shape[-3] // key.shape[-3]
        key, value = key.repeat_interleave(each, -3), value.repeat_interleave(each, -3)
    scale = arguments.get("scale") or 1 / math.sqrt(query.shape[-1])
    logits = rule(run, torch.matmul, (query, key.transpose(-1, -2)), {}) * scale
    allowed = arguments.get("attn_mask")
    if arguments.get("is_causal"):
        allowed = torch.ones(logits.shape[-2:], dtype=torch.bool, device=logits.device).tril()
    if allowed is not None:
        low = torch.finfo(logits.dtype).min
        logits = (
            logits.masked_fill(~allowed, low) if allowed.dtype == torch.bool else logits + allowed
        )
    weights = rule(run, F.softmax, (logits,), {"dim": -1})
    return rule(run, torch.matmul, (weights, value), {})


T = Tensor
FAMILIES: dict[Any, str] = {
    **dict.fromkeys((F.gelu, F.silu, F.relu, torch.relu, T.relu, torch.tanh, T.tanh), "activation"),
    **dict.fromkeys((F.leaky_relu, F.elu), "activation"),
    **dict.fromkeys((torch.sigmoid, T.sigmoid, F.softplus, torch.exp, T.exp), "gate"),
    **dict.fromkeys((torch.rsqrt, T.rsqrt, torch.sqrt, T.sqrt), "statistic"),
    **dict.fromkeys((torch.reciprocal, T.reciprocal), "statistic"),
    **dict.fromkeys((torch.pow, T.pow, T.__pow__, torch.square, T.square), "power"),
    **dict.fromkeys((F.linear, torch.addmm), "affine"),
    **dict.fromkeys((F.conv1d, torch.conv1d), "convolution"),
    **dict.fromkeys((torch.add, T.add, T.__add__, T.__radd__, T.add_, T.__iadd__), "sum"),
    **dict.fromkeys((torch.sub, T.sub, T.__sub__, T.__rsub__), "difference"),
    **dict.fromkeys((F.softmax, torch.softmax, T.softmax), "softmax"),
    **dict.fromkeys((torch.matmul, T.matmul, T.__matmul__), "matmul"),
    **dict.fromkeys((torch.bmm, T.bmm, torch.mm, T.mm), "matmul"),
    **dict.fromkeys((torch.mul, T.mul, T.__mul__, T.__rmul__, T.mul_), "product"),
    **dict.fromkeys((torch.multiply, T.multiply), "product"),
    **dict.fromkeys((torch.baddbmm, T.baddbmm), "added_matmul"),
    **dict.fromkeys((torch.div, T.div, T.__truediv__, torch.true_divide), "quotient"),
    **dict.fromkeys((F.layer_norm, torch.layer_norm), "layer_norm"),
    F.rms_norm: "rms_norm",
    F.scaled_dot_product_attention: "fused_attention",
}  # fmt: skip
"""Operations that need a rule, and the family that they belong to."""

NAMES = """
    neg __neg__ sum mean cumsum
    view reshape transpose permute contiguous flatten unflatten squeeze unsqueeze
    expand expand_as repeat repeat_interleave
    __getitem__ __setitem__ cat stack split chunk unbind narrow select index_select gather
    masked_fill masked_fill_ where roll pad to type float double half bfloat16 type_as
    clone view_as detach dropout embedding t swapaxes tril triu movedim
    scatter index_put zeros_like ones_like __get__
"""
PLAIN = frozenset(NAMES.split())
"""Names of operations that are linear or only move values: gradient times input conserves relevance
through them."""

RULES: dict[str, dict[str, Family]] = {
    "gradient": {},
    "attnlrp": ATTNLRP,
    "cp_lrp": CP_LRP,
    "chefer": CHEFER,
    "chefer_products": CHEFER_PRODUCTS,
    "deeplift": DEEPLIFT,
}
"""The rule sets: the rule of each family. "gradient" has none: plain autograd, for comparison."""


def rule(run: Run, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The operation under the run's rules."""
    known = RULES[run.name]
    if not known or run.inside:
        return op(*args, **kwargs)
    family = FAMILIES.get(op)
    if family in SHARED:
        return SHARED[family](run, op, args, kwargs)
    if family is not None:
        return known[family](run, op, args, kwargs)
    result = op(*args, **kwargs)
    if moves(result) and op.__name__ not in PLAIN:
        raise run.refuse(f"the operation {op.__name__!r}")
    layer = run.attending.get(id(args[0])) if args else None
    if layer is not None and isinstance(result, Tensor) and result.shape[-2:] == args[0].shape[-2:]:
        run.attending[id(result)] = (
            layer  # after dropout, a cast, or with batch and heads merged: still the weights
        )
        run.kept.append(result)
    return result


SHARED: dict[str, Family] = {"activation": _activation, "fused_attention": _fused_attention}
"""Families that every rule set treats in the same way."""


class _Mode(TorchFunctionMode):
    def __init__(self, run: Run) -> None:
        super().__init__()
        self.run = run

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return rule(self.run, func, args, kwargs or {})


@contextmanager
def rules(model: Model, name: str, *, heads: Mask | None = None) -> Iterator[Run]:
    """Within, gradients through the model follow the rule set `name`; `heads` multiplies the
    relevance of attention heads.

    *Laws*: the model's outputs are unchanged; with "gradient" so are its gradients; the model is
    restored on exit, also after an exception; an all-ones mask changes nothing. Under "deeplift"
    the batch holds inputs followed by their references.
    """
    run = Run(name, dict(heads or {}), model.hf)
    mode = _Mode(run)
    handles = []

    def entered(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        run.begin(next(len(x) for x in (*args, *kwargs.values()) if isinstance(x, Tensor)))
        mode.__enter__()  # type: ignore[no-untyped-call]

    def left(*_: Any) -> None:
        mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]
        run.forget()

    for module in filter(_elementwise, model.hf.modules()):
        handles.append(module.register_forward_pre_hook(lambda *_: _deeper(run, 1)))
        handles.append(
            module.register_forward_hook(lambda m, args, result: _after(run, m, args, result))
        )
    handles.append(model.hf.register_forward_pre_hook(entered, with_kwargs=True))
    handles.append(model.hf.register_forward_hook(left, always_call=True))
    trainable = [weight for weight in model.hf.parameters() if weight.requires_grad]
    for weight in trainable:
        weight.requires_grad_(False)
    try:
        yield run
    finally:
        for handle in handles:
            handle.remove()
        for weight in trainable:
            weight.requires_grad_(True)


def _elementwise(module: torch.nn.Module) -> bool:
    """Whether the module is an activation: one element-wise function, however it is implemented."""
    home, name = type(module).__module__, type(module).__name__
    known = home in ("transformers.activations", "torch.nn.modules.activation") or name.endswith(
        ("Gelu", "GELU")
    )
    return (
        known
        and not list(module.parameters())
        and not name.startswith(("Softmax", "LogSoftmax", "MultiheadAttention"))
    )


def _deeper(run: Run, by: int) -> None:
    run.inside += by


def _after(
    run: Run, module: torch.nn.Module, args: tuple[Any, ...], output: Tensor
) -> Tensor | None:
    run.inside -= 1
    if not moves(args[0]) or not RULES[run.name]:
        return None
    with torch._C.DisableTorchFunction():
        result: Tensor = RULES[run.name]["elementwise"](
            run, args[0], output.detach(), module.forward
        )
        return result
