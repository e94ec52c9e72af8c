"""Does consistency go with performance? Correlations over languages, with what they must be corrected for."""

from __future__ import annotations

from itertools import permutations
from math import factorial, nan
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.stats import kendalltau, rankdata

from babelscope.errors import InputError
from babelscope.random import keyed

DRAWS = 9999
EXACT = 7
"""Up to so many languages all permutations are taken; 7 have 5 040."""

Values = Float[np.ndarray, " language"]
Square = Float[np.ndarray, "source target"]


class Correlation(NamedTuple):
    """Three coefficients over n languages, and how often shuffled languages correlate as much (Pearson, two-sided)."""

    pearson: float
    spearman: float
    kendall: float
    p: float
    n: int


def correlation(one: Values, two: Values, *, seed: int = 0) -> Correlation:
    """Pearson, Spearman and Kendall's tau-b with a permutation p-value.

    Up to seven languages p is the exact share of permutations, the given order among them; beyond, (1 + #) / (1 + 9999).

    *Laws*: symmetric; a rising line gives 1, 1, 1; p is at least 1 / n! or 1/10000; NaN if one side is constant or n < 3.
    """
    if one.shape != two.shape:
        raise InputError(f"{len(one)} values cannot be correlated with {len(two)}")
    kept = np.isfinite(one) & np.isfinite(two)
    left, right = one[kept], two[kept]
    if len(left) < 3 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return Correlation(nan, nan, nan, nan, len(left))
    r = pearson(left, right)
    if len(left) <= EXACT:
        found = [pearson(left, right[list(order)]) for order in permutations(range(len(right)))]
        p = sum(abs(each) >= abs(r) - 1e-12 for each in found) / factorial(len(right))
    else:
        rng = keyed(seed, "shuffled languages", len(left))
        p = (1 + sum(abs(pearson(left, rng.permutation(right))) >= abs(r) - 1e-12 for _ in range(DRAWS))) / (1 + DRAWS)
    return Correlation(r, pearson(rankdata(left), rankdata(right)), float(kendalltau(left, right).statistic), p, len(left))


def pearson(one: Values, two: Values) -> float:
    """sum (x - mean x)(y - mean y) / (|x - mean x| |y - mean y|); NaN where one is constant."""
    x, y = one - one.mean(), two - two.mean()
    size = float(np.linalg.norm(x) * np.linalg.norm(y))
    return float(x @ y) / size if size > 0 else nan


def partial(one: Values, two: Values, given: Values) -> float:
    """Pearson's correlation of what a line through the third does not explain of either.

    *Laws*: (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2)(1 - r_yz^2)); unchanged by adding a multiple of the third to either.
    """
    design = np.stack([np.ones_like(given), given], axis=1)
    rests = [each - design @ np.linalg.lstsq(design, each, rcond=None)[0] for each in (one, two)]
    tiny = [np.linalg.norm(rest) <= 1e-12 * max(float(np.linalg.norm(each)), 1e-300) for rest, each in zip(rests, (one, two))]
    return nan if any(tiny) else pearson(rests[0], rests[1])


def off_diagonal(table: Square) -> Values:
    """The cells of two different languages, row by row."""
    return np.asarray(table[~np.eye(len(table), dtype=bool)])


def mantel(one: Square, two: Square, *, seed: int = 0) -> tuple[float, float]:
    """Pearson's r between the off-diagonal cells of two matrices over the same languages, and its permutation p.

    Cells share languages and are not independent: rows and columns of one matrix are permuted together.

    *Laws*: symmetric in the matrices; renaming the languages of both changes nothing; p >= 1 / n!.
    """
    r, n = pearson(off_diagonal(one), off_diagonal(two)), len(one)
    orders = list(permutations(range(n))) if n <= EXACT else None
    rng = keyed(seed, "shuffled matrix", n)
    drawn = orders or [tuple(range(n)), *(tuple(rng.permutation(n).tolist()) for _ in range(DRAWS))]
    found = [pearson(off_diagonal(one), off_diagonal(two[np.ix_(order, order)])) for order in drawn]
    return r, sum(abs(each) >= abs(r) - 1e-12 for each in found) / len(found)


def interaction(table: Square) -> Square:
    """What is left of the off-diagonal cells after the best effects of row and column; NaN on the diagonal.

        min over mu, row, column of sum_{s != t} (table_st - mu - row_s - column_t)^2

    *Laws*: 0 for a sum of a row and a column effect; adding such effects changes nothing; the rests sum to 0 by row and column.
    """
    n = len(table)
    cells = [(s, t) for s in range(n) for t in range(n) if s != t]
    design = np.zeros((len(cells), 2 * n))
    for place, (s, t) in enumerate(cells):
        design[place, s] = design[place, n + t] = 1
    values = off_diagonal(table)
    found = np.full((n, n), nan)
    found[~np.eye(n, dtype=bool)] = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return found


def variance_shares(table: Float[np.ndarray, "row column"]) -> tuple[float, float, float]:
    """The shares of a full table's variance that lie between rows, between columns, and in neither.

    *Laws*: they sum to 1; a table of row effects only gives (1, 0, 0).
    """
    mean = table.mean()
    total = ((table - mean) ** 2).sum()
    rows = table.shape[1] * ((table.mean(1) - mean) ** 2).sum()
    columns = table.shape[0] * ((table.mean(0) - mean) ** 2).sum()
    return float(rows / total), float(columns / total), float((total - rows - columns) / total)
