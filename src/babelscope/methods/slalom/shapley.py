"""Exact Shapley values of a SLALOM, in polynomial time."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from babelscope.methods.slalom.surrogate import Mixture, Numbers

STEP = 0.125
"""Distance of the nodes in x = log t; the trapezoid rule of an analytic, vanishing integrand
converges exponentially."""
MOST_NODES = 160
"""Nodes over q. n/2 + 1 are exact; for texts of more than 318 positions this many leave less than
1e-9."""


def shapley(mixture: Mixture) -> Numbers:
    """Each position's mean contribution to F over all orders in which the positions can be added.

        phi_i = mean over orders of F(S + i) - F(S)

    S the positions before i; F(empty) is the context's value, or 0. With w = exp(s), 1/Z =
    int_0^inf exp(-tZ) dt and the mean over orders as the mean over a uniform probability q of being
    present:

        M_j = 1 - q (1 - exp(-t w_j)),   P_i = prod_{j != i} M_j
        A_j = w_j v_j q exp(-t w_j) / M_j
        phi_i = int_0^1 int_0^inf exp(-t w_0) [ exp(-t w_i) w_i v_i P_i
                - (1 - exp(-t w_i)) P_i (sum_{j != i} A_j + w_0 v_0) ] dt dq

    w_0, v_0 the context's (w_0 = 0 without one). In q the integrand is a polynomial of degree n -
    1, so that n/2 + 1 Gauss-Legendre nodes are exact; in t = exp(x) it is the trapezoid rule. Equal
    positions are computed once.

    *Laws*: the sum over orders for n <= 10 (1e-10); sums to F(t) - F(empty); equal positions get
    the same; one position alone gets v; equal values v everywhere give v / n; v + c gives phi + c /
    n without a context.
    *Left open by the paper*: it gives the exponential sum; the quadrature is ours.
    Source: Leemann et al. 2024 (SLALOM), Shapley values of the model.
    """
    pairs, back, copies = np.unique(
        np.stack([mixture.importance, mixture.value]),
        axis=1,
        return_inverse=True,
        return_counts=True,
    )
    top = max(pairs[0].max(), mixture.context[0] if mixture.context else -np.inf)
    weight, value = np.exp(pairs[0] - top), pairs[1]
    around = np.exp(mixture.context[0] - top) if mixture.context else 0.0
    base = around * mixture.context[1] if mixture.context else 0.0
    count = len(mixture.value)
    nodes, gauss = np.polynomial.legendre.leggauss(min(count // 2 + 1, MOST_NODES))
    time, trapezoid = _times(weight, copies, float(around))
    present = np.exp(-np.outer(time, weight))
    absent = -np.expm1(-np.outer(time, weight))
    trapezoid = trapezoid * np.exp(-time * around)
    values = np.zeros(len(weight))
    for chance, mass in zip((nodes + 1) / 2, gauss / 2):
        chosen = 1 - chance * absent
        logs = np.log(chosen)
        others = np.exp((copies * logs).sum(axis=1, keepdims=True) - logs)
        worth = weight * value * chance * present / chosen
        rest = (copies * worth).sum(axis=1, keepdims=True) - worth + base
        values += mass * (trapezoid @ (others * (present * weight * value - absent * rest)))
    return np.asarray(values[back.reshape(-1)])


def _times(weight: Numbers, copies: NDArray[np.int64], around: float) -> tuple[Numbers, Numbers]:
    """Nodes t and their weights t dx, over the range outside of which the integrand vanishes."""
    low = -log(float(weight @ copies) + around) - 40
    high = log(45 / max(float(weight.min()), around))
    places = np.arange(low, high + STEP, STEP)
    return np.exp(places), np.exp(places) * STEP
