"""Intervals that respect translation groups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import nan

import numpy as np
from jaxtyping import Float

from babelscope.seeds import keyed
from babelscope.types import Estimate

RESAMPLES = 2000
LEVEL = 0.95


def estimate(values: Sequence[float], groups: Sequence[str], *, seed: int = 0) -> Estimate:
    """The mean of the defined values with a percentile bootstrap interval, resampled by group.

        mean = 1/n sum_i v_i;   [low, high] = the 2.5 and 97.5 percentiles of the mean over B = 2000 resamples,
        each drawing whole groups with replacement

    Translations of one sentence share a group and are drawn together, because they are not independent.

    *Laws*: low <= mean <= high for n groups > 1; constant values give a zero-width interval; the order of the values does
    not matter; with one group there is no interval (NaN); undefined values are counted, not averaged.
    """
    table = np.asarray(values, dtype=np.float64)
    defined = np.isfinite(table)
    undefined = int((~defined).sum())
    if not defined.any():
        return Estimate(nan, nan, nan, 0, undefined)
    names, member = np.unique(np.asarray(groups, dtype=object)[defined].astype(str), return_inverse=True)
    sums = np.bincount(member, weights=table[defined], minlength=len(names))
    sizes = np.bincount(member, minlength=len(names)).astype(np.float64)
    mean = float(sums.sum() / sizes.sum())
    if len(names) < 2:
        return Estimate(mean, nan, nan, int(defined.sum()), undefined)
    counts = _resamples(len(names), seed)
    means = (counts @ sums) / (counts @ sizes)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(mean, min(float(low), mean), max(float(high), mean), int(defined.sum()), undefined)


@lru_cache(maxsize=32)
def _resamples(groups: int, seed: int) -> Float[np.ndarray, "resample group"]:
    """How often each group stands in each resample, [resample, group]; the same draw serves every mean of that size."""
    drawn = keyed(seed, "bootstrap", groups).integers(0, groups, (RESAMPLES, groups))
    flat = drawn + groups * np.arange(RESAMPLES)[:, None]
    return np.bincount(flat.ravel(), minlength=RESAMPLES * groups).reshape(RESAMPLES, groups).astype(np.float64)
