"""The operations of one forward pass, recorded so that its hidden states can be decomposed (see
decomposition.py).

The model runs under the rules of CP-LRP, so that every operation is linear in the states but for
biases: attention weights, norm statistics and the ratios f(x) / x of activations are constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from babelscope.errors import UnsupportedModel
from babelscope.model.layers import watched
from babelscope.model.load import Model
from babelscope.propagation.backward import Run, moves
from babelscope.propagation.rules import FAMILIES, rules

ADDITIONS = frozenset(("add", "__add__", "__radd__"))
AFFINE = ADDITIONS | {"linear", "addmm", "conv1d", "layer_norm", "sub", "__sub__", "__rsub__"}
"""Operations that may add a constant."""
IN_PLACE: dict[str, Callable[..., Any]] = {
    "add_": Tensor.add, "sub_": Tensor.sub, "mul_": Tensor.mul, "div_": Tensor.div,
    "__iadd__": Tensor.add, "__isub__": Tensor.sub,
    "__imul__": Tensor.mul, "__itruediv__": Tensor.div,
}  # fmt: skip
"""In-place operations and their out-of-place forms, which are run instead: the variable then refers
to a new state."""


class Step(NamedTuple):
    """One operation: its result, the detached copy that the model continues with, and the states
    that it was computed from."""

    result: Tensor
    state: Tensor
    inputs: tuple[Tensor, ...]
    distributes: bool
    """Whether what belongs to no token is distributed over the tokens here."""


@dataclass(eq=False)
class Layer:
    """The states of one layer from which its decomposition is computed."""

    entered: Tensor
    first: int
    """Where the layer begins on the tape."""
    end: int = 0
    left: Tensor | None = None
    """Its output."""
    values: Tensor | None = None
    """What attention weights are multiplied with."""
    mixed: bool = False
    """Whether the first residual sum, input plus attention, has been computed."""
    sides: tuple[Tensor, Tensor] | None = None
    """The two sides of the last residual sum: the older is what the feed-forward block's output,
    the newer, is added to."""

    def summed(self, older: Tensor, newer: Tensor) -> None:
        if self.values is not None and self.left is None:
            self.mixed = True
            self.sides = (older, newer)


@dataclass(eq=False)
class Tape:
    """The operations on the states in one forward pass, in order."""

    run: Run
    steps: list[Step] = field(default_factory=list)
    layers: list[Layer] = field(default_factory=list)
    age: dict[int, int] = field(default_factory=dict)
    """The step at which each state was computed, by identity."""
    overwritten: set[int] = field(default_factory=set)
    """States that the model has overwritten, and must not read again."""

    def keep(self, result: Tensor, inputs: Sequence[Any], name: str) -> Tensor:
        """Records an operation; its result is detached from its inputs, so that each operation is
        differentiated alone."""
        state = _alone(result)
        if id(result) in self.run.gates:
            self.run.gates.add(id(state))
        self.age[id(state)] = len(self.steps)
        states = tuple(x for x in inputs if moves(x))
        if any(id(x) not in self.age or id(x) in self.overwritten for x in states):
            raise UnsupportedModel(
                f"an input of {name!r} was changed in place: no parts by token; use rollout"
            )
        layer = self.layers[-1]
        if name in ADDITIONS and len(states) == 2 and state.shape == layer.entered.shape:
            layer.summed(*sorted(states, key=lambda x: self.age[id(x)]))
        self.steps.append(Step(result, state, states, name in AFFINE and layer.mixed))
        return state

    def enter(self, state: Tensor) -> Tensor:
        if id(state) not in self.age:
            state = _alone(state)
            self.age[id(state)] = -1
        self.layers.append(Layer(state, len(self.steps)))
        return state

    def leave(self, state: Tensor) -> Tensor:
        self.layers[-1].left, self.layers[-1].end = state, len(self.steps)
        return state


class _Recorder(TorchFunctionMode):
    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self.tape = tape

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if self.tape.run.inside or not any(moves(x) for x in _flat((*args, *kwargs.values()))):
            return func(*args, **kwargs)
        overwritten = {id(args[0])} if func.__name__ in IN_PLACE and moves(args[0]) else set()
        func = IN_PLACE[func.__name__] if overwritten else func
        name = func.__name__
        if (
            name == "__setitem__"
            or name in IN_PLACE
            or (name.endswith("_") and not name.endswith("__"))
        ):
            raise UnsupportedModel(
                f"{name!r} changes states in place: no parts by token; use rollout"
            )
        self._attend(func, args, kwargs)
        result = func(*args, **kwargs)
        inputs = [x for x in _flat((*args, *kwargs.values())) if moves(x)]
        kept = [
            self._kept(output, inputs, name)
            for output in (result if isinstance(result, (tuple, list)) else (result,))
        ]
        self.tape.overwritten |= overwritten
        return type(result)(kept) if isinstance(result, (tuple, list)) else kept[0]

    def _kept(self, result: Any, inputs: list[Tensor], name: str) -> Any:
        """A state that is returned unchanged (dropout, a cast to its present type) is no
        operation."""
        return (
            self.tape.keep(result, inputs, name)
            if moves(result) and id(result) not in self.tape.age
            else result
        )

    def _attend(self, func: Any, args: Any, kwargs: Any) -> None:
        values = None
        if func is F.scaled_dot_product_attention:
            values = kwargs["value"] if "value" in kwargs else args[2]
        elif FAMILIES.get(func) == "matmul" and id(args[0]) in self.tape.run.attending:
            values = args[1]
        if values is not None and self.tape.layers:
            self.tape.layers[-1].values = values


def _alone(state: Tensor) -> Tensor:
    """The same values without their graph."""
    with torch._C.DisableTorchFunction():
        return state.detach().requires_grad_(True)


def _flat(values: Any) -> Iterator[Any]:
    for x in values:
        if isinstance(x, (tuple, list)):
            yield from _flat(x)
        else:
            yield x


@contextmanager
def taped(model: Model) -> Iterator[Tape]:
    """Within, one forward pass of the model is recorded from its first layer's input on.

    *Laws*: the model's outputs are unchanged; the model is restored on exit, also after an
    exception.
    """
    with rules(model, "cp_lrp") as run:
        tape = Tape(run)
        mode = _Recorder(tape)

        def unseen(module: Any, args: tuple[Any, ...], output: Any) -> Any:
            """An activation module is one operation, whose rule is applied after the mode has seen
            its parts."""
            if moves(output) and id(output) not in tape.age:
                return tape.keep(output, args, "module")
            return None

        def begin(*_: Any) -> None:
            mode.__enter__()  # type: ignore[no-untyped-call]

        def end(*_: Any) -> None:
            mode.__exit__(None, None, None)  # type: ignore[no-untyped-call]

        handles = [
            module.register_forward_hook(unseen)
            for module in model.hf.modules()
            if module is not model.hf
        ]
        handles.append(model.hf.register_forward_pre_hook(begin))
        handles.append(model.hf.register_forward_hook(end, always_call=True, prepend=True))
        try:
            with watched(model, tape.enter, tape.leave), torch.enable_grad():
                yield tape
        finally:
            for handle in handles:
                handle.remove()
