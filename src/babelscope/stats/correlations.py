"""Correlations over few points: exact p, sensitivity to single points, correlation within
families."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial, nan

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from babelscope.errors import InputError
from babelscope.random import keyed

EXACT = 9
"""Up to this many points all permutations are enumerated."""
SAMPLED = 10_000


@dataclass(frozen=True, slots=True)
class Correlation:
    """`r` over n points, p by permutation (of all orders if `exact`), the least and largest r with
    one point left out, and r within families (NaN without)."""

    r: float
    n: int
    p: float
    exact: bool
    low: float
    high: float
    within: float


def correlation(
    x: ArrayLike,
    y: ArrayLike,
    families: Sequence[str] | None = None,
    *,
    ranks: bool = False,
    seed: int = 0,
) -> Correlation:
    """Pearson's correlation, or Spearman's with `ranks`, and how robust it is.

        r = sum_i (x_i - mean x)(y_i - mean y) / sqrt(sum_i (x_i - mean x)^2 sum_i (y_i - mean y)^2)
        p = share of the n! orders of y with |r| as large;
        for n > 9: (1 + count among 10,000 sampled) / (1 + 10,000)
        [low, high] = range of r over the n sets with one point left out
        within = r after subtracting each family's mean from x and y

    Points lacking x or y are dropped. A correlation that exists only between families says nothing
    about the points within them. Nothing is marked as significant, for any n.

    *Laws*: |r| <= 1, symmetric in x and y; unchanged by a rising line in x or y, by a falling one
    negated with the same p; a straight line has r = 1 and p = 2/n! for n > 2; equals scipy's r; the
    sampled p is near the exact one; undefined (NaN) for constant x or y.
    Source: Pearson 1896, Spearman 1904; Pitman 1937 (permutation).
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise InputError(
            f"a correlation needs as many x as y; found {first.shape} and {second.shape}"
        )
    kept = np.isfinite(first) & np.isfinite(second)
    first, second = first[kept], second[kept]
    if ranks:
        first, second = rankdata(first), rankdata(second)
    r = float(_pearson(first, second[None])[0])
    exact = len(first) <= EXACT
    if not np.isfinite(r):
        return Correlation(nan, len(first), nan, exact, nan, nan, nan)
    jackknife = [
        float(_pearson(np.delete(first, at), np.delete(second, at)[None])[0])
        for at in range(len(first))
    ]
    defined = [value for value in jackknife if np.isfinite(value)] or [nan]
    within = nan
    if families is not None:
        names = np.asarray(families, dtype=object)[kept].astype(str)
        within = float(_pearson(_centred(first, names), _centred(second, names)[None])[0])
    return Correlation(
        r,
        len(first),
        _permutation_p(first, second, r, seed),
        exact,
        min(defined),
        max(defined),
        within,
    )


def _pearson(
    x: Float[np.ndarray, " point"], orders: Float[np.ndarray, "order point"]
) -> Float[np.ndarray, " order"]:
    if len(x) < 2:
        return np.full(len(orders), nan)
    left, right = x - x.mean(), orders - orders.mean(axis=1, keepdims=True)
    scale = np.sqrt((left**2).sum() * (right**2).sum(axis=1))
    tiny = 1e-12 * len(x) * (1 + np.abs(x).max()) * (1 + np.abs(orders).max())
    return np.asarray(
        np.divide(right @ left, scale, out=np.full(len(orders), nan), where=scale > tiny)
    )


def _permutation_p(
    x: Float[np.ndarray, " point"], y: Float[np.ndarray, " point"], r: float, seed: int
) -> float:
    exact = len(x) <= EXACT
    if exact:
        orders = np.array(list(permutations(range(len(x)))), dtype=np.int64)
    else:
        orders = keyed(seed, "correlation", len(x)).permuted(
            np.tile(np.arange(len(x)), (SAMPLED, 1)), axis=1
        )
    hits = int((np.abs(_pearson(x, y[orders])) >= abs(r) - 1e-12).sum())
    return hits / factorial(len(x)) if exact else (1 + hits) / (1 + SAMPLED)


def _centred(
    values: Float[np.ndarray, " point"], families: np.ndarray
) -> Float[np.ndarray, " point"]:
    centred = values.copy()
    for name in np.unique(families):
        centred[families == name] -= values[families == name].mean()
    return centred
