"""Where a value lies between chance and the best that erasing can find: comparable between models, unlike a ratio to random.

The floor is made of the explanation's own scores in random orders: it has the same spread, and only the order is chance. The
ceiling is the same scores in the best of three orders that the model itself gives: by leave-one-out effect, by greedy
erasure (again and again the unit whose loss lowers the probability most) and by greedy keeping (the unit that alone with
those before raises it most). Greedy steps are taken `STEPS` times, the rest follows by the effects of the last step. It is
no proof of the best: an explanation may lie above.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.metrics.erased import Scores, probabilities, ranked, ranking, units
from babelscope.model.load import Model
from babelscope.random import keyed
from babelscope.types import Encoded, Measured, Metric, Target

STEPS = 10
"""Greedy choices; together at most 2 STEPS n erased texts for n units."""
LEAST_GAP = 1e-6
"""Without a wider gap between floor and ceiling there is no position."""


def position(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target], *,
    metric: str = "comprehensiveness", unit: str = "word", operator: str | None = None, draws: int = 20,
) -> list[Measured]:  # fmt: skip
    """How far a metric's value lies on the way from random orders to the best order found; higher is better.

        ( m(a) - floor ) / ( ceiling - floor ),   floor = mean over `draws` of m(a in random order),
        ceiling = best of m(a by leave-one-out), m(a by greedy erasure), m(a by greedy keeping)

    *Laws*: 1 for the order that is the ceiling; on a model that weighs units one by one, 1 for the true weights and below 0
    for the negated; the mean over all orders is 0 up to the floor's draws; undefined (NaN) where ceiling and floor meet.
    *Left open by the paper*: see above.
    Source: the normalisation by random and by the best; spec of the study, after Zhao and Aletras 2023, 2024.
    """
    found = bounds(model, inputs, scores, targets, metric, unit, operator, draws)
    return [_position(one) for one in found]


def diagnosticity(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target], *,
    metric: str = "comprehensiveness", unit: str = "word", operator: str | None = None, draws: int = 20,
) -> list[Measured]:  # fmt: skip
    """How often a metric puts the explanation above its own scores in a random order; higher is better.

        1/draws sum_j ( [m(a) better than m(a in random order j)] + [equal] / 2 )

    *Laws*: within [0, 1]; 1/2 for a constant model, where all is a tie; with better and worse exchanged, 1 minus it.
    *Left open by the paper*: its code counts ties as success; here they are half of one. Equal: within 1e-12.
    Source: Chan, Kong and Liang 2022, diagnosticity, as in Zhao and Aletras 2023.
    """
    found = bounds(model, inputs, scores, targets, metric, unit, operator, draws)
    return [Measured(nan, one.reason) if one.reason else Measured(wins(one)[0]) for one in found]


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """A metric's value with what chance and the best order give, or why there is none."""

    value: float
    floor: NDArray[np.float64]
    """One value for each random order."""
    ceiling: float
    higher_is_better: bool
    reason: str = ""


def wins(one: Bounds) -> tuple[float, float]:
    """The share of random orders that the value beats, ties as half; and the share of ties."""
    better = (one.value - one.floor) * (1 if one.higher_is_better else -1)
    ties = np.abs(better) <= 1e-12
    return float(np.mean(np.where(ties, 0.5, better > 0))), float(ties.mean())


