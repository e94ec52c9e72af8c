"""A summary of the pairs of a parallel set: means per language with intervals, and over all."""

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
from babelscope.stats.intervals import of_sums
from babelscope.types import Estimate

COLUMNS = ("c", "c_unif", "c_perm", "c_mis", "c_rand", "ceil", "lift")
"""What is always shown together: C beside its nulls and its ceiling."""
FLIPS = 999


@dataclass(frozen=True, slots=True)
class Line:
    """One target language: means with intervals over its pairs, by cluster (pairs that
    share a premise)."""

    lang: str
    means: dict[str, Estimate]
    """By COLUMNS."""
    kappa: Estimate
    """Of the means, not the mean of the pairs' kappas."""
    p: float
    """That the lift is no larger than chance: signs of the pairs' lifts flipped at random,
    one-sided.
    """
    coverage: tuple[float, float]
    same_prediction: float
    lift_same: float
    lift_different: float
    reasons: dict[str, int]
    """Why pairs have no value, and how many."""
    without_kappa: dict[str, int]
    """Why pairs that have a C have no kappa of their own, and how many: texts of one word."""


def summarise(pairs: Sequence[Pair], *, seed: int = 0) -> list[Line]:
    """One line per language, in their order in the pairs."""
    langs = dict.fromkeys(pair.lang for pair in pairs)
    return [_line(lang, [pair for pair in pairs if pair.lang == lang], seed) for lang in langs]


def column(pairs: Sequence[Pair], name: str) -> NDArray[np.float64]:
    """One of COLUMNS for every pair."""
    outside = name in ("c_mis", "c_rand")
    values = [getattr(pair if outside else pair.score, name) for pair in pairs]
    return np.array(values, dtype=np.float64)


def overall(lines: Sequence[Line]) -> tuple[float, float]:
    """The unweighted mean of C over the languages, without and with the trivial 1 of the source
    with itself."""
    means = [line.means["c"].mean for line in lines if isfinite(line.means["c"].mean)]
    if not means:
        return nan, nan
    return float(np.mean(means)), (sum(means) + 1) / (len(means) + 1)


def _line(lang: str, pairs: Sequence[Pair], seed: int) -> Line:
    groups = [pair.cluster for pair in pairs]
    lift = column(pairs, "lift")
    same = np.array([_number(pair.same_prediction) for pair in pairs])
    scores = [pair.score for pair in pairs]
    undefined = [score.reason for score in scores if score.reason]
    flat = [score.kappa_reason for score in scores if score.kappa_reason and not score.reason]
    return Line(
        lang=lang,
        means={n: estimate(column(pairs, n).tolist(), groups) for n in COLUMNS},
        kappa=_kappa(pairs),
        p=sign_flips(lift, groups, seed),
        coverage=(
            _mean(np.array([pair.coverage_s for pair in pairs])),
            _mean(np.array([pair.coverage_t for pair in pairs])),
        ),
        same_prediction=_mean(same),
        lift_same=_mean(lift[same == 1]),
        lift_different=_mean(lift[same == 0]),
        reasons=dict(Counter(undefined)),
        without_kappa=dict(Counter(flat)),
    )


def sign_flips(lift: NDArray[np.float64], groups: Sequence[str], seed: int = 0) -> float:
    """How often the mean lift is reached if the signs of the lifts are flipped at random.

        p = (1 + #{mean of flipped >= mean}) / (1 + 999)

    Under no agreement a cluster's lifts are as often below 0 as above; the lifts of a cluster
    (pairs that share a premise) are flipped together.

    *Laws*: in [0.001, 1]; small where all lifts are positive; uniform, about, where signs are
    random; copies of a pair in its own cluster change nothing.
    """
    kept = np.isfinite(lift)
    if not kept.any():
        return nan
    names = np.asarray(groups, dtype=object)[kept].astype(str)
    _, member = np.unique(names, return_inverse=True)
    values = np.bincount(member, weights=lift[kept])
    rng = keyed(seed, "sign flips", len(values))
    signs = rng.choice([-1.0, 1.0], (FLIPS, len(values)))
    return float((1 + (signs @ values >= values.sum() - 1e-12).sum()) / (1 + FLIPS))


def _kappa(pairs: Sequence[Pair]) -> Estimate:
    """The kappa of the mean C, C_perm and ceil, with its interval by cluster."""
    parts = [column(pairs, name) for name in ("c", "c_perm", "ceil")]
    table = np.stack([*parts, np.ones(len(pairs))], axis=1)
    return of_sums(table, [pair.cluster for pair in pairs], _quotient)


def _quotient(sums: Float[np.ndarray, "row part"]) -> Float[np.ndarray, " row"]:
    """kappa of rows of sums of C, C_perm, ceil and 1."""
    c, c_perm, ceil, n = sums.T
    wide = ceil - c_perm >= NARROW * n
    empty = np.full(len(sums), nan)
    return np.asarray(np.divide(c - c_perm, ceil - c_perm, out=empty, where=wide))


def _mean(values: NDArray[np.float64]) -> float:
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else nan


def _number(value: bool | None) -> float:
    return nan if value is None else float(value)
