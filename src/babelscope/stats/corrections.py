"""Multiple testing: p-values adjusted for the size of a declared family of tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

import numpy as np
from jaxtyping import Float
from scipy.stats import false_discovery_control


def holm(p: Sequence[float]) -> list[float]:
    """Adjusted p-values that control the family-wise error rate.

        sorted p_(1) <= ... <= p_(m):   adjusted_(i) = max_{j <= i} min(1, (m - j + 1) p_(j))

    Undefined p stay undefined and do not count in m; a family is declared before its p are seen.

    *Laws*: p <= adjusted <= min(1, m p); ranks are kept and the order of the list does not matter;
    a single p is unchanged; with all null hypotheses true at most a share alpha of the families has
    an adjusted p below alpha.
    Source: Holm 1979.
    """
    return _defined(p, _holm)


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Adjusted p-values that control the false discovery rate; for exploring a grid.

        adjusted_(i) = min_{j >= i} min(1, m p_(j) / j)

    *Laws*: p <= adjusted <= Holm's; the order of the list does not matter; a single p is unchanged;
    equal p are unchanged.
    Source: Benjamini & Hochberg 1995; computed by scipy.
    """
    return _defined(p, lambda known: np.asarray(false_discovery_control(known, method="bh")))


def _holm(known: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    order = np.argsort(known, kind="stable")
    steps = np.maximum.accumulate(known[order] * np.arange(len(known), 0, -1))
    adjusted = np.empty_like(known)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def _defined(
    p: Sequence[float], adjust: Callable[[Float[np.ndarray, " test"]], Float[np.ndarray, " test"]]
) -> list[float]:
    table = np.asarray(p, dtype=np.float64)
    kept = np.isfinite(table)
    adjusted = np.full(len(table), nan)
    if kept.any():
        adjusted[kept] = adjust(table[kept])
    return [float(value) for value in adjusted]
