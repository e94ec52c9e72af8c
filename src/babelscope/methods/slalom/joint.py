"""One SLALOM for all classes: importances shared, one value per class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.optimize import minimize

from babelscope.errors import InputError
from babelscope.methods.slalom.surrogate import Numbers, Texts, shares


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    importance: Numbers
    value: Numbers
    """One row per unit, one column per class."""
    mse: float


def joint_fit(given: Texts, logits: Numbers, *, size: int, weight: Numbers | None = None, ridge: float = 1e-3) -> Joint:
    """Importances shared by all classes, and a value of every unit for every class.

        F_c(t) = sum_i alpha_i v_c(i),    p(c | t) = softmax_c F_c(t);    sum_u s_u = 0,   sum_c v_c(u) = 0 for each unit u

    Fitted to the logits less their mean over the classes. For given importances the values are a ridge regression with one
    matrix for all classes, V(s) = (A^T Omega A + ridge)^-1 A^T Omega Y; L-BFGS runs over s alone (variable projection).

    *Laws*: an exact model is recovered; the values of a unit sum to 0 over the classes; with two classes v_1 - v_0 is the
    binary model's value and the importances are the same.
    Source: Leemann et al. 2024 (SLALOM), eqs. 70 and 71.
    """
    if logits.ndim != 2 or logits.shape[1] < 2:
        raise InputError(f"a joint fit needs the logits of at least two classes; an array of shape {logits.shape} given")
    omega = np.ones(len(logits)) if weight is None else np.asarray(weight, np.float64)
    centred = logits - logits.mean(axis=1, keepdims=True)
    mean = np.average(centred, axis=0, weights=omega)
    spread = float(np.sqrt(np.average(((centred - mean) ** 2).sum(axis=1), weights=omega)))
    if spread <= 1e-12 * max(1.0, float(np.abs(mean).max())):
        return Joint(np.zeros(size), np.tile(mean, (size, 1)), 0.0)
    target = (centred - mean) / spread
    importance = np.zeros(size)
    for rung in [rung for rung in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5) if rung > ridge] + [ridge]:
        importance = _settled(given, target, omega, importance, rung)
    value, share = _values(given, target, omega, importance, ridge)
    found = mean + spread * _mixed(given, share, value)
    mse = float(np.average(((found - centred) ** 2).sum(axis=1), weights=omega))
    return Joint(importance - importance.mean(), mean + spread * value, mse)


def _settled(given: Texts, target: Numbers, omega: Numbers, start: Numbers, ridge: float) -> Numbers:
    def objective(importance: Numbers) -> tuple[float, Numbers]:
        value, share = _values(given, target, omega, importance, ridge)
        found = _mixed(given, share, value)
        gap = (found - target) * omega[:, None]
        pull = np.einsum("npc,nc->np", value[given.unit] - found[:, None, :], gap)
        slope = np.bincount(given.unit.reshape(-1), (share * pull).reshape(-1), len(importance)) + ridge * importance
        loss = (gap * (found - target)).sum() + ridge * ((importance**2).sum() + (value**2).sum())
        return float(loss) / 2, slope

    options = {"maxiter": 2000, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-9}
    return np.asarray(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x)


def _values(given: Texts, target: Numbers, omega: Numbers, importance: Numbers, ridge: float) -> tuple[Numbers, Numbers]:
    """The best values for these importances, and the shares."""
    share, size = shares(given, importance), len(importance)
    rows = np.repeat(np.arange(len(given)), given.unit.shape[1])
    matrix = sparse.csr_matrix((share.reshape(-1), (rows, given.unit.reshape(-1))), shape=(len(given), size))
    heavy = matrix.T @ sparse.diags(omega)
    block = (heavy @ matrix).toarray() + ridge * np.eye(size)
    return np.asarray(linalg.solve(block, heavy @ target, assume_a="pos")), share


def _mixed(given: Texts, share: Numbers, value: Numbers) -> Numbers:
    return np.asarray(np.einsum("np,npc->nc", share, value[given.unit]))
