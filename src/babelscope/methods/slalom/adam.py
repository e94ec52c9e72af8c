"""The published fit of a SLALOM: Adam from zero for a fixed number of epochs."""

from __future__ import annotations

import numpy as np

from babelscope.methods.slalom.fit import Fit, Problem
from babelscope.methods.slalom.surrogate import CountedTexts, Numbers

EPOCHS, RATE, BATCH = 60, 5e-3, 128
"""As in the experiments of the first version of the paper."""
MOMENTS, STABLE = (0.9, 0.999), 1e-8
"""Adam's decay rates, and what keeps its quotient finite."""


def fit_adam(
    texts: CountedTexts,
    answer: Numbers,
    *,
    size: int,
    weight: Numbers | None = None,
    epochs: int = EPOCHS,
    rate: float = RATE,
    batch: int = BATCH,
) -> Fit:
    """Importances and values by Adam, as published.

        min_{s, v} sum_n omega_n (F_n - f_n)^2,    s = v = 0 at the start, then sum_u s_u = 0

    in batches of `batch` texts in a fixed order, a text of weight 2 twice in a row. Nothing keeps
    parameters small, and standard deviations are not known.

    A parameter moves by at most about `rate` per step, that is by rate * epochs * n / batch in all:
    1.2 with 500 texts. Larger values cannot be reached, whatever the model says; the least squares
    of `fit` have no such limit.

    *Laws*: equals torch's Adam; reaches the least squares where it has steps enough; no unit moves
    farther than rate * steps * 1.1; centred importances.
    Source: Leemann et al. 2024 (SLALOM), algorithm 1 with the settings of its code; Kingma and Ba
    2015 for Adam.
    """
    omega = np.ones(len(answer)) if weight is None else np.asarray(weight, np.float64)
    rows = np.repeat(np.arange(len(answer)), np.rint(omega).astype(np.int64))
    batches = [rows[start : start + batch] for start in range(0, len(rows), batch)]
    problems = [
        Problem(CountedTexts(texts.unit[part], texts.count[part]), answer[part],
                np.ones(len(part)), size)
        for part in batches
    ]  # fmt: skip
    at, first, second = (np.zeros(2 * size) for _ in range(3))
    trace, step = [], 0
    for _ in range(epochs):
        for problem in problems:
            step += 1
            gradient = 2 * problem.gradient(at, 0.0)
            first = MOMENTS[0] * first + (1 - MOMENTS[0]) * gradient
            second = MOMENTS[1] * second + (1 - MOMENTS[1]) * gradient**2
            mean, square = first / (1 - MOMENTS[0] ** step), second / (1 - MOMENTS[1] ** step)
            at = at - rate * mean / (np.sqrt(square) + STABLE)
        trace.append(2 * sum(problem.objective(at, 0.0) for problem in problems))
    unknown = np.full(size, np.nan)
    importance = at[:size] - at[:size].mean()
    return Fit(
        importance, at[size:], unknown, unknown, np.ones(size, np.bool_), 0.0, tuple(trace)
    )  # fmt: skip
