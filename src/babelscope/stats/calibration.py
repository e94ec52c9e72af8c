"""Calibration near one prediction: is the model correct as often as its confidence says?"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
from jaxtyping import Bool
from scipy.stats import binomtest

from babelscope.stats.jackknife import LEVEL
from babelscope.types import Estimate

NEAREST = 50
"""How many predictions are compared."""


def reliability(
    at: float, confidence: Sequence[float], right: Sequence[bool], *, nearest: int = NEAREST
) -> Estimate:
    """The accuracy of predictions whose confidence is close to `at`.

        mean = 1/|N| sum_{i in N} right_i,
        N the `nearest` predictions whose confidence is closest to `at`;
        [low, high] = Clopper and Pearson's exact interval at 95 %

    Predictions tied with the last of them are included, so that their order does not matter. What
    they should reach is their own mean confidence (`claimed`), not `at`: among few predictions
    those that are nearest may be far.

    *Laws*: between low and high; the order of the predictions does not matter; with all of them it
    is the accuracy; without any it is undefined (NaN); where confidence is the probability of being
    correct, the interval covers `claimed` at its nominal rate or more. *Choice of ours*: a window
    with a number of predictions instead of bins of fixed width, which may be empty at `at`.
    Source: the reliability of Murphy and Winkler 1977 at a point; Clopper and Pearson 1934.
    """
    if not len(confidence):
        return Estimate(nan, nan, nan, 0, 0)
    window = np.asarray(right, dtype=bool)[_window(at, confidence, nearest)]
    bounds = binomtest(int(window.sum()), len(window)).proportion_ci(LEVEL, method="exact")
    return Estimate(float(window.mean()), float(bounds.low), float(bounds.high), len(window), 0)


def claimed(at: float, confidence: Sequence[float], *, nearest: int = NEAREST) -> float:
    """The mean confidence of the predictions that `reliability` takes: what their accuracy would be
    if the model were calibrated; NaN without any."""
    if not len(confidence):
        return nan
    return float(np.asarray(confidence, dtype=np.float64)[_window(at, confidence, nearest)].mean())


def _window(at: float, confidence: Sequence[float], nearest: int) -> Bool[np.ndarray, " value"]:
    distance = np.abs(np.asarray(confidence, dtype=np.float64) - at)
    return np.asarray(distance <= np.sort(distance)[min(nearest, len(distance)) - 1] + 1e-12)
