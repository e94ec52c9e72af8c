"""Two things on the same instances: is one larger? Differences, effect sizes, sign flips by group, McNemar."""

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
from babelscope.stats.bootstrap import estimate
from babelscope.types import Estimate

FLIPS = 10_000
EXACT = 20
"""Up to this many groups all sign flips are enumerated."""
TIE = 1e-12
"""Sums closer than this share of the largest possible one are equal: rounding must not decide a tie."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """The mean difference, its two-sided p, how many groups were flipped, and whether all flips were enumerated."""

    effect: float
    p: float
    groups: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Paired:
    """`difference` is first minus second; `d_z` its mean in units of its deviation; `superiority` the chance that the first is
    larger, ties half."""

    difference: Estimate
    p: float
    exact: bool
    d_z: float
    superiority: float


@dataclass(frozen=True, slots=True)
class McNemar:
    """How often only the first is right, only the second, and the exact two-sided p."""

    first: int
    second: int
    p: float


def sign_flip(differences: Sequence[float], groups: Sequence[str] | None = None, *, seed: int = 0) -> SignFlip:
    """Could the mean difference be as large if each group's sign were a coin?

        T(s) = |sum_g s_g D_g|,  D_g = sum of group g's differences,  s_g = +-1
        p = share of all 2^G flips with T(s) >= T(1);   for G > 20: (1 + count among 10,000 drawn) / (1 + 10,000)

    Without `groups` every difference is its own. Undefined differences are left out.

    *Laws*: exchanging the two things negates the effect and keeps p; all differences 0 give p = 1; p is the same for any
    positive multiple; exact p is a multiple of 2^(1-G), and under fair coins at most alpha with a chance of at most alpha;
    drawn p is near the exact one.
    Source: Fisher 1935; the +1 is Phipson & Smyth 2010.
    """
    table = np.asarray(differences, dtype=np.float64)
    kept = np.isfinite(table)
    if not kept.any():
        return SignFlip(nan, nan, 0, True)
    names = np.arange(len(table)).astype(str) if groups is None else np.asarray(groups, dtype=object).astype(str)
    _, member = np.unique(names[kept], return_inverse=True)
    sums = np.bincount(member, weights=table[kept])
    exact = len(sums) <= EXACT
    flipped = _every_flip(sums) if exact else _drawn_flips(sums, seed)
    least = abs(sums.sum()) - TIE * np.abs(sums).sum()
    hits = int((np.abs(flipped) >= least).sum())
    p = hits / len(flipped) if exact else (1 + hits) / (1 + len(flipped))
    return SignFlip(float(table[kept].mean()), p, len(sums), exact)


def paired(first: ArrayLike, second: ArrayLike, groups: Sequence[str], *, seed: int = 0) -> Paired:
    """Two models on the same texts: the difference with its interval, a sign-flip test, and two effect sizes.

        d_i = first_i - second_i;   d_z = mean(d) / sd(d);   superiority = 1/n sum_i [d_i > 0] + [d_i = 0] / 2

    An instance that either lacks is undefined.

    *Laws*: exchanging the two negates difference and d_z, turns superiority into 1 - superiority and keeps p; equal things have
    difference 0, superiority 1/2 and p = 1; d_z of constant differences is undefined (NaN).
    Source: Lakens 2013 (d_z); Vargha & Delaney 2000 (superiority).
    """
    table = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    test = sign_flip(table.tolist(), groups, seed=seed)
    kept = table[np.isfinite(table)]
    spread = float(kept.std(ddof=1)) if len(kept) > 1 else nan
    larger = float(((kept > 0) + 0.5 * (kept == 0)).mean()) if len(kept) else nan
    size = float(kept.mean()) / spread if spread > TIE * np.abs(kept).max(initial=0.0) else nan
    return Paired(estimate(table.tolist(), groups, seed=seed), test.p, test.exact, size, larger)


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Two models right or wrong on the same texts: is one right more often? Exact.

        b = only the first is right, c = only the second;   p = P(|B - (b + c)/2| >= |b - (b + c)/2|),  B ~ Binomial(b + c, 1/2)

    Texts must be independent; translations of one another are not: use `sign_flip` with groups on their differences.

    *Laws*: exchanging the two keeps p; no disagreement gives p = 1; equals the exact sign flip of the differences.
    Source: McNemar 1947, in its exact form.
    """
    one, two = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    b, c = int((one & ~two).sum()), int((two & ~one).sum())
    return McNemar(b, c, float(binomtest(b, b + c, 0.5).pvalue) if b + c else 1.0)


def _every_flip(sums: Float[np.ndarray, " group"]) -> Float[np.ndarray, " flip"]:
    """All sums with the first sign held: the other half are their negatives."""
    found = sums[:1]
    for each in sums[1:]:
        found = np.concatenate([found + each, found - each])
    return found


def _drawn_flips(sums: Float[np.ndarray, " group"], seed: int) -> Float[np.ndarray, " flip"]:
    return np.asarray(_signs(len(sums), seed) @ sums)


@lru_cache(maxsize=4)
def _signs(groups: int, seed: int) -> Int[np.ndarray, "flip group"]:
    """One draw serves every test with so many groups."""
    return np.asarray(2 * keyed(seed, "sign flip", groups).integers(0, 2, (FLIPS, groups), dtype=np.int8) - 1)
