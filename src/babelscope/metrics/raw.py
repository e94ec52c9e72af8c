"""Erasure in the units of the explained value itself: for models that give a number and no
probability (regression, similarity, reranking), and wherever a probability is saturated.

Notation and choices as in `hard`; F is the explained quantity.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from babelscope.metrics.erased import Scores, by_sign, probabilities, ranked, tops
from babelscope.metrics.hard import GRID, check_grid, check_sampled, sampled_lengths
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.types import Encoded, Measured, Target


def value_comprehensiveness(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    grid: Sequence[float] = GRID,
    sign: str = "signed",
    sampled: int = 0,
) -> list[Measured]:
    """How far the explained value falls when the highest scored units are erased; higher is
    better.

        1/|K| sum_{k in K} [ F(x) - F(x - R_k) ]

    *Laws*: 0 for a constant model; for the quantity probability it is comprehensiveness; for a
    single rationale length of 1 it is the occlusion score of the highest unit; multiplied by a
    factor with the value.
    Source: DeYoung et al. 2020 (ERASER), eq. 1, of the value in place of the probability.
    """
    return _falls(
        model, inputs, by_sign(scores, sign), targets, unit, operator, grid, sampled, kept=False
    )


def value_sufficiency(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    grid: Sequence[float] = GRID,
    sign: str = "signed",
    sampled: int = 0,
) -> list[Measured]:
    """How far the explained value falls when only the highest scored units are kept; lower is
    better.

        1/|K| sum_{k in K} [ F(x) - F(R_k) ]

    *Laws*: 0 for a constant model; for the quantity probability it is sufficiency; multiplied by a
    factor with the value.
    Source: DeYoung et al. 2020 (ERASER), eq. 2, of the value in place of the probability.
    """
    return _falls(
        model, inputs, by_sign(scores, sign), targets, unit, operator, grid, sampled, kept=True
    )


def _falls(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target], unit: str,
    operator: str | None, grid: Sequence[float], sampled: int, *, kept: bool,
) -> list[Measured]:  # fmt: skip
    check_grid(grid)
    check_sampled(sampled)
    orders = [ranked(row, attributed, unit) for row, attributed in zip(inputs, scores)]
    sets: list[list[NDArray[np.bool_]]] = []
    for row, (order, _) in zip(inputs, orders):
        chosen = tops(row, order, sampled_lengths(row, len(order), grid, sampled), unit)
        erased = [row.content & ~top if kept else top for top in chosen]
        sets.append([np.zeros_like(row.content), *erased])
    measured = []
    for (_, why), (values, reason) in zip(
        orders, probabilities(model, inputs, targets, sets, operator, of=value)
    ):
        falls = values[0] - values[1:]
        defined = not why and len(falls) > 0 and bool(np.isfinite(falls).all())
        measured.append(Measured(float(falls.mean())) if defined else Measured(nan, why or reason))
    return measured
