"""Correlations of few points: exact p, how much one point decides, and what is left inside of families."""

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
DRAWN = 10_000


@dataclass(frozen=True, slots=True)
class Correlation:
    """`r` over n points, p by permutation (all of them if `exact`), the least and largest r with one point left out, and the r
    within families (NaN without)."""

    r: float
    n: int
    p: float
    exact: bool
    low: float
    high: float
    within: float


def correlation(
    x: ArrayLike, y: ArrayLike, families: Sequence[str] | None = None, *, ranks: bool = False, seed: int = 0
) -> Correlation:
    """Pearson's correlation, or Spearman's with `ranks`, and how far to trust it.

        r = sum_i (x_i - mean x)(y_i - mean y) / sqrt(sum_i (x_i - mean x)^2 sum_i (y_i - mean y)^2)
        p = share of the n! orders of y with |r| as large;   for n > 9: (1 + count among 10,000 drawn) / (1 + 10,000)
        [low, high] = range of r over the n sets with one point left out
        within = r after subtracting each family's mean from x and y

    Points lacking x or y are left out. A correlation that only exists between two families says nothing about the points. No
    stars are given, for any n.

    *Laws*: |r| <= 1, symmetric in x and y; unchanged by a rising line in x or y, by a falling one negated with the same p; a
    straight line has r = 1 and p = 2/n! for n > 2; equals scipy's r; drawn p is near the exact one; constant x or y has
    none (NaN).
    Source: Pearson 1896, Spearman 1904; Pitman 1937 (permutation).
    """
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if one.shape != two.shape or one.ndim != 1:
        raise InputError(f"a correlation needs as many x as y; found {one.shape} and {two.shape}")
    kept = np.isfinite(one) & np.isfinite(two)
    one, two = one[kept], two[kept]
    if ranks:
        one, two = rankdata(one), rankdata(two)
    r = float(_pearson(one, two[None])[0])
    exact = len(one) <= EXACT
    if not np.isfinite(r):
        return Correlation(nan, len(one), nan, exact, nan, nan, nan)
    each = [float(_pearson(np.delete(one, at), np.delete(two, at)[None])[0]) for at in range(len(one))]
    left = [value for value in each if np.isfinite(value)] or [nan]
    mine = None if families is None else np.asarray(families, dtype=object)[kept].astype(str)
    within = nan if mine is None else float(_pearson(_centred(one, mine), _centred(two, mine)[None])[0])
    return Correlation(r, len(one), _permuted(one, two, r, seed), exact, min(left), max(left), within)


def _pearson(one: Float[np.ndarray, " point"], many: Float[np.ndarray, "order point"]) -> Float[np.ndarray, " order"]:
    if len(one) < 2:
        return np.full(len(many), nan)
    left, right = one - one.mean(), many - many.mean(axis=1, keepdims=True)
    scale = np.sqrt((left**2).sum() * (right**2).sum(axis=1))
    tiny = 1e-12 * len(one) * (1 + np.abs(one).max()) * (1 + np.abs(many).max())
    return np.asarray(np.divide(right @ left, scale, out=np.full(len(many), nan), where=scale > tiny))


def _permuted(one: Float[np.ndarray, " point"], two: Float[np.ndarray, " point"], r: float, seed: int) -> float:
    exact = len(one) <= EXACT
    if exact:
        orders = np.array(list(permutations(range(len(one)))), dtype=np.int64)
    else:
        orders = keyed(seed, "correlation", len(one)).permuted(np.tile(np.arange(len(one)), (DRAWN, 1)), axis=1)
    hits = int((np.abs(_pearson(one, two[orders])) >= abs(r) - 1e-12).sum())
    return hits / factorial(len(one)) if exact else (1 + hits) / (1 + DRAWN)


def _centred(values: Float[np.ndarray, " point"], families: np.ndarray) -> Float[np.ndarray, " point"]:
    found = values.copy()
    for name in np.unique(families):
        found[families == name] -= values[families == name].mean()
    return found
