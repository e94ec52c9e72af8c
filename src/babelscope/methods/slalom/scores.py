"""What follows from the two numbers of a unit: seven scores, and the value of the text without some
of its words.

Notation: i a position, s_i its importance, v_i its value, alpha_i = exp(s_i) / sum_j exp(s_j) its
weight (the sum includes the context if there is one), F = sum_i alpha_i v_i the surrogate's answer
(with the context's part).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError, Undefined
from babelscope.methods.slalom.shapley import shapley
from babelscope.methods.slalom.surrogate import Mixture, Numbers


def value_score(mixture: Mixture) -> Numbers:
    """The value of a text that consists of this unit alone.

        v_i

    *Laws*: the same for s + constant.
    """
    return mixture.value


def importance_score(mixture: Mixture) -> Numbers:
    """How much a unit weighs relative to others, whatever the sign of its value.

        s_i        centred over the distinct units by the fit

    *Laws*: that of the generating model, where there is one.
    """
    return mixture.importance


def lin(mixture: Mixture) -> Numbers:
    """The paper's linearised score.

        v_i exp(s_i)

    *Laws*: its order is the same for s + constant; it is not the gradient (see `grad`).
    *Left open by the paper*: it argues from the gradient, whose term -alpha_i F is missing here;
    the score is the share times the sum of all exp(s_j).
    Source: Leemann et al. 2024 (SLALOM), linearised scores.
    """
    return mixture.value * np.exp(mixture.importance)


def grad(mixture: Mixture) -> Numbers:
    """The derivative of the answer with respect to the presence of position i.

        dF/dlambda_i at lambda = 1  =  alpha_i (v_i - F)
        F_lambda = sum_j lambda_j exp(s_j) v_j / sum_j lambda_j exp(s_j)

    *Laws*: equals automatic differentiation; sums to 0 without a context; the same for s + constant
    and for v + constant.
    """
    alpha, _, full = mixture.weights()
    return alpha * (mixture.value - full)


def removal(mixture: Mixture) -> Numbers:
    """How far the answer falls when position i is removed.

        F(t) - F(t without i) = alpha_i (v_i - F) / (1 - alpha_i)

    *Laws*: equals the difference of the two answers; the same for v + constant; NaN where the text
    would be empty.
    """
    alpha, around, full = mixture.weights()
    if len(alpha) == 1 and not around:
        return np.full(1, np.nan)
    others = alpha.sum() + around - alpha
    return np.asarray(alpha * (mixture.value - full) / others)


def share(mixture: Mixture) -> Numbers:
    """An additive split of the answer.

        alpha_i v_i

    *Laws*: sums to F without a context; the same for s + constant.
    """
    return mixture.weights()[0] * mixture.value


def without(mixture: Mixture, removed: NDArray[np.bool_]) -> float:
    """What the surrogate predicts when the positions in `removed` are removed.

        F(t - R) = sum_{i not in R} alpha'_i v_i,    alpha' the softmax over the remaining positions

    *Laws*: with nothing removed it is F; with one position removed F - removal; with all removed
    the context's value.
    """
    kept = ~removed
    if not kept.any():
        if mixture.context is None:
            raise Undefined("the surrogate has no value without any word; use design mix+context")
        return mixture.context[1]
    return Mixture(mixture.importance[kept], mixture.value[kept], mixture.context).weights()[2]


SCORES = {
    "lin": lin,
    "value": value_score,
    "importance": importance_score,
    "grad": grad,
    "removal": removal,
    "share": share,
    "shapley": shapley,
}
"""The scores by the names that the option takes."""


def score(name: str, mixture: Mixture) -> Numbers:
    """The score of that name, one per position."""
    if name not in SCORES:
        raise InputError(f"score {name!r} is not one of: {', '.join(SCORES)}")
    return SCORES[name](mixture)
