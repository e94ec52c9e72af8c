"""Intervals that respect translation groups: of means, of ratios, of whatever sums decide, and of nested units."""

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
"""Resamples whose sums are held at once."""

Statistic = Callable[[Float[np.ndarray, "resample part"]], Float[np.ndarray, " resample"]]
"""A number per row of sums; NaN where the sums do not decide it."""


def estimate(values: Sequence[float], groups: Sequence[str], *, seed: int = 0) -> Estimate:
    """The mean of the defined values with a percentile bootstrap interval, resampled by group.

        mean = 1/n sum_i v_i;   [low, high] = the 2.5 and 97.5 percentiles of the mean over B = 2000 resamples,
        each drawing whole groups with replacement

    Translations of one sentence share a group and are drawn together, because they are not independent.

    *Laws*: low <= mean <= high for n groups > 1; constant values give a zero-width interval; the order of the values does
    not matter; with one group there is no interval (NaN); undefined values are counted, not averaged.
    """
    table = np.asarray(values, dtype=np.float64)
    return of_sums(np.column_stack([table, np.ones_like(table)]), groups, _quotient, seed=seed)


def ratio(values: ArrayLike, floor: ArrayLike, groups: Sequence[str], *, seed: int = 0) -> Estimate:
    """How many times the floor: the ratio of two means over the same instances, resampled together.

        ratio = sum_i v_i / sum_i f_i,   f_i = 1/D sum_d floor_id;   the interval as in `estimate`

    `floor` has one number per value, or one row of D draws. An instance lacking either is undefined in both. The interval of
    the log-ratio is the logarithm of this one; that of the difference is `estimate` of v - f.

    *Laws*: the ratio of a thing to itself is 1 without width; scaling the values scales mean and interval; the reciprocal's
    interval is the reciprocal; random against random covers 1 at the nominal rate; where the floor is not above 0 in every
    resample there is no interval (NaN).
    *Left open by the paper*: whether draws are resampled beside instances. Draws belong to their instance (seeds.py) and are
    carried along with it; drawing them anew would count their noise twice.
    Source: Zhao & Aletras 2024, ratio of means; the interval is ours.
    """
    above, below = np.asarray(values, dtype=np.float64), np.asarray(floor, dtype=np.float64)
    if below.ndim == 2:
        below = below.mean(axis=1)
    return of_sums(np.column_stack([above, below]), groups, _quotient, seed=seed)


def of_sums(parts: Float[np.ndarray, "value part"], groups: Sequence[str], statistic: Statistic, *, seed: int = 0) -> Estimate:
    """Any number that is decided by sums over the values, with a percentile interval, resampled by group.

        S_p = sum_i parts_ip;   statistic(S);   [low, high] = percentiles of statistic over the sums of B resamples

    *Laws*: those of `estimate`, which is the quotient of the sum of the values and their number.
    """
    kept = np.isfinite(parts).all(axis=1)
    undefined = int((~kept).sum())
    if not kept.any():
        return Estimate(nan, nan, nan, 0, undefined)
    names, member = np.unique(np.asarray(groups, dtype=object)[kept].astype(str), return_inverse=True)
    sums = np.zeros((len(names), parts.shape[1]))
    np.add.at(sums, member, parts[kept])
    value = float(statistic(sums.sum(axis=0, keepdims=True))[0])
    if len(names) < 2 or not isfinite(value):
        return Estimate(value, nan, nan, int(kept.sum()), undefined)
    counts = _resamples(len(names), seed)
    drawn = np.concatenate([statistic(counts[at : at + BLOCK] @ sums) for at in range(0, RESAMPLES, BLOCK)])
    low, high = _percentiles(drawn, value)
    return Estimate(value, low, high, int(kept.sum()), undefined)


def hierarchical(values: Sequence[float], levels: Sequence[Sequence[str]], *, seed: int = 0) -> Estimate:
    """The mean over nested units (task, then seed, then instance), every level resampled within the one above.

        mean = 1/|tasks| sum_t 1/|seeds_t| sum_s 1/|instances_ts| sum_i v_tsi;   a resample draws tasks with replacement,
        in every drawn task its seeds, in every drawn seed its instances; the interval as in `estimate`

    `levels` has one sequence of names per level, the outermost first. Values of one innermost unit are averaged.

    *Laws*: one level with one value per unit equals `estimate` in its mean; the order of the values does not matter; constant
    values give a zero-width interval; with one outermost unit there is no interval (NaN); it covers a mean over drawn tasks at
    its nominal rate, where `estimate` over the pooled values does not.
    Source: Davison & Hinkley 1997, section 3.8; noise of inner levels is counted at every level above too, so few outer units
    with noisy insides make it wide.
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
    low, high = _percentiles(_redrawn(tree, RESAMPLES, keyed(seed, "hierarchical", len(tree))), mean)
    return Estimate(mean, low, high, int(kept.sum()), undefined)


def _quotient(sums: Float[np.ndarray, "resample part"]) -> Float[np.ndarray, " resample"]:
    return np.asarray(np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), nan), where=sums[:, 1] > 0))


def _percentiles(drawn: Float[np.ndarray, " resample"], value: float) -> tuple[float, float]:
    if not np.isfinite(drawn).all():
        return nan, nan
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return min(float(low), value), max(float(high), value)


def _tree(values: Float[np.ndarray, " value"], names: Sequence[Any]) -> Any:
    """A list of the units below, down to the innermost units' means."""
    if not names:
        return float(values.mean())
    found, member = np.unique(names[0], return_inverse=True)
    inside = [member == unit for unit in range(len(found))]
    return [_tree(values[mine], [level[mine] for level in names[1:]]) for mine in inside]


def _mean(tree: Any) -> float:
    return float(np.mean([_mean(each) for each in tree])) if isinstance(tree, list) else tree


def _redrawn(tree: Any, count: int, draw: np.random.Generator) -> Float[np.ndarray, " resample"]:
    """That many means of a unit, its insides redrawn each time."""
    if not isinstance(tree, list):
        return np.full(count, tree)
    chosen = draw.integers(0, len(tree), (count, len(tree)))
    if not any(isinstance(each, list) for each in tree):
        return np.asarray(np.asarray(tree)[chosen].mean(axis=1))
    found = np.empty(chosen.shape)
    for place, unit in enumerate(tree):
        mine = chosen == place
        found[mine] = _redrawn(unit, int(mine.sum()), draw)
    return np.asarray(found.mean(axis=1))


@lru_cache(maxsize=32)
def _resamples(groups: int, seed: int) -> Float[np.ndarray, "resample group"]:
    """How often each group stands in each resample, [resample, group]; the same draw serves every mean of that size."""
    drawn = keyed(seed, "bootstrap", groups).integers(0, groups, (RESAMPLES, groups))
    flat = drawn + groups * np.arange(RESAMPLES)[:, None]
    return np.bincount(flat.ravel(), minlength=RESAMPLES * groups).reshape(RESAMPLES, groups).astype(np.float64)
