"""Confidence intervals from leaving out one group at a time: the one place where they are computed.

Everything that reports print with an interval is a function of groups of dependent values
(clusters). Its values with each group left out give a standard error, the degrees of freedom and
the skewness; from these follow the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri, stdtrit

LEVEL = 0.95
ROUNDING = 1e-12
"""Relative differences below this are rounding: nothing varies."""

Scale = Literal["plain", "share", "log", "correlation"]
Values = Float[np.ndarray, "*shape"]
LeftOut = Float[np.ndarray, "group *shape"]
"""A statistic with each group left out in turn."""

Function = Callable[[np.ndarray], np.ndarray]
SCALES: dict[Scale, tuple[Function, Function]] = {
    "plain": (np.positive, np.positive),
    "share": (np.positive, lambda bound: np.clip(bound, 0.0, 1.0)),
    "log": (np.log, np.exp),
    "correlation": (np.arctanh, np.tanh),
}
"""A scale on which the statistic is nearer to normal, and the way back: Fisher's z for
correlations. Bounds of a share end at 0 and 1."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Standard error of a statistic, its degrees of freedom, and its skewness."""

    error: Values
    freedom: Values
    skewness: Values


def bounds(
    value: Values, left_out: Sequence[LeftOut], *, scale: Scale = "plain"
) -> tuple[Values, Values]:
    """The 95 % interval of a statistic: Student's t with the jackknife's standard error, wider on
    the side of a long tail.

        low = h^-1(h(v) - max(t, T(t, k)) se),   high = h^-1(h(v) + max(t, T(t, -k)) se)
        T(t, k) = 3/k (cbrt(1 + k (t - k/6)) - 1)

    h is the scale; se, the degrees of freedom of t and the skewness k are those of `moments`; t is
    the 97.5 % quantile. T inverts Hall's cubic transformation, which removes the skewness from a t
    statistic. `left_out` has one array per source of variation (texts; seeds of the fine-tuning).

    *Laws*: low <= v <= high; no variation gives no width; an undefined replicate gives no interval
    (NaN); with "plain" adding a constant moves, and scaling scales, all three; for a mean of groups
    of equal size without skewness it is the t interval of the group means.
    *Left open by the paper*: Hall's interval alone is too narrow on its short side with few
    groups; the wider bound of it and t is taken at either end.
    Source: Tukey 1958 and MacKinnon, Nielsen & Webb 2023 (jackknife by cluster, t with G - 1);
    Hall 1992 (skewness).
    """
    forward, back = SCALES[scale]
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.asarray(forward(np.asarray(value, dtype=np.float64)))
        spread = moments(centre, [np.asarray(forward(each)) for each in left_out])
        error, t = spread.error, np.asarray(stdtrit(spread.freedom, (1 + LEVEL) / 2))
        below = np.maximum(t, _without_skewness(t, spread.skewness))
        above = np.maximum(t, _without_skewness(t, np.asarray(-spread.skewness)))
        low, high = back(centre - below * error), back(centre + above * error)
    same = [np.abs(each - value) <= ROUNDING * np.abs(value) for each in left_out]
    constant = np.all([each.all(axis=0) for each in same], axis=0)
    return np.where(constant, value, low), np.where(constant, value, high)


