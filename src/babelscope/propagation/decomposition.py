"""Hidden states decomposed by token: which part of each vector comes from which input.

Parts are carried along a tape, from states whose parts are known to the target states, by one
Jacobian product per operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from babelscope.errors import UnsupportedModel
from babelscope.model import activations, inference
from babelscope.model.load import Model
from babelscope.model.memory import fitting, number_bytes
from babelscope.propagation.tape import Layer, Step, Tape, taped

WIDEST = 6
"""How many of a text's widest states have their parts in memory at once, at most."""

Measure = Callable[[Tensor, Tensor], Tensor]
"""From parts [part, token, dimension] and their whole [token, dimension] to a size per part and
token."""


def layerwise(
    model: Model, queries: Sequence[inference.Query], measure: Measure, *, whole_layer: bool = False
) -> list[Tensor]:
    """Per query and layer, how large the part of each input (last axis) in each output is: [layer,
    token, token].

    The parts are those of the attention block's output, to which the feed-forward block is added.
    With `whole_layer` they are carried to the layer's output around the feed-forward block, through
    the norm that may follow. A token's value vector, bias included, is its part of what attention
    mixes; later biases belong to no token.

    *Laws*: without those biases the parts of the attention block sum to it.
    """

    def look(row: int, call: Callable[[int], Any]) -> Tensor:
        with taped(model) as tape:
            call(1)
        return torch.stack(
            [_measured(model, tape, layer, measure, whole_layer) for layer in tape.layers]
        )

    return activations.forward_copies(model, queries, look)


def _measured(
    model: Model, tape: Tape, layer: Layer, measure: Measure, whole_layer: bool
) -> Tensor:
    if (
        layer.values is None
        or layer.sides is None
        or layer.sides[0] is layer.entered
        or layer.left is None
    ):
        raise UnsupportedModel(
            f"{type(model.hf).__name__} has no layers of attention and then feed-forward; use "
            "rollout or value_zeroing instead"
        )
    block, forwarded = layer.sides
    tokens = layer.entered.shape[-2]
    sizes = []
    for positions in activations.position_groups(model, tokens):
        known: dict[int, Tensor | None] = {
            id(x): by_position(x, positions) for x in (layer.entered, layer.values)
        }
        if whole_layer:
            known[id(forwarded)] = None
        (parts,) = carried(
            tape.steps[layer.first : layer.end], known, [layer.left if whole_layer else block]
        )
        sizes.append(measure(parts[:, 0].double(), block.detach()[0].double()))
    return torch.cat(sizes).T.cpu()


def outputs(
    model: Model, queries: Sequence[inference.Query], reduce: Callable[[int, Tensor, Tensor], Any]
) -> list[Any]:
    """Per query `reduce(row, parts, output)`: the outputs in float64 as in `inference.outputs`, and
    each token's part of them.

    *Laws*: the parts of all tokens, special ones included, sum to the output.
    """

    def look(row: int, call: Callable[[int], Any]) -> Any:
        tokens = len(queries[row].ids)
        fitting(
            model,
            tokens,
            WIDEST * tokens * tokens * _inner(model) * number_bytes(model),
            "the parts of every state",
        )
        with taped(model) as tape:
            output = call(1)
        spans = model.row.spans
        logits = [output.start_logits, output.end_logits] if spans else [output.logits]
        first = tape.layers[0].entered
        known = {id(first): by_position(first, torch.arange(tokens, device=first.device))}
        carried_parts = carried(tape.steps, known, logits, distribute=True)
        parts = (
            torch.cat(
                [_distributed(part, whole.detach()) for part, whole in zip(carried_parts, logits)],
                dim=1,
            )
            .double()
            .cpu()
        )
        whole = torch.cat([part.detach() for part in logits]).double().cpu()
        if model.generates:  # the logits of the next token, before a verbalizer maps them to labels
            return reduce(row, parts[:, 0, -1], whole[0, -1])
        return reduce(row, parts if spans else parts[:, 0], whole if spans else whole[0])

    return activations.forward_copies(model, queries, look)


def _inner(model: Model) -> int:
    """The largest width of a state."""
    return int(max(weight.shape[-1] for weight in model.hf.parameters()))


def carried(
    steps: Sequence[Step],
    known: Mapping[int, Tensor | None],
    states: Sequence[Tensor],
    *,
    distribute: bool = False,
) -> list[Tensor]:
    """The parts [part, ...] of the states, from those that are known by identity (None: it
    has none).

        P_y[k] = sum_x J_x P_x[k]
        with `distribute` afterwards  P_y[k] += w_k b
        b = y - sum_k P_y[k],    w_k = |P_y[k] . b| / sum_m |P_y[m] . b|

    J the Jacobian of the operation that computes y from x under the rules, b the part of no token:
    its bias, and those not distributed before. The product and w are per vector, over the last
    dimension; equal w where all products are 0.

    *Laws*: without biases the parts of a state sum to it if those of the known states do; with
    `distribute`, those of a state after a distribution always do.
    """
    parts = dict(known)
    targets = {id(state) for state in states}
    needed, chain = set(targets), []
    for step in reversed(steps):
        if id(step.state) in needed and id(step.state) not in parts:
            chain.append(step)
            needed.update(id(x) for x in step.inputs)
    uses = Counter(id(x) for step in chain for x in step.inputs)
    for step in reversed(chain):
        result = _through(step, parts)
        parts[id(step.state)] = (
            _distributed(result, step.result.detach())
            if distribute and step.distributes and result is not None
            else result
        )
        for x in step.inputs:
            uses[id(x)] -= 1
            if not uses[id(x)] and id(x) not in targets:
                parts.pop(id(x), None)
    return [_part_of(parts, state) for state in states]


def _through(step: Step, parts: Mapping[int, Tensor | None]) -> Tensor | None:
    """The Jacobian product, by double differentiation: the gradient is linear in the vector that it
    starts from."""
    inputs = [x for x in step.inputs if parts.get(id(x)) is not None]
    if not inputs:
        return None
    start = torch.zeros_like(step.result, requires_grad=True)
    gradients = torch.autograd.grad(
        step.result, inputs, start, create_graph=True, allow_unused=True
    )
    pairs = [
        (gradient, parts[id(x)]) for gradient, x in zip(gradients, inputs) if gradient is not None
    ]
    if not pairs:
        return None
    (product,) = torch.autograd.grad(
        [gradient for gradient, _ in pairs],
        start,
        [part for _, part in pairs],
        is_grads_batched=True,
        allow_unused=True,
    )
    return product


def _distributed(parts: Tensor, whole: Tensor) -> Tensor:
    rest = whole - parts.sum(dim=0)
    likeness = (parts * rest).sum(dim=-1, keepdim=True).abs()
    total = likeness.sum(dim=0, keepdim=True)
    share = torch.where(total > 0, likeness / torch.where(total > 0, total, 1.0), 1 / len(parts))
    return parts + share * rest


def _part_of(parts: Mapping[int, Tensor | None], state: Tensor) -> Tensor:
    part = parts.get(id(state))
    if part is None:
        raise UnsupportedModel(
            "the model's output cannot be decomposed by token; use rollout instead"
        )
    return part


def by_position(state: Tensor, positions: Tensor) -> Tensor:
    """The state [..., token, dimension] as parts: the k-th is the vector at the k-th position, and
    0 elsewhere."""
    here = torch.arange(state.shape[-2], device=state.device) == positions[:, None]
    shape = (len(positions), *(1,) * (state.ndim - 2), state.shape[-2], 1)
    return state.detach() * here.view(shape)
