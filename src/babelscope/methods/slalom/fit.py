"""Fitting a SLALOM to answers: Levenberg-Marquardt with a closed-form Jacobian, L-BFGS for very
many units.

scipy.optimize.least_squares, "lm" as well as "trf", reaches the same objective (to 1e-9) but takes
4 to 5 times as long at 100 units and 9 to 17 times at 200: it factors J itself, while J^T Omega J
is small and quick to form, as a text holds few units.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.optimize import minimize

from babelscope.errors import InputError
from babelscope.methods.slalom.surrogate import CountedTexts, Numbers, predict, shares

LADDER = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
"""Strengths of the prior, from strong to weak; each fit starts where the stronger one ended, as it
would stall otherwise."""
ROUGH, FINE = 1e-3, 1e-9
"""Relative decrease of the objective at which a rung, and the last one, has converged."""
SOLVERS = ("auto", "levenberg-marquardt", "l-bfgs")
MANY = 1500
"""Above this number of units the matrix of 2T x 2T is too large and L-BFGS is used."""
MOST_STEPS = 1000
"""Of a descent; flat valleys, where the text itself has most of the weight, take hundreds."""
SAME = 1e-7
"""Answers that differ by less, relative to their size, count as equal: the precision of float32."""
KNOWN = 0.5
"""An importance is identified if the answers reduce its prior variance by at least this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Importance and value of each unit with standard deviations, and how the fit went.

    `identified` is False where the answers do not determine an importance: the unit's value is
    close to those of the units that it was sampled with.
    """

    importance: Numbers
    value: Numbers
    importance_sd: Numbers
    value_sd: Numbers
    identified: NDArray[np.bool_]
    ridge: float
    trace: tuple[float, ...]
    """The objective after every accepted step at the final ridge; it never rises."""
    constant: bool = False
    """All answers are the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Answers to texts, in units of their standard deviation and around their mean.

        Q(s, v) = 1/2 sum_n omega_n (F_n - f_n)^2 + ridge/2 sum_u s_u^2 + ridge/2 sum_u v_u^2

    omega the weight of a text (how often it was sampled).
    """

    texts: CountedTexts
    answer: Numbers
    weight: Numbers
    size: int

    def objective(self, at: Numbers, ridge: float) -> float:
        gap = predict(self.texts, at[: self.size], at[self.size :]) - self.answer
        return float(self.weight @ gap**2 + ridge * (at @ at)) / 2

    def jacobian(self, at: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Derivatives of F at each place, with respect to importance and value, and F - f.

            dF/dv_u = A_u        dF/ds_u = A_u (v_u - F)

        *Laws*: equals the central difference; those of all importances sum to 0, those of all
        values to 1.
        """
        share, value = shares(self.texts, at[: self.size]), at[self.size :][self.texts.unit]
        predicted = (share * value).sum(axis=1)
        return share * (value - predicted[:, None]), share, predicted - self.answer

    def normal(self, at: Numbers) -> tuple[Numbers, Numbers]:
        """J^T Omega J and J^T Omega (F - f) over importances and values."""
        by_importance, by_value, gap = self.jacobian(at)
        root = np.sqrt(self.weight)[:, None]
        rows = np.repeat(np.arange(len(self.texts)), self.texts.unit.shape[1])
        columns, shape = self.texts.unit.reshape(-1), (len(self.texts), self.size)
        entries = [(by * root).reshape(-1) for by in (by_importance, by_value)]
        if self.texts.unit.shape[1] * 16 > self.size:
            flat = rows * self.size + columns
            dense = np.hstack(
                [np.bincount(flat, part, shape[0] * shape[1]).reshape(shape) for part in entries]
            ).astype(np.float64)
            return dense.T @ dense, dense.T @ (root[:, 0] * gap)
        matrix = sparse.hstack(
            [sparse.csr_matrix((part, (rows, columns)), shape=shape) for part in entries],
            format="csr",
        )
        return (matrix.T @ matrix).toarray(), matrix.T @ (root[:, 0] * gap)

    def gradient(self, at: Numbers, ridge: float) -> Numbers:
        """The gradient of the objective, computed without the matrix."""
        by_importance, by_value, gap = self.jacobian(at)
        residual = (gap * self.weight)[:, None]
        columns = self.texts.unit.reshape(-1)
        parts = [
            np.bincount(columns, (by * residual).reshape(-1), self.size)
            for by in (by_importance, by_value)
        ]
        return np.concatenate(parts) + ridge * at


