"""How few queries can suffice: the Cramer-Rao bound, and the best design of queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from babelscope.methods.slalom.fit import Problem
from babelscope.methods.slalom.surrogate import CountedTexts, counted
from experiments.black_boxes import BlackBox

GAUGE = 1e-9
"""Added to the diagonal: a constant added to all importances changes no answer."""


def cramer_rao(box: BlackBox, error: float, *, fitted: float, queries: int) -> int:
    """The queries that an unbiased fit to texts of three units needs for that mean squared error
    on such texts.

        error - misfit >= sd^2 / n tr(M M^-1) = sd^2 (2T - 1) / n,   M the mean of J J^T over texts

    n is the number of queries, T that of units, J the gradient of the log-odds with respect to
    importances and values. For an exact SLALOM the misfit is 0 and sd that of the noise. A trained
    model is no SLALOM: its misfit is the error `fitted` that a fit to many `queries` has, less what
    their number explains, and has the effect of noise (sd^2 = misfit).
    """
    free = 2 * box.size - 1
    misfit = 0.0 if box.truth else fitted / (1 + free / queries)
    variance = box.noise**2 if box.truth else misfit
    return max(free, int(np.ceil(variance * free / (error - misfit))))


def best_design(box: BlackBox, test: CountedTexts, *, steps: int) -> float:
    """An upper bound of the factor by which a design of single units and pairs needs fewer queries
    than texts of three units for the same error.

    The criterion tr(M_test M_w^-1) is convex in the weights w of the queries; after `steps` of the
    multiplicative algorithm the optimum is at least twice the criterion less its largest derivative
    (Kiefer and Wolfowitz).
    """
    size = box.size
    test_gradients = gradients(box, test)
    test_information = test_gradients.T @ test_gradients / len(test)
    pairs = [[unit, other] for unit in range(size) for other in range(unit)]
    queries = gradients(box, counted([[unit] for unit in range(size)] + pairs))
    weight = np.full(len(queries), 1 / len(queries))
    for _ in range(steps):
        information = queries.T @ (queries * weight[:, None])
        inverse = np.linalg.inv(information + GAUGE * np.eye(2 * size))
        derivative = ((queries @ (inverse @ test_information @ inverse)) * queries).sum(axis=1)
        criterion = float(np.trace(test_information @ inverse))
        weight = weight * np.sqrt(derivative / criterion)
        weight /= weight.sum()
    return (2 * size - 1) / (2 * criterion - float(derivative.max()))


def gradients(box: BlackBox, texts: CountedTexts) -> NDArray[np.float64]:
    """The gradient of each text's log-odds with respect to importances and values, at the truth."""
    assert box.truth is not None
    problem = Problem(texts, np.zeros(len(texts)), np.ones(len(texts)), box.size)
    by_importance, by_value, _ = problem.jacobian(np.concatenate(box.truth))
    gradient = np.zeros((len(texts), 2 * box.size))
    row = np.repeat(np.arange(len(texts)), texts.unit.shape[1])
    for start, part in ((0, by_importance), (box.size, by_value)):
        np.add.at(gradient, (row, start + texts.unit.reshape(-1)), part.reshape(-1))
    return gradient
