"""Attributions by relevance propagation: gradient times input under other backward rules.

Some authors state a patent on layer-wise relevance propagation for commercial use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float
from torch import Tensor

from babelscope.methods.attention import read, rolled
from babelscope.methods.gradient import input_x_gradient, on_path, way
from babelscope.model import forward
from babelscope.model.forward import Interior
from babelscope.model.load import Model
from babelscope.model.rules import Mask, rules
from babelscope.model.targets import UNIT, value
from babelscope.types import Encoded, Explained, Target


def attnlrp(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """Relevance propagation with rules made for attention.

        a_t = e_t . g_t        g_t the gradient at position t under these rules:

    activations pass relevance unchanged (slope f(x) / x); the standard deviation of a norm is a constant; of a product of
    two activations, attention weights times values among them, each side gets half; softmax is expanded to first order (its
    own slope); linear layers and sums as they are.

    *Laws*: the forward pass is untouched; independent of the rest of the batch; 0 at a token that the model ignores.
    Relevance is not conserved: the expansion of softmax leaves a remainder.
    *Left open by the paper*: biases keep their share, so the sum is not the logit.
    Source: Achtibat et al. 2024 (AttnLRP), propositions 3.1 to 3.4.
    """
    with rules(model, "attnlrp"):
        return input_x_gradient(model, inputs, targets)


def cp_lrp(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """Relevance propagation that takes attention weights for constants.

        a_t = e_t . g_t        g_t as in attnlrp, but attention weights and the activated side of a gated layer are constants

    *Laws*: the forward pass is untouched; independent of the rest of the batch; without biases and additive embeddings the
    scores of all tokens, special ones included, sum to the logit.
    *Left open by the paper*: gated layers; the gate is a weight, as attention is.
    Source: Ali et al. 2022 (conservative propagation).
    """
    with rules(model, "cp_lrp"):
        return input_x_gradient(model, inputs, targets)


def deeplift(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], *, baseline: str = "pad") -> list[Explained]:
    """What each token's difference to a reference did to the value, by multipliers that are exact for every operation.

        a_t = (e_t - b_t) . m_t        m_t the multiplier at position t (see model/deeplift.py)

    b the reference: the baseline's embedding at content positions, e itself at special tokens and fixed parts, as in
    integrated gradients; positions, types and mask are the input's.

    *Laws*: completeness to rounding, sum_t a_t = F(x) - F(b), with no steps to choose; a token equal to the baseline scores
    0; with a reference near the input it is gradient x difference; for F linear it equals integrated gradients.
    *Left open by the paper*: products and softmax, which the rescale rule does not cover; midpoints and the logarithmic mean.
    A model that routes (a choice of experts by its input) is refused: input and reference would not run through the same parts.
    Source: Shrikumar, Greenside and Kundaje 2017, the rescale rule.
    """
    ways = [way(model, row, baseline) for row in inputs]
    against = [on_path(row, one, 0.0, baseline) for row, one in zip(inputs, ways)]

    def reduce(row: int, slope: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        return (slope.double() * ways[row].double()).sum(dim=-1).cpu()

    with rules(model, "deeplift"):
        found = forward.gradients(model, [forward.query(row) for row in inputs], targets, reduce, against)
    outputs = forward.scores(model, against)
    references = [float(value(model, output, target)) for output, target in zip(outputs, targets)]
    return [Explained(part.numpy()[row.content], at) for row, at, (_, part) in zip(inputs, references, found)]


def lrp(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """Relevance passed back to the input of the first layer by rules that keep positive parts.

        a_t = sum_d R[t, d]        R the relevance at the first layer's input, of 1 at the target's logit

    linear layers pass relevance along positive contributions (z+); sums split it by size; norms, activations and softmax
    pass it unchanged; of a product each side gets half (model/chefer.py has the formulas).

    *Laws*: independent of the rest of the batch; the scores of all tokens sum to 1, less what masks and positions took.
    *Left open by the paper*: whatever quantity is explained, relevance starts at the logit; for a span, 1 at its start and
    1 at its end.
    Source: Chefer, Gur and Wolf 2021a, the "full LRP" baseline.
    """

    def reduce(row: int, inside: Interior) -> Float[Tensor, " token"]:
        return (inside.states[0] * inside.state_slopes[0]).sum(dim=-1)

    return _chefer(model, inputs, targets, reduce)


def partial_lrp(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """Relevance of the last layer's attention weights.

        a_t = 1/H sum_h max(0, R_A[L, h, q, t]),    R_A = A ((R_O / O) V')        O = A V the heads' output

    *Laws*: never negative; independent of the rest of the batch.
    Source: Voita et al. 2019 (relevance of heads); the "partial LRP" baseline of Chefer, Gur and Wolf 2021a.
    """

    def reduce(row: int, inside: Interior) -> Float[Tensor, " token"]:
        return read(model, targets[row], (inside.weights[-1] * inside.weight_slopes[-1]).clamp(min=0).mean(dim=0))

    return _chefer(model, inputs, targets, reduce)


def transatt(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """Rollout of attention weighted by its relevance and its gradient.

        C[l] = 1/H sum_h max(0, dF/dA[l, h] R_A[l, h]);    J = B[L] ... B[1],  B[l] = rownorm(C[l] + I);    a_t = J[q, t]

    R_A the relevance of the attention weights (see partial_lrp), not halved; dF/dA the plain gradient of the logit.

    *Laws*: in [0, 1]; the sum over all positions is 1; J is lower triangular for a decoder.
    Source: Chefer, Gur and Wolf 2021a, eqs. 12 to 14, over all layers.
    """
    return _rollout(model, inputs, targets, None)


def _chefer(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], reduce: Callable[[int, Interior], Tensor]
) -> list[Explained]:
    found = _interiors(model, inputs, targets, reduce, None)
    return [Explained(np.asarray(part.cpu().numpy()[row.content])) for row, part in zip(inputs, found)]


def _interiors(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    reduce: Callable[[int, Interior], Any],
    heads: Mask | None,
) -> list[Any]:
    """What the model's interior says under Chefer's rules, with a relevance of 1 at the target's logit."""
    unit = [replace(target, quantity=UNIT) for target in targets]
    with rules(model, "chefer", heads=heads):
        return forward.interiors(model, [forward.query(row) for row in inputs], unit, reduce)


def _rollout(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], heads: Mask | None) -> list[Explained]:
    groups = _groups(model, inputs)
    return [one for group in groups for one in _rolled_out(model, inputs[group], targets[group], heads)]


