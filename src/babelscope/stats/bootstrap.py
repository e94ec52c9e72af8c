"""Bootstrap intervals that resample groups: means, ratios, functions of sums, nested units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import isfinite, nan
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from babelscope.random import keyed
from babelscope.types import Estimate

RESAMPLES = 2000
LEVEL = 0.95
BLOCK = 250
"""Bootstrap resamples whose sums are in memory at a time."""

Statistic = Callable[[Float[np.ndarray, "resample part"]], Float[np.ndarray, " resample"]]
"""One value per row of sums; NaN where it is undefined."""


def estimate(values: Sequence[float], groups: Sequence[str], *, seed: int = 0) -> Estimate:
    """The mean of the defined values with a percentile bootstrap interval, resampled by group.

        mean = 1/n sum_i v_i;
        [low, high] = the 2.5 and 97.5 percentiles of the mean over B = 2000 resamples,
        each of whole groups, sampled with replacement

    Values of one group are not independent and are resampled together: pass the clusters of
    `data/independence.py` as groups.

    *Laws*: low <= mean <= high for n groups > 1; constant values give a zero-width interval; the
    order of the values does not matter; with one group there is no interval (NaN); undefined values
    are counted, not averaged.
    """
    table = np.asarray(values, dtype=np.float64)
    return of_sums(np.column_stack([table, np.ones_like(table)]), groups, quotient, seed=seed)


def ratio(
    values: ArrayLike, control: ArrayLike, groups: Sequence[str], *, seed: int = 0
) -> Estimate:
    """How many times the control: the ratio of two means over the same instances.

        ratio = sum_i v_i / sum_i c_i,   c_i = 1/D sum_d control_id;   the interval as in `estimate`

    `control` has one number per value, or one row of D samples. An instance lacking either is
    undefined in both. The interval of the log-ratio is the logarithm of this one; that of the
    difference is `estimate` of v - c.

    *Laws*: the ratio of a quantity to itself is 1 with an interval of zero width; scaling the
    values scales mean and interval; the reciprocal's interval is the reciprocal; random against
    random covers 1 at the nominal rate; where the control is not above 0 in every resample there is
    no interval (NaN).
    *Left open by the paper*: whether the samples of the control are resampled beside the instances.
    They belong to their instance (random.py) and are resampled with it; resampling them again would
    count their noise twice.
    Source: Zhao & Aletras 2024, ratio of means; the interval is ours.
    """
    numerator, denominator = (
        np.asarray(values, dtype=np.float64),
        np.asarray(control, dtype=np.float64),
    )
    if denominator.ndim == 2:
        denominator = denominator.mean(axis=1)
    return of_sums(np.column_stack([numerator, denominator]), groups, quotient, seed=seed)


def of_sums(
    parts: Float[np.ndarray, "value part"],
    groups: Sequence[str],
    statistic: Statistic,
    *,
    seed: int = 0,
) -> Estimate:
    """Any function of sums over the values, with a percentile interval, resampled by group.

        S_p = sum_i parts_ip;   statistic(S);
        [low, high] = percentiles of statistic over the sums of B resamples

    *Laws*: those of `estimate`, which is the quotient of the sum of the values and their count.
    """
    kept = np.isfinite(parts).all(axis=1)
    undefined = int((~kept).sum())
    if not kept.any():
        return Estimate(nan, nan, nan, 0, undefined)
    names, member = np.unique(
        np.asarray(groups, dtype=object)[kept].astype(str), return_inverse=True
    )
    sums = np.zeros((len(names), parts.shape[1]))
    np.add.at(sums, member, parts[kept])
    value = float(statistic(sums.sum(axis=0, keepdims=True))[0])
    if len(names) < 2 or not isfinite(value):
        return Estimate(value, nan, nan, int(kept.sum()), undefined)
    counts = _resamples(len(names), seed)
    resampled = np.concatenate(
        [statistic(counts[at : at + BLOCK] @ sums) for at in range(0, RESAMPLES, BLOCK)]
    )
    low, high = _percentiles(resampled, value)
    return Estimate(value, low, high, int(kept.sum()), undefined)


def hierarchical(
    values: Sequence[float], levels: Sequence[Sequence[str]], *, seed: int = 0
) -> Estimate:
    """The mean over nested units (task, then seed, then instance), every level resampled within the
    one above.

        mean = 1/|tasks| sum_t 1/|seeds_t| sum_s 1/|instances_ts| sum_i v_tsi;
        a resample samples tasks with replacement, in each of them its seeds, in each of those its
        instances; the interval as in `estimate`

    `levels` has one sequence of names per level, the outermost first. Values of one innermost unit
    are averaged.

    *Laws*: one level with one value per unit equals `estimate` in its mean; the order of the values
    does not matter; constant values give a zero-width interval; with one outermost unit there is no
    interval (NaN); it covers the mean over sampled tasks at its nominal rate, where `estimate` over
    the pooled values does not.
    Source: Davison & Hinkley 1997, section 3.8; the noise of inner levels also counts at every
    level above, so few outer units with noisy inner ones give a wide interval.
    """
    table = np.asarray(values, dtype=np.float64)
    kept = np.isfinite(table)
    undefined = int((~kept).sum())
    if not kept.any():
        return Estimate(nan, nan, nan, 0, undefined)
    names = [np.asarray(level, dtype=object)[kept].astype(str) for level in levels]
    tree = _tree(table[kept], names)
    mean = _mean(tree)
    if not isinstance(tree, list) or len(tree) < 2:
        return Estimate(mean, nan, nan, int(kept.sum()), undefined)
    low, high = _percentiles(
        _resampled_means(tree, RESAMPLES, keyed(seed, "hierarchical", len(tree))), mean
    )
    return Estimate(mean, low, high, int(kept.sum()), undefined)


def quotient(sums: Float[np.ndarray, "resample part"]) -> Float[np.ndarray, " resample"]:
    """The first sum by the second; NaN where the second is not above 0."""
    return np.asarray(
        np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), nan), where=sums[:, 1] > 0)
    )


def _percentiles(resampled: Float[np.ndarray, " resample"], value: float) -> tuple[float, float]:
    if not np.isfinite(resampled).all():
        return nan, nan
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return min(float(low), value), max(float(high), value)


def _tree(values: Float[np.ndarray, " value"], names: Sequence[Any]) -> Any:
    """A list of the units below, down to the innermost units' means."""
    if not names:
        return float(values.mean())
    units, member = np.unique(names[0], return_inverse=True)
    rows = [member == unit for unit in range(len(units))]
    return [_tree(values[inner], [level[inner] for level in names[1:]]) for inner in rows]


