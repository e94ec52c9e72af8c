"""Attributions by relevance propagation: gradient times input under other backward rules.

Some authors state a patent on layer-wise relevance propagation for commercial use.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from torch import Tensor

from babelscope.methods.gradient import available_baseline, displacement, input_x_gradient, on_path
from babelscope.methods.relevance import masked
from babelscope.model import inference
from babelscope.model.load import Model
from babelscope.propagation.rules import Mask, rules
from babelscope.types import AnyTarget, Encoded, Explained

LARGEST_GAP = 1e-3
"""The completeness gap, in units of the explained value, above which DeepLIFT is flagged."""


def attnlrp(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]
) -> list[Explained]:
    """Relevance propagation with rules made for attention.

        a_t = e_t . g_t        g_t the gradient at position t under these rules:

    activations pass relevance unchanged (gradient f(x) / x); the standard deviation of a norm is a
    constant; of a product of two activations, attention weights times values among them, each side
    gets half; softmax is expanded to first order (its ordinary gradient); linear layers and sums as
    they are.

    *Laws*: the forward pass is untouched; independent of the rest of the batch; 0 at a token that
    the model ignores. Relevance is not conserved: the expansion of softmax leaves a remainder.
    *Left open by the paper*: biases keep their share, so the sum is not the logit.
    Source: Achtibat et al. 2024 (AttnLRP), propositions 3.1 to 3.4.
    """
    with rules(model, "attnlrp"):
        return input_x_gradient(model, inputs, targets)


def cp_lrp(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget]
) -> list[Explained]:
    """Relevance propagation that treats attention weights as constants.

        a_t = e_t . g_t

    g_t as in attnlrp, but attention weights and the activated side of a gated layer are constants.

    *Laws*: the forward pass is untouched; independent of the rest of the batch; without biases and
    additive embeddings the scores of all tokens, special ones included, sum to the logit.
    *Left open by the paper*: gated layers; the gate is a weight, as attention is.
    Source: Ali et al. 2022 (conservative propagation).
    """
    with rules(model, "cp_lrp"):
        return input_x_gradient(model, inputs, targets)


def deeplift(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget], *, baseline: str = "pad"
) -> list[Explained]:
    """What each token's difference to a reference did to the value, by multipliers that are exact
    for every operation.

        a_t = (e_t - b_t) . m_t

    m_t the multiplier at position t (see propagation/deeplift.py); b the reference: the baseline's
    embedding at content positions, e itself at special tokens and fixed parts, as in integrated
    gradients; positions, types and mask are the input's.

    *Laws*: completeness to rounding, sum_t a_t = F(x) - F(b), with no steps to choose: the gap is
    in the details (`completeness_gap`) and is flagged above 1e-3, where precision is lost; a token
    equal to the baseline scores 0; with a reference near the input it is gradient x difference; for
    F linear it equals integrated gradients.
    *Left open by the paper*: products and softmax, which the rescale rule does not cover; midpoints
    and the logarithmic mean. A model that routes (a choice of experts by its input) is refused:
    input and reference would pass through different experts.
    Source: Shrikumar, Greenside and Kundaje 2017, the rescale rule.
    """
    baseline, substituted = available_baseline(model, baseline)
    displacements = [displacement(model, row, baseline) for row in inputs]
    references = [
        on_path(row, displacement, 0.0, baseline)
        for row, displacement in zip(inputs, displacements)
    ]

    def reduce(row: int, gradient: Float[Tensor, "token dim"]) -> Float[Tensor, " token"]:
        return (gradient.double() * displacements[row].double()).sum(dim=-1).cpu()

    with rules(model, "deeplift"):
        queries = [inference.query(row) for row in inputs]
        multiplied = inference.multipliers(model, queries, references, targets, reduce)
    return [
        _complete(each.reduced.numpy()[row.content], each.value, each.reference, substituted)
        for row, each in zip(inputs, multiplied)
    ]


def _complete(
    scores: Float[np.ndarray, " token"], full: float, reference: float, flags: tuple[str, ...]
) -> Explained:
    """The scores with their completeness gap, and a flag where it is large."""
    gap = abs(float(scores.sum()) - (full - reference))
    large = () if gap <= LARGEST_GAP else (f"completeness gap {gap:.2g}",)
    return Explained(scores, reference, (*flags, *large), {"completeness_gap": gap})


def masked_attnlrp(
    model: Model, inputs: Sequence[Encoded], targets: Sequence[AnyTarget], *, heads: str = "builtin"
) -> list[Explained]:
    """AttnLRP in which only important heads pass relevance on, summed at the embeddings.

        a_t = e_t . g_t

    g as in attnlrp, times M[l, h] where it enters the output of head h of layer l. Signed and
    cheaper than masked_lrp: one gradient, no matrices. `heads` as there.

    *Laws*: an all-ones mask gives attnlrp; the mask of every layer matters.
    Source: this project; the mask of masked_lrp with the rules of AttnLRP.
    """

    def passed(rows: Sequence[Encoded], aims: Sequence[AnyTarget], mask: Mask) -> list[Explained]:
        with rules(model, "attnlrp", heads=mask):
            return input_x_gradient(model, rows, aims)

    return masked(model, inputs, targets, heads, passed)
