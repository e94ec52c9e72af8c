"""Paired comparisons on the same instances: differences, effect sizes, sign-flip tests, McNemar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import nan

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike
from scipy.stats import binomtest

from babelscope.random import keyed
from babelscope.stats.intervals import estimate
from babelscope.types import Estimate

FLIPS = 10_000
EXACT = 20
"""Up to this many groups all sign flips are enumerated."""
TIE = 1e-12
"""Sums closer than this share of the largest possible one are tied: rounding must not decide."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """The mean difference, its two-sided p, how many groups were flipped, and whether all flips
    were enumerated."""

    effect: float
    p: float
    groups: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Paired:
    """`difference` is first minus second; `d_z` its mean by its standard deviation; `superiority`
    the probability that the first is larger, ties counted half."""

    difference: Estimate
    p: float
    exact: bool
    d_z: float
    superiority: float


@dataclass(frozen=True, slots=True)
class McNemar:
    """How often only the first is correct, how often only the second, and the exact two-sided p."""

    first: int
    second: int
    p: float


def sign_flip(
    differences: Sequence[float], groups: Sequence[str] | None = None, *, seed: int = 0
) -> SignFlip:
    """Sign-flip test: could the mean difference be as large if each group's sign were random?

        T(s) = |sum_g s_g D_g|,  D_g = sum of group g's differences,  s_g = +-1
        p = share of all 2^G flips with T(s) >= T(1);
        for G > 20: (1 + count among 10,000 sampled) / (1 + 10,000)

    Without `groups` every difference is its own group. Undefined differences are dropped.

    *Laws*: exchanging the two negates the effect and keeps p; all differences 0 give p = 1; p is
    the same for any positive multiple; exact p is a multiple of 2^(1-G), and under random signs at
    most alpha with a probability of at most alpha; the sampled p is near the exact one.
    Source: Fisher 1935; the +1 is Phipson & Smyth 2010.
    """
    table = np.asarray(differences, dtype=np.float64)
    kept = np.isfinite(table)
    if not kept.any():
        return SignFlip(nan, nan, 0, True)
    names = (
        np.arange(len(table)).astype(str)
        if groups is None
        else np.asarray(groups, dtype=object).astype(str)
    )
    _, member = np.unique(names[kept], return_inverse=True)
    sums = np.bincount(member, weights=table[kept])
    exact = len(sums) <= EXACT
    flipped = _all_flips(sums) if exact else _sampled_flips(sums, seed)
    observed = abs(sums.sum()) - TIE * np.abs(sums).sum()
    hits = int((np.abs(flipped) >= observed).sum())
    p = hits / len(flipped) if exact else (1 + hits) / (1 + len(flipped))
    return SignFlip(float(table[kept].mean()), p, len(sums), exact)


def paired(first: ArrayLike, second: ArrayLike, groups: Sequence[str], *, seed: int = 0) -> Paired:
    """Two models on the same texts: the difference with its interval, a sign-flip test, and two
    effect sizes.

        d_i = first_i - second_i;   d_z = mean(d) / sd(d);
        superiority = 1/n sum_i [d_i > 0] + [d_i = 0] / 2

    An instance that either model lacks is undefined.

    *Laws*: exchanging the two negates difference and d_z, turns superiority into 1 - superiority
    and keeps p; equal models have difference 0, superiority 1/2 and p = 1; d_z of constant
    differences is undefined (NaN).
    Source: Lakens 2013 (d_z); Vargha & Delaney 2000 (superiority).
    """
    table = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    test = sign_flip(table.tolist(), groups, seed=seed)
    kept = table[np.isfinite(table)]
    deviation = float(kept.std(ddof=1)) if len(kept) > 1 else nan
    superiority = float(((kept > 0) + 0.5 * (kept == 0)).mean()) if len(kept) else nan
    d_z = float(kept.mean()) / deviation if deviation > TIE * np.abs(kept).max(initial=0.0) else nan
    return Paired(estimate(table.tolist(), groups), test.p, test.exact, d_z, superiority)


def mcnemar(first: ArrayLike, second: ArrayLike) -> McNemar:
    """Two models, correct or not on the same texts: is one correct more often? Exact.

        b = only the first is correct, c = only the second
        p = P(|B - (b + c)/2| >= |b - (b + c)/2|),  B ~ Binomial(b + c, 1/2)

    Texts must be independent; translations of one another are not: use `sign_flip` with groups on
    their differences.

    *Laws*: exchanging the two keeps p; no disagreement gives p = 1; equals the exact sign flip of
    the differences.
    Source: McNemar 1947, in its exact form.
    """
    correct, other = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    b, c = int((correct & ~other).sum()), int((other & ~correct).sum())
    return McNemar(b, c, float(binomtest(b, b + c, 0.5).pvalue) if b + c else 1.0)


def _all_flips(sums: Float[np.ndarray, " group"]) -> Float[np.ndarray, " flip"]:
    """All signed sums with the first sign fixed: the other half are their negatives."""
    totals = sums[:1]
    for term in sums[1:]:
        totals = np.concatenate([totals + term, totals - term])
    return totals


def _sampled_flips(sums: Float[np.ndarray, " group"], seed: int) -> Float[np.ndarray, " flip"]:
    return np.asarray(_signs(len(sums), seed) @ sums)


@lru_cache(maxsize=4)
def _signs(groups: int, seed: int) -> Int[np.ndarray, "flip group"]:
    """Shared by all tests with so many groups."""
    return np.asarray(
        2 * keyed(seed, "sign flip", groups).integers(0, 2, (FLIPS, groups), dtype=np.int8) - 1
    )