def rate_bounds(
    value: Values, left_out: Sequence[LeftOut], *, size: Values | float, groups: Values | float
) -> tuple[Values, Values]:
    """The 95 % interval of a rate, the mean of values between 0 and 1: Wilson's, for as many
    independent values as the groups are worth.

        m = p (1 - p) / se^2, at most `size`; `groups` where p is 0 or 1
        (p + t^2/2m -+ t sqrt(p (1 - p)/m + t^2/4m^2)) / (1 + t^2/m)

    `size` counts the values, `groups` their groups; se and t as in `bounds`. Where every value is
    its own group the variance follows from p, and t is the normal quantile: Wilson's interval.

    *Laws*: 0 <= low <= p <= high <= 1; hits and misses exchanged mirror it; copies of a group's
    values in the group change nothing unless they are capped by `size`; equals scipy's where every
    value is its own group.
    *Left open by the paper*: where all values are hits or misses nothing is known of their
    dependence, and a group counts as one value.
    Source: Wilson 1927; the effective size is Korn & Graubard's 1998, with t as in Dean & Pagano
    2015.
    """
    spread = moments(value, left_out)
    product = value * (1 - value)
    inside = (product > ROUNDING) & (spread.error > 0)
    effective = np.divide(product, spread.error**2, out=np.zeros(np.shape(product)), where=inside)
    m = np.where(product > ROUNDING, np.where(inside, np.minimum(effective, size), size), groups)
    single = (np.asarray(size) == np.asarray(groups)) & (len(left_out) == 1)
    m = np.where(single, size, m)
    tail = (1 + LEVEL) / 2
    freedom = np.where(inside, spread.freedom, np.maximum(np.asarray(groups) - 1.0, 1.0))
    square = np.where(single, ndtri(tail), stdtrit(freedom, tail)) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = value + square / (2 * m)
        half = np.sqrt(square * (np.maximum(product, 0.0) / m + square / (4 * m**2)))
        low, high = ((middle + side) / (1 + square / m) for side in (-half, half))
    unknown = np.isnan(spread.error) & ~single
    low, high = np.clip(np.minimum(low, value), 0, 1), np.clip(np.maximum(high, value), 0, 1)
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def moments(value: Values, left_out: Sequence[LeftOut]) -> Moments:
    """Sampling moments of a statistic from its values v_g with each of G groups left out.

        V = (G - 1)/G sum_g (v - v_g)^2;   K = ((G - 1)/G)^3 sum_g (u_g - mean u)^3,  u_g = v - v_g
        error = sqrt(sum V);   freedom = (sum V)^2 / sum (V^2 / (G - 1));
        skewness = sum K / error^3

    The sums are over sources of variation, each with its own groups.

    *Laws*: of a mean of equal groups the error is s/sqrt G, the skewness that of the group means
    by sqrt G, the freedom G - 1; sources that do not vary change nothing.
    *Left open by the paper*: deviations are from v, not from the mean of v_g, which is never
    narrower.
    Source: Efron & Stein 1981; Satterthwaite 1946 (several sources).
    """
    steps = [_steps(np.asarray(value), replicates) for replicates in left_out]
    unit = np.max([np.abs(each).max(axis=0) for each in steps], axis=0)
    unit = np.where(unit > 0, unit, 1.0)  # squares of small steps would be rounded to 0
    variance, squares, third = (np.zeros(np.shape(value)) for _ in range(3))
    for each in steps:
        count, scaled = len(each), each / unit
        part = (count - 1) / count * (scaled**2).sum(axis=0)
        variance += part
        squares += part**2 / (count - 1)
        third += ((count - 1) / count) ** 3 * ((scaled - scaled.mean(axis=0)) ** 3).sum(axis=0)
    freedom, skewness = np.ones(np.shape(value)), np.zeros(np.shape(value))
    np.divide(variance**2, squares, out=freedom, where=squares > 0)
    np.divide(third, variance**1.5, out=skewness, where=variance > 0)
    return Moments(np.asarray(unit * np.sqrt(variance)), freedom, skewness)


def _steps(value: Values, replicates: LeftOut) -> LeftOut:
    """By how much each group moves the statistic; rounding is no step."""
    steps = value - replicates
    scale = np.maximum(np.abs(value), np.abs(replicates).max(axis=0))
    return np.where(np.abs(steps) <= ROUNDING * scale, 0.0, steps)


def _without_skewness(t: Values, skewness: Values) -> Values:
    """The value that Hall's cubic transformation maps to t: the quantile of a skewed statistic."""
    k = np.where(np.abs(skewness) < 1e-9, 1.0, skewness)
    return np.where(np.abs(skewness) < 1e-9, t, 3 / k * (np.cbrt(1 + k * (t - k / 6)) - 1))