def _mean(tree: Any) -> float:
    return float(np.mean([_mean(unit) for unit in tree])) if isinstance(tree, list) else tree


def _resampled_means(
    tree: Any, count: int, rng: np.random.Generator
) -> Float[np.ndarray, " resample"]:
    """That many means of a unit, each over a new resample of the units below."""
    if not isinstance(tree, list):
        return np.full(count, tree)
    chosen = rng.integers(0, len(tree), (count, len(tree)))
    if not any(isinstance(unit, list) for unit in tree):
        return np.asarray(np.asarray(tree)[chosen].mean(axis=1))
    means = np.empty(chosen.shape)
    for number, unit in enumerate(tree):
        uses = chosen == number
        means[uses] = _resampled_means(unit, int(uses.sum()), rng)
    return np.asarray(means.mean(axis=1))


@lru_cache(maxsize=32)
def _resamples(groups: int, seed: int) -> Float[np.ndarray, "resample group"]:
    """How often each group occurs in each resample; all means over so many groups share them."""
    members = keyed(seed, "bootstrap", groups).integers(0, groups, (RESAMPLES, groups))
    flat = members + groups * np.arange(RESAMPLES)[:, None]
    return (
        np.bincount(flat.ravel(), minlength=RESAMPLES * groups)
        .reshape(RESAMPLES, groups)
        .astype(np.float64)
    )
