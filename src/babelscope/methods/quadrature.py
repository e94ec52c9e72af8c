"""Quadrature at nodes that are added one after another, which learns from the values how smooth the
integrand is and how far the integral may be off. Arrays in, arrays out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.polynomial import chebyshev

from babelscope.stats.threads import one_thread

MOST = 144
"""Nodes on an interval, at most."""
_Fits = tuple[
    Float[np.ndarray, "smoothness node token"],
    Float[np.ndarray, "smoothness token"],
    Float[np.ndarray, "smoothness token"],
]
Smoothness = tuple[float, float]
"""How the k-th Chebyshev coefficient of an integrand falls: as rate^-k (1 + k)^-power."""

SMOOTHNESS: tuple[Smoothness, ...] = (
    *((rate, 0.0) for rate in (1.01, 1.015, 1.02, 1.03, 1.04, 1.05, 1.065, 1.08, 1.11)),
    *((rate, 0.0) for rate in (1.15, 1.2, 1.25, 1.3, 1.4, 1.6, 2.0, 3.0, 6.0, 20.0)),
    *((1.0, power) for power in (1.0, 1.5, 2.0, 3.0, 4.0)),
)
"""A rate of an analytic integrand, or a power of one with a jump (1), a kink (2) or the like."""
JUMP: Smoothness = (1.0, 1.0)
"""With which more nodes on the same interval help little."""
DEGREES = 1200
"""Of the Chebyshev series; the last coefficient is at most 1e-3 of the first."""
DECIDE = 5
"""One of so many integrands decides on the smoothness."""
NOISE = 1e-14
"""Variance of a value's rounding error, relative to that of the integrand."""
LEAST = 6
"""Nodes that decide, at least, on what an integrand has in common with the sum."""
RIDGE = 1e-6
"""A sum whose square is below this share of that of its terms is taken for rounding."""


@cache
def node_sequence() -> Float[np.ndarray, " node"]:
    """MOST nodes in (-1, 1) in the order in which they are used: any first ones make a rule.

        x_n = argmax_x (1 - x^2)^(1/4) prod_(j < n) | x - x_j |,    x_0 = 0

    on a grid of 3999 places. They spread like the roots of orthogonal polynomials.

    *Laws*: distinct; inside of the interval; each the farthest from those before it.
    Source: Narayan and Jakeman 2014 (weighted Leja sequences).
    """
    grid = np.cos(np.pi * np.arange(1, 4000) / 4000)
    grid[1999] = 0.0
    size = 0.25 * np.log(1 - grid**2)
    chosen: list[int] = []
    with np.errstate(divide="ignore"):
        for _ in range(MOST):
            chosen.append(int(np.argmax(size)) if chosen else 1999)
            size = size + np.log(np.abs(grid - grid[chosen[-1]]))
    nodes: Float[np.ndarray, " node"] = grid[chosen]
    return nodes


class _Process(NamedTuple):
    """The Gaussian process of one smoothness, for every number of first nodes at once; of several,
    along a first axis."""

    whitening: Float[np.ndarray, "*smoothness node node"]
    """Lower triangular: from values at the nodes to what each adds to those before it, with
    variance 1."""
    gains: Float[np.ndarray, "*smoothness node"]
    """The integral's covariance with what each node adds."""
    constant: Float[np.ndarray, "*smoothness node"]
    """The integral of 1 after each node: below 1 by rounding, or by more with few nodes."""
    variances: Float[np.ndarray, "*smoothness node"]
    """Of the integral after each node, relative to the variance of the process."""
    scale: Float[np.ndarray, "*smoothness node"]
    """Log determinant of the covariance of the values so far."""


@cache
def _processes() -> _Process:
    """Of all of SMOOTHNESS, in its order."""
    return _Process(*map(np.stack, zip(*map(_process, SMOOTHNESS))))


def _process(smoothness: Smoothness) -> _Process:
    """The covariance is factorised as QR of its root, which keeps twice as many digits."""
    degrees = np.arange(DEGREES)
    rate, power = smoothness
    share = rate ** (-2.0 * degrees) * (1.0 + degrees) ** (-2.0 * power)
    root = np.sqrt(share / share.sum())
    basis = chebyshev.chebvander(node_sequence(), DEGREES - 1) * root
    upper = np.linalg.qr(np.hstack((basis, np.sqrt(NOISE) * np.eye(MOST))).T)[1]
    factor = upper.T * np.sign(np.diag(upper))
    even = np.where(degrees % 2 == 0, 1.0, 0.0)
    means = even * root / (1.0 - degrees**2 + (degrees == 1))
    whitening = np.linalg.inv(factor)
    gains = whitening @ (basis @ means)
    left = (means**2).sum() - np.cumsum(gains**2)
    variances = np.maximum(left, NOISE / np.arange(1, MOST + 1))
    constant = np.cumsum(gains * whitening.sum(axis=1))
    return _Process(whitening, gains, constant, variances, 2 * np.cumsum(np.log(np.diag(factor))))


