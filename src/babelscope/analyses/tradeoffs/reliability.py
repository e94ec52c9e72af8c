"""The reliability diagram's points, and temperatures that make confidence fit accuracy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import minimize_scalar

from babelscope.analyses.tradeoffs.confidence import BINS, Golds, Logits, binned, nll

SPAN = 3.0
"""Temperatures lie between e^-3 and e^3."""
NORMAL = 1.959963984540054


class Point(NamedTuple):
    """One bin of the diagram: mean confidence, accuracy with its Wilson interval, and how many
    examples."""

    confidence: float
    accuracy: float
    low: float
    high: float
    n: int


class Temperature(NamedTuple):
    """`bound`: the search ended at its border, as it does for examples that are perfectly
    separated."""

    value: float
    bound: bool


def wilson(hits: int, count: int) -> tuple[float, float]:
    """A 95 % interval of a share that stays within 0 and 1, also where all or none are hits.

        (p + z^2/2n -+ z sqrt(p (1 - p)/n + z^2/4n^2)) / (1 + z^2/n),   p = hits / n, z = 1.96

    *Laws*: 0 <= low <= p <= high <= 1; hits and misses exchanged mirror it; NaN for n = 0; equals
    scipy's.
    Source: Wilson 1927.
    """
    if count == 0:
        return float("nan"), float("nan")
    share, square = hits / count, NORMAL**2
    middle = share + square / (2 * count)
    half = NORMAL * np.sqrt(share * (1 - share) / count + square / (4 * count**2))
    low, high = ((middle + side) / (1 + square / count) for side in (-half, half))
    return max(0.0, min(float(low), share)), min(1.0, max(float(high), share))


def reliability(
    confidence: Float[np.ndarray, " example"],
    right: Bool[np.ndarray, " example"],
    *,
    bins: int = BINS,
    equal: str = "width",
) -> list[Point]:
    """The bins that hold examples, each at its mean confidence.

    *Laws*: the counts sum to n; sum_k n_k / n |acc_k - conf_k| is the ECE of the same bins; no bin
    is empty.
    Source: Niculescu-Mizil & Caruana 2005.
    """
    places = binned(confidence, bins=bins, equal=equal)
    points = []
    for place in np.unique(places):
        inside = places == place
        hits, count = int(right[inside].sum()), int(inside.sum())
        points.append(
            Point(float(confidence[inside].mean()), hits / count, *wilson(hits, count), count)
        )
    return points


def temperature(logits: Logits, gold: Golds) -> Temperature:
    """The temperature that makes the gold labels of some development examples most likely.

        T = argmin_{T > 0} -1/n sum_i log softmax(logits_i / T)[y_i],   log T in [-3, 3]

    *Laws*: no other T of a fine grid does better; scaling the logits by c scales T by c inside of
    the bounds; dividing logits by T keeps every prediction; logits of a calibrated model have T
    near 1; examples without a mistake have the least T.
    Source: Guo et al. 2017, section 4.2.
    """
    if bool((logits.argmax(axis=1) == gold).all()):
        return Temperature(float(np.exp(-SPAN)), True)
    best = minimize_scalar(
        lambda log: nll(logits / np.exp(log), gold),
        bounds=(-SPAN, SPAN),
        method="bounded",
        options={"xatol": 1e-7},
    )
    return Temperature(float(np.exp(best.x)), bool(abs(best.x) > SPAN - 1e-3))
