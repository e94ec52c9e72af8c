"""What can be read off the two numbers of a unit: seven scores, and the text without some of its words.

Notation: i a position, s_i its importance, v_i its value, alpha_i = exp(s_i) / sum_j exp(s_j) its weight (the context counts
in the sum if there is one), F = sum_i alpha_i v_i the surrogate's answer (with the context's part).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError, Undefined
from babelscope.methods.slalom.shapley import shapley
from babelscope.methods.slalom.surrogate import Mixture, Numbers


def value_score(one: Mixture) -> Numbers:
    """What the text would be worth if it held this unit alone.

        v_i

    *Laws*: the same for s + constant.
    """
    return one.value


def importance_score(one: Mixture) -> Numbers:
    """How much a unit weighs among others; it has no sign.

        s_i        centred over the distinct units by the fit

    *Laws*: that of the generating model, where there is one.
    """
    return one.importance


def lin(one: Mixture) -> Numbers:
    """The paper's linearised score.

        v_i exp(s_i)

    *Laws*: its order is the same for s + constant; it is not the gradient (see `grad`).
    *Left open by the paper*: it argues from the gradient, whose term -alpha_i F is missing here; the score is the share times
    the sum of all exp(s_j).
    Source: Leemann et al. 2024 (SLALOM), linearised scores.
    """
    return one.value * np.exp(one.importance)


def grad(one: Mixture) -> Numbers:
    """The slope of the answer when position i is softly taken away.

        dF/dlambda_i at lambda = 1,   F_lambda = sum_j lambda_j exp(s_j) v_j / sum_j lambda_j exp(s_j)
        = alpha_i (v_i - F)

    *Laws*: equals automatic differentiation; sums to 0 without a context; the same for s + constant and for v + constant.
    """
    alpha, _, full = one.weights()
    return alpha * (one.value - full)


def removal(one: Mixture) -> Numbers:
    """How far the answer falls without position i.

        F(t) - F(t without i) = alpha_i (v_i - F) / (1 - alpha_i)

    *Laws*: equals the difference of the two answers; the same for v + constant; NaN where nothing would be left.
    """
    alpha, around, full = one.weights()
    if len(alpha) == 1 and not around:
        return np.full(1, np.nan)
    others = alpha.sum() + around - alpha
    return np.asarray(alpha * (one.value - full) / others)


def share(one: Mixture) -> Numbers:
    """An additive split of the answer.

        alpha_i v_i

    *Laws*: sums to F without a context; the same for s + constant.
    """
    return one.weights()[0] * one.value


def without(one: Mixture, gone: NDArray[np.bool_]) -> float:
    """What the surrogate predicts when the positions in `gone` are taken away.

        F(t - R) = sum_{i not in R} alpha'_i v_i,    alpha' the softmax over what is left

    *Laws*: nothing gone gives F; one position gone gives F - removal; everything gone gives the context's value.
    """
    left = ~gone
    if not left.any():
        if one.context is None:
            raise Undefined("without any word the surrogate has no value; fit it with a context unit (design mix+context)")
        return one.context[1]
    return Mixture(one.importance[left], one.value[left], one.context).weights()[2]


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


def score(name: str, one: Mixture) -> Numbers:
    """The score of that name, one per position."""
    if name not in SCORES:
        raise InputError(f"score {name!r} is not one of: {', '.join(SCORES)}")
    return SCORES[name](one)
