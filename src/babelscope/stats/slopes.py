"""Regression of an outcome on a dose, within the same texts."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from babelscope.stats.intervals import of_sums, quotient
from babelscope.types import Estimate


def slope(
    dose: ArrayLike,
    outcome: ArrayLike,
    instances: Sequence[str],
    groups: Sequence[str],
) -> Estimate:
    """The regression slope of an outcome on a dose, every instance compared with itself.

        y_id = a_i + slope x_id + e_id;
        slope = sum_id (x_id - mean_i x)(y_id - mean_i y) / sum_id (x_id - mean_i x)^2

    Every instance has its intercept a_i (a fixed effect), so that only changes within it count. The
    interval leaves out groups of instances (translations of one text). A row that lacks its dose or
    outcome is dropped. n counts instances that have at least two different doses, `undefined` those
    that have not.

    *Laws*: a straight line within every instance gives its slope with zero width; adding a constant
    to all outcomes of one instance, or to all its doses, changes nothing; scaling outcomes scales
    it, scaling doses divides it; equals least squares with a constant per instance; the order of
    the rows does not matter; the interval covers the truth at its nominal rate.
    Source: the within estimator, Wooldridge 2010, section 10.5; the interval by leaving out
    clusters.
    """
    x, y = np.asarray(dose, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
    kept = np.isfinite(x) & np.isfinite(y)
    names, member = np.unique(
        np.asarray(instances, dtype=object)[kept].astype(str), return_inverse=True
    )
    if not len(names):
        return Estimate(nan, nan, nan, 0, len(set(instances)))
    x, y = _centred(x[kept], member), _centred(y[kept], member)
    parts = np.column_stack(
        [np.bincount(member, weights=x * y), np.bincount(member, weights=x * x)]
    )
    owner = dict(zip(np.asarray(instances, dtype=object).astype(str), groups))
    varied = parts[:, 1] > 1e-18
    parts[~varied] = nan
    estimate = of_sums(parts, [owner[name] for name in names], quotient)
    return Estimate(
        estimate.mean,
        estimate.low,
        estimate.high,
        int(varied.sum()),
        len(set(instances)) - int(varied.sum()),
        estimate.groups,
    )


def _centred(
    values: Float[np.ndarray, " row"], member: Int[np.ndarray, " row"]
) -> Float[np.ndarray, " row"]:
    return np.asarray(values - (np.bincount(member, weights=values) / np.bincount(member))[member])
