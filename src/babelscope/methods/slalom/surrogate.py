"""The Softmax-Linked Additive Log-Odds Model.

Notation of this package: a text is a bag of *units* (tokens or words) numbered 0..T-1; s the importance and v the value of
each unit; c how often a unit stands in the text; f the model's answer, F the surrogate's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import Undefined

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Many texts in count form: `unit[row, place]` and how often it stands there; a count of 0 is an empty place."""

    unit: NDArray[np.int64]
    count: Numbers

    def __len__(self) -> int:
        return len(self.unit)

    def of(self, chosen: NDArray[np.bool_]) -> Texts:
        return Texts(self.unit[chosen], self.count[chosen])


def texts(sequences: Sequence[Sequence[int]], always: int | None = None) -> Texts:
    """Sequences of units in count form; `always` is a unit that stands once in every text (the context)."""
    bags = [Counter(int(unit) for unit in one) for one in sequences]
    if always is not None:
        for bag in bags:
            bag[always] += 1
    width = max((len(bag) for bag in bags), default=0)
    unit, count = np.zeros((len(bags), width), np.int64), np.zeros((len(bags), width))
    for row, bag in enumerate(bags):
        unit[row, : len(bag)] = list(bag)
        count[row, : len(bag)] = list(bag.values())
    return Texts(unit, count)


def shares(given: Texts, importance: Numbers) -> Numbers:
    """The weight of each place, all copies of its unit together.

        A_p = c_p exp(s_p) / sum_q c_q exp(s_q)

    *Laws*: a row sums to 1; the same for s + constant.
    """
    logits = np.where(given.count > 0, importance[given.unit], -np.inf)
    if len(given) and not (given.count.sum(axis=1) > 0).all():
        raise Undefined("an empty text has no value in a SLALOM without a context unit")
    weight = given.count * np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def predict(given: Texts, importance: Numbers, value: Numbers) -> Numbers:
    """The surrogate's answer for each text.

        F(t) = sum_i alpha_i v_i,    alpha_i = exp(s_i) / sum_j exp(s_j)        i, j over the positions of t

    computed in count form, F = sum_p A_p v_p over distinct units. `importance` is s, `value` is v, one per unit.

    *Laws*: the same for s + constant; v + constant gives F + constant; between the least and the largest v; k copies of one
    unit give its v; blind to order; the count form equals the sum over positions.
    Source: Leemann et al. 2024 (SLALOM), eq. 4.
    """
    return np.asarray((shares(given, importance) * value[given.unit]).sum(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """One text under a SLALOM: importance and value of each position, and perhaps a context that is always there."""

    importance: Numbers
    value: Numbers
    context: tuple[float, float] | None = None
    """Importance and value of the context unit."""

    def weights(self) -> tuple[Numbers, float, float]:
        """alpha of each position, alpha of the context (0 without one), and F."""
        top = max([*self.importance, *([self.context[0]] if self.context else [])])
        own = np.exp(self.importance - top)
        base = np.exp(self.context[0] - top) if self.context else 0.0
        total = own.sum() + base
        around = base / total
        return (
            own / total,
            around,
            float((own / total) @ self.value + (around * self.context[1] if self.context else 0.0)),
        )
