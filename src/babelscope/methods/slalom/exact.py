"""The parameters of an exact SLALOM from 2T - 1 questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelscope.methods.slalom.surrogate import Numbers

Answers = Callable[[Sequence[tuple[int, ...]]], Numbers]
"""From sequences of units to the model's answers."""
EDGE = 1e-3
"""Where the weight of a unit in a pair is put when it falls outside of 0 to 1, as on a model that is no SLALOM."""
ALIKE = 1e-6
"""Values nearer to each other than this share of their range are no ground for a division."""


@dataclass(frozen=True, slots=True, eq=False)
class Recovered:
    importance: Numbers
    value: Numbers
    outside: NDArray[np.bool_]
    """The pair's answer lay outside of the two values: the model is no SLALOM there."""


def recover(ask: Answers, size: int) -> Recovered:
    """Importances and values from every unit alone and T - 1 pairs.

        v_u = f(u);   p = (f(a, b) - v_b) / (v_a - v_b);   s_a - s_b = log p - log(1 - p);   then sum_u s_u = 0

    The units with the least and the largest value serve as b, for each a the one whose value is farther from v_a. `ask` is
    called twice, with all units and with all pairs.

    *Laws*: an exact SLALOM is recovered from exactly 2T - 1 questions; a constant model gets importances 0.
    *Left open by the paper*: which unit to compare with (the farther one divides by more), and answers outside of
    (v_a, v_b), which no SLALOM gives: p is put EDGE from the nearer end and the unit is marked.
    Source: Leemann et al. 2024 (SLALOM), proposition 5.2 and SLALOM-Ana.
    """
    value = np.asarray(ask([(unit,) for unit in range(size)]), np.float64)
    low, high = int(value.argmin()), int(value.argmax())
    outside = np.zeros(size, np.bool_)
    if value[high] - value[low] <= ALIKE * max(1.0, float(np.abs(value).max())):
        return Recovered(np.zeros(size), value, outside)
    first = [unit for unit in range(size) if unit != low]
    far = np.where(value - value[low] >= value[high] - value, low, high)
    pairs = [(unit, int(far[unit])) for unit in first]
    answer = dict(zip(first, np.asarray(ask(pairs), np.float64)))
    ahead = np.zeros(size)
    for unit, other in pairs:
        weight = (answer[unit] - value[other]) / (value[unit] - value[other])
        outside[unit] = not 0 < weight < 1
        held = min(max(weight, EDGE), 1 - EDGE) if outside[unit] else weight
        ahead[unit] = np.log(held) - np.log1p(-held)
    ahead[[unit for unit, other in pairs if other == high]] += ahead[high]
    return Recovered(ahead - ahead.mean(), value, outside)
