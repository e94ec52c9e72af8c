"""How alike two explanations of one text are: their order, their top, and both weighted by rank."""

from __future__ import annotations

from math import ceil, nan

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.stats import kendalltau

Values = Float[np.ndarray, " unit"]
TOP = 0.2
"""The share of the units that `top_overlap` compares."""
PERSISTENCE = 0.9
"""How much the next rank counts in `rank_biased_overlap`."""


def kendall(first: Values, second: Values) -> float:
    """Kendall's tau-b of two explanations; NaN where one of them does not vary.

    *Laws*: within [-1, 1]; symmetric; 1 with itself and -1 with its negation.
    Source: Kendall 1945.
    """
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return nan
    return float(kendalltau(first, second).statistic)


def top_overlap(first: Values, second: Values, share: float = TOP) -> float:
    """The Jaccard index of the highest units of two explanations.

        | A and B | / | A or B |,   A and B the k = ceil(share n) highest units of each

    *Laws*: within [0, 1]; symmetric; 1 with itself; 0 where the tops have nothing in common. Ties
    go to the unit that comes first in the text.
    Source: Jaccard 1901.
    """
    size = ceil(share * len(first) - 1e-9)
    tops = [set(_order(scores)[:size].tolist()) for scores in (first, second)]
    return len(tops[0] & tops[1]) / len(tops[0] | tops[1]) if size else nan


def rank_biased_overlap(first: Values, second: Values, p: float = PERSISTENCE) -> float:
    """How far two rankings agree from the top, each further rank counting p times the one before.

        RBO = (1 - p) sum_d p^(d-1) A_d / (1 - p^n),   A_d = | top d of both | / d,   d = 1 .. n

    *Laws*: within [0, 1]; symmetric; 1 for equal rankings.
    *Left open by the paper*: it sums to infinity; n units end at n, so the sum is divided by the
    weight that n ranks have.
    Source: Webber, Moffat and Zobel 2010, eq. 4.
    """
    n = len(first)
    if n == 0:
        return nan
    ranks = [np.argsort(_order(scores)) for scores in (first, second)]
    deepest = np.maximum(*ranks)  # the depth at which a unit is in both tops
    shared = np.cumsum(np.bincount(deepest, minlength=n))
    weights = p ** np.arange(n)
    return float(weights @ (shared / np.arange(1, n + 1)) / weights.sum())


def _order(scores: Values) -> NDArray[np.int64]:
    return np.argsort(-np.asarray(scores), kind="stable")