def _rolled_out(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], heads: Mask | None) -> list[Explained]:
    relevance = _interiors(model, inputs, targets, lambda _, inside: inside.weights * inside.weight_slopes, heads)

    def reduce(row: int, inside: Interior) -> Float[Tensor, " token"]:
        layers = (inside.weight_slopes * relevance[row]).clamp(min=0).mean(dim=1)
        return read(model, targets[row], rolled(layers))

    plain = [replace(target, quantity="logit") for target in targets]
    found = forward.interiors(model, [forward.query(row) for row in inputs], plain, reduce)
    return [Explained(np.asarray(part.cpu().numpy()[row.content])) for row, part in zip(inputs, found)]


def _groups(model: Model, inputs: Sequence[Encoded]) -> Iterator[slice]:
    """Rows in order, as many at once as there is room for their attention matrices (256 MB)."""
    config = model.hf.config
    each = 8 * config.num_hidden_layers * config.num_attention_heads
    start = size = 0
    for at, row in enumerate(inputs):
        mine = each * len(row.ids) ** 2
        if at > start and size + mine > 2**28:
            yield slice(start, at)
            start, size = at, 0
        size += mine
    yield slice(start, len(inputs))


def _attnlrp(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], heads: Mask | None) -> list[Explained]:
    with rules(model, "attnlrp", heads=heads):
        return input_x_gradient(model, inputs, targets)
