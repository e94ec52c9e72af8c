"""The probability that is missing while a few units at a time are kept: deletion and insertion as
the SLALOM study measures them."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np

from babelscope.errors import InputError
from babelscope.metrics.erased import Scores, by_sign, probabilities, ranked, tops
from babelscope.model.load import Model
from babelscope.types import Encoded, Measured, Target


def stepwise_deletion(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "token",
    operator: str | None = None,
    step: int = 5,
    sign: str = "signed",
) -> list[Measured]:
    """One minus the mean probability with only the lowest units kept; higher is better.

        1 - 1/|K| sum_{k in K} p(B_k),    K = { step, 2 step, ... <= n }

    B_k the k lowest of n units, all others erased. Unlike the deletion area it counts units, not
    shares of the text, and does not end at the erased text.

    *Laws*: within [0, 1]; 1 - p(x) for a constant model; unchanged by strictly increasing maps of
    the scores; where no scores are equal it is the stepwise insertion of the negated scores;
    undefined for fewer than `step` units.
    *Left open by the paper*: the class (here the explained one; its code takes the gold label, as
    target=gold does) and the operator (its code removes tokens, as operator=delete does).
    Source: Leemann et al. 2024 (SLALOM), tables 2c and 9, called AOPC there.
    """
    return _missing(model, inputs, by_sign(scores, sign), targets, unit, operator, step, top=False)


def stepwise_insertion(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "token",
    operator: str | None = None,
    step: int = 5,
    sign: str = "signed",
) -> list[Measured]:
    """One minus the mean probability with only the highest units kept; lower is better.

        1 - 1/|K| sum_{k in K} p(R_k),    K = { step, 2 step, ... <= n }

    R_k the k highest of n units, all others erased.

    *Laws*: within [0, 1]; 1 - p(x) for a constant model; unchanged by strictly increasing maps of
    the scores; where no scores are equal it is the stepwise deletion of the negated scores;
    undefined for fewer than `step` units.
    *Left open by the paper*: as in stepwise_deletion.
    Source: Leemann et al. 2024 (SLALOM), table 9, called AOPC there.
    """
    return _missing(model, inputs, by_sign(scores, sign), targets, unit, operator, step, top=True)


def _missing(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    unit: str,
    operator: str | None,
    step: int,
    *,
    top: bool,
) -> list[Measured]:
    if step < 1:
        raise InputError(f"step must be at least 1, not {step}")
    orders = [ranked(row, attributed, unit) for row, attributed in zip(inputs, scores)]
    sets = []
    for row, (order, _) in zip(inputs, orders):
        kept = order if top else order[::-1]
        sizes = range(step, len(order) + 1, step)
        sets.append([row.content & ~part for part in tops(row, kept, sizes, unit)])
    results = []
    for (order, why), (values, reason) in zip(
        orders, probabilities(model, inputs, targets, sets, operator)
    ):
        few = "" if len(order) >= step else f"fewer than {step} {unit}s"
        undefined = why or reason or few
        complete = not undefined and bool(np.isfinite(values).all())
        results.append(Measured(1 - float(values.mean())) if complete else Measured(nan, undefined))
    return results
