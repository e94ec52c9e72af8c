"""Tests across tasks: the task (or language) is the unit of analysis, its cells are averaged
first."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from scipy import stats

from babelscope.stats.paired import sign_flip


@dataclass(frozen=True, slots=True)
class Across:
    """The mean difference over the units, and three two-sided p: t, Wilcoxon's signed ranks, exact
    sign flips."""

    effect: float
    n: int
    t: float
    wilcoxon: float
    sign_flip: float


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The mean difference, its 90 % interval, and the larger of the two one-sided p. Equivalent if
    p < .05, which is the same as the interval lying within the margin."""

    effect: float
    low: float
    high: float
    margin: float
    p: float


def unit_means(values: ArrayLike, units: ArrayLike) -> Float[np.ndarray, " unit"]:
    """The mean of the defined values of each unit, units in sorted order; a unit without any is
    dropped."""
    table = np.asarray(values, dtype=np.float64)
    kept = np.isfinite(table)
    _, member = np.unique(np.asarray(units, dtype=object)[kept].astype(str), return_inverse=True)
    return np.bincount(member, weights=table[kept]) / np.bincount(member)


def across(first: ArrayLike, second: ArrayLike, units: ArrayLike) -> Across:
    """Two models over several tasks: does the difference hold across tasks, not only across their
    cells?

        d_u = mean over the cells of unit u of first - second;
        t = mean(d) / (sd(d) / sqrt n) with n - 1 degrees of freedom;
        Wilcoxon's exact test of the ranks of |d_u|;  `sign_flip` of the d_u

    Cells of one task (its methods) are not independent observations: they share texts and models.

    *Laws*: exchanging the two negates the effect and keeps every p; all differences 0 give p = 1;
    copying every cell changes nothing; equals scipy's paired t of the units' means.
    Source: the unit of analysis, Clark 1973; Wilcoxon 1945.
    """
    means = unit_means(
        np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64), units
    )
    if not len(means):
        return Across(nan, 0, nan, nan, nan)
    statistic, freedom = _t_statistic(means, 0.0)
    t = 1.0 if statistic == 0 else float(2 * stats.t.sf(abs(statistic), freedom))
    ranks = float(stats.wilcoxon(means).pvalue) if means.any() else 1.0
    return Across(float(means.mean()), len(means), t, ranks, sign_flip(means.tolist()).p)


def equivalence(differences: ArrayLike, units: ArrayLike, *, margin: float = 0.05) -> Equivalence:
    """Is the difference smaller than the margin? Two one-sided t tests over units (groups or
    tasks).

        p = max( P(T > (mean(d) + margin) / se), P(T < (mean(d) - margin) / se) ),
        T ~ t with n - 1 degrees of freedom
        [low, high] = mean(d) -+ t(.95) se

    d_u as in `across`. A test that finds no difference is no evidence of equivalence; this one is.

    *Laws*: negating the differences keeps p; p falls as the margin grows; p < .05 exactly if [low,
    high] lies within +-margin; a mean at the margin has p = 1/2; where the true mean lies on the
    margin at most .05 of the samples are called equivalent.
    *Left open by the paper*: the margin; .05 is in units of a normalised metric.
    Source: Schuirmann 1987.
    """
    means = unit_means(differences, units)
    if len(means) < 2:
        return Equivalence(float(means.mean()) if len(means) else nan, nan, nan, margin, nan)
    above, freedom = _t_statistic(means, -margin)
    below, _ = _t_statistic(means, margin)
    half = float(stats.t.ppf(0.95, freedom) * means.std(ddof=1) / np.sqrt(len(means)))
    p = max(float(stats.t.sf(above, freedom)), float(stats.t.cdf(below, freedom)))
    mean = float(means.mean())
    return Equivalence(mean, mean - half, mean + half, margin, p)


def _t_statistic(means: Float[np.ndarray, " unit"], origin: float) -> tuple[float, int]:
    """How many standard errors the mean lies above the origin, and the degrees of freedom. NaN for
    one unit, 0 for a mean at the origin, infinite where nothing varies."""
    difference, freedom = float(means.mean()) - origin, len(means) - 1
    if difference == 0:
        return 0.0, freedom
    if freedom == 0:
        return nan, freedom
    error = float(means.std(ddof=1)) / np.sqrt(len(means))
    return (difference / error if error > 0 else inf * np.sign(difference)), freedom
