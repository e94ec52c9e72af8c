"""Shapley values of a game of which only some sets were queried: the likeliest odd game through
their values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from numpy.polynomial.legendre import leggauss
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

Sets = Bool[np.ndarray, "set token"]
Signs = Float[np.ndarray, "set token"]
Amounts = Float[np.ndarray, " set"]
Scores = Float[np.ndarray, " token"]
Point = Float[np.ndarray, " unknown"]
STRENGTH = np.log(0.1)
"""The mean of the normal prior of log a_t, whose deviation is 1, and of the bounds within which
log a_t and the logarithm of the noise are searched, with the number of steps."""
BOUNDS = (-7.0, 0.3)
NOISE_BOUNDS = (np.log(1e-3), 3.0)
STEPS = 20
EXACT = 1e-6
"""Noise of the whole text, whose value every game must have."""
NOISE = -2.0
"""The mean of the normal prior of the logarithm of the noise, whose deviation is 2."""
ROUNDING = 1e-9
"""What is left of the values beside a linear game counts as rounding up to this share of them."""
MOST_SETS = 512
"""Sets, each with its complement, of which a game is inferred: the time grows with their cube."""


def odd_part(
    kept: Bool[np.ndarray, "coalition token"], amounts: Float[np.ndarray, " coalition"]
) -> tuple[Sets, Amounts]:
    """The distinct sets whose complement is there too, as by `distinct`, and of each

        y(S) = (F(S) - F(complement of S)) / 2

    *Law*: the Shapley values of F are those of y.
    """
    known = {row.tobytes(): amount for row, amount in zip(kept, amounts.tolist())}
    paired = [row for row in kept if (~row).tobytes() in known]
    odd = [(known[row.tobytes()] - known[(~row).tobytes()]) / 2 for row in paired]
    return distinct(np.array(paired), np.array(odd))


def distinct(
    kept: Bool[np.ndarray, "coalition token"], odd: Float[np.ndarray, " coalition"]
) -> tuple[Sets, Amounts]:
    """Each set once, of a set and its complement that with the first token, in order of appearance
    but the whole first.

    y(complement of S) = -y(S). The whole or the empty set must be among them.
    """
    held = kept[:, :1]
    turned, values = np.where(held, kept, ~kept), np.where(held[:, 0], odd, -odd)
    first = np.sort(np.unique(turned, axis=0, return_index=True)[1])
    order = [*first[turned[first].all(axis=1)], *first[~turned[first].all(axis=1)]]
    return turned[order], values[order]


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """The likeliest odd game: y(s) = sum_t b_t s_t + sum_i c_i sinh(sum_t a_t s_t s_it)."""

    sets: Signs
    linear: Scores
    strengths: Scores
    weights: Amounts

    def __call__(
        self, kept: Bool[np.ndarray, "coalition token"]
    ) -> Float[np.ndarray, " coalition"]:
        signs = np.where(kept, 1.0, -1.0)
        inner = np.sinh((signs * self.strengths) @ self.sets.T)
        values: Amounts = signs @ self.linear + inner @ self.weights
        return values

    def shapley(self) -> Scores:
        """Shapley values of a game with this odd part, exactly.

            phi_t = 2 b_t + C sum_i c_i l_t s_it I_it
            I_it = integral from -1 to 1 of  prod_{j not t} (1 + u l_j s_ij) du

        l_t = tanh(a_t), C = prod_t cosh(a_t). The integral is that of a polynomial of degree n - 1:
        Gauss' rule with half as many nodes is exact.

        *Law*: they are the weighted sums of the game's values over all sets.
        """
        shrunk = np.tanh(self.strengths) * self.sets
        nodes, shares = leggauss(self.sets.shape[1] // 2 + 1)
        terms = 1 + nodes[:, None, None] * shrunk
        before = np.cumprod(np.concatenate((np.ones_like(terms[..., :1]), terms[..., :-1]), -1), -1)
        after = np.cumprod(
            np.concatenate((np.ones_like(terms[..., :1]), terms[..., :0:-1]), -1), -1
        )[..., ::-1]
        integrals = np.einsum("k,kit->it", shares, before * after) * shrunk
        scores: Scores = 2 * self.linear + np.cosh(self.strengths).prod() * (
            self.weights @ integrals
        )
        return scores


def likeliest_game(kept: Sets, odd: Amounts) -> Game:
    """The game of which some values are known, if its interactions are taken for random ones.

        F(S) - F(complement of S) = 2 y(s),  s_t = 1 for t in S, else -1
        y(s) = sum_t b_t s_t + g(s),  g ~ GP(0, v sinh(sum_t a_t s_t s'_t)) + noise

    A game is a sum of products c_A prod_{t in A} s_t over sets A of tokens, and its Shapley values
    are a_t = 2 sum over A of odd size with t of c_A / |A|: only the odd part y matters, which is
    queried by a set together with its complement. sinh of the inner product is the covariance of
    coefficients that are independent and normal with variance v C prod_{t in A} tanh(a_t), C =
    prod_t cosh(a_t). b is free. Strengths a_t (how much a token interacts), v and the noise are
    those of the largest restricted likelihood times the prior of log a_t.

    `kept` are the sets, of which the first is the whole, and `odd` their values y.

    *Laws*: the whole text has its value; a linear y gives its coefficients; the gradient of the
    likelihood is that of its differences.
    *Left open by the papers*: the covariance. A product over tokens, because tokens that interact
    in threes with some mostly do so with others.
    Source: Rasmussen and Williams 2006, section 2.7 (explicit basis functions), section 5.4; Witter
    et al. 2025 (regression-adjusted estimators of Shapley values).
    """
    point = likeliest_point(kept, odd)
    return game_at(kept, odd, point)


def likeliest_point(kept: Sets, odd: Amounts) -> Point | None:
    """Logarithms of the strengths and of the noise; None where a linear y leaves nothing."""
    sets = np.where(kept, 1.0, -1.0)
    count, tokens = sets.shape
    rest = odd - sets @ np.linalg.lstsq(sets, odd, rcond=None)[0]
    if count <= tokens + 1 or np.abs(rest).max() <= ROUNDING * np.abs(odd).max():
        return None
    start = np.concatenate((np.full(tokens, STRENGTH), [NOISE]))
    found = minimize(
        _objective, start, (sets, odd / np.abs(rest).max()), "L-BFGS-B", jac=True,
        bounds=[BOUNDS] * tokens + [NOISE_BOUNDS], options={"maxiter": STEPS},
    )  # fmt: skip
    point: Point = found.x
    return point


def game_at(kept: Sets, odd: Amounts, point: Point | None) -> Game:
    """The likeliest game for these strengths and this noise; without them a linear one."""
    sets = np.where(kept, 1.0, -1.0)
    fitted = None if point is None else _fitted(point, sets)
    if fitted is None:
        linear = np.linalg.lstsq(sets, odd, rcond=None)[0]
        return Game(sets, linear, np.zeros(sets.shape[1]), np.zeros(len(sets)))
    weights = fitted.projected @ odd
    free = odd - fitted.covariance @ weights
    return Game(sets, np.linalg.lstsq(sets, free, rcond=None)[0], fitted.strengths, weights)


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """The covariance with its noise, and what is left of its inverse beside the linear part."""

    strengths: Scores
    inner: Float[np.ndarray, "set set"]
    noise: Float[np.ndarray, " set"]
    covariance: Float[np.ndarray, "set set"]
    projected: Float[np.ndarray, "set set"]
    determinant: float


def _fitted(point: Point, sets: Signs) -> _Fitted | None:
    strengths = np.exp(point[:-1])
    inner = (sets * strengths) @ sets.T
    noise = np.full(len(sets), np.exp(point[-1]))
    noise[0] = EXACT
    scale = _third(strengths)
    covariance = np.sinh(inner) + np.diag(noise * scale)
    try:
        factor = cho_factor(covariance, lower=True)
        inverse = cho_solve(factor, np.eye(len(sets)))
        across = inverse @ sets
        within = np.linalg.cholesky(sets.T @ across)
    except np.linalg.LinAlgError:
        return None
    half = np.linalg.solve(within, across.T)
    determinant = 2 * (np.log(np.diag(factor[0])).sum() + np.log(np.diag(within)).sum())
    return _Fitted(strengths, inner, noise, covariance, inverse - half.T @ half, float(determinant))


def _third(strengths: Scores) -> float:
    """The variance of the products of three and more: that of all odd ones without the linear."""
    linear = np.cosh(strengths).prod() * np.tanh(strengths).sum()
    return float(np.sinh(strengths.sum()) - linear) + 1e-12


def _objective(point: Point, sets: Signs, odd: Amounts) -> tuple[float, Point]:
    """Minus the logarithm of restricted likelihood and prior, and its gradient."""
    fitted = _fitted(point, sets)
    if fitted is None:
        return 1e10, np.zeros_like(point)
    degrees = len(sets) - sets.shape[1]
    residual = fitted.projected @ odd
    power = max(float(odd @ residual), 1e-300)
    off = (point[:-1] - STRENGTH, (point[-1:] - NOISE) / 2)
    value = (degrees * np.log(power) + fitted.determinant) / 2
    value += sum(float(part @ part) for part in off) / 2
    change = (fitted.projected - degrees * np.outer(residual, residual) / power) / 2
    by_noise = float(np.diag(change) @ fitted.noise)
    through = change * np.cosh(fitted.inner)
    by_strength = np.einsum("it,ij,jt->t", sets, through, sets, optimize=True)
    by_strength += by_noise * _third_gradient(fitted.strengths)
    free = float(np.diag(change)[1:] @ fitted.noise[1:]) * _third(fitted.strengths)
    gradient = np.concatenate((by_strength * fitted.strengths + off[0], [free + off[1][0] / 2]))
    return value, gradient


def _third_gradient(strengths: Scores) -> Scores:
    """The gradient of `_third` with respect to the strengths."""
    product, shrunk = np.cosh(strengths).prod(), np.tanh(strengths)
    linear = product * (shrunk * shrunk.sum() + 1 - shrunk**2)
    gradient: Scores = np.cosh(strengths.sum()) - linear
    return gradient
