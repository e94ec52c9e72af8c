"""Attributions by the rules of Chefer, Gur and Wolf: full and partial relevance, and rollout
weighted by it, masked or not.

These rules divide by activations and are ill-conditioned on deep models: they run in float64
whatever the model's precision, and each explanation states how far it moves when the weights change
in their last digit (propagation/jitter.py).

Some authors state a patent on layer-wise relevance propagation for commercial use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float
from torch import Tensor

from babelscope.methods.attention import read, rolled
from babelscope.model import activations, inference
from babelscope.model.activations import ActivationGradients
from babelscope.model.heads import head_grid
from babelscope.model.load import Model
from babelscope.model.mask_options import mask_for
from babelscope.model.targets import UNIT
from babelscope.propagation.jitter import with_sensitivity
from babelscope.propagation.rules import Mask, rules
from babelscope.types import Encoded, Explained, Target


@dataclass(frozen=True, slots=True)
class Variant:
    """How relevance is rolled out, as far as definitions differ."""

    factor: float = 1.0
    """What the relevance of attention weights is multiplied by."""
    rule_set: str = "chefer"
    query: Callable[[Encoded], inference.Query] = inference.query
    """What the model reads of an input."""
    within: Callable[[Model], AbstractContextManager[Any]] = nullcontext
    """What holds while relevance is propagated."""
    alone: bool = False
    """Each input is explained by itself, not in a batch."""


WRITTEN = Variant()
"""The written definition."""


def lrp(model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]) -> list[Explained]:
    """Relevance passed back to the input of the first layer by rules that keep positive parts.

        a_t = sum_d R[t, d]

    R the relevance at the first layer's input, which starts with 1 at the target's logit: linear
    layers pass relevance along positive contributions (z+); sums split it by size; norms,
    activations and softmax pass it unchanged; of a product each side gets half
    (propagation/chefer.py has the formulas).

    *Laws*: independent of the rest of the batch; the scores of all tokens sum to 1, less what masks
    and position embeddings received.
    *Left open by the paper*: whatever quantity is explained, relevance starts at the logit; for a
    span, 1 at its start and 1 at its end.
    Source: the rules of Chefer, Gur and Wolf 2021a, eqs. 2 to 10, followed down to the first
    layer's input. The LRP baseline that they evaluate is another one: its rules normalise neither
    sums nor products and divide positive and negative inputs of a linear layer separately.
    """

    def reduce(row: int, inside: ActivationGradients) -> Float[Tensor, " token"]:
        return (inside.states[0] * inside.state_gradients[0]).sum(dim=-1)

    return _chefer(model, inputs, targets, reduce)


def partial_lrp(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target]
) -> list[Explained]:
    """Relevance of the last layer's attention weights.

        a_t = 1/H sum_h max(0, R_A[L, h, q, t]),    R_A = A ((R_O / O) V')

    O = A V the heads' output.

    *Laws*: never negative; independent of the rest of the batch.
    Source: the rules of Chefer, Gur and Wolf 2021a for the read-out of Voita et al. 2019. The
    partial LRP baseline of the former is another one: its rules normalise neither sums nor
    products (see lrp).
    """

    def reduce(row: int, inside: ActivationGradients) -> Float[Tensor, " token"]:
        return read(
            model,
            inside.target,
            (inside.weights[-1] * inside.weight_gradients[-1]).clamp(min=0).mean(dim=0),
        )

    return _chefer(model, inputs, targets, reduce)


def transatt(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    *,
    normalised: bool = False,
) -> list[Explained]:
    """Rollout of attention weighted by its relevance and its gradient.

        C[l] = 1/H sum_h max(0, dF/dA[l, h] R_A[l, h])
        J = B[L] ... B[1],    B[l] = rownorm(C[l] + I),    a_t = J[q, t]

    R_A the relevance of the attention weights (see partial_lrp); dF/dA the plain gradient of the
    logit. The default is the variant of masked_lrp, in which R_A is not halved. `normalised` gives
    the published one: its normalisation of the product A V leaves R_A / 2 in every layer, so that
    attention weighs half as much against the identity.

    *Laws*: in [0, 1]; the sum over all positions is 1; J is lower triangular for a decoder.
    *Left open by the paper*: rows are normalised, as in rollout; the released code multiplies C + I
    as it is, and for text starts at the last layer.
    Source: Chefer, Gur and Wolf 2021a, eqs. 12 to 14, over all layers; eqs. 9 and 10 for
    `normalised`.
    """
    variant = Variant(0.5) if normalised else WRITTEN
    return rolled_relevance(model, inputs, targets, None, variant)


def masked_lrp(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Target], *, heads: str = "builtin"
) -> list[Explained]:
    """Rollout of attention weighted by relevance that only important heads pass on.

        as transatt, but where relevance enters the heads' output O[l, h] from above, what is
        passed on to the weights and values is M[l, h] R_O[l, h]; R_A itself is taken unmasked

    M is 1 for heads that follow syntax or a fixed offset (`babelscope heads`); `heads` is a mask
    file, "builtin": measured on the built-in corpus in the text's language (English where it has
    none), or a treebank and a kind of mask (`model/mask_options.py`).

    *Laws*: an all-ones mask gives transatt; the mask of the lowest layer changes nothing; a mask of
    zeros leaves the residual path, and rows of J still sum to 1. Masked relevance is lost, not
    redistributed to other heads.
    *Left open by the paper*: the released code halves R_A without a mask and not with one; never
    here. For a span its code explains the answer's row spread over all tokens; here relevance is
    zero outside of that row.
    Source: "Better Explain Transformers by Illuminating Important Information", Findings of EACL
    2024.
    """

    def passed(rows: Sequence[Encoded], aims: Sequence[Target], mask: Mask) -> list[Explained]:
        return rolled_relevance(model, rows, aims, mask)

    return masked(model, inputs, targets, heads, passed)


Passed = Callable[[Sequence[Encoded], Sequence[Any], Mask], list[Explained]]
"""The explanations of some inputs under one head mask."""


def masked(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[Any], heads: str, passed: Passed
) -> list[Explained]:
    """Explanations under the mask of each input's language, in the inputs' order."""
    explanations: dict[int, Explained] = {}
    for lang in sorted({row.example.lang for row in inputs}):
        members = [at for at, row in enumerate(inputs) if row.example.lang == lang]
        mask = mask_for(model, heads, lang)
        masked_explanations = passed(
            [inputs[at] for at in members], [targets[at] for at in members], mask
        )
        said = _empty_or_full(mask)
        explanations |= {
            at: replace(explanation, flags=(*explanation.flags, *said))
            for at, explanation in zip(members, masked_explanations)
        }
    return [explanations[at] for at in range(len(inputs))]


def _empty_or_full(mask: Mask) -> tuple[str, ...]:
    """What is to be said about a mask that masks everything or nothing."""
    heads = [head for layer in mask.values() for head in layer]
    if not any(heads):
        return ("the head mask keeps no head",)
    return ("the head mask keeps all heads",) if all(heads) else ()


def _chefer(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    reduce: Callable[[int, ActivationGradients], Tensor],
) -> list[Explained]:
    def compute() -> list[Explained]:
        scores = _relevances(model, inputs, targets, reduce, None, WRITTEN)
        return [
            Explained(np.asarray(values.cpu().numpy()[row.content]))
            for row, values in zip(inputs, scores)
        ]

    return with_sensitivity(model, compute)


def _relevances(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    reduce: Callable[[int, ActivationGradients], Any],
    heads: Mask | None,
    variant: Variant,
) -> list[Any]:
    """Activations and relevances under Chefer's rules, with a relevance of 1 at the target's
    logit."""
    unit = [replace(target, quantity=UNIT) for target in targets]
    with rules(model, variant.rule_set, heads=heads), variant.within(model):
        return activations.activations_with_gradients(
            model, [variant.query(row) for row in inputs], unit, reduce
        )


def rolled_relevance(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    heads: Mask | None,
    variant: Variant = WRITTEN,
) -> list[Explained]:
    """The rollout of attention weighted by relevance and gradient (see transatt), under a mask of
    heads."""

    def compute() -> list[Explained]:
        groups = _groups(model, inputs)
        if variant.alone:
            groups = iter([slice(at, at + 1) for at in range(len(inputs))])
        return [
            explanation
            for group in groups
            for explanation in _rolled_out(model, inputs[group], targets[group], heads, variant)
        ]

    return with_sensitivity(model, compute)


def _rolled_out(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    heads: Mask | None,
    variant: Variant,
) -> list[Explained]:
    def product(_: int, inside: ActivationGradients) -> Tensor:
        return inside.weights * inside.weight_gradients

    relevance = _relevances(model, inputs, targets, product, heads, variant)

    def reduce(row: int, inside: ActivationGradients) -> Float[Tensor, " token"]:
        layers = (
            (inside.weight_gradients * relevance[row] * variant.factor).clamp(min=0).mean(dim=1)
        )
        return read(model, inside.target, rolled(layers))

    plain = [
        replace(target, quantity="logit" if target.contrast < 0 else "contrast")
        for target in targets
    ]
    scores = activations.activations_with_gradients(
        model, [variant.query(row) for row in inputs], plain, reduce
    )
    return [
        Explained(np.asarray(values.cpu().numpy()[row.content]))
        for row, values in zip(inputs, scores)
    ]


def _groups(model: Model, inputs: Sequence[Encoded]) -> Iterator[slice]:
    """Rows in order, as many at once as there is room for their attention matrices (256 MB)."""
    layers, heads = head_grid(model)
    start = size = 0
    for at, row in enumerate(inputs):
        needed = 8 * layers * heads * len(row.ids) ** 2
        if at > start and size + needed > 2**28:
            yield slice(start, at)
            start, size = at, 0
        size += needed
    yield slice(start, len(inputs))
