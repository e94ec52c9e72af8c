"""Quadrature that reuses its nodes, knows how fast it converges, and stretches the path where the
integrand changes quickly. Arrays in, arrays out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Complex, Float
from numpy.polynomial import legendre

LEVELS = 3
"""How often a rule is extended, at most: 4 nodes, then 9, 19 and 39."""


@cache
def nested(
    count: int, level: int
) -> tuple[Float[np.ndarray, " node"], Float[np.ndarray, " rule node"]] | None:
    """The nodes of a rule on [-1, 1] and the weights of it and of the one before.

    Level 0 has `count` Gauss nodes. Each further level keeps the n nodes so far and adds n + 1, the
    roots of the polynomial E that is orthogonal to all lower degrees under the weight of the
    polynomial with the old nodes as roots: level 1 is Kronrod's extension, level 2 Patterson's. The
    old nodes come first; the weights of the rule before are 0 at the new ones. None where the new
    nodes are not real or not inside of the interval.

    *Laws*: exact to the degree `exactness(count, level)`; weights are positive.
    Source: Kronrod 1965; Patterson 1968; E from its Legendre coefficients, a linear system.
    """
    if level == 0:
        gauss, mass = legendre.leggauss(count)
        return gauss, np.stack((mass, np.zeros(count)))
    before = nested(count, level - 1)
    if before is None:
        return None
    old, (masses, _) = before
    points, products = legendre.leggauss(2 * len(old) + 2)
    weight = np.prod(points[:, None] - old, axis=1)
    values = legendre.legvander(points, len(old) + 1)
    moments = np.einsum("p,p,pi,pj->ij", products, weight / np.abs(weight).max(), values, values)
    rest = np.linalg.solve(moments[:-1, :-1], -moments[:-1, -1])
    added = legendre.legroots([*rest, 1.0])
    if np.iscomplexobj(added) or not (np.abs(added) < 1).all():
        return None
    nodes = np.concatenate((old, added))
    exact = np.zeros(len(nodes))
    exact[0] = 2.0
    weights = np.linalg.solve(legendre.legvander(nodes, len(nodes) - 1).T, exact)
    return nodes, np.stack((weights, np.concatenate((masses, np.zeros(len(added))))))


def exactness(count: int, level: int) -> int:
    """The degree up to which the rule integrates polynomials exactly: n old nodes are roots of a
    polynomial to which E, of degree n + 1, is orthogonal, so 3 n + 1.
    """
    old = 2 ** (level - 1) * (count + 1) - 1 if level else count
    return 3 * old + 1 if level else 2 * count - 1


def tail(
    nodes: Float[np.ndarray, " node"], values: Float[np.ndarray, "node token"], exact: int
) -> tuple[Float[np.ndarray, " token"], Float[np.ndarray, " token"]]:
    """An estimate of a rule's error on [-1, 1], and the rate at which it falls with the degree.

        error = 2 c_n rate^(exact + 1 - n),    rate = min(1, (c_n / c_m)^(1 / (n - m)))

    c_k the largest of the coefficients up to degree k of the Legendre series through the values, in
    the first formula of the last two, in the second of a quarter of all; n the highest degree, m
    half of it. The coefficients of an analytic
    function fall geometrically, and the error is that of the first degree that the rule does not
    integrate; at a jump they fall slowly, the rate is near 1, and this is no estimate.

    *Laws*: 0 for polynomials of degree 2; not below the error of 1 / (1 + 25 x^2).
    Source: this project; Trefethen 2013 (chapters 7, 8 and 19) for the convergence.
    """
    highest = len(nodes) - 1
    half = highest // 2
    series = np.abs(np.linalg.solve(legendre.legvander(nodes, highest), values))
    width = max(2, len(nodes) // 4)
    last, middle = series[-width:].max(axis=0), series[half + 1 - width : half + 1].max(axis=0)
    noise = 1e-15 * series.max(axis=0) + 1e-300
    rate = np.minimum(
        (np.maximum(last, noise) / np.maximum(middle, noise)) ** (1 / (highest - half)), 1
    )
    return 2 * series[-2:].max(axis=0) * rate ** (exact + 1 - highest), rate


@dataclass(frozen=True, slots=True)
class Stretch:
    """A change of variable s(u) on [0, 1] that puts more nodes around one place.

        s = centre + width sinh(a + (b - a) u),    s(0) = 0, s(1) = 1

    An infinite width is s = u.
    """

    centre: float = 0.0
    width: float = np.inf

    def ends(self) -> tuple[float, float]:
        return (
            float(np.arcsinh((0.0 - self.centre) / self.width)),
            float(np.arcsinh((1.0 - self.centre) / self.width)),
        )

    def place(self, u: float) -> float:
        """s(u)."""
        if not np.isfinite(self.width) or u in (0.0, 1.0):
            return u
        a, b = self.ends()
        return float(np.clip(self.centre + self.width * np.sinh(a + (b - a) * u), 0.0, 1.0))

    def slope(self, u: float) -> float:
        """ds / du."""
        if not np.isfinite(self.width):
            return 1.0
        a, b = self.ends()
        return float(self.width * np.cosh(a + (b - a) * u) * (b - a))


def stretch(poles: Complex[np.ndarray, " pole"]) -> Stretch:
    """The change of variable with which Gauss' rule converges fastest for an integrand with these
    singularities in the complex plane.

        rho = min over poles of | z + sqrt(z^2 - 1) |,    z = 2 u(pole) - 1

    The error falls as rho^(-2n): rho is the size of the largest ellipse around the path in which
    there is no singularity. The tenth of the poles that are nearest is left out: one token among
    many does not choose the nodes. Searched on a grid; none if s = u is as good within a tenth.

    *Laws*: without poles, or with poles far away, s = u; rho is never below that of s = u.
    Source: Johnston and Elliott 2005 for the sinh; Trefethen 2013, theorem 19.3, for rho.
    """
    if not len(poles):
        return Stretch()
    straight = _size(2 * poles - 1)
    best, size = Stretch(), 1.1 * float(np.quantile(straight, 0.1))
    for centre in np.linspace(-0.2, 0.6, 17):
        for width in np.geomspace(1e-4, 2.0, 30):
            candidate = Stretch(float(centre), float(width))
            a, b = candidate.ends()
            inverse = (np.arcsinh((poles - centre) / width) - a) / (b - a)
            reached = float(np.quantile(_size(2 * inverse - 1), 0.1))
            if reached > size:
                best, size = candidate, reached
    return best


def _size(z: Complex[np.ndarray, " pole"]) -> Float[np.ndarray, " pole"]:
    """log | z + sqrt(z^2 - 1) |, the larger one of both roots."""
    size = np.abs(np.log(np.abs(z + np.sqrt(z - 1) * np.sqrt(z + 1))))
    result: Float[np.ndarray, " pole"] = size
    return result
