"""Do the scores predict the effect of erasing single units, or random sets of units?"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

from babelscope.errors import InputError
from babelscope.metrics.erased import Erased, Scores, probabilities, ranked, ranking, units
from babelscope.model.load import Model
from babelscope.model.targets import value
from babelscope.random import identity, keyed
from babelscope.types import Encoded, Measured, Target

NO_CHANGE = 1e-12
"""A change of the probability that counts as none."""


def loo_correlation(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
) -> list[Measured]:
    """Rank agreement of the scores with the effect of erasing each unit alone; higher is better.

        tau_b( a, d ),    d_u = p(x) - p(x - u)

    tau_b Kendall's correlation with its correction for ties.

    *Laws*: within [-1, 1]; 1 for the leave-one-out effects themselves and -1 for the negated;
    unchanged by strictly increasing maps of the scores; undefined (NaN) where all scores or all
    effects are equal, or for a single unit.
    Source: Jain and Wallace 2019, section 4.1; Kendall 1945.
    """
    results = []
    for attributed, effects, reason in _effects(model, inputs, scores, targets, unit, operator):
        if not reason and (np.ptp(attributed) == 0 or np.ptp(effects) <= NO_CHANGE):
            reason = (
                "all scores are equal"
                if np.ptp(attributed) == 0
                else "all units have the same effect"
            )
        results.append(
            Measured(nan, reason)
            if reason
            else Measured(float(kendalltau(attributed, effects).statistic))
        )
    return results


def monotonicity(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
) -> list[Measured]:
    """How often the probability changes as the score's sign predicts while units are inserted, the
    weakest first; higher is better.

        1/n sum_k ( 1 + sign(a_k) sign(g_k) ) / 2,    g_k = p(U_k) - p(U_{k-1})

    U_k the k units with the smallest |a|, the rest erased; a_k the score of the unit that U_k adds.

    *Laws*: within [0, 1]; 1/2 for a constant model and for scores that are all 0; negating the
    scores gives 1 minus it; unchanged by positive factors.
    *Left open by the paper*: it is a pass or fail, a pass if the probability rises at every step,
    for positive scores only; here it is the share of correct steps, which for positive scores is
    the share of rises. Changes below 1e-12 are none.
    Source: Arya et al. 2019 (AI Explainability 360), monotonicity.
    """
    orders = [ranked(row, attributed, unit) for row, attributed in zip(inputs, scores)]
    sets: list[list[Erased]] = []
    weakest: list[NDArray[np.int64]] = []
    for row, attributed, (_, reason) in zip(inputs, scores, orders):
        owner, n = units(row, unit)
        order = (
            np.zeros(0, dtype=np.int64) if reason else ranking(-np.abs(attributed), *identity(row))
        )
        weakest.append(order)
        sets.append(
            [np.isin(owner, order[size:]) & row.content for size in range(n + 1)]
            if len(order)
            else []
        )
    results = []
    for attributed, order, (_, why), (many, reason) in zip(
        scores, weakest, orders, probabilities(model, inputs, targets, sets, operator)
    ):
        gains = np.diff(many)
        signs = np.where(np.abs(gains) <= NO_CHANGE, 0.0, np.sign(gains))
        undefined = why or reason
        agreed = nan if undefined else float(np.mean((1 + np.sign(attributed[order]) * signs) / 2))
        results.append(Measured(agreed, undefined))
    return results


def infidelity(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    unit: str = "word",
    operator: str | None = None,
    draws: int = 64,
) -> list[Measured]:
    """How far summed scores fail to predict the effect of erasing random sets of units, as a share;
    lower is better.

        min_{b >= 0} E[ ( b sum_{u in S} a_u - D_S )^2 ] / E[ D_S^2 ],    D_S = F(x) - F(x - S)

    F the explained quantity, S a random set that holds each unit with probability 1/2, keyed to the
    example.

    *Laws*: within [0, 1]; 0 for the weights of an additive model; unchanged by positive factors; 1
    for scores that are all 0; undefined (NaN) where no set changes the value.
    *Left open by the paper*: which perturbations (ours erase units); b, as methods differ in scale,
    not below 0, as a reversed explanation is no explanation; the share, so that models of different
    confidence can be compared.
    Source: Yeh et al. 2019, definition 2.1 and the optimal scaling of its section 2.3.
    """
    if draws < 1:
        raise InputError(f"draws must be at least 1, not {draws}")
    reasons = [ranked(row, attributed, unit)[1] for row, attributed in zip(inputs, scores)]
    members = [_members(row, unit, draws) for row in inputs]
    sets = []
    for row, chosen in zip(inputs, members):
        owner, _ = units(row, unit)
        sets.append(
            [np.zeros_like(row.content), *(row.content & inside[owner] for inside in chosen)]
        )
    values = probabilities(model, inputs, targets, sets, operator, value)
    return [
        _unexplained(
            chosen.astype(np.float64) @ np.asarray(attributed, dtype=np.float64),
            many[0] - many[1:],
            why or reason,
        )
        for attributed, chosen, why, (many, reason) in zip(scores, members, reasons, values)
    ]


def sensitivity(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """How far the scores of one text change when the explanation is computed again under another
    condition.

        || a - a' || / || a ||

    Not a row of METRICS: a metric never computes another explanation. It compares two stored ones,
    such as those of two seeds, of two models or of a text and its re-segmentation.

    *Laws*: 0 for equal scores; unchanged by a common factor; NaN where the first scores are all 0.
    Source: Yeh et al. 2019, definition 3.1, for one perturbation; the maximum over several is the
    caller's.
    """
    if len(first) != len(second):
        raise InputError(
            f"{len(first)} and {len(second)} scores are not of the same units; compare one text"
        )
    length = float(np.linalg.norm(first))
    return float(np.linalg.norm(first - second)) / length if length else nan


def _effects(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    unit: str,
    operator: str | None,
) -> list[tuple[NDArray[np.float64], NDArray[np.float64], str]]:
    """Scores, leave-one-out effects, and the reason where there are none."""
    reasons = [ranked(row, attributed, unit)[1] for row, attributed in zip(inputs, scores)]
    sets = []
    for row in inputs:
        owner, n = units(row, unit)
        sets.append([np.zeros_like(row.content), *(owner == number for number in range(n))])
    values = probabilities(model, inputs, targets, sets, operator)
    return [
        (np.asarray(attributed, dtype=np.float64), many[0] - many[1:], why or reason)
        for attributed, why, (many, reason) in zip(scores, reasons, values)
    ]


def _members(row: Encoded, unit: str, draws: int) -> NDArray[np.bool_]:
    """Which units each random set holds; the sets depend on the example alone, so all methods share
    them."""
    _, n = units(row, unit)
    return np.asarray(keyed("infidelity", *identity(row)).random((draws, n)) < 0.5)


def _unexplained(
    predicted: NDArray[np.float64], changes: NDArray[np.float64], reason: str
) -> Measured:
    if reason:
        return Measured(nan, reason)
    total = float((changes**2).mean())
    if total <= NO_CHANGE**2:
        return Measured(nan, "no erased set changes the explained value")
    spread, common = float((predicted**2).mean()), float((predicted * changes).mean())
    factor = max(0.0, common) / spread if spread > 0 else 0.0
    return Measured(min(1.0, float(((factor * predicted - changes) ** 2).mean()) / total))
