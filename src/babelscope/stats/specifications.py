"""Specification curves: one question analysed in every defensible way, and a joint test of all of
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from jaxtyping import Bool, Float

from babelscope.random import keyed
from babelscope.stats.intervals import estimate
from babelscope.stats.paired import FLIPS, TIE
from babelscope.types import Estimate

EXACT = 12
"""Up to this many groups all sign flips are enumerated."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The effect of every specification in the order given, their median, the shares of effects
    below and above 0, the shares of intervals that lie below and above 0, and the joint two-sided p
    of the median."""

    effects: tuple[Estimate, ...]
    median: float
    below: float
    above: float
    significant_below: float
    significant_above: float
    p: float


def specification_curve(
    differences: Float[np.ndarray, "specification row"], groups: Sequence[str], *, seed: int = 0
) -> Curve:
    """Every specification's mean difference with its interval, and a test of all of them together.

        d_s = mean of the defined differences_si;   M = median_s d_s;
        below = share of s with d_s < 0
        p = share of sign flips of whole groups, the same for every specification, with |M(flipped)|
        >= |M|; for more than 12 groups (1 + count among 10,000 sampled) / (1 + 10,000)

    Specifications share texts and models, so their p-values are not independent and are not
    counted; flipping a group in all of them at once keeps the dependence. A specification without
    any defined difference does not enter the median.

    *Laws*: one specification alone has the p of `sign_flip`; negating everything negates the
    median, exchanges below and above and keeps p; the order of specifications and of rows does not
    matter; repeating every specification changes nothing; no difference anywhere gives p = 1; the
    sampled p is near the exact one.
    *Left open by the paper*: the statistic; theirs are the median, the share of one sign and the
    share that is significant. The flips are of groups, as the study is paired.
    Source: Simonsohn, Simmons & Nelson 2020.
    """
    names, member = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
    effects = tuple(estimate(row.tolist(), groups) for row in differences)
    kept = np.isfinite(differences)
    used = kept.any(axis=1)
    if not used.any():
        return Curve(effects, nan, nan, nan, nan, nan, nan)
    sums = np.zeros((int(used.sum()), len(names)))
    for total, row, defined in zip(sums, differences[used], kept[used]):
        np.add.at(total, member[defined], row[defined])
    sums /= kept[used].sum(axis=1, keepdims=True)
    median = float(np.median(sums.sum(axis=1)))
    exact = len(names) <= EXACT
    flipped = np.abs(np.median(_signs(len(names), seed) @ sums.T, axis=1))
    hits = int((flipped >= abs(median) - TIE * np.abs(sums).sum(axis=1).max()).sum())
    p = hits / len(flipped) if exact else (1 + hits) / (1 + len(flipped))
    low, mean, high = (
        np.array([getattr(effect, name) for effect in effects if effect.n])
        for name in ("low", "mean", "high")
    )
    return Curve(
        effects, median, _share(mean < 0), _share(mean > 0), _share(high < 0), _share(low > 0), p
    )


def _share(holds: Bool[np.ndarray, " specification"]) -> float:
    return float(holds.mean())


def _signs(groups: int, seed: int) -> Float[np.ndarray, "flip group"]:
    """All signs with the first one fixed (the others are their negatives), or a sample of FLIPS."""
    if groups > EXACT:
        return 2.0 * keyed(seed, "specifications", groups).integers(0, 2, (FLIPS, groups)) - 1.0
    codes = np.arange(2 ** (groups - 1))[:, None] >> np.arange(groups)[None]
    return 1.0 - 2.0 * (codes & 1)[:, ::-1]
