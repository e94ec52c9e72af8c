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
TOGETHER = 500
"""Flips whose signs are in memory as floating-point numbers at a time."""
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
    return sign_flips([(differences, groups)], seed=seed)[0]


def sign_flips(
    tests: Sequence[tuple[Sequence[float], Sequence[str] | None]], *, seed: int = 0
) -> list[SignFlip]:
    """`sign_flip` of several lists of differences with their groups; those with equally many groups
    share the sampled signs, and are flipped together.

    *Law*: each is what `sign_flip` gives of it alone.
    """
    tables = [np.asarray(differences, dtype=np.float64) for differences, _ in tests]
    sums = [_group_sums(table, groups) for table, (_, groups) in zip(tables, tests)]
    hits = [_exact_hits(each) if len(each) <= EXACT else 0 for each in sums]
    sampled: dict[int, list[int]] = {}
    for at, each in enumerate(sums):
        if len(each) > EXACT:
            sampled.setdefault(len(each), []).append(at)
    for places in sampled.values():
        counts = _sampled_hits(np.column_stack([sums[at] for at in places]), seed)
        for at, counted in zip(places, counts):
            hits[at] = counted
    return [_sign_flip(*each) for each in zip(tables, sums, hits)]


def _sign_flip(
    table: Float[np.ndarray, " value"], sums: Float[np.ndarray, " group"], hits: int
) -> SignFlip:
    if not len(sums):
        return SignFlip(nan, nan, 0, True)
    exact = len(sums) <= EXACT
    p = hits / 2 ** (len(sums) - 1) if exact else (1 + hits) / (1 + FLIPS)
    return SignFlip(float(table[np.isfinite(table)].mean()), p, len(sums), exact)


def _group_sums(
    table: Float[np.ndarray, " value"], groups: Sequence[str] | None
) -> Float[np.ndarray, " group"]:
    """The sum of the defined differences of each group."""
    kept = np.isfinite(table)
    defined: Float[np.ndarray, " group"] = table[kept]
    if groups is None:
        return defined
    names = np.asarray(groups, dtype=object)[kept].astype(str)
    _, member = np.unique(names, return_inverse=True)
    sums: Float[np.ndarray, " group"] = np.bincount(member, weights=defined).astype(np.float64)
    return sums


def _observed(sums: Float[np.ndarray, " group"]) -> float:
    return float(abs(sums.sum()) - TIE * np.abs(sums).sum())


def _exact_hits(sums: Float[np.ndarray, " group"]) -> int:
    """How many of all flips are as large as what was observed."""
    return int((np.abs(_all_flips(sums)) >= _observed(sums)).sum()) if len(sums) else 0


def _sampled_hits(sums: Float[np.ndarray, "group test"], seed: int) -> list[int]:
    """The same of the sampled flips, for each test; the signs are multiplied some at a time."""
    observed = np.array([_observed(test) for test in sums.T])
    signs, hits = _signs(len(sums), seed), np.zeros(len(observed), dtype=np.int64)
    for start in range(0, FLIPS, TOGETHER):
        flipped = signs[start : start + TOGETHER].astype(np.float64) @ sums
        hits += (np.abs(flipped) >= observed).sum(axis=0)
    return [int(count) for count in hits]


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


@lru_cache(maxsize=4)
def _signs(groups: int, seed: int) -> Int[np.ndarray, "flip group"]:
    """Shared by all tests with so many groups."""
    signs = keyed(seed, "sign flip", groups).integers(0, 2, (FLIPS, groups), dtype=np.int8)
    signs *= 2
    signs -= 1
    return np.asarray(signs)
