"""Intervals and tests of the transfer matrix: texts are left out of all cells together, because
these share them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.stats.corrections import holm
from babelscope.stats.jackknife import bounds, rate_bounds
from babelscope.stats.paired import mcnemar, sign_flip

SEEDS = 3
"""From this many seeds on intervals are for seeds that were not run, too."""

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From matrices [..., source, target] to anything with the same leading axes."""
Right = Float[np.ndarray, "seed source target example"]
"""1 where the model of that source and seed is right in that language, 0 where it is wrong, NaN
where the language does not have the example."""
Cells = Float[np.ndarray, "seed cell example"]


class Interval(NamedTuple):
    """Arrays of one shape. `low` and `high` are NaN where nothing can be left out."""

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class Comparison(NamedTuple):
    """Two models in one language: by how much the second is better, and the p of no difference.

    `p` is that of the sign flip by cluster, or of McNemar where every cluster is one example and
    there is one seed; `adjusted` is Holm's over all comparisons of one call.
    """

    source: str
    target: str
    effect: float
    only_first: int
    only_second: int
    mcnemar: float
    p: float
    adjusted: float


def intervals(
    right: Right,
    clusters: Sequence[str],
    statistic: Statistic,
    *,
    scale: Literal["plain", "share", "rate"] = "plain",
) -> Interval:
    """Any function of the transfer matrix with its 95 % interval, by cluster of texts and by seed.

        A[s, t] = 1/(K n_t) sum_k sum_i right[k, s, t, i];   [low, high] by `jackknife.bounds` from
          statistic(A) without each cluster, and with K >= 3 also without each seed

    `statistic` reads [..., source, target] and keeps the leading axes; with "rate" it must keep
    these two as well, and the interval is Wilson's (`jackknife.rate_bounds`). K counts seeds;
    examples of one cluster (rows of XNLI that share a premise) are left out together, in every cell
    of the matrix. Languages with the same examples are so paired; those with examples of their own
    (NaN elsewhere) are not: n_t counts what target t has, and clusters of different languages are
    different sources of variation.

    *Laws*: the value is the statistic of the plain means and lies in its interval; constant cells
    have no width unless they are rates; the order of the examples does not matter; with one cluster
    there is no interval (NaN); equal models have a difference of 0 without width, since the same
    texts are left out of both; between languages that share no example a difference is as wide as
    their two intervals together.
    Source: as for `jackknife.bounds`; seeds as a second source of variation are ours.
    """
    names, member = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    if right.shape[-1] != len(member):
        raise InputError(f"{right.shape[-1]} examples were judged, {len(member)} have a cluster")
    has = np.isfinite(right).all(axis=(0, 1))
    plain = np.where(has, right, 0.0)
    count = has.sum(axis=1).astype(np.float64)
    by_seed = plain.sum(axis=-1) / count
    value = np.asarray(statistic(by_seed.mean(axis=0)), dtype=np.float64)
    if len(names) < 2:
        return Interval(value, np.full(value.shape, np.nan), np.full(value.shape, np.nan))
    sums = np.zeros((len(names), *right.shape[1:3]))
    np.add.at(sums, member, np.moveaxis(plain.mean(axis=0), -1, 0))
    sizes = np.zeros((len(names), len(count)))
    np.add.at(sizes, member, has.T.astype(np.float64))
    left_out = _without_clusters(sums, sizes, statistic)
    if len(by_seed) >= SEEDS:
        left_out.append(_without_seeds(by_seed, statistic))
    if scale == "rate":
        size, groups = (
            np.broadcast_to(each, value.shape) for each in (count, (sizes > 0).sum(axis=0) + 0.0)
        )
        low, high = rate_bounds(value, left_out, size=size, groups=groups)
    else:
        low, high = bounds(value, left_out, scale=scale)
    return Interval(value, low, high)


def comparisons(
    first: Cells,
    second: Cells,
    names: Sequence[tuple[str, str]],
    clusters: Sequence[str],
    *,
    seed: int = 0,
) -> list[Comparison]:
    """Is the second model better than the first, cell by cell?

        d_i = 1/K sum_k second[k, i] - first[k, i];   p by `stats.sign_flip` over clusters,
          adjusted by Holm over all cells

    `names` are those of the cells, source and target. McNemar's exact p is of the first seed.
    Examples that a cell's language does not have (NaN) take no part in it.

    *Laws*: exchanging the two negates the effect, exchanges the counts and keeps every p; equal
    models have p = 1; p is at most its adjusted value.
    """
    rows = []
    alone = len(set(clusters)) == len(clusters) and len(first) == 1
    for cell, (source, target) in enumerate(names):
        has = np.flatnonzero(np.isfinite(first[:, cell] + second[:, cell]).all(axis=0)).tolist()
        left, right = first[:, cell, has], second[:, cell, has]
        counts = mcnemar((left[0] > 0.5).tolist(), (right[0] > 0.5).tolist())
        flipped = sign_flip(
            (right - left).mean(axis=0).tolist(), [clusters[at] for at in has], seed=seed
        )
        p = counts.p if alone else flipped.p
        rows.append((source, target, flipped.effect, counts.first, counts.second, counts.p, p))
    adjusted = holm([row[-1] for row in rows])
    return [Comparison(*row, each) for row, each in zip(rows, adjusted)]


def _without_clusters(
    sums: Float[np.ndarray, "cluster source target"],
    sizes: Float[np.ndarray, "cluster target"],
    statistic: Statistic,
) -> list[NDArray[np.float64]]:
    """The statistic without each cluster, by the languages that clusters belong to: those of
    different languages are independent samples. A cluster whose languages no other has is counted
    with the most frequent ones."""
    rest = (sizes.sum(axis=0) - sizes)[:, None, :]
    means = np.divide(
        sums.sum(axis=0) - sums, rest, out=np.full(sums.shape, np.nan), where=rest > 0
    )
    replicates = np.asarray(statistic(means), dtype=np.float64)
    _, stratum, count = np.unique(sizes > 0, axis=0, return_inverse=True, return_counts=True)
    stratum = np.where(count[stratum.ravel()] > 1, stratum.ravel(), int(count.argmax()))
    return [replicates[stratum == which] for which in np.unique(stratum)]


def _without_seeds(
    by_seed: Float[np.ndarray, "seed source target"], statistic: Statistic
) -> NDArray[np.float64]:
    rest = (by_seed.sum(axis=0) - by_seed) / (len(by_seed) - 1)
    return np.asarray(statistic(rest), dtype=np.float64)
