"""A change of variable that puts more nodes where the integrand of a path changes quickly.

Arrays in, arrays out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex, Float


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
