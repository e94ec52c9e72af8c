"""What can be read off the two numbers of a unit: seven scores, and the text without some of its words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError, Undefined
from babelscope.surrogate.shapley import shapley
from babelscope.surrogate.slalom import Mixture, Numbers


def value_score(one: Mixture) -> Numbers:
    """v_i: what the text would be worth if it held this unit alone."""
    return one.value


def importance_score(one: Mixture) -> Numbers:
    """s_i, centred over the distinct units; it has no sign."""
    return one.importance


def lin(one: Mixture) -> Numbers:
    """v_i exp(s_i): the paper's linearised score. It is the share up to a common factor, and not the gradient."""
    return one.value * np.exp(one.importance)


def grad(one: Mixture) -> Numbers:
    """alpha_i (v_i - F): the slope of F when position i is softly taken away; they sum to 0 without a context."""
    alpha, _, full = one.weights()
    return alpha * (one.value - full)


def removal(one: Mixture) -> Numbers:
    """F(t) - F(t without i) = alpha_i (v_i - F) / (1 - alpha_i); undefined where nothing would be left."""
    alpha, around, full = one.weights()
    if len(alpha) == 1 and not around:
        return np.full(1, np.nan)
    others = alpha.sum() + around - alpha
    return np.asarray(alpha * (one.value - full) / others)


def share(one: Mixture) -> Numbers:
    """alpha_i v_i: an additive split of F; they sum to F without a context."""
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
