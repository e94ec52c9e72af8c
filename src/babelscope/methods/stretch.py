"""A change of variable that puts more nodes where the integrand of a path changes quickly.

Arrays in, arrays out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf

import numpy as np
from jaxtyping import Complex, Float

CENTRES = np.linspace(-0.2, 0.6, 17)[:, None, None]
WIDTHS = np.geomspace(1e-4, 2.0, 30)[:, None]
"""Among which a stretch is searched."""
REST = 0.2
"""The share of nodes that are spread evenly, whatever was seen."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A change of variable s(t) = base(u(t)) with nodes as dense in u as a mixture of normal
    distributions and a uniform one on [0, 1].

        t = C(u) / C(1),    dC/du = REST + (1 - REST) sum_j m_j n((u - u_j) / h_j) / h_j

    n the normal density; m_j, which sum to 1, u_j and h_j masses, centres and widths.
    """

    base: Stretch
    centres: Float[np.ndarray, " peak"]
    widths: Float[np.ndarray, " peak"]
    masses: Float[np.ndarray, " peak"]

    def _share(self, u: float) -> float:
        """C(u)."""
        normal = [erf(float(z)) / 2 for z in (u - self.centres) / self.widths / np.sqrt(2)]
        start = [erf(float(z)) / 2 for z in -self.centres / self.widths / np.sqrt(2)]
        return REST * u + (1 - REST) * float(self.masses @ np.subtract(normal, start))

    def _density(self, u: float) -> float:
        """dC / du."""
        bells = np.exp(-0.5 * ((u - self.centres) / self.widths) ** 2) / self.widths
        return REST + (1 - REST) * float(self.masses @ bells) / float(np.sqrt(2 * np.pi))

    def _inverse(self, t: float) -> float:
        """u(t), by Newton's method within a bracket."""
        low, high, u, aim = 0.0, 1.0, t, t * self._share(1.0)
        for _ in range(100):
            off = self._share(u) - aim
            low, high = (low, u) if off > 0 else (u, high)
            step = u - off / self._density(u)
            step = step if low < step < high else (low + high) / 2
            if abs(step - u) < 1e-15:
                break
            u = step
        return u

    def place(self, t: float) -> float:
        """s(t)."""
        return t if t in (0.0, 1.0) else self.base.place(self._inverse(t))

    def slope(self, t: float) -> float:
        """ds / dt."""
        u = self._inverse(t)
        return self.base.slope(u) * self._share(1.0) / self._density(u)


def learned(
    base: Stretch, places: Float[np.ndarray, " node"], values: Float[np.ndarray, "node token"]
) -> Learned:
    """The change of variable that puts as many nodes around each of these places of the stretched
    path as the integrand there is large, beside its distance from the neighbours.

        m_j ~ | values_j |_2 h_j,    h_j half of the distance between the neighbours of u_j

    *Laws*: u(0) = 0, u(1) = 1, u increases; a constant integrand is hardly stretched; of a peak
    between two of the places, the nodes of the new variable are denser there.
    Source: Tee and Trefethen 2006 for nodes adapted to where a function changes; White 1979 for the
    equal distribution of its size.
    """
    centres, widths, sizes = _sizes(places, values)
    masses = sizes * widths
    return Learned(base, centres, widths, masses / masses.sum())


def breadth(places: Float[np.ndarray, " node"], values: Float[np.ndarray, "node token"]) -> float:
    """The share of a path on which an integrand is large, from its values at these places.

        (int | f |_2 du)^2 / int | f |_2^2 du

    by sums over the places, each for what is nearest to it.

    *Laws*: at most 1, and 1 where the size is constant, or the integrand 0; values times a number
    have the same breadth; that of a function that is constant on a part and 0 elsewhere is about
    the part's length.
    Source: the participation ratio of Bell and Dean 1970.
    """
    _, widths, sizes = _sizes(places, values)
    square = float(widths @ sizes**2)
    return float(widths @ sizes) ** 2 / square if square else 1.0


def _sizes(
    places: Float[np.ndarray, " node"], values: Float[np.ndarray, "node token"]
) -> tuple[Float[np.ndarray, " node"], Float[np.ndarray, " node"], Float[np.ndarray, " node"]]:
    """The places in order, the lengths of what is nearest to each, and the size of the values."""
    order = np.argsort(places)
    centres = places[order]
    bounds = np.concatenate(([0.0], (centres[1:] + centres[:-1]) / 2, [1.0]))
    return centres, np.diff(bounds), np.linalg.norm(values[order], axis=1)


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
    starts, ends = (np.arcsinh((limit - CENTRES) / WIDTHS) for limit in (0.0, 1.0))
    inverse = (np.arcsinh((poles - CENTRES) / WIDTHS) - starts) / (ends - starts)
    sizes = np.quantile(_size(2 * inverse - 1), 0.1, axis=-1)
    best = np.unravel_index(int(sizes.argmax()), sizes.shape)
    if sizes[best] <= 1.1 * np.quantile(_size(2 * poles - 1), 0.1):
        return Stretch()
    return Stretch(float(CENTRES[best[0], 0, 0]), float(WIDTHS[best[1], 0]))


def _size(z: Complex[np.ndarray, "*place pole"]) -> Float[np.ndarray, "*place pole"]:
    """log | z + sqrt(z^2 - 1) |, the larger root: of the ellipse through z with foci -1 and 1."""
    axis = (np.abs(z + 1) + np.abs(z - 1)) / 2
    size: Float[np.ndarray, "*place pole"] = np.arccosh(np.maximum(axis, 1.0))
    return size