@dataclass(frozen=True, slots=True, eq=False)
class Integral:
    """Integrals of several integrands over an interval of length 1, from the same nodes."""

    scores: Float[np.ndarray, " token"]
    deviations: Float[np.ndarray, " token"]
    """Standard deviations of the posterior."""
    smoothness: Smoothness
    lacking: float
    """What the sum lacked to the total before it was distributed; 0 without a total."""
    before: Float[np.ndarray, " token"]
    """The deviations without the total."""

    def fall(self, count: int, further: int) -> float:
        """The factor by which the deviations are expected to fall from so many nodes to more."""
        variances = _processes().variances[SMOOTHNESS.index(self.smoothness)]
        return float(np.sqrt(variances[further - 1] / variances[count - 1]))


@one_thread()
def integrate(values: Float[np.ndarray, "node token"], total: float | None = None) -> Integral:
    """Integrals over an interval of length 1 from the values at the first nodes of the sequence,
    and from the integral of their sum where that is known.

        f_t(x) = sigma_t sum_k z_tk rate^-k (1 + k)^-power T_k(x),    z_tk independent and normal
        a_t = E[ mean f_t | values ],    s_t^2 = Var[ mean f_t | values ]

    T_k the Chebyshev polynomials, x in [-1, 1], sigma_t the most likely scale of each integrand.
    Rate and power are shared, because integrands along one path share their singularities: those of
    SMOOTHNESS under which the values of the fifth of the integrands with the largest deviations are
    most likely, at first of all. Where coefficients are large that the nodes do not resolve, the
    values are only likely with a slow rate or a power, and the deviations say so.

    The weights of the values are divided by their sum. Given the total A, what the scores lack to
    it goes to those integrands that the last half of the nodes changed together with the sum:

        a_t += b_t (A - sum_j a_j),    b_t = sum_n w_tn w_n / sum_n w_n^2,    s_t^2 *= 1 - r_t^2

    w_tn what node n adds to those before it, w_n that of the sum, r_t their correlation.

    *Laws*: values (and total) times a number give scores and deviations times it; scores sum to
    the total, unless the sum hardly changes where its terms do; constants are exact, low
    degrees nearly; deviations fall with every node at a given smoothness; four of them bound the
    largest error of several smooth, peaked or bent integrands, and that of a single one in 98 of
    100 cases where it is smooth, in 8 of 10 where it has a kink or a jump.
    Source: O'Hagan 1991 (Bayesian quadrature); Trefethen 2013, theorems 7.1 and 8.1, for the
    coefficients of functions with a kink and of analytic ones.
    """
    process, last = _processes(), len(values) - 1
    added, deviations, likelihoods = _fits(values)
    pooled = int(likelihoods.sum(axis=1).argmax())
    largest = np.argsort(-deviations[pooled], kind="stable")[: max(1, values.shape[1] // DECIDE)]
    best = int(likelihoods[:, largest].sum(axis=1).argmax())
    scores = process.gains[best, : last + 1] @ added[best] / process.constant[best, last]
    if total is None:
        return Integral(scores, deviations[best], SMOOTHNESS[best], 0.0, deviations[best])
    shares, left = _shares(added[best])
    lacking = total - float(scores.sum())
    return Integral(
        scores + shares * lacking,
        deviations[best] * left,
        SMOOTHNESS[best],
        lacking,
        deviations[best],
    )


def _shares(
    added: Float[np.ndarray, "node token"],
) -> tuple[Float[np.ndarray, " token"], Float[np.ndarray, " token"]]:
    """Of what the sum lacks, the share of each integrand, by what the last nodes add to both; and
    the factor of its deviation once the sum is known."""
    late = added[-max(LEAST, len(added) // 2) :]
    together = late.sum(axis=1)
    products, squares = late.T @ together, (late**2).sum(axis=0)
    size = float((together**2).sum()) + RIDGE * float(squares.sum())
    if not size:
        return np.zeros(len(squares)), np.ones(len(squares))
    alike = products**2 / (size * np.maximum(squares, 1e-300))
    count = len(late)
    left = np.sqrt(np.minimum(1.0, (1.0 - alike) * count / max(1, count - 2)))
    return products / size, left


def _fits(values: Float[np.ndarray, "node token"]) -> _Fits:
    """Of every smoothness at once: what each node adds to those before it, the integrals' standard
    deviations, and twice the log likelihood of each integrand's values, 0 where all are."""
    count, process = len(values), _processes()
    added = process.whitening[:, :count, :count] @ values
    squares = added**2
    scales = squares.mean(axis=1)
    late = squares[:, -max(3, count // 3) :].mean(axis=1)
    variances = process.variances[:, count - 1, None]
    deviations = np.sqrt(variances * np.maximum(scales, late))
    likelihoods = -count * np.log(np.maximum(scales, 1e-300)) - process.scale[:, count - 1, None]
    return added, deviations, np.where(scales > 0, likelihoods, 0.0)
