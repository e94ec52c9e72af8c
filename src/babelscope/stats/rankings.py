"""Do tasks (or models) rank the methods in the same order, and which methods differ?"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from jaxtyping import Float
from scipy.stats import chi2, rankdata, studentized_range

from babelscope.errors import InputError
from babelscope.random import keyed

PERMUTATIONS = 10_000


@dataclass(frozen=True, slots=True)
class Ranking:
    """Mean rank of each method (1 is the lowest value), Kendall's W, Friedman's statistic with its
    p by chi-square and by permutation, and Nemenyi's p of every pair of methods."""

    ranks: tuple[float, ...]
    w: float
    statistic: float
    p: float
    permuted: float
    nemenyi: tuple[tuple[float, ...], ...]


def friedman(values: Float[np.ndarray, "task method"], *, seed: int = 0) -> Ranking:
    """Do the tasks agree on the ranking of the methods? Friedman's test, Kendall's W, Nemenyi's
    comparisons.

        r_tm = rank of method m in task t, ties averaged;   R_m = sum_t r_tm
        W = sum_m (R_m - N (K + 1) / 2)^2 / (sum_tm r_tm^2 - N K (K + 1)^2 / 4) / N;
        statistic = N (K - 1) W ~ chi2(K - 1)
        Nemenyi: q = |R_m - R_l| / N / sqrt(K (K + 1) / (6 N)) * sqrt 2 ~ the range of K normals

    N tasks, K methods. `permuted` shuffles the ranks inside each task 10,000 times, (1 + count) /
    (1 + 10,000); with few tasks prefer it to the chi-square approximation.

    *Laws*: 0 <= W <= 1; the same order in every task gives W = 1, an order and its reverse W = 0; a
    strictly increasing function of the values changes nothing; equals scipy's friedmanchisquare,
    ties too; if no method differs from another, W = 0 and p = 1.
    Source: Friedman 1937; Kendall & Babington Smith 1939; Nemenyi 1963 as in Demsar 2006.
    """
    tasks, methods = values.shape
    if tasks < 2 or methods < 2 or not np.isfinite(values).all():
        raise InputError(
            f"a ranking needs at least 2 tasks and 2 methods, all values defined; found {tasks} by "
            f"{methods}"
        )
    ranks = rankdata(values, axis=1)
    scale = float((ranks**2).sum()) - tasks * methods * (methods + 1) ** 2 / 4
    w = _agreement(ranks, scale)
    statistic = tasks * (methods - 1) * w
    rng = keyed(seed, "friedman", tasks, methods)
    shuffled = rng.permuted(np.broadcast_to(ranks, (PERMUTATIONS, tasks, methods)), axis=2)
    hits = int((_agreement(shuffled, scale) >= w - 1e-12).sum())
    return Ranking(
        tuple(float(rank) for rank in ranks.mean(axis=0)),
        float(w),
        float(statistic),
        float(chi2.sf(statistic, methods - 1)),
        (1 + hits) / (1 + PERMUTATIONS),
        _nemenyi(ranks.mean(axis=0), tasks),
    )


def _agreement(
    ranks: Float[np.ndarray, "*shuffle task method"], scale: float
) -> Float[np.ndarray, "*shuffle"]:
    tasks, methods = ranks.shape[-2:]
    squares = ((ranks.sum(axis=-2) - tasks * (methods + 1) / 2) ** 2).sum(axis=-1)
    return np.asarray(squares / scale / tasks if scale > 0 else 0.0 * squares)


def _nemenyi(means: Float[np.ndarray, " method"], tasks: int) -> tuple[tuple[float, ...], ...]:
    methods = len(means)
    q = np.abs(means[:, None] - means[None]) / sqrt(methods * (methods + 1) / (6 * tasks)) * sqrt(2)
    p = studentized_range.sf(q, methods, inf)
    return tuple(tuple(min(1.0, float(value)) for value in row) for row in p)
