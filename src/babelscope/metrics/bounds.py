"""Metrics corrected for chance: where a value lies between random orders and the best order that a
search finds.

The null distribution (`floor`) holds the explanation's scores in random orders: their spread is the
same, only the order is random. The ceiling is the value of the same scores in the best of three
orders: by leave-one-out effect, by greedy erasure (at each step the unit whose erasure lowers the
probability most) and by greedy keeping (the unit that raises it most, kept with those before).
There are `STEPS` greedy steps; the other units follow by their effects at the last step. The search
need not find the best order: an explanation may lie above the ceiling. The result is comparable
between models, unlike a ratio to random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.metrics.erased import Scores, by_sign, probabilities, ranked, ranking, units
from babelscope.metrics.row import (
    Metric,
)
from babelscope.model.load import Model
from babelscope.random import identity, keyed
from babelscope.types import (
    Encoded,
    Measured,
    Target,
)

STEPS = 10
"""Greedy choices; together at most 2 STEPS n erased texts for n units."""
LEAST_GAP = 1e-6
"""Where floor and ceiling differ by less, the corrected value is undefined."""


def chance_corrected(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    metric: str = "comprehensiveness",
    unit: str = "word",
    operator: str | None = None,
    draws: int = 20,
    sign: str = "signed",
) -> list[Measured]:
    """Where a metric's value lies between random orders (0) and the best order found (1); higher is
    better.

        ( m(a) - floor ) / ( ceiling - floor ),   floor = mean over `draws` of m(a in random order),
        ceiling = best of m(a by leave-one-out), m(a by greedy erasure), m(a by greedy keeping)

    *Laws*: 1 for the order that is the ceiling; on a model that weighs units one by one, 1 for the
    true weights and below 0 for the negated (0 where all random orders have the metric's worst
    value too); the mean over all orders is 0 up to the sampling error of the floor; undefined (NaN)
    where ceiling and floor coincide.
    *Left open by the paper*: the search for the best order, see above.
    Source: this project, after the ratio to random of Zhao and Aletras 2023, 2024; the form is that
    of Cohen 1960 (kappa).
    """
    rows = bounds(model, inputs, by_sign(scores, sign), targets, metric, unit, operator, draws)
    return [_position(row) for row in rows]


def diagnosticity(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    *,
    metric: str = "comprehensiveness",
    unit: str = "word",
    operator: str | None = None,
    draws: int = 20,
    sign: str = "signed",
) -> list[Measured]:
    """How often a metric rates the explanation above the same scores in a random order; higher is
    better.

        1/draws sum_j ( [m(a) better than m(a in random order j)] + [equal] / 2 )

    *Laws*: within [0, 1]; 1/2 for a constant model, where all orders tie; with better and worse
    exchanged, 1 minus it.
    *Left open by the paper*: its code counts ties as success; here they are half of one. Equal:
    within 1e-12.
    Source: Chan, Kong and Liang 2022, diagnosticity, as in Zhao and Aletras 2023.
    """
    rows = bounds(model, inputs, by_sign(scores, sign), targets, metric, unit, operator, draws)
    return [Measured(nan, row.reason) if row.reason else Measured(wins(row)[0]) for row in rows]


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """A metric's value with those of random orders and of the best order, or the reason why there
    is none."""

    value: float
    floor: NDArray[np.float64]
    """One value for each random order."""
    ceiling: float
    higher_is_better: bool
    reason: str = ""


def wins(bounds: Bounds) -> tuple[float, float]:
    """The share of random orders that the value beats, ties as half; and the share of ties."""
    better = (bounds.value - bounds.floor) * (1 if bounds.higher_is_better else -1)
    ties = np.abs(better) <= 1e-12
    return float(np.mean(np.where(ties, 0.5, better > 0))), float(ties.mean())


def bounds(
    model: Model,
    inputs: Sequence[Encoded],
    scores: Scores,
    targets: Sequence[Target],
    metric: str,
    unit: str,
    operator: str | None,
    draws: int,
) -> list[Bounds]:
    """Per input the metric's value, those of `draws` random orders, and the ceiling."""
    row = _row(metric)
    if draws < 1:
        raise InputError(f"draws must be at least 1, not {draws}")
    options: dict[str, Any] = {"unit": unit}
    if "operator" in row.options:
        options["operator"] = operator
    reasons = [ranked(encoded, attributed, unit)[1] for encoded, attributed in zip(inputs, scores)]
    with model.inference.caching():
        orders = [
            greedy(model, inputs, targets, unit, operator, steps, kept=kept)
            for steps, kept in ((1, False), (STEPS, False), (STEPS, True))
        ]
        variants = [
            [
                np.asarray(attributed, dtype=np.float64),
                *_floor(encoded, attributed, row, draws),
                *(_placed(attributed, row, order[at]) for order in orders),
            ]
            for at, (encoded, attributed) in enumerate(zip(inputs, scores))
        ]
        count = draws + 1 + len(orders)
        flat = row.function(
            model,
            [encoded for encoded in inputs for _ in range(count)],
            [each for many in variants for each in many],
            [target for target in targets for _ in range(count)],
            **options,
        )
    return [
        _bounds(flat[at * count : (at + 1) * count], draws, row, why)
        for at, why in enumerate(reasons)
    ]


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
    """Units in the order in which erasing them lowers the probability most (`kept`: in which
    keeping them raises it most), chosen one after the other for `steps` steps; the rest by its
    effect at the last."""
    owners = [units(row, unit) for row in inputs]
    chosen: list[list[int]] = [[] for _ in inputs]
    for step in range(min(steps, max(n for _, n in owners))):
        sets, rests = [], []
        for row, (owner, n), chosen_units in zip(inputs, owners, chosen):
            rest = [candidate for candidate in range(n) if candidate not in chosen_units]
            erased = [
                np.isin(owner, [*chosen_units, candidate]) & row.content for candidate in rest
            ]
            sets.append([row.content & ~tokens for tokens in erased] if kept else erased)
            rests.append(rest)
        for row, rest, chosen_units, (many, _) in zip(
            inputs, rests, chosen, probabilities(model, inputs, targets, sets, operator)
        ):
            gain = np.where(np.isfinite(many), many if kept else -many, -np.inf)
            order = [rest[place] for place in ranking(gain, *identity(row))]
            chosen_units += order if step == steps - 1 else order[:1]
    return [np.array(chosen_units, dtype=np.int64) for chosen_units in chosen]


