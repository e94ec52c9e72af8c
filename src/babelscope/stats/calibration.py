"""Is the model right as often as it says? Asked of the predictions that are about as sure as one of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
from scipy.stats import binomtest

from babelscope.stats.bootstrap import LEVEL
from babelscope.types import Estimate

NEAREST = 50
"""How many predictions are looked at."""


def reliability(at: float, confidence: Sequence[float], right: Sequence[bool], *, nearest: int = NEAREST) -> Estimate:
    """How often predictions about as sure as this one are right.

        mean = 1/|N| sum_{i in N} right_i,   N the `nearest` predictions whose confidence is closest to `at`;
        [low, high] = Clopper and Pearson's exact interval at 95 %

    Predictions that are as close as the last of them count too, so that their order decides nothing.

    *Laws*: between low and high; the order of the predictions does not matter; with all of them it is the accuracy; without
    any there is none (NaN); where confidence is the chance of being right, the interval holds it at its nominal rate or more.
    *Left open*: a window of a number of predictions instead of bins of fixed width, which may be empty where one asks.
    Source: the reliability of Murphy and Winkler 1977 at a point; Clopper and Pearson 1934.
    """
    sure, hits = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=bool)
    if not len(sure):
        return Estimate(nan, nan, nan, 0, 0)
    away = np.abs(sure - at)
    mine = hits[away <= np.sort(away)[min(nearest, len(away)) - 1] + 1e-12]
    bounds = binomtest(int(mine.sum()), len(mine)).proportion_ci(LEVEL, method="exact")
    return Estimate(float(mine.mean()), float(bounds.low), float(bounds.high), len(mine), 0)
