"""Attributions by relevance propagation: gradient times input under other backward rules.

Some authors state a patent on layer-wise relevance propagation for commercial use.
"""

from __future__ import annotations

from collections.abc import Sequence

from babelscope.methods.gradient import input_x_gradient
from babelscope.model.load import Model
from babelscope.model.rules import rules
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
