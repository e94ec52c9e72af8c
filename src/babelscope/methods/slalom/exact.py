"""The parameters of an exact SLALOM from 2T - 1 queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from babelscope.methods.slalom.surrogate import Numbers

Query = Callable[[Sequence[tuple[int, ...]]], Numbers]
"""From sequences of units to the model's answers."""
EDGE = 1e-3
"""The distance from 0 and 1 to which the weight of a unit in a pair is clipped when it is outside,
as on a model that is no SLALOM."""
ALIKE = 1e-6
"""Values whose range is smaller than this, relative to their size, count as equal."""


@dataclass(frozen=True, slots=True, eq=False)
class Recovered:
    importance: Numbers
    value: Numbers
    outside: NDArray[np.bool_]
    """The pair's answer was outside of the two values: the model is no SLALOM there."""


def recover(query: Query, size: int) -> Recovered:
    """Importances and values from every unit alone and T - 1 pairs.

        v_u = f(u);    p = (f(a, b) - v_b) / (v_a - v_b);    s_a - s_b = log p - log(1 - p)
        then sum_u s_u = 0

    The units with the least and the largest value serve as b, for each a the one whose value is
    farther from v_a. `query` is called twice, with all units and with all pairs.

    *Laws*: an exact SLALOM is recovered from exactly 2T - 1 queries; a constant model gets
    importances 0.
    *Left open by the paper*: which unit to compare with (the farther one divides by more), and
    answers outside of (v_a, v_b), which no SLALOM gives: p is clipped to EDGE from the nearer end
    and the unit is marked.
    Source: Leemann et al. 2024 (SLALOM), proposition 5.2 and SLALOM-Ana.
    """
    value = np.asarray(query([(unit,) for unit in range(size)]), np.float64)
    low, high = int(value.argmin()), int(value.argmax())
    outside = np.zeros(size, np.bool_)
    if value[high] - value[low] <= ALIKE * max(1.0, float(np.abs(value).max())):
        return Recovered(np.zeros(size), value, outside)
    first = [unit for unit in range(size) if unit != low]
    far = np.where(value - value[low] >= value[high] - value, low, high)
    pairs = [(unit, int(far[unit])) for unit in first]
    answer = dict(zip(first, np.asarray(query(pairs), np.float64)))
    importance = np.zeros(size)
    for unit, other in pairs:
        weight = (answer[unit] - value[other]) / (value[unit] - value[other])
        outside[unit] = not 0 < weight < 1
        clipped = min(max(weight, EDGE), 1 - EDGE) if outside[unit] else weight
        importance[unit] = np.log(clipped) - np.log1p(-clipped)
    importance[[unit for unit, other in pairs if other == high]] += importance[high]
    return Recovered(importance - importance.mean(), value, outside)
