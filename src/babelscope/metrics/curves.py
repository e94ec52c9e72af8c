"""Areas under the probability while units are erased, or inserted, in the order of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import trapezoid

from babelscope.errors import InputError
from babelscope.metrics.erased import Scores, by_sign, probabilities, ranked, tops
from babelscope.model.load import Model
from babelscope.types import Encoded, Measured, Target


def deletion_area(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    levels: int = 20,
    sign: str = "signed",
) -> list[Measured]:
    """The area under the probability while units are erased, the highest first; lower is better.

        A = sum_j (k_{j+1} - k_j) / n * ( p(x - R_{k_j}) + p(x - R_{k_{j+1}}) ) / 2

    k_0 = 0 < ... < k_m = n the distinct round(n j / levels) up to the middle, and their mirror
    images n - k: every single unit in texts of up to `levels` units.

    *Laws*: within [0, 1]; p(x) for a constant model; unchanged by strictly increasing maps of the
    scores; where no scores are equal, the deletion area is the insertion area of the negated
    scores.
    Source: Petsiuk, Das and Saenko 2018 (RISE), deletion.
    """
    return _areas(model, inputs, by_sign(scores, sign), targets, unit, operator, levels, kept=False)


def insertion_area(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    levels: int = 20,
    sign: str = "signed",
) -> list[Measured]:
    """The area under the probability while units are inserted into the erased text, the highest
    first; higher is better.

        A = sum_j (k_{j+1} - k_j) / n * ( p(R_{k_j}) + p(R_{k_{j+1}}) ) / 2

    p(R) the probability with R alone kept, k_j as in deletion_area.

    *Laws*: within [0, 1]; p(x) for a constant model; unchanged by strictly increasing maps of the
    scores; where no scores are equal, the insertion area is the deletion area of the negated
    scores.
    Source: Petsiuk, Das and Saenko 2018 (RISE), insertion.
    """
    return _areas(model, inputs, by_sign(scores, sign), targets, unit, operator, levels, kept=True)


def _areas(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    unit: str,
    operator: str | None,
    levels: int,
    *,
    kept: bool,
) -> list[Measured]:
    if levels < 1:
        raise InputError(f"levels must be at least 1, not {levels}")
    orders = [ranked(row, attributed, unit) for row, attributed in zip(inputs, scores)]
    sizes = [stops(len(order), levels) for order, _ in orders]
    sets = []
    for row, (order, _), lengths in zip(inputs, orders, sizes):
        chosen = tops(row, order, lengths if len(order) else [], unit)
        sets.append([row.content & ~top for top in chosen] if kept else chosen)
    values = probabilities(model, inputs, targets, sets, operator)
    return [
        _area(lengths, many, why or reason)
        for lengths, (_, why), (many, reason) in zip(sizes, orders, values)
    ]


def stops(n: int, levels: int) -> list[int]:
    """The distinct numbers of units at which the curve is evaluated, from 0 to n; the same from
    both ends."""
    half = {round(n * level / levels) for level in range(levels // 2 + 1)}
    return sorted(half | {n - size for size in half})


def _area(sizes: Sequence[int], values: NDArray[np.float64], reason: str) -> Measured:
    if reason or not np.isfinite(values).all():
        return Measured(nan, reason)
    return Measured(float(trapezoid(values, sizes) / sizes[-1]))
