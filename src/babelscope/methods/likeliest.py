"""Values of sets that were not queried, inferred from those that were, and which sets to query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from babelscope.methods.interactions import odd_part

Sets = Bool[np.ndarray, "set token"]
Point = Float[np.ndarray, " unknown"]
Matrix = Float[np.ndarray, "left right"]
Amounts = Float[np.ndarray, " set"]
Weights = Float[np.ndarray, "token set"]
MEANS = np.array([0.0, 1.0, 1.0, 0.0, -1.0, 1.5])
DEVIATIONS = np.array([1.5, 1.5, 1.5, 2.0, 2.0, 1.0])
"""Of the normal prior of log u, log k, log g, log v, log w and log h."""
STRENGTHS = 1.5
"""The deviation of the normal prior of log e_t, whose mean is 0."""
BOUNDS = [(-4.0, 4.0), (-3.0, 4.0), (-3.0, 4.0), (-6.0, 6.0), (-6.0, 6.0), (-2.0, 5.0)]
STEPS = 20
EXPECTED = np.log([1.0, 3.0, 2.0, 0.3, 1e-9, 1.0])
"""log u, log k, log g, log v, log w and log h by which sets are chosen, with all e_t = 1."""
JITTER = 1e-6
COMPLEMENTS = 4
"""Sets after the first ones that are chosen together with their complement."""
FLAT = 100.0
"""The variance of the constant when sets are chosen."""
ROUNDING = 1e-9
"""What is left of the values beside interactions in pairs counts as rounding up to this share of
them, and what a token changes up to a thousandth of it."""
AT_ONCE = 512
MOST_SETS = 512
"""Known sets, the first of them, from which strengths are inferred: the time grows with their
cube."""


@dataclass(frozen=True, slots=True, eq=False)
class _Kernel:
    """The covariance of the values of two lists of sets, with its terms and their arguments."""

    cosine: Matrix
    roots: Matrix
    apart: Matrix
    sizes: Matrix
    terms: tuple[Matrix, Matrix, Matrix]

    @property
    def total(self) -> Matrix:
        total: Matrix = self.terms[0] + self.terms[1] + self.terms[2]
        return total


def _kernel(
    point: Point, left: Bool[np.ndarray, "left token"], right: Bool[np.ndarray, "right token"]
) -> _Kernel:
    n = left.shape[1]
    a, b = left.astype(float), right.astype(float)
    strengths = np.exp(point[:n])
    u, k, g, v, w, h = np.exp(point[n:])
    own, other = a @ strengths, b @ strengths
    shared = (a * strengths) @ b.T
    roots = np.sqrt(np.outer(1 + u * own, 1 + u * other))
    cosine = (1 + u * shared) / roots
    apart = (own[:, None] + other - 2 * shared) / n
    sizes = ((a.sum(axis=1)[:, None] - b.sum(axis=1)) / n) ** 2
    terms = np.exp(k * (cosine - 1)), v * np.exp(-g * apart), w * np.exp(-h * sizes)
    return _Kernel(cosine, roots, apart, sizes, terms)


def chosen(
    sets: Sets,
    weights: Weights,
    first: Sequence[int],
    count: int,
) -> Int[np.ndarray, " chosen"]:
    """Which sets to query, one after the other: the one after whose value the weighted sums of all
    values are known best.

        max over S of  sum_t (W C)_tS^2 / C_SS

    C is the covariance of the values, as `likeliest_values` has it but with the same strength for
    all tokens, given those of the sets chosen before; W holds the weights. `sets` are sorted and
    closed under complement. The sets `first` come first, and each of the next COMPLEMENTS with its
    complement. No value is looked at: the choice depends on the sets alone.

    Source: Cohn 1996 (choosing the query that leaves the smallest expected variance).
    """
    point = np.concatenate((np.zeros(sets.shape[1]), EXPECTED))
    covered = np.concatenate(
        [
            weights @ _kernel(point, sets, sets[at : at + AT_ONCE]).total
            for at in range(0, len(sets), AT_ONCE)
        ],
        axis=1,
    )
    variance = np.full(len(sets), np.exp(EXPECTED[3:5]).sum() + 1 + FLAT)
    known = np.zeros((count, len(sets)))
    order: list[int] = []
    while len(order) < count:
        step = len(order)
        if step < len(first):
            at = int(first[step])
        elif (step - len(first)) % 2 and step - len(first) < 2 * COMPLEMENTS:
            at = len(sets) - 1 - order[-1]
        else:
            gain = (covered**2).sum(axis=0) / (np.maximum(variance, 0) + JITTER)
            gain[order] = -1
            at = int(np.argmax(np.round(gain / gain.max(), 9)))
        row = _kernel(point, sets[at : at + 1], sets).total[0] + FLAT
        row -= known[:step, at] @ known[:step]
        root = np.sqrt(max(row[at], 0) + JITTER)
        known[step] = row / root
        variance -= known[step] ** 2
        covered -= np.outer(covered[:, at] / root, known[step])
        order.append(at)
    return np.array(order)


def pairwise_scores(sets: Sets, amounts: Amounts) -> Float[np.ndarray, " token"] | None:
    """The Owen values, and Shapley values, of a game whose tokens interact at most in pairs; None
    where the values are not those of such a game.

        F(S) - F(complement of S) = sum_t a_t s_t ,  s_t = 1 for t in S, else -1
    """
    if np.isnan(amounts).any():
        return None
    kept, odd = odd_part(sets, amounts)
    signs = np.where(kept, 1.0, -1.0)
    linear: Float[np.ndarray, " token"] = np.linalg.lstsq(signs, odd, rcond=None)[0]
    if np.abs(signs @ linear - odd).max() > ROUNDING * np.abs(odd).max():
        return None
    return 2 * linear


def likeliest_values(
    sets: Sets, queried: Int[np.ndarray, " chosen"], amounts: Float[np.ndarray, " chosen"]
) -> Amounts:
    """The values of all sets: those that are known, and for the others the likeliest.

        F ~ GP(c, s K) ,  K(S, T) = exp(k (cos(S, T) - 1)) + v exp(-g d(S, T)) + w exp(-h z(S, T))
        cos(S, T) = (1 + u e(S & T)) / sqrt((1 + u e(S)) (1 + u e(T))) ,  d(S, T) = e(S ^ T) / n
        z(S, T) = ((|S| - |T|) / n)^2

    e(S) is the sum of the tokens' strengths e_t, S & T the tokens in both and S ^ T those in one of
    the two. The first term is a function of the mean of the tokens' vectors, scaled to length 1:
    in a full text one more token changes little. In the second a token changes as much in every
    text, and the third is a function of the number of tokens. c and s are free; strengths and u, k,
    g, v, w, h are those of the largest restricted likelihood times their prior.

    *Laws*: known values stay; a token that changes no known value changes no other; the gradient
    of the likelihood is that of its differences.
    Source: Rasmussen and Williams 2006, sections 2.7 and 5.4.1; the kernel is ours.
    """
    values = np.full(len(sets), np.nan)
    if np.isnan(amounts).any():
        return values
    matters = _matters(sets[queried], amounts)
    distinct, place = np.unique(sets & matters, axis=0, return_inverse=True)
    place = place.reshape(-1)
    first = np.sort(np.unique(place[queried], return_index=True)[1])
    values = _inferred(distinct[:, matters], place[queried[first]], amounts[first])[place]
    values[queried] = amounts
    return values


def _matters(sets: Sets, amounts: Float[np.ndarray, " set"]) -> Bool[np.ndarray, " token"]:
    """The tokens that change a value when they are added; all, if sets that differ in others alone
    differ in value."""
    n = sets.shape[1]
    scale = ROUNDING / 1000 * np.abs(amounts - amounts[0]).max()
    known = {row.tobytes(): value for row, value in zip(sets, amounts.tolist())}
    changes = np.zeros(n, dtype=bool)
    for token in range(n):
        joined = sets.copy()
        joined[:, token] = True
        gains = [known.get(row.tobytes(), value) - value for row, value in zip(joined, amounts)]
        changes[token] = np.abs(gains).max() > scale
    _, first, place = np.unique(sets & changes, axis=0, return_index=True, return_inverse=True)
    agree = np.abs(amounts[first][place.reshape(-1)] - amounts).max() <= scale
    return changes if agree else np.ones(n, dtype=bool)


def _inferred(
    sets: Sets, known: Int[np.ndarray, " known"], amounts: Float[np.ndarray, " known"]
) -> Amounts:
    """The values of all sets in the likeliest game through the known ones."""
    scale = float(np.abs(amounts - amounts.mean()).max()) or 1.0
    n = sets.shape[1]
    start = np.concatenate((np.zeros(n), MEANS))
    some = sets[known[:MOST_SETS]]
    point = minimize(
        objective, start, (some, amounts[:MOST_SETS] / scale), "L-BFGS-B", jac=True,
        bounds=[(-5.0, 4.0)] * n + BOUNDS, options={"maxiter": STEPS},
    ).x  # fmt: skip
    fitted = _fitted(point, sets[known], amounts)
    values = np.empty(len(sets))
    for at in range(0, len(sets), AT_ONCE):
        part = slice(at, at + AT_ONCE)
        values[part] = fitted.mean + _kernel(point, sets[part], sets[known]).total @ fitted.residual
    values[known] = amounts
    return values


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """The kernel at the known sets, its inverse beside the constant, the constant, and the weights
    of the known values."""

    kernel: _Kernel
    projected: Matrix
    mean: float
    residual: Amounts
    determinant: float


def _fitted(point: Point, sets: Sets, amounts: Amounts) -> _Fitted:
    kernel = _kernel(point, sets, sets)
    factor = cho_factor(kernel.total + JITTER * np.eye(len(sets)), lower=True)
    inverse = cho_solve(factor, np.eye(len(sets)))
    across = inverse.sum(axis=1)
    within = float(across.sum())
    projected = inverse - np.outer(across, across) / within
    determinant = 2 * float(np.log(np.diag(factor[0])).sum()) + float(np.log(within))
    mean = float(across @ amounts) / within
    return _Fitted(kernel, projected, mean, projected @ amounts, determinant)


def objective(point: Point, sets: Sets, amounts: Amounts) -> tuple[float, Point]:
    """Minus the logarithm of restricted likelihood and prior, and its gradient."""
    n, degrees = sets.shape[1], len(sets) - 1
    fitted = _fitted(point, sets, amounts)
    power = max(float(amounts @ fitted.residual), 1e-300)
    off = np.concatenate((point[:n] / STRENGTHS, (point[n:] - MEANS) / DEVIATIONS))
    value = (degrees * np.log(power) + fitted.determinant + off @ off) / 2
    residual = fitted.residual
    change = (fitted.projected - degrees * np.outer(residual, residual) / power) / 2
    gradient = _through(change, fitted.kernel, point, sets.astype(float))
    gradient += off / np.concatenate((np.full(n, STRENGTHS), DEVIATIONS))
    return float(value), gradient


def _through(
    change: Matrix, kernel: _Kernel, point: Point, sets: Float[np.ndarray, "set token"]
) -> Point:
    """The gradient with respect to the point, from that with respect to the kernel."""
    n = sets.shape[1]
    strengths = np.exp(point[:n])
    u, k, g, _, _, h = np.exp(point[n:])
    first, second, third = (change * term for term in kernel.terms)
    by_cosine, by_apart = k * first, -g * second
    shared = u * by_cosine / kernel.roots - 2 * by_apart / n
    inner = u * (sets @ strengths)
    by_length = (by_cosine * kernel.cosine).sum(axis=1) / (1 + inner)
    own = 2 * by_apart.sum(axis=1) / n - u * by_length
    by_strength = ((shared @ sets) * sets).sum(axis=0) + own @ sets
    products = u * ((sets * strengths) @ sets.T) / kernel.roots
    rest = [
        float((by_cosine * products).sum() - by_length @ inner),
        k * float((first * (kernel.cosine - 1)).sum()),
        -g * float((second * kernel.apart).sum()), float(second.sum()), float(third.sum()),
        -h * float((third * kernel.sizes).sum()),
    ]  # fmt: skip
    return np.concatenate((by_strength * strengths, rest))