def fit(
    texts: CountedTexts,
    answer: Numbers,
    *,
    size: int,
    weight: Numbers | None = None,
    ridge: float | None = None,
    solver: str = "auto",
    start: Fit | None = None,
) -> Fit:
    """The SLALOM of `size` units that fits the answers best.

        min_{s, v} sum_n omega_n (F_n - f_n)^2 + ridge (sum s^2 + sum (v - mean f)^2 / sd(f)^2)
        then sum_u s_u = 0

    F as in `predict`. Answers are divided by their standard deviation first, so that the ridge has
    no unit; it is the ratio of noise and prior variance. By default it is the first rung of LADDER
    below the residual variance of the fit, sigma^2 = RSS / (n - trace). Standard deviations are
    those of the linearised posterior, sigma^2 (J^T Omega J + ridge)^-1, importances centred. With
    `start`, a fit to nearly the same answers, the steps begin there and at its ridge instead of at
    the top of the ladder.

    *Laws*: an exact SLALOM is recovered; no worse than the best linear mixture (s = 0); the
    objective never rises; a text with weight 2 counts as that text twice; both solvers, and any
    start, reach the same objective; centred importances.
    *Left open by the paper*: how to minimise (it takes Adam for a fixed number of steps, which
    cannot reach large values) and how to treat units without evidence (here: the prior).
    Source: Leemann et al. 2024 (SLALOM), algorithm 1 for the objective; Marquardt 1963 for the
    steps.
    """
    if solver not in SOLVERS:
        raise InputError(f"solver {solver!r} is not one of: {', '.join(SOLVERS)}")
    omega = np.ones(len(answer)) if weight is None else np.asarray(weight, np.float64)
    mean = float(np.average(answer, weights=omega))
    spread = sqrt(float(np.average((answer - mean) ** 2, weights=omega)))
    if spread <= SAME * max(1.0, abs(mean)):
        return _constant(size, mean)
    problem = Problem(texts, (answer - mean) / spread, omega, size)
    if solver == "l-bfgs" or (solver == "auto" and size > MANY):
        return _with_deviations(
            *_l_bfgs(problem, 1e-3 if ridge is None else ridge), problem, mean, spread
        )
    if start is not None and not start.constant:
        begin = np.concatenate([start.importance, (start.value - mean) / spread])
        return _with_deviations(
            *_refined(problem, begin, start.ridge if ridge is None else ridge),
            problem,
            mean,
            spread,
        )
    return _with_deviations(*_ladder(problem, ridge), problem, mean, spread)


def _ladder(problem: Problem, ridge: float | None) -> tuple[Numbers, float, tuple[float, ...]]:
    """Down the ladder to the requested ridge; or to the first rung below the estimated noise."""
    rungs = [rung for rung in LADDER if ridge is None or rung > ridge] + (
        [] if ridge is None else [ridge]
    )
    at, rung = _linear_mixture(problem, rungs[0]), rungs[0]
    for rung in rungs:
        at, _ = _descend(problem, at, rung, ROUGH)
        if ridge is None and _noise(problem, at, rung) >= rung:
            break
    return _refined(problem, at, rung)


def _refined(
    problem: Problem, at: Numbers, ridge: float
) -> tuple[Numbers, float, tuple[float, ...]]:
    """The minimum from there, or from the best linear mixture where that is lower: never worse than
    the latter."""
    rest = _linear_mixture(problem, ridge)
    at, trace = _descend(
        problem, min(at, rest, key=lambda start: problem.objective(start, ridge)), ridge, FINE
    )
    return at, ridge, trace


def _linear_mixture(problem: Problem, ridge: float) -> Numbers:
    """Importances 0 and the ridge regression for the values: the best linear mixture."""
    start = np.zeros(2 * problem.size)
    matrix, gradient = problem.normal(start)
    block = matrix[problem.size :, problem.size :] + ridge * np.eye(problem.size)
    start[problem.size :] = -linalg.solve(block, gradient[problem.size :], assume_a="pos")
    return start


