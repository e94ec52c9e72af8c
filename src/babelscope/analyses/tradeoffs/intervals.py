"""Intervals and tests of the transfer matrix: all cells resampled together, because they share
their texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope.errors import InputError
from babelscope.random import keyed
from babelscope.stats.bootstrap import LEVEL, RESAMPLES
from babelscope.stats.corrections import holm
from babelscope.stats.paired import mcnemar, sign_flip

SEEDS = 3
"""From this many seeds on they are resampled too."""
BLOCK = 200
"""Resamples whose matrices are in memory at once."""

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""From matrices [..., source, target] to anything with the same leading axes."""
Right = Float[np.ndarray, "seed source target example"]
"""1 where the model of that source and seed is right in that language, 0 where it is wrong, NaN
where the language does not have the example."""
Cells = Float[np.ndarray, "seed cell example"]


class Interval(NamedTuple):
    """Arrays of one shape. `low` and `high` are NaN where nothing can be resampled."""

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
    right: Right, clusters: Sequence[str], statistic: Statistic, *, seed: int = 0
) -> Interval:
    """Any function of the transfer matrix with a percentile interval; clusters are resampled
    jointly for all cells.

        A[s, t] = 1/(K n_t) sum_k sum_i right[k, s, t, i];   [low, high] = percentiles of
          statistic(A*) over 2000 resamples,
        each of clusters (and with K >= 3 of seeds) with replacement

    `statistic` reads [..., source, target] and keeps the leading axes. K counts seeds; examples of
    one cluster (rows of XNLI that share a premise) are resampled together. Languages with the same
    examples are so paired; those with examples of their own (NaN elsewhere) are not: n_t counts
    what target t has, and clusters are resampled among those of the same languages.

    *Laws*: the value is the statistic of the plain means; constant cells have no width; the order
    of the examples does not matter; with one cluster there is no interval (NaN); equal models have
    a difference of 0 without width, since they are resampled together; between languages that share
    no example a difference is as wide as their two intervals together.
    Source: Davison & Hinkley 1997, chapter 3; nested seeds are ours.
    """
    names, member = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    if right.shape[-1] != len(member):
        raise InputError(f"{right.shape[-1]} examples were judged, {len(member)} have a cluster")
    has = np.isfinite(right).all(axis=(0, 1))
    counts = has.sum(axis=1)
    plain = np.where(has, right, 0.0)
    value = np.asarray(statistic(plain.mean(axis=0).sum(axis=-1) / counts), dtype=np.float64)
    if len(names) < 2:
        return Interval(value, np.full(value.shape, np.nan), np.full(value.shape, np.nan))
    sums = np.zeros((*right.shape[:3], len(names)))
    np.add.at(np.moveaxis(sums, -1, 0), member, np.moveaxis(plain, -1, 0))
    sizes = np.stack([np.bincount(member[texts], minlength=len(names)) for texts in has]).astype(
        np.float64
    )
    random = keyed(seed, "transfer matrix", len(names))
    blocks = [min(BLOCK, RESAMPLES - at) for at in range(0, RESAMPLES, BLOCK)]
    resamples = [_resampled(sums, sizes, random, count, statistic) for count in blocks]
    low, high = np.quantile(np.concatenate(resamples), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
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


def _resampled(
    sums: Float[np.ndarray, "seed source target cluster"], sizes: Float[np.ndarray,
    "target cluster"], random: np.random.Generator, count: int, statistic: Statistic,
) -> NDArray[np.float64]:  # fmt: skip
    seeds = sums.shape[0]
    chosen = np.zeros((count, sums.shape[-1]))
    _, stratum = np.unique(sizes > 0, axis=1, return_inverse=True)
    for which in range(
        stratum.max() + 1
    ):  # clusters of the same languages among themselves: none is ever left without
        members = np.flatnonzero(stratum.ravel() == which)
        chosen[:, members] = random.multinomial(
            len(members), np.full(len(members), 1 / len(members)), count
        )
    weights = np.full((count, seeds), 1 / seeds)
    if seeds >= SEEDS:
        weights = random.multinomial(seeds, np.full(seeds, 1 / seeds), count) / seeds
    means = (
        np.einsum("kstc,dc->dkst", sums, chosen, optimize=True)
        / (chosen @ sizes.T)[:, None, None, :]
    )
    return np.asarray(
        statistic(np.einsum("dkst,dk->dst", means, weights, optimize=True)), dtype=np.float64
    )
