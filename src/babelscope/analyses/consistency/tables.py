"""What a parallel set's pairs say: per language, over all languages, and beside performance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from babelscope.analyses.consistency.pairs import Pair
from babelscope.analyses.consistency.score import NARROW
from babelscope.random import keyed
from babelscope.stats import estimate
from babelscope.stats.bootstrap import of_sums
from babelscope.types import Estimate

COLUMNS = ("c", "c_unif", "c_perm", "c_mis", "c_rand", "ceil", "lift")
"""What never stands alone: C beside its nulls and its ceiling."""
FLIPS = 999


@dataclass(frozen=True, slots=True)
class Line:
    """One target language: means with intervals over its pairs, resampled by cluster (pairs that share a premise)."""

    lang: str
    means: dict[str, Estimate]
    """By COLUMNS."""
    kappa: Estimate
    """Of the means, not the mean of the pairs' kappas."""
    p: float
    """That the lift is no larger than chance: signs of the pairs' lifts flipped at random, one-sided."""
    coverage: tuple[float, float]
    same_prediction: float
    lift_same: float
    lift_different: float
    reasons: dict[str, int]
    """Why pairs have no value, and how many."""
    without_kappa: dict[str, int]
    """Why pairs that have a C have no kappa of their own, and how many: texts of one word."""


def summary(pairs: Sequence[Pair], *, seed: int = 0) -> list[Line]:
    """One line per language, in their order in the pairs."""
    langs = dict.fromkeys(pair.lang for pair in pairs)
    return [_line(lang, [pair for pair in pairs if pair.lang == lang], seed) for lang in langs]


def column(pairs: Sequence[Pair], name: str) -> NDArray[np.float64]:
    """One of COLUMNS for every pair."""
    own = name in ("c_mis", "c_rand")
    return np.array([getattr(pair if own else pair.found, name) for pair in pairs], dtype=np.float64)


def overall(lines: Sequence[Line]) -> tuple[float, float]:
    """The unweighted mean of C over the languages, without and with the trivial 1 of the source with itself."""
    found = [line.means["c"].mean for line in lines if isfinite(line.means["c"].mean)]
    return (float(np.mean(found)), (sum(found) + 1) / (len(found) + 1)) if found else (nan, nan)


def _line(lang: str, pairs: Sequence[Pair], seed: int) -> Line:
    groups = [pair.cluster for pair in pairs]
    means = {name: estimate(column(pairs, name).tolist(), groups, seed=seed) for name in COLUMNS}
    lift = column(pairs, "lift")
    same = np.array([nan if pair.same_prediction is None else float(pair.same_prediction) for pair in pairs])
    reasons = Counter(pair.found.reason for pair in pairs if pair.found.reason)
    flat = Counter(pair.found.kappa_reason for pair in pairs if pair.found.kappa_reason and not pair.found.reason)
    covered = tuple(_mean(np.array([getattr(pair, name) for pair in pairs])) for name in ("coverage_s", "coverage_t"))
    return Line(
        lang, means, _kappa(pairs, seed), sign_flips(lift, groups, seed), (covered[0], covered[1]),
        _mean(same), _mean(lift[same == 1]), _mean(lift[same == 0]), dict(reasons), dict(flat),
    )  # fmt: skip


def sign_flips(lift: NDArray[np.float64], groups: Sequence[str], seed: int = 0) -> float:
    """(1 + #{mean of flipped >= mean}) / (1 + 999): under no agreement a cluster's lifts are as often below 0 as above.

    The lifts of a cluster (pairs that share a premise) are flipped together.

    *Laws*: in [0.001, 1]; small where all lifts are positive; uniform, about, where signs are random; copies of a pair in
    its own cluster change nothing.
    """
    kept = np.isfinite(lift)
    if not kept.any():
        return nan
    _, member = np.unique(np.asarray(groups, dtype=object)[kept].astype(str), return_inverse=True)
    values = np.bincount(member, weights=lift[kept])
    signs = keyed(seed, "sign flips", len(values)).choice([-1.0, 1.0], (FLIPS, len(values)))
    return float((1 + (signs @ values >= values.sum() - 1e-12).sum()) / (1 + FLIPS))


def _kappa(pairs: Sequence[Pair], seed: int) -> Estimate:
    """The kappa of the mean C, C_perm and ceil, with a percentile bootstrap interval over the clusters."""
    table = np.stack([*(column(pairs, name) for name in ("c", "c_perm", "ceil")), np.ones(len(pairs))], axis=1)
    return of_sums(table, [pair.cluster for pair in pairs], _quotient, seed=seed)


def _quotient(sums: Float[np.ndarray, "resample part"]) -> Float[np.ndarray, " resample"]:
    """kappa of rows of sums of C, C_perm, ceil and 1."""
    c, c_perm, ceil, n = sums.T
    wide = ceil - c_perm >= NARROW * n
    return np.asarray(np.divide(c - c_perm, ceil - c_perm, out=np.full(len(sums), nan), where=wide))


def _mean(values: NDArray[np.float64]) -> float:
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else nan
