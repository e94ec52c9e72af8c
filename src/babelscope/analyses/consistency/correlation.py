"""Does consistency go with performance? Correlations over languages, with what they must be
corrected for.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial, nan
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.stats import kendalltau, rankdata

from babelscope.errors import InputError
from babelscope.random import keyed
from babelscope.stats.mantel import mantel as relabelled

SHUFFLES = 9999
EXACT = 7
"""Up to so many languages all permutations are taken; 7 have 5 040."""

Values = Float[np.ndarray, " language"]
Square = Float[np.ndarray, "source target"]


class Correlation(NamedTuple):
    """Three coefficients over n languages, and how often shuffled languages correlate as much
    (Pearson, two-sided)."""

    pearson: float
    spearman: float
    kendall: float
    p: float
    n: int


def correlation(x: Values, y: Values, *, seed: int = 0) -> Correlation:
    """Pearson, Spearman and Kendall's tau-b with a permutation p-value.

    Up to seven languages p is the exact share of permutations, the given order among them; beyond,
    (1 + #) / (1 + 9999).

    *Laws*: symmetric; a rising line gives 1, 1, 1; p is at least 1 / n! or 1/10000; NaN if one side
    is constant or n < 3.
    """
    if x.shape != y.shape:
        raise InputError(f"{len(x)} values cannot be correlated with {len(y)}")
    kept = np.isfinite(x) & np.isfinite(y)
    left, right = x[kept], y[kept]
    if len(left) < 3 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return Correlation(nan, nan, nan, nan, len(left))
    r = pearson(left, right)
    if len(left) <= EXACT:
        orders = permutations(range(len(right)))
        shuffled = [pearson(left, right[list(order)]) for order in orders]
        p = sum(abs(value) >= abs(r) - 1e-12 for value in shuffled) / factorial(len(right))
    else:
        rng = keyed(seed, "shuffled languages", len(left))
        shuffled = [pearson(left, rng.permutation(right)) for _ in range(SHUFFLES)]
        p = (1 + sum(abs(value) >= abs(r) - 1e-12 for value in shuffled)) / (1 + SHUFFLES)
    spearman = pearson(rankdata(left), rankdata(right))
    return Correlation(r, spearman, float(kendalltau(left, right).statistic), p, len(left))


def pearson(x: Values, y: Values) -> float:
    """sum (x - mean x)(y - mean y) / (|x - mean x| |y - mean y|); NaN where one is constant."""
    left, right = x - x.mean(), y - y.mean()
    size = float(np.linalg.norm(left) * np.linalg.norm(right))
    return float(left @ right) / size if size > 0 else nan


def partial(x: Values, y: Values, z: Values) -> float:
    """Pearson's correlation of what a line through the third does not explain of either.

    *Laws*: (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2)(1 - r_yz^2)); unchanged by adding a multiple of
    the third to either.
    """
    design = np.stack([np.ones_like(z), z], axis=1)
    residuals = []
    for values in (x, y):
        residual = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
        if np.linalg.norm(residual) <= 1e-12 * max(float(np.linalg.norm(values)), 1e-300):
            return nan
        residuals.append(residual)
    return pearson(residuals[0], residuals[1])


def off_diagonal(table: Square) -> Values:
    """The cells of two different languages, row by row."""
    return np.asarray(table[~np.eye(len(table), dtype=bool)])


def mantel(x: Square, y: Square, *, seed: int = 0) -> tuple[float, float]:
    """Pearson's r between the off-diagonal cells of two matrices over the same languages, and its
    permutation p.

    Cells share languages and are not independent: rows and columns of one matrix are permuted
    together (`stats.mantel`).

    *Laws*: symmetric in the matrices; renaming the languages of both changes nothing; p >= 1 / n!.
    """
    test = relabelled(x, y, seed=seed)
    return test.r, test.p


def interaction(table: Square) -> Square:
    """What is left of the off-diagonal cells after the best effects of row and column; NaN on the
    diagonal.

        min over mu, row, column of sum_{s != t} (table_st - mu - row_s - column_t)^2

    *Laws*: 0 for a sum of a row and a column effect; adding such effects changes nothing; the rests
    sum to 0 by row and column.
    """
    n = len(table)
    cells = [(s, t) for s in range(n) for t in range(n) if s != t]
    design = np.zeros((len(cells), 2 * n))
    for place, (s, t) in enumerate(cells):
        design[place, s] = design[place, n + t] = 1
    values = off_diagonal(table)
    residuals = np.full((n, n), nan)
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    residuals[~np.eye(n, dtype=bool)] = values - fitted
    return residuals


def variance_shares(table: Float[np.ndarray, "row column"]) -> tuple[float, float, float]:
    """The shares of a full table's variance that lie between rows, between columns, and in neither.

    *Laws*: they sum to 1; a table of row effects only gives (1, 0, 0).
    """
    mean = table.mean()
    total = ((table - mean) ** 2).sum()
    rows = table.shape[1] * ((table.mean(1) - mean) ** 2).sum()
    columns = table.shape[0] * ((table.mean(0) - mean) ** 2).sum()
    return float(rows / total), float(columns / total), float((total - rows - columns) / total)