def bounds(
    model: Model, inputs: Sequence[Encoded], scores: Scores, targets: Sequence[Target],
    metric: str, unit: str, operator: str | None, draws: int,
) -> list[Bounds]:  # fmt: skip
    """Per input the metric's value, those of `draws` random orders, and the ceiling."""
    row = _row(metric)
    if draws < 1:
        raise InputError(f"draws must be at least 1; {draws} given")
    options: dict[str, Any] = {"unit": unit}
    if "operator" in inspect.signature(row.function).parameters:
        options["operator"] = operator
    reasons = [ranked(one, given, unit)[1] for one, given in zip(inputs, scores)]
    with model.inference.caching():
        orders = [
            greedy(model, inputs, targets, unit, operator, steps, kept=kept)
            for steps, kept in ((1, False), (STEPS, False), (STEPS, True))
        ]
        variants = [
            [
                np.asarray(given, dtype=np.float64),
                *_floor(one, given, row, draws),
                *(_placed(given, row, way[at]) for way in orders),
            ]
            for at, (one, given) in enumerate(zip(inputs, scores))
        ]
        count = draws + 1 + len(orders)
        repeated = [[each for each in many for _ in range(count)] for many in (inputs, targets)]
        flat = row.function(model, repeated[0], [one for many in variants for one in many], repeated[1], **options)
    return [_bounds(flat[at * count : (at + 1) * count], draws, row, why) for at, why in enumerate(reasons)]


def greedy(
    model: Model,
    inputs: Sequence[Encoded],
    targets: Sequence[Target],
    unit: str,
    operator: str | None,
    steps: int,
    *,
    kept: bool,
) -> list[NDArray[np.int64]]:
    """Units in the order in which erasing them lowers the probability most (`kept`: in which keeping them raises it most),
    chosen one after the other for `steps` steps; the rest by its effect at the last."""
    owners = [units(row, unit) for row in inputs]
    chosen: list[list[int]] = [[] for _ in inputs]
    for step in range(min(steps, max(n for _, n in owners))):
        sets, rests = [], []
        for row, (owner, n), mine in zip(inputs, owners, chosen):
            rest = [one for one in range(n) if one not in mine]
            gone = [np.isin(owner, [*mine, one]) & row.content for one in rest]
            sets.append([row.content & ~one for one in gone] if kept else gone)
            rests.append(rest)
        for row, rest, mine, (many, _) in zip(inputs, rests, chosen, probabilities(model, inputs, targets, sets, operator)):
            gain = np.where(np.isfinite(many), many if kept else -many, -np.inf)
            order = [rest[place] for place in ranking(gain, row.example.id)]
            mine += order if step == steps - 1 else order[:1]
    return [np.array(mine, dtype=np.int64) for mine in chosen]


def _row(metric: str) -> Metric:
    from babelscope.metrics import METRICS  # the table holds this module's own rows

    known = [
        name for name, row in METRICS.items() if row.family == "faithfulness" and name not in ("position", "diagnosticity")
    ]
    if metric not in known:
        raise InputError(f"metric {metric!r} has no floor and ceiling; choose from: {', '.join(known)}")
    return METRICS[metric]


def _floor(one: Encoded, given: NDArray[np.float64], row: Metric, draws: int) -> list[NDArray[np.float64]]:
    return [
        _placed(given, row, keyed("floor", one.example.id, draw).permutation(len(given)).astype(np.int64))
        for draw in range(draws)
    ]


def _placed(given: NDArray[np.float64], row: Metric, order: NDArray[np.int64]) -> NDArray[np.float64]:
    """The explanation's own scores (for a metric that knows only the order: distinct ones), falling along the order."""
    falling = np.arange(len(given), 0, -1.0) if row.order_only else np.sort(np.asarray(given, dtype=np.float64))[::-1]
    placed = np.empty(len(given))
    placed[order] = falling
    return placed


def _bounds(many: Sequence[Measured], draws: int, row: Metric, why: str) -> Bounds:
    values = np.array([one.value for one in many])
    reason = why or next((one.reason for one in many if one.reason), "")
    ends = values[1 + draws :]
    return Bounds(float(values[0]), values[1 : 1 + draws], float(ends.max() if row.higher_is_better else ends.min()),
                  row.higher_is_better, reason)  # fmt: skip


def _position(one: Bounds) -> Measured:
    floor = float(one.floor.mean())
    if not one.reason and abs(one.ceiling - floor) < LEAST_GAP:
        return Measured(nan, "the best order found is no better than random ones")
    return Measured(nan, one.reason) if one.reason else Measured((one.value - floor) / (one.ceiling - floor))
