"""States taken apart by token: which part of each vector comes from which input.

Parts are carried along a tape, from states whose parts are known to the state that is asked for, by one Jacobian product
per operation.
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

HELD = 6
"""How many of a text's widest states have their parts in memory at once, at most."""

Measure = Callable[[Tensor, Tensor], Tensor]
"""From parts [part, token, dimension] and their whole [token, dimension] to a size per part and token."""


def layerwise(model: Model, queries: Sequence[inference.Query], measure: Measure, *, whole_layer: bool = False) -> list[Tensor]:
    """Per query and layer, how large the part of each input (last axis) in each output is: [layer, token, token].

    The parts are those of the attention block's output: what the feed-forward block is added to. With `whole_layer` they go
    on to the layer's output beside the feed-forward block, through the norm that may follow. A token's own value vector,
    biases included, is its part of what attention mixes; biases after that are nobody's.

    *Laws*: without those biases the parts of the attention block sum to it.
    """

    def look(row: int, call: Callable[[int], Any]) -> Tensor:
        with taped(model) as tape:
            call(1)
        return torch.stack([_measured(model, tape, layer, measure, whole_layer) for layer in tape.layers])

    return activations.forward_copies(model, queries, look)


def _measured(model: Model, tape: Tape, layer: Layer, measure: Measure, whole_layer: bool) -> Tensor:
    if layer.values is None or layer.sides is None or layer.sides[0] is layer.entered or layer.left is None:
        raise UnsupportedModel(
            f"{type(model.hf).__name__} has no layers of attention and then feed-forward, each added to what it reads; "
            "use rollout or value_zeroing instead"
        )
    block, forwarded = layer.sides
    tokens = layer.entered.shape[-2]
    sizes = []
    for positions in activations.position_groups(model, tokens):
        known: dict[int, Tensor | None] = {id(x): by_position(x, positions) for x in (layer.entered, layer.values)}
        if whole_layer:
            known[id(forwarded)] = None
        (parts,) = carried(tape.steps[layer.first : layer.end], known, [layer.left if whole_layer else block])
        sizes.append(measure(parts[:, 0].double(), block.detach()[0].double()))
    return torch.cat(sizes).T.cpu()


def outputs(model: Model, queries: Sequence[inference.Query], reduce: Callable[[int, Tensor, Tensor], Any]) -> list[Any]:
    """Per query `reduce(row, parts, output)`: the outputs in float64 as in `inference.outputs`, and each token's part of them.

    *Laws*: the parts of all tokens, special ones included, sum to the output.
    """

    def look(row: int, call: Callable[[int], Any]) -> Any:
        tokens = len(queries[row].ids)
        fitting(model, tokens, HELD * tokens * tokens * _inner(model) * number_bytes(model), "the parts of every state")
        with taped(model) as tape:
            output = call(1)
        reading = model.row.spans
        wanted = [output.start_logits, output.end_logits] if reading else [output.logits]
        first = tape.layers[0].entered
        known = {id(first): by_position(first, torch.arange(tokens, device=first.device))}
        found = carried(tape.steps, known, wanted, settle=True)
        parts = torch.cat([_settled(part, whole.detach()) for part, whole in zip(found, wanted)], dim=1).double().cpu()
        whole = torch.cat([part.detach() for part in wanted]).double().cpu()
        if model.generates:  # what it says next, before a verbalizer hears it
            return reduce(row, parts[:, 0, -1], whole[0, -1])
        return reduce(row, parts if reading else parts[:, 0], whole if reading else whole[0])

    return activations.forward_copies(model, queries, look)


def _inner(model: Model) -> int:
    """The largest width of a state."""
    return int(max(weight.shape[-1] for weight in model.hf.parameters()))


def carried(
    steps: Sequence[Step], known: Mapping[int, Tensor | None], wanted: Sequence[Tensor], *, settle: bool = False
) -> list[Tensor]:
    """The parts [part, ...] of the wanted states, from those that are known by identity (None: it has none).

        P_y[k] = sum_x J_x P_x[k],    with `settle` afterwards  P_y[k] += w_k b,    b = y - sum_k P_y[k],
        w_k = |P_y[k] . b| / sum_m |P_y[m] . b|

    J the Jacobian of the operation that made y from x under the rules, b what no token has a part in: its bias, and those
    not shared out before. The product and w are per vector: over the last dimension; equal w where all products are 0.

    *Laws*: without biases the parts of a state sum to it if those of the known states do; with `settle`, those of a state
    behind a sharing-out always do.
    """
    parts = dict(known)
    asked = {id(state) for state in wanted}
    needed, chain = set(asked), []
    for step in reversed(steps):
        if id(step.state) in needed and id(step.state) not in parts:
            chain.append(step)
            needed.update(id(x) for x in step.given)
    uses = Counter(id(x) for step in chain for x in step.given)
    for step in reversed(chain):
        found = _through(step, parts)
        parts[id(step.state)] = _settled(found, step.made.detach()) if settle and step.settles and found is not None else found
        for x in step.given:
            uses[id(x)] -= 1
            if not uses[id(x)] and id(x) not in asked:
                parts.pop(id(x), None)
    return [_found(parts, state) for state in wanted]


def _through(step: Step, parts: Mapping[int, Tensor | None]) -> Tensor | None:
    """The Jacobian product, as the slope of a slope: the gradient is linear in what it starts from."""
    given = [x for x in step.given if parts.get(id(x)) is not None]
    if not given:
        return None
    start = torch.zeros_like(step.made, requires_grad=True)
    slopes = torch.autograd.grad(step.made, given, start, create_graph=True, allow_unused=True)
    pairs = [(slope, parts[id(x)]) for slope, x in zip(slopes, given) if slope is not None]
    if not pairs:
        return None
    (found,) = torch.autograd.grad(
        [slope for slope, _ in pairs], start, [part for _, part in pairs], is_grads_batched=True, allow_unused=True
    )
    return found


def _settled(parts: Tensor, whole: Tensor) -> Tensor:
    rest = whole - parts.sum(dim=0)
    likeness = (parts * rest).sum(dim=-1, keepdim=True).abs()
    total = likeness.sum(dim=0, keepdim=True)
    share = torch.where(total > 0, likeness / torch.where(total > 0, total, 1.0), 1 / len(parts))
    return parts + share * rest


def _found(parts: Mapping[int, Tensor | None], state: Tensor) -> Tensor:
    found = parts.get(id(state))
    if found is None:
        raise UnsupportedModel("the model's output does not depend on its layers in a way that can be taken apart by token")
    return found


def by_position(state: Tensor, positions: Tensor) -> Tensor:
    """The state [..., token, dimension] as parts: the k-th is the vector at the k-th position, and 0 elsewhere."""
    here = torch.arange(state.shape[-2], device=state.device) == positions[:, None]
    shape = (len(positions), *(1,) * (state.ndim - 2), state.shape[-2], 1)
    return state.detach() * here.view(shape)
