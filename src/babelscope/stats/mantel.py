"""Do two ways to compare the same models agree? Mantel's test of two matrices of pairs.

The pairs of n models are not independent: each model is in n - 1 of them. A permutation test
relabels whole models, so that it keeps this dependence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial, nan

import numpy as np
from jaxtyping import Float, Int

from babelscope.random import keyed

EXACT = 8
"""Up to this many models all relabellings are enumerated."""
SAMPLED = 10_000

Matrix = Float[np.ndarray, "model model"]


@dataclass(frozen=True, slots=True)
class Mantel:
    """`r` over the pairs of n models, and p by relabelling them (in every way if `exact`)."""

    r: float
    n: int
    p: float
    exact: bool


def mantel(x: Matrix, y: Matrix, controls: Sequence[Matrix] = (), *, seed: int = 0) -> Mantel:
    """Pearson's correlation of two matrices over their pairs, with p by relabelling.

        r = Pearson( x_ij, y_ij ) over i != j;   with controls, of what remains of both after
        least squares on the controls' pairs and a constant
        p = share of the n! relabellings s of the models with | r( x_s(i)s(j), y_ij ) | as large;
        for n > 8: (1 + count among 10,000 sampled) / (1 + 10,000)

    A model that lacks a value is left out. With four models p is at least 1/24: where it cannot be
    small, that says nothing.

    *Laws*: a symmetric matrix is compared as by its pairs i < j; the order of the models does not
    matter; x and y may be exchanged without controls; a
    matrix with itself has r = 1; unchanged by a rising line in x or y; p >= 1/n!; equal to
    scikit-bio's r; NaN for fewer than three models or where the pairs of x or y do not vary.
    Source: Mantel 1967; with controls Smouse, Long and Sokal 1986.
    """
    kept = _complete([x, y, *controls])
    n = len(kept)
    cut = [np.asarray(matrix, dtype=np.float64)[np.ix_(kept, kept)] for matrix in (x, y, *controls)]
    if n < 3:
        return Mantel(nan, n, nan, exact=True)
    orders, exact = _orders(n, seed)
    values = _correlations(cut[0], cut[1], cut[2:], orders)
    return Mantel(float(values[0]), n, _p(values, exact), exact)


def pooled_mantel(
    pairs: Sequence[tuple[Matrix, Matrix]], strata: Sequence[str], *, seed: int = 0
) -> Mantel:
    """The mean of r over several units (tasks), with p by relabelling models within strata.

        mean_u r_u;   in each of 10,000 samples the models of a stratum (a language) are relabelled
        in the same way in all of its units; p = (1 + count of | mean | as large) / (1 + 10,000)

    Units of one stratum share their models. A unit whose r is undefined is left out; `n` is the
    number of units.

    *Laws*: of one unit, r is that of `mantel` and p near its p; copying a unit in its stratum
    changes neither; the order of the units does not matter up to sampling.
    """
    total = np.zeros(SAMPLED + 1)
    count = 0
    for (x, y), stratum in zip(pairs, strata, strict=True):
        kept = _complete([x, y])
        if len(kept) < 3:
            continue
        cut = [np.asarray(matrix, dtype=np.float64)[np.ix_(kept, kept)] for matrix in (x, y)]
        orders = _sampled(len(kept), keyed("pooled mantel", stratum, seed))
        values = _correlations(cut[0], cut[1], [], orders)
        if np.isfinite(values[0]):
            total += np.nan_to_num(values)
            count += 1
    if not count:
        return Mantel(nan, 0, nan, exact=False)
    return Mantel(float(total[0] / count), count, _p(total, exact=False), exact=False)


def _complete(matrices: Sequence[Matrix]) -> list[int]:
    """The models of which all pairs are defined, after those with the most undefined ones are left
    out one by one."""
    lost = np.zeros(np.shape(matrices[0]), dtype=bool)
    for matrix in matrices:
        lost |= ~np.isfinite(np.asarray(matrix, dtype=np.float64))
    np.fill_diagonal(lost, val=False)
    kept = list(range(len(lost)))
    while kept and lost[np.ix_(kept, kept)].any():
        kept.pop(int(lost[np.ix_(kept, kept)].sum(axis=1).argmax()))
    return kept


def _orders(n: int, seed: int) -> tuple[Int[np.ndarray, "order model"], bool]:
    """Relabellings, the identity first: all of them, or a sample."""
    if n <= EXACT:
        orders = np.fromiter(permutations(range(n)), dtype=np.dtype((np.int64, n)))
        assert len(orders) == factorial(n)
        return orders, True
    return _sampled(n, keyed("mantel", seed)), False


def _sampled(n: int, rng: np.random.Generator) -> Int[np.ndarray, "order model"]:
    rest = rng.permuted(np.tile(np.arange(n), (SAMPLED, 1)), axis=1)
    return np.concatenate([np.arange(n)[None], rest])


def _correlations(
    x: Matrix, y: Matrix, controls: Sequence[Matrix], orders: Int[np.ndarray, "order model"]
) -> Float[np.ndarray, " order"]:
    """r under each relabelling of x; NaN where what remains of x or y does not vary."""
    first, second = np.nonzero(~np.eye(len(x), dtype=bool))
    columns = [np.ones(len(first)), *(matrix[first, second] for matrix in controls)]
    design = np.column_stack(columns)
    rest = np.eye(len(first)) - design @ np.linalg.pinv(design)
    left = x[orders[:, first], orders[:, second]] @ rest
    right = rest @ y[first, second]
    scale = np.linalg.norm(left, axis=1) * np.linalg.norm(right)
    least = 1e-12 * (1 + np.abs(x[first, second]).max()) * (1 + np.abs(y[first, second]).max())
    safe = np.where(scale > least, scale, 1.0)
    return np.asarray(np.where(scale > least, left @ right / safe, nan))


def _p(values: Float[np.ndarray, " order"], exact: bool) -> float:
    """How often |r| is as large as the first, which is the one observed."""
    if not np.isfinite(values[0]):
        return nan
    as_large = np.abs(np.nan_to_num(values)) >= abs(values[0]) - 1e-12
    return float(as_large.mean()) if exact else float((1 + as_large[1:].sum()) / len(values))
