"""The reliability diagram's points, and temperatures that make confidence fit accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.optimize import minimize_scalar

from babelscope.analyses.tradeoffs.confidence import BINS, Golds, Logits, binned, nll
from babelscope.stats import rate

SPAN = 3.0
"""Temperatures lie between e^-3 and e^3."""


class Point(NamedTuple):
    """One bin of the diagram: mean confidence, accuracy with its interval (NaN for one cluster),
    and how many examples."""

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


def reliability(
    confidence: Float[np.ndarray, " example"],
    right: Bool[np.ndarray, " example"],
    clusters: Sequence[str],
    *,
    bins: int = BINS,
    equal: str = "width",
) -> list[Point]:
    """The bins that hold examples, each at its mean confidence, with the interval of its accuracy
    by cluster (`stats.rate`): the same texts under several seeds are not independent.

    *Laws*: the counts sum to n; sum_k n_k / n |acc_k - conf_k| is the ECE of the same bins; no bin
    is empty.
    Source: Niculescu-Mizil & Caruana 2005.
    """
    places, names = binned(confidence, bins=bins, equal=equal), np.asarray(clusters, dtype=object)
    points = []
    for place in np.unique(places):
        inside = places == place
        share = rate(right[inside].astype(float).tolist(), names[inside].tolist())
        bounds = (share.low, share.high)
        points.append(Point(float(confidence[inside].mean()), share.mean, *bounds, share.n))
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
