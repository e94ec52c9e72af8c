"""Many tests at once: p adjusted for the size of a declared family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

import numpy as np
from jaxtyping import Float
from scipy.stats import false_discovery_control


def holm(p: Sequence[float]) -> list[float]:
    """Adjusted p that keep the chance of any false finding in the family at the level.

        sorted p_(1) <= ... <= p_(m):   adjusted_(i) = max_{j <= i} min(1, (m - j + 1) p_(j))

    Undefined p stay undefined and do not count in m; a family is declared before its p are seen.

    *Laws*: p <= adjusted <= min(1, m p); the order of the ranks is kept and the order of the list does not matter; one p is
    unchanged; with all nulls true at most alpha of the families have an adjusted p below alpha.
    Source: Holm 1979.
    """
    return _defined(p, _holm)


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Adjusted p that keep the expected share of false findings among the findings at the level; for exploring a grid.

        adjusted_(i) = min_{j >= i} min(1, m p_(j) / j)

    *Laws*: p <= adjusted <= Holm's; the order of the list does not matter; one p is unchanged; equal p are unchanged.
    Source: Benjamini & Hochberg 1995; scipy's.
    """
    return _defined(p, lambda known: np.asarray(false_discovery_control(known, method="bh")))


def _holm(known: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    order = np.argsort(known, kind="stable")
    steps = np.maximum.accumulate(known[order] * np.arange(len(known), 0, -1))
    found = np.empty_like(known)
    found[order] = np.minimum(steps, 1.0)
    return found


def _defined(p: Sequence[float], adjust: Callable[[Float[np.ndarray, " test"]], Float[np.ndarray, " test"]]) -> list[float]:
    table = np.asarray(p, dtype=np.float64)
    kept = np.isfinite(table)
    found = np.full(len(table), nan)
    if kept.any():
        found[kept] = adjust(table[kept])
    return [float(each) for each in found]