def _descend(
    problem: Problem, at: Numbers, ridge: float, tolerance: float
) -> tuple[Numbers, tuple[float, ...]]:
    """Levenberg-Marquardt from `at`, until a step changes the objective by less than the tolerance,
    twice."""
    objective, damping, converged = problem.objective(at, ridge), 1e-2, 0
    trace = [objective]
    for _ in range(MOST_STEPS):
        matrix, gradient = problem.normal(at)
        matrix[np.diag_indices_from(matrix)] += ridge
        gradient = gradient + ridge * at
        moved = _step(problem, at, ridge, matrix, gradient, objective, damping)
        if moved is None:
            break
        at, reached, damping = moved
        converged = converged + 1 if objective - reached <= tolerance * objective else 0
        objective = reached
        trace.append(objective)
        if converged == 2:
            break
    return at, tuple(trace)


def _step(
    problem: Problem,
    at: Numbers,
    ridge: float,
    matrix: Numbers,
    gradient: Numbers,
    objective: float,
    damping: float,
) -> tuple[Numbers, float, float] | None:
    """One step that lowers the objective, with the objective reached and the next damping; None if
    none does."""
    diagonal = np.maximum(np.diag(matrix), 1e-8 * np.diag(matrix).max())
    for _ in range(12):
        try:
            factor = linalg.cho_factor(
                matrix + np.diag(damping * diagonal), overwrite_a=True, check_finite=False
            )
        except linalg.LinAlgError:
            damping *= 8
            continue
        step = -linalg.cho_solve(factor, gradient, check_finite=False)
        reached = problem.objective(at + step, ridge)
        if reached < objective:
            expected = -(gradient @ step) - step @ matrix @ step / 2
            gain = (objective - reached) / max(expected, 1e-300)
            return (
                at + step,
                reached,
                max(damping * (0.1 if gain > 0.75 else 0.5 if gain > 0.25 else 2.0), 1e-12),
            )
        damping *= 8
    return None


def _l_bfgs(problem: Problem, ridge: float) -> tuple[Numbers, float, tuple[float, ...]]:
    """L-BFGS: no matrix, and no ladder, as it does not stall."""
    result = minimize(
        lambda at: (problem.objective(at, ridge), problem.gradient(at, ridge)),
        np.zeros(2 * problem.size),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 20000, "maxcor": 20, "ftol": 1e-14, "gtol": 1e-9},
    )
    start = problem.objective(np.zeros(2 * problem.size), ridge)
    return np.asarray(result.x), ridge, (start, float(result.fun))


def _noise(problem: Problem, at: Numbers, ridge: float) -> float:
    """RSS / (n - trace), trace = 2T - ridge tr (J^T Omega J + ridge)^-1: the effective number of
    parameters."""
    matrix, _ = problem.normal(at)
    free = 2 * problem.size - float((ridge / (linalg.eigvalsh(matrix) + ridge)).sum())
    gap = predict(problem.texts, at[: problem.size], at[problem.size :]) - problem.answer
    return float(problem.weight @ gap**2) / max(float(problem.weight.sum()) - free, 1.0)


def _with_deviations(
    at: Numbers,
    ridge: float,
    trace: tuple[float, ...],
    problem: Problem,
    mean: float,
    spread: float,
) -> Fit:
    size = problem.size
    importance, value = at[:size] - at[:size].mean(), mean + spread * at[size:]
    if size > MANY:
        unknown = np.full(size, np.nan)
        return Fit(importance, value, unknown, unknown, np.ones(size, np.bool_), ridge, trace)
    matrix, _ = problem.normal(at)
    inverse = linalg.inv(matrix + ridge * np.eye(2 * size))
    noise = _noise(problem, at, ridge)
    centre = np.eye(size) - 1 / size
    variance = np.diag(centre @ inverse[:size, :size] @ centre)
    left = ridge * variance / max(1 - 1 / size, 1e-300)
    identified = (left < KNOWN) & (size > 1)
    importance_sd = np.where(identified, np.sqrt(noise * variance), np.nan)
    value_sd = spread * np.sqrt(noise * np.diag(inverse)[size:])
    return Fit(importance, value, importance_sd, value_sd, identified, ridge, trace)


def _constant(size: int, mean: float) -> Fit:
    nothing = np.zeros(size)
    return Fit(
        nothing,
        np.full(size, mean),
        np.full(size, np.nan),
        nothing,
        np.zeros(size, np.bool_),
        LADDER[0],
        (),
        True,
    )
