"""The Softmax-Linked Additive Log-Odds Model.

Notation of this package: a text is a bag of *units* (tokens or words) numbered 0..T-1; s the
importance and v the value of each unit; c how often a unit occurs in the text; f the model's
answer, F the surrogate's.
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
class CountedTexts:
    """Many texts in count form: `unit[row, place]` and how often it occurs; a count of 0 is an
    empty place."""

    unit: NDArray[np.int64]
    count: Numbers

    def __len__(self) -> int:
        return len(self.unit)

    def subset(self, chosen: NDArray[np.bool_]) -> CountedTexts:
        return CountedTexts(self.unit[chosen], self.count[chosen])


def counted(sequences: Sequence[Sequence[int]], always: int | None = None) -> CountedTexts:
    """Sequences of units in count form; `always` is a unit that occurs once in every text (the
    context)."""
    bags = [Counter(int(unit) for unit in sequence) for sequence in sequences]
    if always is not None:
        for bag in bags:
            bag[always] += 1
    width = max((len(bag) for bag in bags), default=0)
    unit, count = np.zeros((len(bags), width), np.int64), np.zeros((len(bags), width))
    for row, bag in enumerate(bags):
        unit[row, : len(bag)] = list(bag)
        count[row, : len(bag)] = list(bag.values())
    return CountedTexts(unit, count)


def shares(texts: CountedTexts, importance: Numbers) -> Numbers:
    """The weight of each place, summed over all copies of its unit.

        A_p = c_p exp(s_p) / sum_q c_q exp(s_q)

    *Laws*: a row sums to 1; the same for s + constant.
    """
    logits = np.where(texts.count > 0, importance[texts.unit], -np.inf)
    if len(texts) and not (texts.count.sum(axis=1) > 0).all():
        raise Undefined("an empty text has no value in a SLALOM without a context unit")
    weight = texts.count * np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def predict(texts: CountedTexts, importance: Numbers, value: Numbers) -> Numbers:
    """The surrogate's answer for each text.

        F(t) = sum_i alpha_i v_i,    alpha_i = exp(s_i) / sum_j exp(s_j),    i, j positions of t

    computed in count form, F = sum_p A_p v_p over distinct units. `importance` is s, `value` is v,
    one per unit.

    *Laws*: the same for s + constant; v + constant gives F + constant; between the least and the
    largest v; k copies of one unit give its v; invariant to order; the count form equals the sum
    over positions.
    Source: Leemann et al. 2024 (SLALOM), eq. 4.
    """
    return np.asarray((shares(texts, importance) * value[texts.unit]).sum(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """One text under a SLALOM: importance and value of each position, and optionally of a context
    that is always present."""

    importance: Numbers
    value: Numbers
    context: tuple[float, float] | None = None
    """Importance and value of the context unit."""

    def weights(self) -> tuple[Numbers, float, float]:
        """alpha of each position, alpha of the context (0 without one), and F."""
        top = max([*self.importance, *([self.context[0]] if self.context else [])])
        weights = np.exp(self.importance - top)
        base = np.exp(self.context[0] - top) if self.context else 0.0
        total = weights.sum() + base
        around = base / total
        return (
            weights / total,
            around,
            float(
                (weights / total) @ self.value + (around * self.context[1] if self.context else 0.0)
            ),
        )