def _row(metric: str) -> Metric:
    from babelscope.metrics import METRICS  # the table holds this module's own rows

    bounded = {
        name: row
        for name, row in METRICS.items()
        if row.family == "faithfulness" and row.module != __name__
    }
    if metric not in bounded:
        raise InputError(
            f"metric {metric!r} has no floor and ceiling; choose from: {', '.join(bounded)}"
        )
    return bounded[metric]


def _floor(
    encoded: Encoded, attributed: NDArray[np.float64], row: Metric, draws: int
) -> list[NDArray[np.float64]]:
    return [
        _placed(
            attributed,
            row,
            keyed("floor", *identity(encoded), draw).permutation(len(attributed)).astype(np.int64),
        )
        for draw in range(draws)
    ]


def _placed(
    attributed: NDArray[np.float64], row: Metric, order: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The explanation's scores (distinct ones for a metric that only reads their order), descending
    along the order."""
    falling = (
        np.arange(len(attributed), 0, -1.0)
        if row.order_only
        else np.sort(np.asarray(attributed, dtype=np.float64))[::-1]
    )
    placed = np.empty(len(attributed))
    placed[order] = falling
    return placed


def _bounds(many: Sequence[Measured], draws: int, row: Metric, why: str) -> Bounds:
    values = np.array([measured.value for measured in many])
    reason = why or next((measured.reason for measured in many if measured.reason), "")
    ends = values[1 + draws :]
    return Bounds(
        float(values[0]),
        values[1 : 1 + draws],
        float(ends.max() if row.higher_is_better else ends.min()),
        row.higher_is_better,
        reason,
    )


def _position(bounds: Bounds) -> Measured:
    floor = float(bounds.floor.mean())
    if not bounds.reason and abs(bounds.ceiling - floor) < LEAST_GAP:
        return Measured(nan, "the best order found is no better than random ones")
    return (
        Measured(nan, bounds.reason)
        if bounds.reason
        else Measured((bounds.value - floor) / (bounds.ceiling - floor))
    )
