"""One SLALOM for all classes: importances shared, one value per class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.optimize import minimize

from babelscope.errors import InputError
from babelscope.methods.slalom.surrogate import CountedTexts, Numbers, shares


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    importance: Numbers
    value: Numbers
    """One row per unit, one column per class."""
    mse: float


def joint_fit(
    texts: CountedTexts,
    logits: Numbers,
    *,
    size: int,
    weight: Numbers | None = None,
    ridge: float = 1e-3,
) -> Joint:
    """Importances shared by all classes, and a value of every unit for every class.

        F_c(t) = sum_i alpha_i v_c(i),    p(c | t) = softmax_c F_c(t)
        sum_u s_u = 0,    sum_c v_c(u) = 0 for each unit u

    Fitted to the logits less their mean over the classes. For given importances the values are a
    ridge regression with one matrix for all classes, V(s) = (A^T Omega A + ridge)^-1 A^T Omega Y;
    L-BFGS runs over s alone (variable projection).

    *Laws*: an exact model is recovered; the values of a unit sum to 0 over the classes; with two
    classes v_1 - v_0 is the binary model's value and the importances are the same.
    Source: Leemann et al. 2024 (SLALOM), eqs. 70 and 71.
    """
    if logits.ndim != 2 or logits.shape[1] < 2:
        raise InputError(
            f"a joint fit needs logits of at least two classes, not of shape {logits.shape}"
        )
    omega = np.ones(len(logits)) if weight is None else np.asarray(weight, np.float64)
    centred = logits - logits.mean(axis=1, keepdims=True)
    mean = np.average(centred, axis=0, weights=omega)
    spread = float(np.sqrt(np.average(((centred - mean) ** 2).sum(axis=1), weights=omega)))
    if spread <= 1e-12 * max(1.0, float(np.abs(mean).max())):
        return Joint(np.zeros(size), np.tile(mean, (size, 1)), 0.0)
    target = (centred - mean) / spread
    importance = np.zeros(size)
    for rung in [rung for rung in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5) if rung > ridge] + [ridge]:
        importance = _refined(texts, target, omega, importance, rung)
    value, share = _values(texts, target, omega, importance, ridge)
    predicted = mean + spread * _mixed(texts, share, value)
    mse = float(np.average(((predicted - centred) ** 2).sum(axis=1), weights=omega))
    return Joint(importance - importance.mean(), mean + spread * value, mse)


def _refined(
    texts: CountedTexts, target: Numbers, omega: Numbers, start: Numbers, ridge: float
) -> Numbers:
    def objective(importance: Numbers) -> tuple[float, Numbers]:
        value, share = _values(texts, target, omega, importance, ridge)
        predicted = _mixed(texts, share, value)
        gap = (predicted - target) * omega[:, None]
        pull = np.einsum("npc,nc->np", value[texts.unit] - predicted[:, None, :], gap)
        gradient = (
            np.bincount(texts.unit.reshape(-1), (share * pull).reshape(-1), len(importance))
            + ridge * importance
        )
        loss = (gap * (predicted - target)).sum() + ridge * (
            (importance**2).sum() + (value**2).sum()
        )
        return float(loss) / 2, gradient

    options = {"maxiter": 2000, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-9}
    return np.asarray(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x)


def _values(
    texts: CountedTexts, target: Numbers, omega: Numbers, importance: Numbers, ridge: float
) -> tuple[Numbers, Numbers]:
    """The best values for these importances, and the shares."""
    share, size = shares(texts, importance), len(importance)
    rows = np.repeat(np.arange(len(texts)), texts.unit.shape[1])
    matrix = sparse.csr_matrix(
        (share.reshape(-1), (rows, texts.unit.reshape(-1))), shape=(len(texts), size)
    )
    heavy = matrix.T @ sparse.diags(omega)
    block = (heavy @ matrix).toarray() + ridge * np.eye(size)
    return np.asarray(linalg.solve(block, heavy @ target, assume_a="pos")), share


def _mixed(texts: CountedTexts, share: Numbers, value: Numbers) -> Numbers:
    return np.asarray(np.einsum("np,npc->nc", share, value[texts.unit]))
