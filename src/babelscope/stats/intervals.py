"""Means, rates, ratios and functions of sums with intervals that respect groups of dependent
values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, nan
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from babelscope.stats.jackknife import Scale, bounds, rate_bounds
from babelscope.types import Estimate

BLOCK = 500
"""Groups whose sums without them are in memory at a time."""

Statistic = Callable[[Float[np.ndarray, "row part"]], Float[np.ndarray, " row"]]
"""One value per row of sums; NaN where it is undefined."""


def estimate(values: Sequence[float], groups: Sequence[str]) -> Estimate:
    """The mean of the defined values with its 95 % interval, by group.

        mean = 1/n sum_i v_i;   [low, high] by `jackknife.bounds` from the means without each group

    Values of one group are not independent and are left out together: pass the clusters of
    `data/independence.py` as groups.

    *Laws*: low <= mean <= high for more than one group; constant values give a zero-width interval;
    the order of the values does not matter; with one group there is no interval (NaN); undefined
    values are counted, not averaged.
    """
    table = np.asarray(values, dtype=np.float64)
    return of_sums(np.column_stack([table, np.ones_like(table)]), groups, quotient)


def rate(values: Sequence[float], groups: Sequence[str]) -> Estimate:
    """How often something holds, or a mean of values between 0 and 1, with an interval that stays
    there.

        mean = 1/n sum_i v_i;   [low, high] by `jackknife.rate_bounds`

    *Laws*: those of `jackknife.rate_bounds`; the mean is that of `estimate`; one group
    of several values has no interval (NaN).
    """
    table = np.asarray(values, dtype=np.float64)
    return of_sums(np.column_stack([table, np.ones_like(table)]), groups, quotient, scale="rate")


def ratio(values: ArrayLike, control: ArrayLike, groups: Sequence[str]) -> Estimate:
    """How many times the control: the ratio of two means over the same instances.

        ratio = sum_i v_i / sum_i c_i,   c_i = 1/D sum_d control_id;   the interval is that of its
        logarithm; where a ratio is not above 0, with all groups or without one, that of itself

    `control` has one number per value, or one row of D samples. An instance lacking either is
    undefined in both.

    *Laws*: the ratio of a quantity to itself is 1 with an interval of zero width; scaling the
    values scales mean and interval; the reciprocal's interval is the reciprocal; random against
    random covers 1 at the nominal rate; where the control is not above 0 without one of the groups
    there is no interval (NaN).
    *Left open by the paper*: whether the samples of the control vary beside the instances. They
    belong to their instance (random.py) and are left out with it.
    Source: Zhao & Aletras 2024, ratio of means; the interval is ours.
    """
    numerator, denominator = (
        np.asarray(values, dtype=np.float64),
        np.asarray(control, dtype=np.float64),
    )
    if denominator.ndim == 2:
        denominator = denominator.mean(axis=1)
    parts = np.column_stack([numerator, denominator])
    logarithmic = of_sums(parts, groups, quotient, scale="log")
    if isfinite(logarithmic.low) or not isfinite(logarithmic.mean):
        return logarithmic
    return of_sums(parts, groups, quotient)


def _copies(
    parts: Float[np.ndarray, "value part"],
    sums: Float[np.ndarray, "group part"],
    member: Int[np.ndarray, " value"],
) -> bool:
    """Whether every group holds equally many copies of one value: then each is one observation.
    Where all values are equal that shows nothing.
    """
    sizes = np.bincount(member)
    means = sums / sizes[:, None]
    equal = np.allclose(parts, means[member], rtol=0, atol=1e-12)
    return bool(equal and (sizes == sizes[0]).all() and np.ptp(parts[:, 0]) > 0)


def of_sums(
    parts: Float[np.ndarray, "value part"],
    groups: Sequence[str],
    statistic: Statistic,
    *,
    scale: Scale | Literal["rate"] = "plain",
) -> Estimate:
    """Any function of sums over the values, with its 95 % interval, by group.

        S_p = sum_i parts_ip;   statistic(S);   [low, high] from statistic(S - S_g) for each group g
        by `jackknife.bounds`, or by `jackknife.rate_bounds` for a "rate"

    *Laws*: those of `estimate`, which is the quotient of the sum of the values and their count.
    """
    kept = np.isfinite(parts).all(axis=1)
    count, undefined = int(kept.sum()), int((~kept).sum())
    if not count:
        return Estimate(nan, nan, nan, 0, undefined)
    names, member = np.unique(
        np.asarray(groups, dtype=object)[kept].astype(str), return_inverse=True
    )
    sums = np.zeros((len(names), parts.shape[1]))
    np.add.at(sums, member, parts[kept])
    total = sums.sum(axis=0, keepdims=True)
    value = statistic(total)
    many = len(names)
    alone = scale == "rate" and many == count
    if (many < 2 and not alone) or not isfinite(value[0]):
        return Estimate(float(value[0]), nan, nan, count, undefined, many)
    blocks = [sums[at : at + BLOCK] for at in range(0, many, BLOCK)]
    left_out = [np.concatenate([statistic(total - each) for each in blocks])[:, None]]
    if scale == "rate":
        size = many if _copies(parts[kept], sums, member) else count
        low, high = rate_bounds(value, left_out, size=size, groups=many)
    else:
        low, high = bounds(value, left_out, scale=scale)
    return Estimate(float(value[0]), float(low[0]), float(high[0]), count, undefined, many)


def hierarchical(values: Sequence[float], levels: Sequence[Sequence[str]]) -> Estimate:
    """The mean over nested units (task, then seed, then instance), each level averaged before the
    one above.

        mean = 1/|tasks| sum_t m_t,   m_t = 1/|seeds_t| sum_s 1/|instances_ts| sum_i v_tsi;
        the interval is that of `estimate` of the m_t, each its own group

    `levels` has one sequence of names per level, the outermost first. Values of one innermost unit
    are averaged. The noise of seeds and instances is part of how the outermost units vary.

    *Laws*: one level with one value per unit equals `estimate`; the order of the values does not
    matter; constant values give a zero-width interval; with one outermost unit there is no interval
    (NaN); it covers the mean over sampled tasks at its nominal rate, where `estimate` over the
    pooled values does not.
    Source: the summary-measures analysis of nested data, Senn, Stevens & Chaturvedi 2000.
    """
    table = np.asarray(values, dtype=np.float64)
    kept = np.isfinite(table)
    undefined = int((~kept).sum())
    if not kept.any():
        return Estimate(nan, nan, nan, 0, undefined)
    names = [np.asarray(level, dtype=object)[kept].astype(str) for level in levels]
    units = sorted(set(names[0].tolist()))
    means = [
        _nested_mean(table[kept][inner], [level[inner] for level in names[1:]])
        for inner in (names[0] == unit for unit in units)
    ]
    of_units = estimate(means, units)
    bounded = (of_units.mean, of_units.low, of_units.high)
    return Estimate(*bounded, int(kept.sum()), undefined, len(units))


def quotient(sums: Float[np.ndarray, "row part"]) -> Float[np.ndarray, " row"]:
    """The first sum by the second; NaN where the second is not above 0."""
    return np.asarray(
        np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), nan), where=sums[:, 1] > 0)
    )


def _nested_mean(values: Float[np.ndarray, " value"], names: Sequence[Any]) -> float:
    """The mean over the units below, each averaged in the same way."""
    if not names:
        return float(values.mean())
    rows = [names[0] == unit for unit in sorted(set(names[0].tolist()))]
    means = [_nested_mean(values[inner], [level[inner] for level in names[1:]]) for inner in rows]
    return float(np.mean(means))
